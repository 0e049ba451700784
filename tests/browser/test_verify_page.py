"""The verifier as a page finds what `moveledger verify` finds, but for what takes the rules."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from closed_hands import RULESET
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Browser, Page, expect

from moveledger.audit.event import Event, event_json
from moveledger.audit.lines import MAX_LINE, parse_line
from moveledger.audit.record import NotARecord, RecordHeader, write_record
from moveledger.errors import MalformedValue
from moveledger.rules.encoding import canonical
from moveledger.rules.merkle import audit_path, leaf_hash, merkle_root, tree_levels
from moveledger.rules.registry import find_ruleset
from tests.audit.logs import House, forge, record_of, verify, with_digest
from tests.audit.test_formats_page import rows_after
from tests.browser.verifier import FILE, PLAIN, SERVED, Found, Verifier, open_verifier, results

HANDS = House(RULESET, seats=3, entropy=True, number=5).play()
"""A finished game with everything: entropy, a seed, cards, closed numbers, and a roll in the open."""
RUNNING = House(RULESET, seats=3, number=6).play(2)
BRIDGES = House(find_ruleset("shangrila@1"), seats=3, number=8).play(24)
FORK = House(RULESET, seats=3, number=9, parent=HANDS, at=16).play()
"""Another end of the finished game, from its first round on."""
LINES = HANDS.record().splitlines(keepends=True)
SHARED = ("chain", "commitments", "draws")
"""The checks that the page and the command line both make."""
DISK = FILE.as_uri()


@pytest.fixture(scope="module")
def verifier(browser: Browser) -> Iterator[Verifier]:
    """The page as the service gives it, for tests that ask about one record after the other."""
    context = browser.new_context()
    yield open_verifier(context.new_page(), SERVED)
    context.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page, whose errors fail the test."""
    context = browser.new_context()
    page, errors = context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert errors == []


def command_line(record: bytes) -> dict[str, Found]:
    """What `moveledger verify` finds; nothing where there is no record."""
    try:
        return {check.name: (check.result, check.seq) for check in verify(record).checks}
    except NotARecord:
        return {}


def edited(line: int, old: bytes, new: bytes) -> bytes:
    """The record of the finished game with one line changed and the last line made anew."""
    assert old in LINES[line]
    return with_digest([*LINES[:line], LINES[line].replace(old, new, 1), *LINES[line + 1 : -1]])


# --- whole records ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [DISK, SERVED], ids=["from_disk", "served"])
def test_a_finished_game_passes_every_check_from_disk_and_served(page: Page, address: str) -> None:
    verifier = open_verifier(page, address)
    verifier.drop(HANDS.record())
    assert verifier.verdict == "valid"
    assert {name: verifier.checks[name] for name in SHARED} == dict.fromkeys(SHARED, ("pass", None))
    assert [verifier.checks[name][0] for name in ("rules", "outcome")] == ["elsewhere"] * 2
    assert "moveledger verify" in verifier.detail("rules")


def test_a_running_game_is_valid_and_its_closed_bodies_are_counted(page: Page) -> None:
    verifier = open_verifier(page, DISK)
    verifier.drop(RUNNING.record())
    closed = sum(event.sealed for event in RUNNING.events)
    assert verifier.verdict == "valid"
    assert [verifier.checks[name][0] for name in SHARED] == ["pass", "closed", "closed"]
    assert f"{closed} bodies are closed" in verifier.words


def test_details_say_what_the_command_line_says(verifier: Verifier) -> None:
    for record in (HANDS.record(), RUNNING.record(), BRIDGES.record(), FORK.record(), DAMAGED["dropped"][0]):
        found = {check["name"]: check["detail"] for check in verifier.ask(record)["checks"]}
        assert {name: found[name] for name in SHARED} == {
            check.name: check.detail for check in verify(record).checks if check.name in SHARED
        }


def test_a_fork_is_followed_into_its_parent_and_a_missing_parent_is_found(verifier: Verifier) -> None:
    lines = FORK.record().splitlines(keepends=True)
    assert verifier.ask(FORK.record())["verdict"] == "valid"
    assert results(verifier.ask(with_digest([lines[0], *lines[17:-1]])))["chain"] == ("fail", 1)


