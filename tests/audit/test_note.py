"""Signed notes, keys as text, checkpoints, and the co-signatures of witnesses (c2sp.org/signed-note and its neighbours)."""

from __future__ import annotations

import base64
import hashlib

import pytest

from moveledger.audit.checkpoint import Checkpoint, read_checkpoint, verify_checkpoint
from moveledger.audit.note import (
    LOG,
    WITNESS,
    SignerKey,
    UntrustedNote,
    VerifierKey,
    from_base64,
    read_note,
    read_signer_key,
    read_verifier_key,
    require_key_name,
    verified_signatures,
    write_note,
)
from moveledger.errors import MalformedValue
from moveledger.rules.merkle import EMPTY_ROOT

# the keys and the note of the example in the documentation of Go's x/mod/sumdb/note
GO_SIGNER = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_NOTE = (
    GO_TEXT
    + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)

LOG_KEY = SignerKey("log.example/moves", bytes(range(32)))
OTHER = SignerKey("log.example/moves", bytes(range(1, 33)))
WITNESS_KEY = SignerKey("witness.example/w1", bytes(range(2, 34)), WITNESS)
HEAD = Checkpoint("log.example/moves", 20_852_163, hashlib.sha256(b"root").digest())
NOTE = LOG_KEY.sign_note(HEAD.text)


def test_gos_keys_and_note_are_ours() -> None:
    signer, verifier = read_signer_key(GO_SIGNER), read_verifier_key(GO_VERIFIER)
    assert signer.verifier == verifier
    assert (str(verifier), signer.private_text()) == (GO_VERIFIER, GO_SIGNER)
    assert signer.sign_note(GO_TEXT) == GO_NOTE
    assert verified_signatures(read_note(GO_NOTE), [verifier])[0].name == "PeterNeumann"


def test_a_key_id_is_the_beginning_of_a_hash() -> None:
    verifier = LOG_KEY.verifier
    assert verifier.key_id == hashlib.sha256(b"log.example/moves\n\x01" + verifier.public).digest()[:4]
    witness = WITNESS_KEY.verifier
    assert witness.key_id == hashlib.sha256(b"witness.example/w1\n\x04" + witness.public).digest()[:4]


@pytest.mark.parametrize("key", [LOG_KEY, OTHER, WITNESS_KEY])
def test_keys_come_back_from_their_texts(key: SignerKey) -> None:
    assert read_verifier_key(str(key.verifier)) == key.verifier
    assert read_signer_key(key.private_text()).verifier == key.verifier


def _material(kind: int, size: int) -> str:
    return base64.b64encode(bytes([kind]) + bytes(size)).decode()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a",
            "a+b",
            "a+00000000",
            "a+00000000+",
            GO_VERIFIER[1:],
            GO_VERIFIER + "=",
            GO_VERIFIER[:-1],
            "+" + GO_VERIFIER,
        ),
        GO_VERIFIER.replace("c74f20a3", "C74F20A3"),
        GO_VERIFIER.replace("c74f20a3", "c74f20a4"),
        GO_VERIFIER.replace("Peter", "Peter "),
        GO_VERIFIER + "\n",
        GO_SIGNER,
        f"a+00000000+{_material(1, 31)}",
        f"a+00000000+{_material(2, 32)}",
        f"a+00000000+{_material(6, 1312)}",
    ],
)
def test_another_text_is_no_verifier_key(text: str) -> None:
    with pytest.raises(MalformedValue):
        read_verifier_key(text)


@pytest.mark.parametrize(
    "text", ["", GO_VERIFIER, GO_SIGNER[:-4], GO_SIGNER.replace("c74f20a3", "c74f20a4"), "PRIVATE+KEY+a"]
)
def test_another_text_is_no_signer_key_and_is_not_repeated(text: str) -> None:
    with pytest.raises(MalformedValue) as caught:
        read_signer_key(text)
    assert "AYEKFALVFGyN" not in caught.value.detail


def test_a_key_does_not_show_its_private_half() -> None:
    assert GO_VERIFIER in repr(read_signer_key(GO_SIGNER))
    assert "AYEKFALVFGyN" not in repr(read_signer_key(GO_SIGNER))


@pytest.mark.parametrize("name", ["", "a b", "a\u2003b", "a+b", "a\n", "a\x7f"])
def test_a_name_has_no_spaces_and_no_plus(name: str) -> None:
    with pytest.raises(MalformedValue):
        require_key_name(name)


# --- notes ---------------------------------------------------------------------------------------------


def test_a_note_may_hold_empty_lines_and_is_split_at_the_last() -> None:
    note = read_note(LOG_KEY.sign_note("one\n\ntwo\n"))
    assert note.text == "one\n\ntwo\n"
    assert verified_signatures(note, [LOG_KEY.verifier])


