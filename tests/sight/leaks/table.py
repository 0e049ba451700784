"""What a leak is, and the tools to plant one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import pytest

from moveledger.rules.registry import load_rulesets

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


@dataclass(frozen=True, slots=True)
class Leak:
    """A fault that tells an observer what it may not know: what, where, in which game, and the channel that has to find it.

    `plant` changes production code until the patch is undone.
    """

    name: str
    where: str
    found_by: str
    ruleset: str
    plant: Plant


LEAKS: list[Leak] = []


def leak(name: str, where: str, found_by: str, ruleset: str = "closed_hands") -> Callable[[Plant], Plant]:
    """Puts a planting function into the table."""

    def put(plant: Plant) -> Plant:
        LEAKS.append(Leak(name, where, found_by, ruleset, plant))
        return plant

    return put


def wrap(patch: Patch, owner: object, name: str, leaky: Callable[..., Any]) -> None:
    """Put `leaky`, which is given what was there as its first argument, in the place of a function."""
    patch.setattr(owner, name, partial(leaky, getattr(owner, name)))


def wrap_rules(patch: Patch, key: str, function: str, leaky: Callable[..., Any]) -> None:
    """The same with a function of a ruleset, for the games that are opened from now on."""
    installed = cast("dict[str, Any]", load_rulesets())
    ruleset = installed[f"{key}@1"]
    patch.setitem(installed, ruleset.id, replace(ruleset, **{function: partial(leaky, getattr(ruleset, function))}))