def test_a_compressed_record_is_read_and_a_damaged_one_is_refused(verifier: Verifier) -> None:
    packed = gzip.compress(HANDS.record(), mtime=0)
    assert verifier.ask(packed)["verdict"] == "valid"
    assert verifier.ask(packed[:-40])["verdict"] == "invalid"
    assert verifier.ask(b"\x1f\x8b" + bytes(40))["verdict"] == "not-a-record"


def test_another_record_may_be_chosen_after_the_first(page: Page) -> None:
    verifier = open_verifier(page, SERVED)
    verifier.drop(b"hello\n")
    assert verifier.verdict == "not-a-record"
    verifier.drop(HANDS.record())
    assert verifier.verdict == "valid"


# --- damaged and forged ----------------------------------------------------------------------------------


def test_a_changed_byte_is_found_where_it_is(page: Page) -> None:
    verifier = open_verifier(page, DISK)
    verifier.drop(edited(9, b'"recorded_us":17', b'"recorded_us":18'))
    assert (verifier.verdict, verifier.checks["chain"]) == ("invalid", ("fail", 9))
    assert verifier.words.startswith("✗ Invalid\n\nevent 9, chain: ")


def moved(*order: int) -> bytes:
    """The record with its lines in this order; -1 stands for a last line made anew."""
    return with_digest([LINES[number] for number in order])


