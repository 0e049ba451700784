"""The rules page and the code name the same refusals, options and reasons."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

from moveledger.rules.shangrila import RULESET, data
from moveledger.rules.shangrila.options import Options
from moveledger.rules.shangrila.state import EndReason

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "shangrila.md").read_text(encoding="utf-8")
SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(data.__file__).parent.glob("*.py"))


def test_the_page_lists_every_rule_code_and_no_other() -> None:
    refused = set(re.findall(r'refuse\("(\w+)"', SOURCES)) | set(
        re.findall(r'IllegalMove\("shangrila\.(\w+)"', SOURCES)
    )
    assert refused == set(re.findall(r"^\| `shangrila\.(\w+)` \|", PAGE, re.MULTILINE))


def test_the_page_shows_every_option_with_both_readings() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (`\w+` \| `\w+`) \|", PAGE, re.MULTILINE))
    seed = RULESET.presets["seed"]
    for field in dataclasses.fields(Options):
        if field.name != "reading":
            values = (field.default, seed.get(field.name, field.default))
            assert rows.pop(field.name) == " | ".join(f"`{str(value).lower()}`" for value in values)
    assert rows == {}


def test_the_page_lists_every_reason_of_an_end() -> None:
    section = PAGE.split("## End and scoring")[1].split("## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(get_args(EndReason))


def test_the_page_lists_every_road() -> None:
    roads = {(int(a), int(b)) for a, b in re.findall(r"(\d+)–(\d+)", PAGE.split("Roads: ")[1].split("With three")[0])}
    assert roads == {(bridge.a, bridge.b) for bridge in data.BRIDGES}
