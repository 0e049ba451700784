"""Notes as people read them: a message's key and arguments, and its text in one of the languages of the ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moveledger.rules.kernel import Note, NoteArgument, Term
from moveledger.rules.registry import LANGUAGES

DEFAULT_LANGUAGE = LANGUAGES[0]


def say_note(note: Note, terms: Mapping[str, Any], language: str) -> dict[str, Any]:
    """`{key, arguments, text}` in `language`; names of things are said in it too."""
    words = {name: _say(value, terms, language) for name, value in note.arguments.items()}
    return {
        "key": note.key,
        "arguments": {name: value.path if isinstance(value, Term) else value for name, value in note.arguments.items()},
        "text": terms["notes"][note.key][language].format(**words),
    }


def _say(value: NoteArgument, terms: Mapping[str, Any], language: str) -> str:
    if not isinstance(value, Term):
        return str(value)
    group, _, name = value.path.partition(".")
    said: str = terms["terms"][group][name][language]
    return said
