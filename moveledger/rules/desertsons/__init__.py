"""Im Reich der Wüstensöhne: caravans discover a desert, tile by tile, and closed oases give goods to figures by height.

The rules, numbered, stand in `docs/rules/desertsons.md`; docstrings cite those numbers.
"""

from __future__ import annotations

from moveledger.rules.desertsons.actions import ACTIONS, Action
from moveledger.rules.desertsons.apply import apply, setup
from moveledger.rules.desertsons.data import PROVENANCE
from moveledger.rules.desertsons.describe import describe
from moveledger.rules.desertsons.draws import audience, awaiting, draws
from moveledger.rules.desertsons.greedy import greedy
from moveledger.rules.desertsons.legal import legal
from moveledger.rules.desertsons.options import PRESETS, Options
from moveledger.rules.desertsons.score import outcome
from moveledger.rules.desertsons.state import State
from moveledger.rules.desertsons.view import view
from moveledger.rules.kernel import Ruleset

RULESET: Ruleset[State, Action, Options] = Ruleset(
    key="desertsons",
    version=1,
    package=__name__,
    seats=range(2, 5),
    options=Options,
    actions=ACTIONS,
    state=State,
    hidden=True,
    chance=True,
    provenance=PROVENANCE,
    setup=setup,
    awaiting=awaiting,
    draws=draws,
    legal=legal,
    apply=apply,
    audience=audience,
    view=view,
    outcome=outcome,
    describe=describe,
    presets=PRESETS,
    unofficial_seats=frozenset({2}),
    greedy=greedy,
)