COUNT = len(HANDS.events)
DAMAGED = {
    "dropped": (moved(*range(12), *range(13, COUNT + 1)), ("chain", 13)),
    "doubled": (moved(*range(13), *range(12, COUNT + 1)), ("chain", 12)),
    "swapped": (moved(*range(12), 13, 12, *range(14, COUNT + 1)), ("chain", 13)),
    "cut off": (moved(*range(COUNT)), ("chain", COUNT - 1)),
    "no end": (b"".join(LINES[:-1]), ("chain", None)),
    "a wrong last line": (b"".join(LINES[:-1]) + b'{"sha256":"' + b"0" * 64 + b'"}\n', ("chain", None)),
    "something after the last line": (HANDS.record() + b"{}\n", ("chain", None)),
    "a body changed": (edited(4, b'"player":"0', b'"player":"1'), ("commitments", 4)),
    "a body taken out": (
        record_of([replace(e, salt=None, body=None) if e.seq == 4 else e for e in HANDS.events]),
        ("commitments", 4),
    ),
    "a member twice": (edited(5, b'{"game_id"', b'{"seq":5,"game_id"'), ("chain", 5)),
    "a float": (edited(5, b'"seq":5', b'"seq":5.0'), ("chain", 5)),
    "an exponent": (edited(5, b'"seq":5', b'"seq":5e0'), ("chain", 5)),
    "a member too many": (edited(5, b'"seq":5', b'"seq":5,"more":1'), ("chain", 5)),
    "a version that is not reached": (edited(0, b'"version":', b'"version":1'), ("chain", COUNT)),
    "a version that is none": (edited(0, b'"version":', b'"version":-'), ("chain", None)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_found_by_the_right_check_at_the_right_event(verifier: Verifier, name: str) -> None:
    record, expected = DAMAGED[name]
    report = verifier.ask(record)
    assert (report["fault"]["name"], report["fault"].get("seq")) == expected


def forged(type_: str, nth: int = 0, **changes: Any) -> tuple[bytes, int]:
    """The record of a dishonest house: members of one body changed, every commitment and hash made anew."""
    seq = [event.seq for event in HANDS.events if event.type == type_][nth]
    return record_of(forge(HANDS.events, seq, lambda body: {**body, **changes})), seq


SECRET = "ab" * 32
FORGED = {
    "other values": forged("drawn", 1, values=[11]),
    "another index": forged("drawn", 1, index=2),
    "another request": forged("drawn", 1, request="pick:1/13"),
    "no request at all": forged("drawn", 1, request="pick:0/13"),
    "another secret": forged("drawn", 2, secret=SECRET),
    "a shorter path": forged("drawn", 2, path=[]),
    "a path that is none": forged("drawn", 2, path="none"),
    "another mix": forged("started", mix=SECRET),
    "another entropy": forged("entropy_opened", 1, entropy=SECRET),
    "another seed": forged("finished", seed=SECRET),
    "no seed": forged("finished", seed=None),
    "too many draws": forged("opened", fairness={**(HANDS.events[0].body or {})["fairness"], "draws": 1 << 21}),
    "no scheme": forged("opened", fairness={"scheme": "dice"}),
    "given draws": forged("opened", fairness={"scheme": "fixed"}),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_chance_is_found_in_the_draws_even_when_every_hash_fits(verifier: Verifier, name: str) -> None:
    record, seq = FORGED[name]
    found = results(verifier.ask(record))
    assert [found[check] for check in SHARED] == [("pass", None), ("pass", None), ("fail", seq)]


def test_secrets_of_another_seed_are_found_when_the_seed_is_opened(verifier: Verifier) -> None:
    """A house whose tree does not come from its seed: every draw is under the root, and the seed shows it."""
    other = House(RULESET, seats=3, entropy=True, number=55)
    seed, other.seed = other.seed, HANDS.seed
    assert seed != other.seed
    other.play()
    found = results(verifier.ask(other.record()))
    assert found["draws"][0] == "fail"
    assert found["draws"] == command_line(other.record())["draws"]


def test_any_changed_byte_is_judged_as_the_command_line_judges_it(verifier: Verifier) -> None:
    rng, record = random.Random(3), HANDS.record()
    for place in sorted({*range(0, 60, 3), *rng.sample(range(len(record)), 150)}):
        changed = record[:place] + bytes([record[place] ^ (1 << rng.randrange(8))]) + record[place + 1 :]
        assert_agreement(verifier, changed, place)


def test_it_judges_as_the_command_line_does_also_when_the_last_line_is_made_anew(verifier: Verifier) -> None:
    rng = random.Random(4)
    for _ in range(150):
        number = rng.randrange(len(LINES) - 1)
        line, place = LINES[number], rng.randrange(len(LINES[number]) - 1)
        changed = line[:place] + bytes([line[place] ^ (1 << rng.randrange(8))]) + line[place + 1 :]
        record = with_digest([*LINES[:number], changed, *LINES[number + 1 : -1]])
        assert_agreement(verifier, record, (number, place))


def assert_agreement(verifier: Verifier, record: bytes, what: object) -> None:
    """The page and the command line say the same, but for entropy: the page judges it with the draws, the command line
    with the rules, which go no further than their first fault."""
    ours, theirs = results(verifier.ask(record)), command_line(record)
    assert bool(ours) == bool(theirs), what
    if theirs:
        assert [ours[name] for name in SHARED[:2]] == [theirs[name] for name in SHARED[:2]], what
        if ours["draws"] != theirs["draws"]:
            assert ours["draws"][0] == "fail", what
            assert "fail" in [result for result, _ in theirs.values()], what


# --- bounds ----------------------------------------------------------------------------------------------

ODD_LINES: Sequence[bytes] = [
    b"",
    b" \t[1, -2 ,0]\r",
    b"\xef\xbb\xbf{}",
    b"\xff",
    b"\xed\xa0\x80",
    b'"\\ud83d\\ude00 \\u00e9 \\/"',
    b'"\\ud83d"',
    b'{"a":"\\ude00\\ud83d"}',
    b'"\x1f"',
    b'"\\x"',
    b'"\\u12g4"',
    b'"open',
    b"NaN",
    b"-Infinity",
    b"01",
    b"-",
    b"-0",
    b"+1",
    b"1.0",
    b"1e3",
    b"9007199254740993",
    b"-9223372036854775809",
    b'{"a":1,"a":2}',
    b'{"a":1,"\\u0061":2}',
    b'{"__proto__":{"b":1},"constructor":2,"10":1,"9":2}',
    b'{"a":1,}',
    b"[1,]",
    b"[1 2]",
    b"{'a':1}",
    b'{"a" 1}',
    b"{1:2}",
    b"nul",
    b"true false",
    b"[" * 64 + b"]" * 64,
    b"[" * 65 + b"]" * 65,
    b"[" * 100_000,
]


def read_here(line: bytes) -> str | None:
    try:
        return repr(parse_line(line))
    except MalformedValue:
        return None


def test_lines_are_refused_exactly_when_the_command_line_refuses_them(verifier: Verifier) -> None:
    refused = verifier.call(
        "it.map((line) => { try { parseLine(unbase64(line)); return false; }"
        " catch (wrong) { if (wrong instanceof Malformed) return true; throw wrong; } })",
        [base64.b64encode(line).decode() for line in ODD_LINES],
    )
    assert dict(zip(ODD_LINES, refused, strict=True)) == {line: read_here(line) is None for line in ODD_LINES}


def test_canonical_bytes_are_those_of_the_command_line(verifier: Verifier) -> None:
    bodies: list[Any] = [
        {"b": 1, "a": [True, False, None, -0, 2**53 - 1, -(2**53) + 1], "10": {}, "9": [], "": "", "__proto__": 1},
        {"text": '"\\/\b\f\n\r\t\x00\x1f\x7f\x80é\u2028\u2029\ue000😀', "Z": 1, "z": 2, "_": 3, "zz": 4},
        *(event.body for event in (*HANDS.events, *BRIDGES.events)),
    ]
    lines = [json.dumps(body, ensure_ascii=bool(at % 2)) for at, body in enumerate(bodies)]
    assert verifier.call("it.map((line) => canonical(parseLine(utf8.encode(line))))", lines) == [
        canonical(body).decode() for body in bodies
    ]


@pytest.mark.parametrize("body", ['{"a":9007199254740992}', '{"é":1}'])
def test_a_body_without_canonical_form_is_a_fault_of_the_commitments(verifier: Verifier, body: str) -> None:
    line = json.loads(LINES[4])
    changed = json.dumps({**line, "body": json.loads(body)}, ensure_ascii=False).encode() + b"\n"
    found = results(verifier.ask(with_digest([*LINES[:4], changed, *LINES[5:-1]])))
    assert found["commitments"] == ("fail", 4)


def test_a_line_beyond_the_bound_is_refused_before_it_has_been_read(verifier: Verifier) -> None:
    report = verifier.call(
        """(async () => {
            let given = 0;
            const start = unbase64(it);
            const stream = () => new ReadableStream({ pull(out) {
                out.enqueue(given ? new Uint8Array(65536).fill(120) : start);
                given += 65536;
                if (given > 1 << 30) out.close();
            } });
            const file = { slice: () => new Blob(), stream };
            return { ...await verifyFile(file), given };
        })()""",
        base64.b64encode(LINES[0]).decode(),
    )
    assert report["verdict"] == "invalid"
    assert report["fault"]["seq"] == 1
    assert MAX_LINE < report["given"] < 2 * MAX_LINE


def test_the_digest_of_a_file_does_not_depend_on_how_it_comes(verifier: Verifier) -> None:
    rng = random.Random(5)
    for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 70_000):
        data = rng.randbytes(size)
        cuts = sorted(rng.randrange(size + 1) for _ in range(4))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
        found = verifier.call(
            "(() => { const digest = new Digest(); it.forEach((piece) => digest.update(unbase64(piece))); return digest.hex(); })()",
            [base64.b64encode(piece).decode() for piece in pieces],
        )
        assert found == hashlib.sha256(data).hexdigest(), size


# --- the vectors of docs/formats.md ----------------------------------------------------------------------

VECTORS = """(async () => {
    const game = "00010203-0405-7607-8809-0a0b0c0d0e0f", of = (byte, size = 32) => new Uint8Array(size).fill(byte);
    const seed = of(7), macOf = await mac(seed), body = parseLine(utf8.encode('{"action":{"type":"predict","kind":"herbs"}}'));
    const secrets = await sideBySide(1024, (index) => drawSecret(macOf, index), async () => {});
    const commitment = await seedCommitment(game, "santiiba@1", seed), root = await merkleRoot(secrets, async () => {});
    const mix = await mixOf(game, commitment, root, new Map([[2, of(2)], [0, of(1)]]));
    const hash = hex(await sha256(of(2, 1), of(3), utf8.encode(canonical(body))));
    const event = readEvent({ game_id: game, seq: 9, type: "moved", schema: 1, seat: 2, client: "00000000-0000-0000-0000-000000000000",
        request_id: "", recorded_at: recordedAt(1796000000000000n), recorded_us: 1796000000000000, prev_hash: "11".repeat(32),
        commitment: hash, hash: "00".repeat(32), sealed: true, salt: null, body: null });
    await prepare(event);
    const found = { "canonical body": canonical(body), commitment: hash, hash: event.computedHash, seed_commitment: hex(commitment),
        "secret 0": hex(secrets.subarray(0, 32)), "draws_root of 1024": hex(root),
        "commitment of seat 2's entropy": hex(await entropyCommitment(game, 2, of(2))), mix: hex(mix) };
    for (const [index, request] of ["roll:5x6", "pick:3/72", "pick:5/5", "seed:256", "roll:1x2"].entries()) {
        const values = await draw(secrets.slice(32 * index, 32 * index + 32), mix, index, request);
        found[`draw ${index}, \\`${request}\\``] = `[${values.join(", ")}]`;
    }
    return found;
})()"""


OF_SIGNATURES = {
    "public key of the private key of 32 bytes 04",
    "its signature for seat 2 upon event 8, hash 32 bytes 11, under the action of the first row",
}


def test_the_vectors_of_the_formats_hold(verifier: Verifier) -> None:
    """All but those of the seats' signatures, which the page leaves to the command line."""
    vectors = {name: value for name, value in rows_after("## Vectors").items() if name not in OF_SIGNATURES}
    assert verifier.call(VECTORS) == vectors


# --- the public log --------------------------------------------------------------------------------------

ORIGIN = "games.example/log"


class PublicLog:
    """A log of other people's events and, from leaf 5 on, those of the finished game; signed like a C2SP checkpoint."""

    def __init__(self, events: Sequence[Event] = tuple(HANDS.events), leaves: int = 40) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        others = [hashlib.sha256(bytes([at])).digest() for at in range(leaves)]
        self.hashes = [leaf_hash(leaf) for leaf in [*others[:5], *(event.hash for event in events), *others[5:]]]
        self.levels = tree_levels(self.hashes)
        self.text = f"{ORIGIN}\n{len(self.hashes)}\n{base64.b64encode(merkle_root(self.hashes)).decode()}\n"
        self.material = b"\x01" + self.private.public_key().public_bytes_raw()
        self.key_id = hashlib.sha256(f"{ORIGIN}\n".encode() + self.material).digest()[:4]

    @property
    def key(self) -> str:
        return f"{ORIGIN}+{self.key_id.hex()}+{base64.b64encode(self.material).decode()}"

    @property
    def note(self) -> str:
        signature = base64.b64encode(self.key_id + self.private.sign(self.text.encode())).decode()
        return f"{self.text}\n— {ORIGIN} {signature}\n"

    def proof(self, seq: int) -> dict[str, Any]:
        index = 4 + seq
        return {"seq": seq, "leaf_index": index, "path": [step.hex() for step in audit_path(self.levels, index)]}


LOG = PublicLog()


def sealed(proofs: Sequence[Any] | None = None, checkpoints: Sequence[str] | None = None) -> bytes:
    """The record of the finished game with proofs and checkpoints, those of the log if none are given."""
    first = json.loads(LINES[0])
    header = RecordHeader(
        game_id=HANDS.game_id,
        ruleset=first["ruleset"],
        version=first["version"],
        head_hash=HANDS.events[-1].hash,
        exported_at=first["exported_at"],
        reader="spectator",
    )
    events = [event_json(event, is_open=True) for event in HANDS.events]
    found = [LOG.proof(event.seq) for event in HANDS.events] if proofs is None else proofs
    return b"".join(
        write_record(header, events, proofs=found, checkpoints=[LOG.note] if checkpoints is None else checkpoints)
    )


def test_a_sealed_record_is_in_the_log_and_its_checkpoint_signed_with_the_pasted_key(page: Page) -> None:
    verifier = open_verifier(page, SERVED)
    verifier.drop(sealed())
    assert (verifier.checks["log"], verifier.checks["checkpoint"]) == (("pass", None), ("pending", None))
    assert "not checked" in verifier.detail("checkpoint")
    page.get_by_text("Check the signature of the public log").click()
    page.get_by_label("Key of the log").fill(LOG.key)
    page.get_by_label("Key of the log").blur()
    page.locator("tr[data-check=checkpoint][data-result=pass]").wait_for()
    assert verifier.verdict == "valid"


def test_a_key_that_is_none_is_said_beside_its_field_and_signs_nothing(page: Page) -> None:
    verifier = open_verifier(page, SERVED)
    verifier.drop(sealed())
    page.get_by_text("Check the signature of the public log").click()
    field = page.get_by_label("Key of the log")
    field.fill(LOG.key.replace("+", "-"))
    field.blur()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#key-wrong")).to_contain_text("A key is a name")
    verifier.wait()
    assert verifier.checks["checkpoint"] == ("pending", None)


def other_key() -> str:
    other = PublicLog()
    other.material = b"\x01" + Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
    other.key_id = hashlib.sha256(f"{ORIGIN}\n".encode() + other.material).digest()[:4]
    return other.key


def test_a_checkpoint_of_another_key_or_another_text_fails(verifier: Verifier) -> None:
    longer = LOG.note.replace(f"\n{len(LOG.hashes)}\n", f"\n{len(LOG.hashes) + 1}\n")
    told = LOG.note.replace("\n\n", "\nmore\n\n")
    assert results(verifier.ask(sealed(), other_key()))["checkpoint"] == ("fail", None)
    for note in (longer, told):
        assert results(verifier.ask(sealed([], [note]), LOG.key))["checkpoint"] == ("fail", None)


def test_a_moved_checkpoint_or_a_wrong_path_fails_at_its_event(verifier: Verifier) -> None:
    moved_note = PublicLog(leaves=41).note
    proof, head = LOG.proof(3), LOG.text.split("\n")[2]
    assert results(verifier.ask(sealed(checkpoints=[LOG.note, LOG.note.replace(head, "A" * 43 + "=")])))["log"] == (
        "fail",
        COUNT,
    )
    wrong = [
        {**proof, "leaf_index": proof["leaf_index"] + 1},
        {**proof, "path": proof["path"][:-1]},
        {**proof, "path": [SECRET, *proof["path"][1:]]},
        {**proof, "seq": 4},
    ]
    assert results(verifier.ask(sealed(checkpoints=[moved_note])))["log"] == ("fail", 1)
    for changed in wrong:
        assert results(verifier.ask(sealed([LOG.proof(1), changed])))["log"] == ("fail", changed["seq"])
    assert results(verifier.ask(sealed([{**proof, "seq": COUNT + 1}])))["log"] == ("fail", COUNT)


@pytest.mark.parametrize(
    "wrong", [None, {}, [], {"seq": 1, "leaf_index": 0, "path": [1]}, {"seq": 1, "leaf_index": -1, "path": []}]
)
def test_a_proof_of_another_shape_fails(verifier: Verifier, wrong: Any) -> None:
    assert results(verifier.ask(sealed([wrong])))["log"] == ("fail", COUNT)


@pytest.mark.parametrize(
    "wrong", ["", "a\n1\n", "a\n01\nAAAA\n\n— a AAAA\n", LOG.note[:-1], LOG.note.replace("— ", "- ")]
)
def test_a_checkpoint_of_another_shape_fails(verifier: Verifier, wrong: str) -> None:
    assert results(verifier.ask(sealed(checkpoints=[wrong])))["log"] == ("fail", COUNT)


def test_proofs_are_judged_as_the_command_line_judges_them(verifier: Verifier) -> None:
    proof, head = LOG.proof(3), LOG.text.split("\n")[2]
    proofs: list[list[Any]] = [
        *([proof, {**proof, "path": path}] for path in ([], [SECRET], [*proof["path"], SECRET], ["no"], "no", None)),
        *(
            [{**proof, "leaf_index": index}]
            for index in (0, 6, 8, len(LOG.hashes), 1 << 62, 1 << 63, -1, True, "7", None)
        ),
        *([{**proof, "seq": seq}] for seq in (0, 2, COUNT + 1, True, "3", None)),
        [{**proof, "more": 1}],
        [LOG.proof(5), proof],
        [LOG.proof(COUNT)],
    ]
    notes = [
        [PublicLog(leaves=41).note],
        [PublicLog(leaves=41).note, LOG.note],
        [LOG.note, LOG.note.replace(head, "A" * 43 + "=")],
        [LOG.note, LOG.note.replace(ORIGIN, "other.example/log")],
        [LOG.note.replace("\n\n", "\nmore\n\n")],
        [LOG.note.replace("\n\n", "\n \n\n")],
        [LOG.note.replace(head, head[:-1])],
        [LOG.note + "\n"],
        [LOG.note.replace("\n", "\r\n")],
        [""],
    ]
    for record in [*(sealed(given) for given in proofs), *(sealed(checkpoints=given) for given in notes)]:
        assert results(verifier.ask(record))["log"] == command_line(record)["log"], record[-3000:]


def test_one_proof_of_the_last_event_is_enough(verifier: Verifier) -> None:
    assert results(verifier.ask(sealed([LOG.proof(COUNT)])))["log"] == ("pass", None)


def test_events_that_are_not_sealed_yet_leave_the_log_pending(verifier: Verifier) -> None:
    assert results(verifier.ask(sealed([LOG.proof(seq) for seq in (1, 2, 3)])))["log"] == ("pending", None)
    assert results(verifier.ask(sealed(checkpoints=[])))["log"] == ("pending", None)
    assert results(verifier.ask(sealed([], [])))["log"] == ("pending", None)


# --- the page --------------------------------------------------------------------------------------------


def test_over_plain_http_it_says_that_there_is_no_cryptography(page: Page) -> None:
    open_verifier(page, PLAIN)
    expect(page.get_by_role("alert")).to_contain_text("Save this page")
    expect(page.get_by_role("link", name="Save this page")).to_be_visible()
    expect(page.get_by_label("Choose a record")).to_be_disabled()


def test_it_can_be_used_with_the_keyboard_and_tells_what_it_found(page: Page) -> None:
    verifier = open_verifier(page, DISK)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Choose a record")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Key of the log")).to_be_focused()
    verifier.drop(HANDS.record(), "final.ndjson")
    expect(page.get_by_role("status")).to_contain_text("final.ndjson: No fault found")
    assert [heading.inner_text() for heading in page.get_by_role("heading").all()][:2] == [
        "Verify a game",
        "✓ No fault found",
    ]


def test_it_opens_what_is_dropped_anywhere_on_it(page: Page) -> None:
    verifier = open_verifier(page, DISK)
    handle = page.evaluate_handle(
        """(text) => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([unbase64(text)], "dropped.ndjson"));
            return dropped;
        }""",
        base64.b64encode(HANDS.record()).decode(),
    )
    page.dispatch_event("body", "drop", {"dataTransfer": handle})
    verifier.wait()
    assert verifier.verdict == "valid"


def test_nothing_in_a_record_can_steer_the_page(page: Page) -> None:
    verifier = open_verifier(page, DISK)
    name = "<img src=x onerror=alert(1)>\u202e\n"
    verifier.drop(with_digest([LINES[0].replace(b"closed_hands@1", json.dumps(name)[1:-1].encode()), *LINES[1:-1]]))
    assert page.locator("#report img").count() == 0
    assert "\u202e" not in page.locator("#report").inner_text()
    assert verifier.checks["chain"] == ("fail", 1)
