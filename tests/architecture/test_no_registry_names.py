"""No committed file holds the name or address of a package registry, or a path that exists on one machine only.

A lock file then works with whatever registry a machine is set up for, and a clone works wherever it lies.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# In two halves, so that this file does not hold what it looks for.
HOSTS = [
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("yarnpkg", "com"),
    ("crates", "io"),
    ("rubygems", "org"),
    ("golang", "org"),
    ("debian", "org"),
    ("docker", "io"),
    ("docker", "com"),
    ("ghcr", "io"),
    ("quay", "io"),
]
REGISTRY = re.compile("|".join(rf"\b{name}\.{ending}\b(?!/x/)" for name, ending in HOSTS).encode())
"""What `/x/` follows is no host but the name of a Go package."""
OPTION = re.compile(
    b"^--?(" + b"|".join([b"index", b"extra-index", b"find-links", b"trusted-host"]) + b")", re.MULTILINE
)
PLACES = ("root", "home", "work", "Users", "workspace")
MACHINE = re.compile(("(?<![\\w.}])/(" + "|".join(PLACES) + ")/[A-Za-z0-9_.]").encode())


def committed_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name.decode() for name in listed.split(b"\0") if name and (ROOT / name.decode()).is_file()]


@pytest.mark.parametrize(
    ("what", "pattern"),
    [("a registry", REGISTRY), ("a path of one machine", MACHINE)],
)
def test_no_committed_file_names(what: str, pattern: re.Pattern[bytes]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {hit.group().decode(errors='replace')}"
        for path in committed_files()
        if (hit := pattern.search(path.read_bytes()))
    ]
    assert found == [], f"{what} is named in a committed file"


def test_the_requirements_set_no_registry_and_pin_every_file_by_hash() -> None:
    locks = sorted((ROOT / "requirements").glob("*.lock"))
    assert [lock.stem for lock in locks] == ["bench", "dev", "run", "uv"]
    for lock in locks:
        text = lock.read_bytes()
        assert not OPTION.search(text), lock
        pins = [line for line in text.decode().splitlines() if line and not line.startswith((" ", "#"))]
        assert pins
        assert all(re.match(r"[a-zA-Z0-9._-]+(\[.*\])?==[^ ]+ ", pin) for pin in pins), lock
        assert text.count(b"--hash=sha256:") >= len(pins)


def test_the_patterns_find_what_they_are_for() -> None:
    assert REGISTRY.search(b"https://files." + b"pythonhosted" + b".org/packages")
    assert MACHINE.search(b"cd " + b"/" + b"root/somewhere")
    assert not MACHINE.search(b"GET /v1/games/work/1")
