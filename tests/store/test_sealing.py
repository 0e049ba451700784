"""What closes bodies, keys and snapshots: opens where it belongs, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moveledger.errors import WrongMasterKey
from moveledger.store.database import Connection
from moveledger.store.events import load_events
from moveledger.store.sealing import BLOCK, NONCE, Vault, digest_id, seal, seal_body, unseal, unseal_body
from moveledger.store.secrets import open_vault
from tests.store.drafts import DATA_KEY, all_rows, connected, draft, new_id, put

KEY, OTHER, SALT = bytes(32), bytes(31) + b"\x01", b"s" * 32
TAG = 16
BODIES = st.binary(max_size=700)


@given(text=BODIES, bound=st.binary(max_size=40))
def test_what_is_sealed_opens_again(text: bytes, bound: bytes) -> None:
    assert unseal(KEY, seal(KEY, text, bound), bound) == text


@given(text=BODIES)
def test_it_opens_with_no_other_key_and_nowhere_else(text: bytes) -> None:
    sealed = seal(KEY, text, b"here")
    for key, bound in ((OTHER, b"here"), (KEY, b"there"), (KEY, b"")):
        with pytest.raises(WrongMasterKey):
            unseal(key, sealed, bound)


@given(text=BODIES, data=st.data())
def test_a_changed_bit_is_noticed(text: bytes, data: st.DataObject) -> None:
    sealed = bytearray(seal(KEY, text, b"here"))
    at = data.draw(st.integers(0, 8 * len(sealed) - 1))
    sealed[at // 8] ^= 1 << at % 8
    with pytest.raises(WrongMasterKey):
        unseal(KEY, bytes(sealed), b"here")


@pytest.mark.parametrize("rest", [b"", b"short", bytes(NONCE)])
def test_what_is_too_short_to_be_sealed_does_not_open(rest: bytes) -> None:
    with pytest.raises(WrongMasterKey):
        unseal(KEY, rest, b"here")


@given(text=BODIES)
def test_the_same_text_never_looks_the_same(text: bytes) -> None:
    assert seal(KEY, text, b"") != seal(KEY, text, b"")


@given(body=BODIES)
def test_a_body_comes_back_with_its_salt(body: bytes) -> None:
    sealed = seal_body(KEY, salt=SALT, body=body, commitment=b"c" * 32)
    assert unseal_body(KEY, sealed, b"c" * 32) == (SALT, body)


@given(one=BODIES, two=BODIES)
def test_bodies_of_like_size_are_of_one_length_when_sealed(one: bytes, two: bytes) -> None:
    def size(body: bytes) -> int:
        return len(seal_body(KEY, salt=SALT, body=body, commitment=bytes(32))) - NONCE - TAG

    blocks = [-(-(len(SALT) + 4 + len(body)) // BLOCK) for body in (one, two)]
    assert [size(one), size(two)] == [BLOCK * count for count in blocks]


def test_a_sealed_body_moved_to_another_event_does_not_open(api: Connection) -> None:
    game = new_id()
    with_card = [draft(game, seq, {"card": seq}, sealed_for=frozenset({0})) for seq in (1, 2)]
    put(api, *with_card)
    (first,), (second,) = all_rows(api, "SELECT body FROM ml.events WHERE game_id = %s ORDER BY seq", game)
    assert unseal_body(DATA_KEY, first, with_card[0].event.commitment)[1] == with_card[0].canonical_body
    with pytest.raises(WrongMasterKey):
        unseal_body(DATA_KEY, second, with_card[0].event.commitment)
    with pytest.raises(WrongMasterKey):
        load_events(api, game, data_key=OTHER)


def test_postgres_holds_nothing_readable_of_a_sealed_body(api: Connection) -> None:
    game = new_id()
    secret = draft(game, 1, {"card": "the queen of spades"}, sealed_for=frozenset({2}))
    put(api, secret)
    row = all_rows(
        api, "SELECT salt, body, sealed_for, key_id, length(e::text), e::text FROM ml.events e WHERE game_id = %s", game
    )[0]
    salt, body, sealed_for, key_id, _, text = row
    assert (salt, sealed_for, key_id) == (None, 4, game)
    assert b"queen" not in body
    assert secret.event.salt is not None
    assert secret.event.salt.hex() not in text
    assert b"queen".hex() not in text


def test_data_keys_are_wrapped_for_their_game() -> None:
    vault, games = Vault(KEY, OTHER), (new_id(), new_id())
    wrapped = vault.wrap_key(games[0], DATA_KEY)
    assert vault.unwrap_key(games[0], wrapped) == DATA_KEY
    for opening, game in ((vault, games[1]), (Vault(OTHER, OTHER), games[0])):
        with pytest.raises(WrongMasterKey):
            opening.unwrap_key(game, wrapped)


def test_what_is_derived_hangs_on_the_service_s_secret_the_purpose_and_every_part() -> None:
    vault = Vault(KEY, OTHER)
    derived = {
        vault.derive("token", b"ab", b"c"),
        vault.derive("token", b"a", b"bc"),
        vault.derive("token", b"abc"),
        vault.derive("other", b"ab", b"c"),
        Vault(KEY, KEY).derive("token", b"ab", b"c"),
    }
    assert len(derived) == 5
    assert Vault(OTHER, OTHER).derive("token", b"abc") in derived


@given(parts=st.lists(st.binary(max_size=9), max_size=4), other=st.lists(st.binary(max_size=9), max_size=4))
def test_an_id_of_parts_is_a_uuid_of_version_8_that_tells_them_apart(parts: list[bytes], other: list[bytes]) -> None:
    found = digest_id(*parts)
    assert found.version == 8
    assert (found == digest_id(*other)) == (parts == other)


def test_the_first_process_makes_the_service_s_secret_and_all_others_find_it(database: str) -> None:
    with connected(database, "worker") as worker, connected(database, "api") as api:
        made = open_vault(worker, master_key=KEY, fresh_secret=b"1" * 32)
        found = open_vault(api, master_key=KEY, fresh_secret=b"2" * 32)
        assert made == found == Vault(KEY, b"1" * 32)
        with pytest.raises(WrongMasterKey):
            open_vault(api, master_key=OTHER, fresh_secret=b"3" * 32)
        assert b"1" * 32 not in all_rows(api, "SELECT wrapped FROM ml.service_secrets")[0][0]
