"""Records of all four games, damaged in every way and counted: `python -m tests.audit.mutations [FLIPS]`.

For each game a whole record; single-byte flips at FLIPS (2,000) places taken at random; every event dropped, doubled and swapped with the
next, and every body set to null, each with the last line made anew so that only the hashes can tell. The tests do the
same with fewer flips; this is for whoever wants to see it in full. Takes some minutes.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator

from moveledger.audit.record import NotARecord
from moveledger.rules.registry import find_ruleset
from tests.audit.logs import House, verify, with_digest

GAMES = {"desertsons@1": 2, "santiiba@1": 3, "shangrila@1": 3, "tiwanaku@1": 2}


def is_refused(record: bytes) -> bool:
    """Whether the verifier finds a fault, or no record at all."""
    try:
        return verify(record).fault is not None
    except NotARecord:
        return True


def flipped(record: bytes, count: int) -> Iterator[bytes]:
    """The record with one bit of one byte changed, at `count` places."""
    rng = random.Random(len(record))
    for place in rng.sample(range(len(record)), min(count, len(record))):
        yield record[:place] + bytes([record[place] ^ 1 << rng.randrange(8)]) + record[place + 1 :]


def rearranged(lines: list[bytes], what: str) -> Iterator[bytes]:
    """The record with one event dropped, doubled, swapped with the next or emptied, the last line made anew."""
    events = range(1, len(lines) - 1)
    for at in events:
        changed = list(lines[:-1])
        if what == "dropped":
            del changed[at]
        elif what == "doubled":
            changed.insert(at, changed[at])
        elif what == "swapped":
            if at + 1 not in events:
                continue
            changed[at], changed[at + 1] = changed[at + 1], changed[at]
        else:
            event = json.loads(changed[at])
            event["body"] = event["salt"] = None
            changed[at] = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        yield with_digest(changed)


def main(flips: int) -> None:
    """Damage, verify, count."""
    for name, seats in GAMES.items():
        record = House(find_ruleset(name), seats=seats, number=77).play().record()
        assert not is_refused(record)
        lines = record.splitlines(keepends=True)
        kinds = {"flipped": flipped(record, flips)}
        kinds |= {what: rearranged(lines, what) for what in ("dropped", "doubled", "swapped", "emptied")}
        counts = []
        for what, records in kinds.items():
            found = [is_refused(damaged) for damaged in records]
            counts.append(f"{what} {sum(found)} of {len(found)}")
        print(f"{name:<14}{len(lines) - 2:>5} events   refused: {', '.join(counts)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
