"""What every ruleset must hold, held for this one."""

from __future__ import annotations

from typing import ClassVar

from moveledger.rules.shangrila import RULESET
from tests.rules.conformance import Conformance


class TestShangrila(Conformance):
    ruleset: ClassVar = RULESET
    bound = 600
    perft: ClassVar = {(3, 1): 84, (4, 1): 91}
    option_sets: ClassVar = (
        {},
        {"reading": "seed"},
        {"setup": "layout"},
        {"setup": "layout", "end": "no_bridge"},
        {"recruit": "two", "own_master_rule": "seed_literal"},
        {"setup_caps": False, "three_seats": "full"},
        {"three_seats": "full", "end": "no_bridge"},
    )
