"""Closed hands: a small game that uses everything the rules kernel offers. An example to copy from.

A hidden target, 1 to 20, is set. Each round every seat gets a card, 1 to 12, that only it sees, each from a pack of its own:
from a common one, the place of its card among those left would tell a seat of others' cards. Then all seats at the same
time put a closed number, 0 to 8, beside their card, or pass. The seat whose sum comes nearest to the target takes a point;
where several come as near, a roll of dice decides in the open. A seat may not put the number that it put in the round
before. After the last round the most points win. Whoever leaves stands below all who stay, and those choose again.
"""

from __future__ import annotations

from typing import Any

from closed_hands.apply import apply, awaiting, draws, outcome, setup
from closed_hands.describe import describe
from closed_hands.legal import legal
from closed_hands.state import Bid, Options, Pass, State
from closed_hands.view import audience, view
from moveledger.rules.kernel import Ruleset

RULESET: Ruleset[State, Any, Options] = Ruleset(
    key="closed_hands",
    version=1,
    package=__name__,
    seats=range(2, 5),
    options=Options,
    actions=(Bid, Pass),
    state=State,
    hidden=True,
    chance=True,
    provenance={"authors": ["Moveledger"], "source": "an example"},
    setup=setup,
    awaiting=awaiting,
    draws=draws,
    legal=legal,
    apply=apply,
    audience=audience,
    view=view,
    outcome=outcome,
    describe=describe,
)
