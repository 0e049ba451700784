"""Notes as people read them: a message's key and arguments, and its text in one of the languages that there are.

A ruleset has words for what its moves and draws do (`terms.json`); `words.json` beside this file has those for all else
in a log. The keys of the latter begin with `game.`, which no ruleset's do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from moveledger.rules.kernel import Note, NoteArgument, Term
from moveledger.rules.registry import LANGUAGES, find_ruleset, load_terms

DEFAULT_LANGUAGE = LANGUAGES[0]
PREFIX = "game."


def say_note(note: Note, terms: Mapping[str, Any], language: str) -> dict[str, Any]:
    """`{key, arguments, text}` in `language`; names of things are said in it too."""
    words = {name: say_argument(value, terms, language) for name, value in note.arguments.items()}
    return {
        "key": note.key,
        "arguments": {name: value.path if isinstance(value, Term) else value for name, value in note.arguments.items()},
        "text": terms["notes"][note.key][language].format(**words),
    }


def say_argument(value: NoteArgument, terms: Mapping[str, Any], language: str) -> str:
    """One argument of a note, the name of a thing in `language`."""
    if not isinstance(value, Term):
        return str(value)
    group, _, name = value.path.partition(".")
    said: str = terms["terms"][group][name][language]
    return said


@cache
def load_words() -> Mapping[str, Any]:
    """The service's own words, `words.json`: `terms` and `notes` as in a ruleset's `terms.json`.

    The term `seat` is one text with a `{number}`, for the seats of rulesets that give theirs no names.
    """
    text = resources.files(__package__).joinpath("words.json").read_text(encoding="utf-8")
    words: Mapping[str, Any] = json.loads(text)
    return words


@cache
def words_about(ruleset_id: str) -> Mapping[str, Any]:
    """The service's words about games of a ruleset, whose own names for seats and reasons of an end count first."""
    words, terms = load_words(), load_terms(ruleset_id)
    seats = {
        str(seat): {language: text.format(number=seat) for language, text in words["terms"]["seat"].items()}
        for seat in range(find_ruleset(ruleset_id).seats[-1])
    }
    own = terms["terms"]
    return {
        "terms": {
            **words["terms"],
            "seat": {**seats, **own.get("seat", {})},
            "reason": {**words["terms"]["reason"], **own.get("reason", {})},
            "ruleset": {ruleset_id: terms["names"]},
        },
        "notes": {PREFIX + key: texts for key, texts in words["notes"].items()},
    }
