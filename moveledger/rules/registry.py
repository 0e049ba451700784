"""Which rulesets are installed: the folders beside this file, and the entry points `moveledger.rulesets`.

A folder is a ruleset when its package has a `RULESET`. A distribution of somebody else's offers one by an entry
point of the group `moveledger.rulesets` whose value is the `Ruleset`.
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module, resources
from importlib.metadata import entry_points
from typing import Any

from moveledger.errors import UnknownRuleset
from moveledger.rules.kernel import AnyRuleset, Ruleset

ENTRY_POINTS = "moveledger.rulesets"
LANGUAGES = ("en", "de", "fr", "nl")
PRESENTATION = frozenset({"terms.json", "describe.py", "greedy.py"})
"""Files of a ruleset's folder that cannot change how a game goes: words and bots. The digest leaves them out."""


@cache
def load_rulesets() -> Mapping[str, AnyRuleset]:
    """All installed rulesets by id, in order of their ids. Raises `ValueError` when two claim one id."""
    found: dict[str, AnyRuleset] = {}
    for ruleset in [*_built_in(), *_registered()]:
        if ruleset.id in found:
            raise ValueError(f"two rulesets are called {ruleset.id}")
        found[ruleset.id] = ruleset
    return dict(sorted(found.items()))


def find_ruleset(ruleset_id: str) -> AnyRuleset:
    """The ruleset called `key@version`; raises `UnknownRuleset`."""
    ruleset = load_rulesets().get(ruleset_id)
    if ruleset is None:
        raise UnknownRuleset(f"No ruleset is called {ruleset_id!r}.", installed=list(load_rulesets()))
    return ruleset


def _built_in() -> list[AnyRuleset]:
    import moveledger.rules as package  # noqa: PLC0415 — the package that holds this module

    folders = [found.name for found in pkgutil.iter_modules(package.__path__) if found.ispkg]
    modules = [import_module(f"{package.__name__}.{name}") for name in sorted(folders)]
    return [module.RULESET for module in modules if isinstance(getattr(module, "RULESET", None), Ruleset)]


def _registered() -> list[AnyRuleset]:
    return [point.load() for point in entry_points(group=ENTRY_POINTS)]


@cache
def rules_digest(ruleset_id: str) -> str:
    """SHA-256, in hex, over the names and contents of the ruleset's sources, `PRESENTATION` left out."""
    folder = resources.files(find_ruleset(ruleset_id).package)
    sources = {
        entry.name: entry.read_bytes()
        for entry in folder.iterdir()
        if entry.name.endswith((".py", ".json")) and entry.name not in PRESENTATION
    }
    digest = hashlib.sha256()
    for name, content in sorted(sources.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def load_terms(ruleset_id: str) -> Mapping[str, Any]:
    """The words of a ruleset, `terms.json`: `names` {language: text}, `terms` {group: {id: {language: text}}},
    `notes` {key: {language: text with {arguments}}}.
    """
    text = resources.files(find_ruleset(ruleset_id).package).joinpath("terms.json").read_text(encoding="utf-8")
    words: Mapping[str, Any] = json.loads(text)
    return words
