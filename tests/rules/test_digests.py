"""The sources of a released version of a game never change: games that were played by them would be judged by others.

`moveledger check --against` shows which stored games a new version would judge differently; it does not have to hurt any,
because every game stays with the version that it was opened under.
"""

from __future__ import annotations

import pytest

from moveledger.rules.registry import PRESENTATION
from tests.rules.golden import released_digests, shipped_digests

CHANGED = """\
The sources of {0} are not those that were released. A game keeps the rules that it was opened under, so leave them as they were and
make a new version beside them: a folder of its own with `version` one higher. Only {1} may change in a released version. (While
{0} has never been in a release, its line in moveledger/rules/digests.json may be taken out and written anew.)"""
MISSING = "{0} has no digest. When its rules are final: python -m tests.rules.golden --digests"


@pytest.mark.parametrize("ruleset_id", shipped_digests())
def test_every_ruleset_that_is_shipped_has_the_sources_that_were_released(ruleset_id: str) -> None:
    released = released_digests()
    assert ruleset_id in released, MISSING.format(ruleset_id)
    assert shipped_digests()[ruleset_id] == released[ruleset_id], CHANGED.format(
        ruleset_id, ", ".join(sorted(PRESENTATION))
    )


def test_a_version_that_was_released_stays() -> None:
    """Stored games need it for ever."""
    assert released_digests().keys() <= shipped_digests().keys()