@pytest.mark.parametrize(
    "note",
    [
        *("", "\n", "a\n", "a\n\n", "a\n\nb\n", HEAD.text, NOTE[:-1], NOTE + "\n", NOTE + "x\n"),
        NOTE.replace("— ", "- "),
        NOTE.replace("\n— ", "\n—  "),
        NOTE.replace("moves ", "moves  "),
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("log.", "log\x01."),
        NOTE + "— a AAAA\n",
        NOTE + "— a AAAAAB==\n",
        NOTE + "— a b AAAAAAAA\n",
        NOTE + "— a+b AAAAAAAA\n",
        NOTE + "— a AAAAAAAA\n" * 101,
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(MalformedValue):
        read_note(note)


def test_signatures_by_unknown_keys_are_passed_over() -> None:
    stranger = "— stranger.example AAAAAAAA"
    note = read_note(NOTE + f"{stranger}\n" * 15)
    assert [found.name for found in verified_signatures(note, [LOG_KEY.verifier])] == ["log.example/moves"]
    assert verified_signatures(note, [OTHER.verifier]) == ()


def test_a_wrong_signature_by_a_known_key_spoils_the_note() -> None:
    text = HEAD.text.replace("20852163", "20852164")
    moved = read_note(write_note(text, [found.line for found in read_note(NOTE).signatures]))
    with pytest.raises(UntrustedNote):
        verified_signatures(moved, [LOG_KEY.verifier])


@pytest.mark.parametrize("kind", [LOG, WITNESS])
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 71, 72, 73])
def test_a_signature_of_any_other_size_does_not_hold(kind: int, size: int) -> None:
    assert not VerifierKey("a", kind, LOG_KEY.verifier.public).holds("text\n", bytes(size))


def test_a_public_key_that_is_no_point_of_the_curve_verifies_nothing() -> None:
    assert not VerifierKey("a", LOG, b"\xff" * 32).holds("text\n", bytes(64))


@pytest.mark.parametrize("text", ["AA=", "AAB=", "A A=", "AA==\n", "QQ=", "é", "-_-_"])
def test_base64_has_one_spelling(text: str) -> None:
    with pytest.raises(MalformedValue):
        from_base64(text)


# --- checkpoints ---------------------------------------------------------------------------------------


def test_a_checkpoint_comes_back_from_its_text() -> None:
    assert read_checkpoint(HEAD.text) == HEAD
    assert verify_checkpoint(NOTE, LOG_KEY.verifier) == HEAD
    assert read_checkpoint(HEAD.text + "an extension\n") == HEAD
    assert read_checkpoint(Checkpoint("a", 0, EMPTY_ROOT).text).size == 0


def test_the_checkpoint_of_the_specification_is_read() -> None:
    """The example of c2sp.org/tlog-cosignature, whose keys are not published."""
    note = read_note(
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
        "— witness.example.com/w1 "
        "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
    )
    assert read_checkpoint(note.text).size == 20_852_163
    assert [signature.time for signature in note.signatures] == [None, 1_679_315_147]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "\n",
            "a\n1\n",
            "\n1\n" + HEAD.text.split("\n")[2] + "\n",
            HEAD.text[:-1],
            HEAD.text + "\n",
            HEAD.text + "\nb\n",
        ),
        HEAD.text.replace("20852163", "020852163"),
        HEAD.text.replace("20852163", "-1"),
        HEAD.text.replace("20852163", "+1"),
        HEAD.text.replace("20852163", "٣"),
        HEAD.text.replace("20852163", "9" * 19),
        HEAD.text.replace("20852163", "1e3"),
        HEAD.text.replace("=", ""),
        "a\n1\nAAAA\n",
    ],
)
def test_another_text_is_no_checkpoint(text: str) -> None:
    with pytest.raises(MalformedValue):
        read_checkpoint(text)


def test_a_checkpoint_counts_only_under_the_key_of_its_log() -> None:
    for key in (OTHER, SignerKey("elsewhere.example", bytes(range(32)))):
        with pytest.raises(UntrustedNote):
            verify_checkpoint(NOTE, key.verifier)
    elsewhere = LOG_KEY.sign_note(HEAD.text.replace("log.example/moves", "elsewhere.example"))
    with pytest.raises(UntrustedNote, match="elsewhere"):
        verify_checkpoint(elsewhere, LOG_KEY.verifier)


# --- witnesses -----------------------------------------------------------------------------------------


def test_a_witness_signs_the_time_and_the_checkpoint() -> None:
    line = WITNESS_KEY.cosign(HEAD.text, 1_679_315_147)
    note = read_note(NOTE + line + "\n")
    (signature,) = verified_signatures(note, [WITNESS_KEY.verifier])
    assert signature.line == line
    assert signature.time == 1_679_315_147
    message = f"cosignature/v1\ntime 1679315147\n{HEAD.text}".encode()
    assert WITNESS_KEY.verifier.vouches(message, signature.signature[8:])


def test_a_cosignature_of_another_time_or_text_does_not_hold() -> None:
    signature = read_note(NOTE + WITNESS_KEY.cosign(HEAD.text, 7) + "\n").signatures[1]
    assert not WITNESS_KEY.verifier.holds(HEAD.text, (8).to_bytes(8, "big") + signature.signature[8:])
    assert not WITNESS_KEY.verifier.holds(HEAD.text + "more\n", signature.signature)


def test_the_key_of_a_log_and_of_a_witness_are_never_taken_for_each_other() -> None:
    seed = bytes(range(32))
    as_log, as_witness = SignerKey("one.example", seed), SignerKey("one.example", seed, WITNESS)
    note = read_note(write_note(HEAD.text, [as_witness.cosign(HEAD.text, 7)]))
    assert verified_signatures(note, [as_log.verifier]) == ()
    assert verified_signatures(note, [as_witness.verifier])
