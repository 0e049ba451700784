"""Every ruling and worked example of a rules page has a test that cites it, and every citation exists.

A page `docs/rules/<key>.md` lists them as tables under `## Rulings` and `## Worked examples`, the number first.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "rules").glob("*.md"))


def numbers_on(page: Path) -> list[str]:
    """The first cells of the tables under the two headings, header rows and rules left out."""
    found, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            inside = line.removeprefix("## ").strip() in ("Rulings", "Worked examples")
        row = re.match(r"\|\s*([A-Z]{0,2}[0-9]*[a-z]?)\s*\|", line)
        if inside and row and row.group(1):
            found.append(row.group(1))
    return found


def citations_in(folder: Path) -> set[str]:
    """The arguments of every `pytest.mark.cites` in the test files of a folder."""
    found: set[str] = set()
    for path in folder.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cites":
                found |= {
                    arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
                }
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_ruling_and_example_has_a_test_and_every_citation_exists(page: Path) -> None:
    numbers = numbers_on(page)
    assert len(numbers) > 10, "a rules page numbers its rulings"
    assert len(set(numbers)) == len(numbers), "a number stands twice"
    cited = citations_in(Path(__file__).parent / page.stem)
    assert set(numbers) - cited == set(), "rulings without a test"
    assert cited - set(numbers) == set(), "citations of what the page does not say"
