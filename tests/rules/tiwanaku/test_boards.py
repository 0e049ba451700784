"""Hidden boards and starting tiles, judged by a validator that shares nothing with the generator."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from moveledger.rules.tiwanaku import board as board_module
from moveledger.rules.tiwanaku import data as game_data
from moveledger.rules.tiwanaku import starts as starts_module
from moveledger.rules.tiwanaku.board import Layout, generate, lay_out
from moveledger.rules.tiwanaku.data import BOARDS as SIZES
from moveledger.rules.tiwanaku.data import LETTERS, LIMITS, SPARE_BOARDS, TILES, TOKENS
from moveledger.rules.tiwanaku.search import search
from moveledger.rules.tiwanaku.solver import crop_layouts
from moveledger.rules.tiwanaku.stream import Stream
from tests.rules.tiwanaku.validator import BOARDS, around, faults, regions, rows_of

GAMES = 30


def words(seed: int) -> tuple[int, ...]:
    return (seed, 1, 2, 3, 4, 5, 6, 2**32 - 1)


def layouts(board: str, start: str = "normal", games: int = GAMES) -> list[Layout]:
    return [lay_out(words(seed), board, start) for seed in range(games)]


def cut(layout: Layout, board: str) -> tuple[list[str], list[str]]:
    columns = SIZES[board].columns
    return rows_of(layout.land.terrain, columns), rows_of(layout.land.crops, columns)


# --- the judge -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_the_judge_finds_no_fault_in_fifty_boards_made_elsewhere(board: str) -> None:
    given = BOARDS[board]
    assert faults(given["terrain"], given["crops"]) == []
    count = Counter("".join(given["terrain"]))
    assert given["tiles"] == {"sand": count["S"], "grass": count["G"], "earth": count["E"], "rock": count["R"]}


def test_the_judge_finds_a_fault_in_nearly_every_board_with_one_space_changed() -> None:
    """Only a region of one space can change its terrain and leave a good board."""
    given = BOARDS["5x9-01"]
    changes = accepted = 0
    for row, column in itertools.product(range(5), range(9)):
        for letter in set(LETTERS) - {given["terrain"][row][column]}:
            terrain = [list(line) for line in given["terrain"]]
            terrain[row][column] = letter
            changes += 1
            if not faults(["".join(line) for line in terrain], given["crops"]):
                accepted += 1
                assert len(regions(given["terrain"])[row, column]) == 1
        for crop in set("12345") - {given["crops"][row][column]}:
            crops = [list(line) for line in given["crops"]]
            crops[row][column] = crop
            changes += 1
            assert faults(given["terrain"], ["".join(line) for line in crops])
    assert changes == 45 * 7
    assert accepted <= 3


@pytest.mark.cites("42")
def test_a_region_may_touch_itself_by_a_corner() -> None:
    crops = BOARDS["5x5-01"]["crops"]
    assert faults(BOARDS["5x5-01"]["terrain"], crops) == []
    grass = regions(BOARDS["5x5-01"]["terrain"])[0, 1]
    assert {(0, 3), (1, 2)} <= grass, "a corner is between these two"
    bent = [board for board in layouts("5x9") if self_corners(cut(board, "5x9")[0])]
    assert bent, "generated boards have such regions too"


def self_corners(terrain: list[str]) -> int:
    """Pairs of places of one region that have only a corner in common."""
    region_at = regions(terrain)
    return sum((row + 1, column + step) in region for (row, column), region in region_at.items() for step in (-1, 1))


@pytest.mark.cites("43")
@pytest.mark.parametrize("board", SIZES)
def test_where_one_terrain_meets_at_a_corner_one_space_between_has_it_too(board: str) -> None:
    met = 0
    for layout in layouts(board):
        terrain, _ = cut(layout, board)
        for row, column in itertools.product(range(4), range(SIZES[board].columns - 1)):
            a, b = terrain[row][column], terrain[row][column + 1]
            c, d = terrain[row + 1][column], terrain[row + 1][column + 1]
            met += (a == d) + (b == c)
            assert a != d or a in (b, c)
            assert b != c or b in (a, d)
    assert met > 20


# --- the generator -------------------------------------------------------------------------------------


@pytest.mark.cites("X9")
@pytest.mark.parametrize("board", SIZES)
def test_every_generated_board_is_a_good_one_that_the_box_can_lay(board: str) -> None:
    for layout in layouts(board):
        terrain, crops = cut(layout, board)
        assert (len(terrain), len(terrain[0])) == (5, SIZES[board].columns)
        assert faults(terrain, crops) == []
        tiles = [layout.land.terrain.count(letter) for letter in LETTERS]
        tokens = [layout.land.crops.count(str(value)) for value in range(1, 6)]
        assert all(1 <= n <= most for n, most in zip(tiles, TILES, strict=True))
        assert all(1 <= n <= most for n, most in zip(tokens, TOKENS, strict=True))
        sizes = {len(region) for region in regions(terrain).values()}
        assert len(sizes) >= 3
        assert len({id(region) for region in regions(terrain).values()}) <= (9 if board == "5x5" else 15)


@pytest.mark.cites("X9")
def test_boards_differ_by_the_draw_and_a_draw_always_gives_the_same() -> None:
    boards = layouts("5x9", games=GAMES)
    assert len({board.land for board in boards}) == GAMES
    lay_out.cache_clear()
    assert layouts("5x9", games=GAMES) == boards
    kinds = Counter(board.land.terrain[22] for board in boards)
    assert set(kinds) == set(LETTERS)
    assert generate(Stream(words(0)), "5x5").terrain == lay_out(words(0), "5x5", "hard").land.terrain


@pytest.mark.cites("X9")
def test_a_board_is_known_for_good_on_every_machine() -> None:
    layout = lay_out((1, 2, 3, 4, 5, 6, 7, 8), "5x5", "normal")
    assert layout.land.terrain == "ERESEERGSEERGSEERGSEERGGE"
    assert layout.land.crops == "2512143434125153434251213"
    assert layout.starts == (1, 9, 10, 20, 23)


@pytest.mark.cites("X9")
@pytest.mark.parametrize("board", SIZES)
def test_when_all_attempts_fail_a_spare_board_is_laid(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_module, "LIMITS", replace(LIMITS, attempts=0))
    columns = SIZES[board].columns
    assert all(faults(rows_of(land, columns), rows_of(crops, columns)) == [] for land, crops in SPARE_BOARDS[board])
    laid = {generate(Stream(words(seed)), board) for seed in range(30)}
    assert len(laid) > len(SPARE_BOARDS[board])
    assert all(faults(rows_of(land.terrain, columns), rows_of(land.crops, columns)) == [] for land in laid)


@pytest.mark.cites("X9")
def test_an_attempt_gives_up_at_its_bound() -> None:
    order = [(kind, crop) for kind in range(4) for crop in (1, 2, 4, 8, 16)]
    assert search(9, [order] * 45, 44) is None
    assert search(5, [order[::-1]] * 25, 100_000) is not None


def test_numbers_below_a_bound_are_all_drawn_and_about_as_often() -> None:
    stream = Stream(words(5))
    drawn = Counter(stream.below(6) for _ in range(6_000))
    assert set(drawn) == set(range(6))
    assert all(850 < count < 1_150 for count in drawn.values())
    assert sorted(stream.shuffled(range(20))) == list(range(20))


# --- starting tiles ------------------------------------------------------------------------------------


@pytest.mark.cites("X13")
@pytest.mark.parametrize("board", SIZES)
@pytest.mark.parametrize("start", ["normal", "hard"])
def test_starting_tiles_have_their_number_and_do_not_touch(board: str, start: str) -> None:
    size = SIZES[board]
    wanted = size.hard if start == "hard" else size.normal
    assert wanted == size.columns - (2 if start == "hard" else 0)
    at_edge = total = several = 0
    for layout in layouts(board, start):
        places = [divmod(space, size.columns) for space in layout.starts]
        assert len(set(places)) == len(places) == wanted
        assert not any(near in places for place in places for near in around(place))
        region_at = regions(cut(layout, board)[0])
        shown = {id(region_at[place]) for place in places}
        several += len(shown) > wanted // 2
        at_edge += sum(row in (0, 4) or column in (0, size.columns - 1) for row, column in places)
        total += wanted
    assert 60 < 100 * at_edge // total < 90
    assert several == GAMES


@pytest.mark.cites("X13")
@pytest.mark.parametrize("board", SIZES)
def test_a_logic_start_leaves_one_way_to_grow_the_crops_of_the_whole_terrain(board: str) -> None:
    columns = SIZES[board].columns
    for layout in layouts(board, "logic", games=8):
        known = {space: int(layout.land.crops[space]) for space in layout.starts}
        grown = [tuple(int(crop) for crop in layout.land.crops)]
        assert list(crop_layouts(layout.land.terrain, columns, known)) == grown


def test_the_solver_finds_all_ways_to_grow_crops_and_only_good_ones() -> None:
    given = BOARDS["5x5-01"]
    terrain = "".join(given["terrain"])
    ways = list(crop_layouts(terrain, 5, {11: 2, 2: 1}))
    assert len(set(ways)) == len(ways) > 1
    assert tuple(int(crop) for crop in "".join(given["crops"])) in ways
    for way in ways:
        assert faults(given["terrain"], rows_of("".join(map(str, way)), 5)) == []
        assert (way[11], way[2]) == (2, 1)
    fewer = [way for way in ways if way[22] == 2]
    assert list(crop_layouts(terrain, 5, {11: 2, 2: 1, 22: 2})) != []
    assert set(crop_layouts(terrain, 5, {11: 2, 2: 1, 22: 2})) == set(fewer)
    assert list(crop_layouts(terrain, 5, {0: 1, 1: 1})) == []


@pytest.mark.cites("X13")
def test_starting_tiles_are_found_even_when_no_order_leaves_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts_module, "LIMITS", replace(game_data.LIMITS, start_attempts=0))
    for seed, board in itertools.product(range(5), SIZES):
        stream = Stream(words(seed))
        land = generate(stream, board)
        chosen = starts_module.choose_starts(stream, land, board, "normal")
        assert len(chosen) == SIZES[board].normal
        assert all(space // SIZES[board].columns % 2 == space % SIZES[board].columns % 2 == 0 for space in chosen)
