"""Golden logs may lie beside the tests of a distribution that is not this one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from closed_hands import RULESET

from tests.rules import golden
from tests.rules.conformance import Conformance


def test_a_ruleset_of_somebody_else_keeps_its_golden_logs_where_it_likes(tmp_path: Path) -> None:
    class Elsewhere(Conformance):
        ruleset: ClassVar = RULESET
        bound = 120
        golden_logs = tmp_path

    with pytest.raises(FileNotFoundError):
        Elsewhere().test_the_golden_log_still_holds()
    golden.write(RULESET, tmp_path)
    Elsewhere().test_the_golden_log_still_holds()
    assert golden.load(RULESET, tmp_path) == golden.load(RULESET)
    with pytest.raises(SystemExit, match="a released version's behaviour never changes"):
        golden.write(RULESET, tmp_path)
