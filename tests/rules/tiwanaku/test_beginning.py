"""How a game begins, and a first few turns."""

from __future__ import annotations

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import REFEREE, SPECTATOR, Chance, Draw, Leave, Move, Observer, Pick, Seat, Seats, Seed
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Skip
from moveledger.rules.tiwanaku.data import PAWNS
from moveledger.rules.tiwanaku.spaces import grid_of
from moveledger.rules.tiwanaku.state import State
from tests.rules.playouts import Dice
from tests.rules.tiwanaku.tables import add, begin, divine, everything, move, play, refused, score, tribe

WORDS = (1, 2, 3, 4, 5, 6, 7, 8)


def fresh(seats: int = 3, **options: object) -> State:
    return RULESET.setup(read_options(RULESET, options), seats)


def dealt(seats: int = 3, **options: object) -> State:
    state = fresh(seats, **options)
    if seats > 1:
        state = RULESET.apply(state, Draw((1,)))
    return RULESET.apply(state, Draw(WORDS))


@pytest.mark.cites("40")
def test_the_first_seat_is_drawn_before_everybodys_eyes_and_then_the_board_before_nobodys() -> None:
    state = fresh()
    assert RULESET.awaiting(state) == Chance(Pick(1, 3))
    assert RULESET.audience(state, Draw((2,))) is None
    state = RULESET.apply(state, Draw((2,)))
    assert RULESET.awaiting(state) == Chance(Seed(256))
    assert RULESET.audience(state, Draw(WORDS)) == frozenset()
    state = RULESET.apply(state, Draw(WORDS))
    assert RULESET.awaiting(state) == Seats(frozenset({Seat(2)}))
    assert play(state, add(0, 0)).table.current == 0, "turns go clockwise"


@pytest.mark.cites("40", "X11")
def test_one_seat_needs_no_draw_for_the_first() -> None:
    assert RULESET.awaiting(fresh(1)) == Chance(Seed(256))
    assert RULESET.awaiting(dealt(1)) == Seats(frozenset({Seat(0)}))


@pytest.mark.cites("X14")
def test_all_else_than_the_draw_of_the_board_is_public() -> None:
    state = dealt()
    seat = Seat(state.table.current)
    assert RULESET.audience(state, Move(seat, add(0, 0))) is None
    assert RULESET.audience(state, Leave(seat, "resigned")) is None


@pytest.mark.cites("X16")
def test_draws_that_were_not_asked_for_and_moves_and_departures_before_the_board_are_refused() -> None:
    for state, given, code in (
        (fresh(), Draw((3,)), "no_such_draw"),
        (fresh(), Draw(WORDS), "no_such_draw"),
        (fresh(1), Draw((1, 2, 3)), "no_such_draw"),
        (fresh(1), Draw((2**32, *WORDS[1:])), "no_such_draw"),
        (dealt(), Draw((0,)), "no_such_draw"),
        (fresh(), Leave(Seat(0), "resigned"), "no_leaving_now"),
        (fresh(), Move(Seat(0), Skip()), "not_your_turn"),
        (dealt(), Leave(Seat(3), "resigned"), "not_in_the_game"),
    ):
        with pytest.raises(IllegalMove) as wrong:
            RULESET.apply(state, given)
        assert wrong.value.code == f"tiwanaku.{code}"


@pytest.mark.cites("37", "38")
def test_starting_tiles_show_terrain_and_crop_and_score_nothing() -> None:
    state = dealt()
    land, board = state.table.land, state.board
    assert board is not None
    shown = [at for at, letter in enumerate(land.terrain) if letter != "."]
    assert len(shown) == 5
    assert all((land.terrain[at], land.crops[at]) == (board.terrain[at], board.crops[at]) for at in shown)
    assert land.crops.count(".") == 20
    for seat in range(3):
        assert (score(state, seat), tribe(state, seat).levels) == (10, (0, 0, 0, 0))
        assert (tribe(state, seat).pawns, tribe(state, seat).offerings) == ((), ())
    for observer in (SPECTATOR, Observer(Seat(0)), REFEREE):
        seen = RULESET.view(state, observer)
        assert "".join(seen["terrain"]) == land.terrain  # type: ignore[arg-type]  # texts by row
        assert "".join(seen["crops"]) == land.crops  # type: ignore[arg-type]  # texts by row


@pytest.mark.cites("39", "44")
@pytest.mark.parametrize(("board", "columns"), [("5x5", 5), ("5x6", 6), ("5x7", 7), ("5x8", 8), ("5x9", 9)])
def test_boards_have_five_rows_and_five_to_nine_columns_and_two_sizes_are_published(board: str, columns: int) -> None:
    state = dealt(board=board)
    seen = RULESET.view(state, SPECTATOR)
    assert seen["board"] == {"rows": 5, "columns": columns, "published": board in ("5x5", "5x9")}
    assert [len(row) for row in seen["terrain"]] == [columns] * 5  # type: ignore[arg-type, union-attr]  # texts by row
    assert len(grid_of(columns).edge) == 2 * columns + 6
    assert refused(state, add(2, columns)) == "off_the_board"
    assert play(state, add(4, columns - 1)).table.tribes[1].pawns == (5 * columns - 1,)
    assert len(everything(state)) == 5 * columns


@pytest.mark.cites("46")
def test_pawns_never_fill_a_board() -> None:
    assert PAWNS == (5, 5, 4, 3)
    assert max(seats * pawns for seats, pawns in enumerate(PAWNS, start=1)) == 12
    for seats, pawns in enumerate(PAWNS, start=1):
        assert [one.supply for one in dealt(seats).table.tribes] == [pawns] * seats
    assert 2 * PAWNS[1] == 10


def test_two_draws_are_all_that_a_game_takes() -> None:
    state, dice = fresh(4), Dice(3)
    while isinstance(asked := RULESET.awaiting(state), Chance):
        state = RULESET.apply(state, dice.answer(asked.request))
    assert dice.index == 2
    assert RULESET.draws(state.table.options, 4) >= 2 * dice.index


@pytest.mark.cites("T1")
def test_the_first_turns_of_the_example_go_as_told() -> None:
    state = begin()
    scores = []
    for action in (
        add(1, 2),
        add(3, 2),
        move((1, 2), (2, 2)),
        add(1, 4),
        divine(2, 2, 1),
        Skip(),
        divine(3, 2, 3),
    ):
        seat = state.table.current
        state = play(state, action)
        scores.append((seat, score(state, seat)))
    assert scores == [(0, 11), (1, 11), (0, 13), (1, 13), (0, 14), (0, 14), (1, 8)]
    assert tribe(state, 0).offerings == (1,)
    assert tribe(state, 1).offerings == ()
    assert state.table.land.crops[17] == "5"
    assert state.table.current == 0, "the pawn on (1,4) may not guess after the miss"
    assert [one.levels for one in state.table.tribes] == [(1, 0, 1, 0), (1, 0, 0, 1)]
