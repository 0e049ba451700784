"""The map and the pieces, as published."""

from __future__ import annotations

from moveledger.rules.shangrila.data import (
    BRIDGE_BETWEEN,
    BRIDGES,
    CAPS,
    GUILD_GRID,
    GUILDS,
    NEIGHBOURS,
    OUT_WITH_THREE,
    PROVENANCE,
    SITES,
    TILES_PER_GUILD,
    VILLAGES,
    Caps,
)
from moveledger.rules.shangrila.options import Options


def test_thirteen_villages_with_three_or_four_roads_each() -> None:
    assert list(VILLAGES) == [site.id for site in SITES] == list(range(1, 14))
    degrees = [len(NEIGHBOURS[village]) for village in VILLAGES]
    assert sorted(degrees) == [3] * 6 + [4] * 7


def test_twenty_three_bridges_between_different_villages() -> None:
    assert [bridge.id for bridge in BRIDGES] == list(range(1, 24))
    assert len({frozenset((bridge.a, bridge.b)) for bridge in BRIDGES}) == 23
    assert len(BRIDGE_BETWEEN) == 46
    assert NEIGHBOURS[10] == (3, 9, 13)
    assert NEIGHBOURS[OUT_WITH_THREE] == (2, 6, 10)


def test_the_map_is_in_one_piece_with_and_without_the_red_walled_village() -> None:
    for out in (None, OUT_WITH_THREE):
        reached, edge = {1}, [1]
        while edge:
            fresh = {to for to in NEIGHBOURS[edge.pop()] if to != out} - reached
            reached |= fresh
            edge += fresh
        assert reached == set(VILLAGES) - {out}


def test_seven_guilds_of_six_tiles_in_rows_of_two_three_and_two() -> None:
    assert TILES_PER_GUILD == 6
    assert [len(row) for row in GUILD_GRID] == [2, 3, 2]
    assert sorted(guild for row in GUILD_GRID for guild in row) == list(GUILDS)


def test_the_caps_are_those_of_the_seat_count() -> None:
    assert dict(CAPS) == {3: Caps(2, 1), 4: Caps(3, 2)}


def test_what_was_reconstructed_is_said_to_be() -> None:
    assert "reconstructed" in str(PROVENANCE["start_layouts"])
    assert "reconstructed" in str(PROVENANCE["village_names"])
    assert "sourced" in str(PROVENANCE["graph"])


def test_the_defaults_are_the_long_reading() -> None:
    assert Options() == Options(
        reading="dossier",
        setup="free",
        recruit="one_or_two",
        own_master_rule="stay",
        setup_caps=True,
        three_seats="reduced",
        end="two_open",
    )
