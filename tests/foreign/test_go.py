"""Note, tiles and proofs against the Go project's golang.org/x/mod/sumdb, as Debian packages it.

`apt-get install golang-go golang-golang-x-mod-dev`; the checker is `check.go` beside this file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from moveledger.audit.note import SignerKey, read_note, verified_signatures
from tests.foreign.copies import SIZES, Published, write_proofs

SOURCES = Path("/usr/share/gocode")
"""Where Debian puts the sources of Go's packages."""
CHECKER = Path(__file__).with_name("check.go")
LEAF_INDEXES = [0, 1, 39, 255, 256, 511, 32_768, 65_535, 65_536, 65_999]

pytestmark = pytest.mark.skipif(
    shutil.which("go") is None or not (SOURCES / "src/golang.org/x/mod/sumdb/tlog").is_dir(),
    reason="needs Go and its x/mod: apt-get install golang-go golang-golang-x-mod-dev",
)


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checker, built."""
    folder = tmp_path_factory.mktemp("go")
    environ = {
        **os.environ,
        "GOPATH": str(SOURCES),
        "GO111MODULE": "off",
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
    }
    command = ["go", "build", "-o", str(folder / "check"), str(CHECKER)]
    built = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "check"


def run(checker: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(checker), *arguments], capture_output=True, text=True, check=False, timeout=120)


def copy_log(published: Published, folder: Path, size: int) -> None:
    """The log at a size, with proofs between all its checkpoints up to there, and of leaves all over it."""
    published.write_copy(folder, size)
    smaller = [one for one in SIZES if one <= size]
    (folder / "old").write_text(published.notes[smaller[0]])
    leaves = [published.leaf_proof(index, size) for index in LEAF_INDEXES if index < size]
    events = published.event_proofs() if size == SIZES[-1] else []
    growth = [published.growth(old, new) for old in smaller for new in smaller if old <= new]
    write_proofs(
        folder, [{key: one[key] for key in ("entry", "leaf_index", "path")} for one in [*leaves, *events]], growth
    )


@pytest.mark.parametrize("size", SIZES)
def test_go_agrees_with_note_tiles_entries_and_proofs(
    published: Published, checker: Path, tmp_path: Path, size: int
) -> None:
    copy_log(published, tmp_path, size)
    ran = run(checker, str(tmp_path))
    assert ran.returncode == 0, ran.stdout
    assert f"{size} leaves" in ran.stdout


def test_go_refuses_what_is_not_what_was_signed(published: Published, checker: Path, tmp_path: Path) -> None:
    copy_log(published, tmp_path, 257)
    for name in (
        "checkpoint",
        "tile/0/000",
        "tile/0/001.p/1",
        "tile/1/000.p/1",
        "tile/entries/000",
        "proofs.json",
        "key",
    ):
        path = tmp_path / name
        content = path.read_bytes()
        at = len(content) // 2
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert run(checker, str(tmp_path)).returncode == 1, name
        path.write_bytes(content)
    assert run(checker, str(tmp_path)).returncode == 0


def test_what_go_signs_we_verify(published: Published, checker: Path, tmp_path: Path) -> None:
    copy_log(published, tmp_path, 40)
    key = SignerKey("go.example/log", bytes(range(32)))
    (tmp_path / "text").write_text(published.head(40).text)
    ran = run(checker, str(tmp_path), key.private_text())
    assert ran.returncode == 0, ran.stdout
    signed = (tmp_path / "signed").read_text()
    assert len(verified_signatures(read_note(signed), [key.verifier])) == 1
    assert signed == key.sign_note(published.head(40).text)
