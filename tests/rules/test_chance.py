"""Fair draws, scheme `ml-fair-1`: the vectors of `docs/formats.md`, and what holds of every draw."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moveledger.errors import MalformedValue
from moveledger.rules import chance
from moveledger.rules.kernel import Pick, Request, Roll, Seat, Seed

GAME = bytes.fromhex("00010203040576078809" + "0a0b0c0d0e0f")
RULESET = "santiiba@1"
SECRET = b"\x07" * 32
COMMITMENT = bytes.fromhex("83ac2a33bd750fa0cd430407e1b485dbad37d7ff58ed23fae48d352da3ae0ffe")
ROOT = bytes.fromhex("6afa3fc3d8d49fc1142971a232b13435dfc1128061c918c840a2742ad48f7144")
MIX = bytes.fromhex("44bdf70f93317017f38d28d7d92d4f66a635294fcbb017d212a06052c33ff44c")

requests: st.SearchStrategy[Request] = st.one_of(
    st.builds(Roll, st.integers(1, 30), st.integers(1, 100)),
    st.integers(1, 60).flatmap(lambda n: st.builds(Pick, st.integers(1, n), st.just(n))),
    st.builds(lambda words: Seed(32 * words), st.integers(1, 20)),
)
secrets = st.binary(min_size=32, max_size=32)


# --- vectors -------------------------------------------------------------------------------------------


def test_the_seed_commitment_is_that_of_the_vector() -> None:
    assert chance.seed_commitment(GAME, RULESET, SECRET) == COMMITMENT


def test_the_first_secret_and_the_root_are_those_of_the_vectors() -> None:
    assert chance.draw_secret(SECRET, 0).hex() == "fdb7946f095321d93d5ecef990138938853a662f326d41db6a5e3b841998f84c"
    assert chance.draws_root(SECRET, 1024) == ROOT


def test_the_entropy_commitment_is_that_of_the_vector() -> None:
    commitment = chance.entropy_commitment(GAME, 2, b"\x02" * 32)
    assert commitment.hex() == "b5ab8c5143795e02d1da9ffc230d32d76f15c4725b5e1ede3754036979b52561"


def test_the_mix_is_that_of_the_vector_in_whatever_order_the_seats_opened() -> None:
    entropies = {Seat(2): b"\x02" * 32, Seat(0): b"\x01" * 32}
    assert chance.mix(GAME, COMMITMENT, ROOT, entropies) == MIX


@pytest.mark.parametrize(
    ("index", "request_", "values"),
    [
        (0, Roll(5, 6), (4, 1, 5, 2, 3)),
        (1, Pick(3, 72), (15, 59, 58)),
        (2, Pick(5, 5), (3, 0, 4, 1, 2)),
        (
            3,
            Seed(256),
            (694291316, 310851514, 1338844294, 3249462911, 3454328881, 1937969052, 2124632162, 3106632189),
        ),
        (4, Roll(1, 2), (1,)),
    ],
)
def test_the_draws_are_those_of_the_vectors(index: int, request_: Request, values: tuple[int, ...]) -> None:
    assert chance.draw(chance.draw_secret(SECRET, index), MIX, index, request_) == values


def test_a_draw_secret_is_one_block_of_hkdf_expand() -> None:
    """RFC 5869, 2.3, with `info` = label and index: written out here a second time."""
    info = b"ml/fair1/draw" + (7).to_bytes(8, "big")
    assert chance.draw_secret(SECRET, 7) == hmac.new(SECRET, info + b"\x01", hashlib.sha256).digest()


# --- requests ------------------------------------------------------------------------------------------


@given(requests)
def test_a_request_comes_back_from_its_text(request_: Request) -> None:
    assert chance.read_request(chance.request_text(request_)) == request_


@pytest.mark.parametrize(
    "text",
    [
        "",
        "roll",
        "roll:",
        "roll:5",
        "roll:0x6",
        "roll:5x0",
        "roll:05x6",
        "roll:5x6 ",
        "roll:5x6\n",
        "Roll:5x6",
        "roll:-1x6",
        "roll:10000x6",
        "roll:1x1000000000",
        "roll:٥x6",
        "roll:1٥x6",
        "seed:3２",
        "pick:0/5",
        "pick:6/5",
        "pick:5/05",
        "pick:5x5",
        "pick:1/1000000",
        "seed:0",
        "seed:33",
        "seed:100000",
        "seed:32:32",
        "roll:5x6pick:1/2",
    ],
)
def test_what_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(MalformedValue):
        chance.read_request(text)


# --- draws ---------------------------------------------------------------------------------------------


@given(secrets, secrets, st.integers(0, 1023), requests)
def test_every_draw_fits_its_request_and_is_the_same_again(
    secret: bytes, mixed: bytes, index: int, request_: Request
) -> None:
    values = chance.draw(secret, mixed, index, request_)
    assert chance.fits_request(values, request_)
    assert chance.draw(secret, mixed, index, request_) == values


@given(secrets, secrets)
def test_a_draw_depends_on_secret_mix_index_and_request(secret: bytes, mixed: bytes) -> None:
    wide = Seed(128)
    drawn = {
        chance.draw(secret, mixed, 0, wide),
        chance.draw(secret, mixed, 1, wide),
        chance.draw(hashlib.sha256(secret).digest(), mixed, 0, wide),
        chance.draw(secret, hashlib.sha256(mixed).digest(), 0, wide),
        chance.draw(secret, mixed, 0, Seed(160))[:4],
    }
    assert len(drawn) == 5


@pytest.mark.parametrize(
    ("values", "request_"),
    [
        ((1, 2), Roll(3, 6)),
        ((1, 2, 7), Roll(3, 6)),
        ((0, 2, 3), Roll(3, 6)),
        ((), Roll(1, 6)),
        ((1, 1), Pick(2, 5)),
        ((5,), Pick(1, 5)),
        ((-1,), Pick(1, 5)),
        ((0, 1, 2), Pick(2, 5)),
        ((2**32,), Seed(32)),
        ((-1,), Seed(32)),
        ((1,), Seed(64)),
    ],
)
def test_an_answer_that_the_request_cannot_have_does_not_fit(values: tuple[int, ...], request_: Request) -> None:
    assert not chance.fits_request(values, request_)


def test_a_pick_of_all_is_the_shuffle_and_a_pick_of_fewer_begins_like_it() -> None:
    whole = chance.draw(SECRET, MIX, 0, Pick(10, 10))
    assert sorted(whole) == list(range(10))


def test_a_choice_among_one_takes_no_word() -> None:
    words = chance._Words(SECRET)
    assert [words.below(1) for _ in range(3)] == [0, 0, 0]
    assert words.take() == chance._Words(SECRET).take()


def test_words_are_the_macs_of_a_counter_cut_in_four() -> None:
    words = chance._Words(SECRET)
    blocks = b"".join(hmac.new(SECRET, n.to_bytes(4, "big"), hashlib.sha256).digest() for n in range(3))
    assert [words.take() for _ in range(12)] == [int.from_bytes(blocks[at : at + 8], "big") for at in range(0, 96, 8)]


class Words(chance._Words):
    """A stream with chosen words."""

    def __init__(self, *words: int) -> None:
        super().__init__(b"")
        self._words = list(reversed(words))


@given(st.integers(2, 2**32))
def test_words_of_the_last_incomplete_run_are_thrown_away(n: int) -> None:
    """The greatest word that counts is the last of a whole run; the next one is never used. So nothing is likelier."""
    limit = 2**64 - 2**64 % n
    assert Words(limit - 1).below(n) == n - 1
    if limit < 2**64:
        assert Words(limit, 2**64 - 1, 5).below(n) == 5 % n
    assert Words(0).below(n) == 0


# --- commitments ---------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.data())
def test_every_secret_has_a_path_to_the_root_and_no_other_fits_there(draws: int, data: st.DataObject) -> None:
    root = chance.draws_root(SECRET, draws)
    index = data.draw(st.integers(0, draws - 1))
    other = data.draw(st.integers(0, draws + 2).filter(lambda n: n != index))
    path = chance.draw_path(SECRET, draws, index)
    secret = chance.draw_secret(SECRET, index)
    assert chance.is_committed(secret, index=index, draws=draws, path=path, root=root)
    assert not chance.is_committed(secret, index=other, draws=draws, path=path, root=root)
    assert not chance.is_committed(chance.draw_secret(SECRET, other), index=index, draws=draws, path=path, root=root)


def test_no_two_games_rulesets_or_seats_share_a_commitment() -> None:
    other_game = bytes(16)
    commitments = {
        chance.seed_commitment(GAME, RULESET, SECRET),
        chance.seed_commitment(other_game, RULESET, SECRET),
        chance.seed_commitment(GAME, "santiiba@2", SECRET),
        chance.entropy_commitment(GAME, 0, SECRET),
        chance.entropy_commitment(GAME, 1, SECRET),
        chance.entropy_commitment(other_game, 0, SECRET),
    }
    assert len(commitments) == 6
