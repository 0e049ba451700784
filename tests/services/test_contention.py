"""A transaction that Postgres gives up in favour of another one is tried again, a few times, and is no outage."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from moveledger.errors import Contended
from moveledger.services.submission import TRIES
from tests.house import House, fresh_key, open_house
from tests.playing import CLOSED_HANDS, Table, new_table
from tests.store.drafts import connected

PASS = {"type": "pass"}


@pytest.fixture
def house(database: str, redis_url: str) -> Iterator[House]:
    """An API process over a database of its own."""
    with open_house(database, redis_url) as house:
        yield house


@pytest.fixture
def hands(house: House) -> Table:
    """A running game of closed hands; both seats are awaited."""
    return new_table(house.tools, house.key(), CLOSED_HANDS, 2)


def give_up(database: str, sqlstate: str, *, times: int) -> None:
    """Have Postgres give up the next `times` transactions that append. A sequence counts them: it is not rolled back."""
    with connected(database) as owner:
        owner.execute("CREATE SEQUENCE ml.given_up")
        owner.execute("GRANT USAGE ON ml.given_up TO moveledger_owner, moveledger_api")
        owner.execute(
            "CREATE FUNCTION ml.give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF nextval('ml.given_up') <= {times} THEN RAISE EXCEPTION 'given up' USING ERRCODE = '{sqlstate}'; END IF;"
            " RETURN NEW; END $$"
        )
        owner.execute("CREATE TRIGGER give_up BEFORE INSERT ON ml.outbox FOR EACH ROW EXECUTE FUNCTION ml.give_up()")


@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
def test_a_move_that_was_given_up_is_tried_again(database: str, hands: Table, sqlstate: str) -> None:
    before = hands.game.version
    give_up(database, sqlstate, times=TRIES - 1)
    answer, repeated = hands.send(0, PASS)
    assert (answer["version"], repeated) == (before + 1, False)


@pytest.mark.parametrize("sqlstate", ["40001", "40P01"])
def test_a_move_that_is_given_up_again_and_again_is_contended_and_may_be_sent_again(
    database: str, hands: Table, sqlstate: str
) -> None:
    before, key = hands.game.version, fresh_key()
    give_up(database, sqlstate, times=TRIES)
    with pytest.raises(Contended):
        hands.send(0, PASS, key=key)
    assert hands.game.version == before
    assert hands.send(0, PASS, key=key)[0]["version"] == before + 1


def test_a_claim_that_was_given_up_is_tried_again_with_all_that_belongs_to_it(database: str, house: House) -> None:
    table = new_table(house.tools, house.key(), CLOSED_HANDS, 2, named=False)
    give_up(database, "40001", times=2)
    assert table.claim(1, "ada")[0]["seat"] == 1
    assert table.game.players[1] is not None


def test_two_that_wait_for_each_other_are_told_apart_and_one_is_contended(house: House, hands: Table) -> None:
    other = new_table(house.tools, house.key(), CLOSED_HANDS, 2)
    line, refused = threading.Barrier(2), []

    def rename(first: Table, second: Table) -> None:
        try:
            with house.tools.database.transaction() as connection:
                rename = "UPDATE ml.players SET name = 'x' WHERE namespace = %s"
                connection.execute(rename, [first.caller.client])
                line.wait(10)
                connection.execute(rename, [second.caller.client])
        except Contended as error:
            refused.append(error)

    threads = [threading.Thread(target=rename, args=pair) for pair in ((hands, other), (other, hands))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(refused) == 1
    assert refused[0].retryable
