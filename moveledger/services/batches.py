"""Doing the same for many games, of which some may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from moveledger.errors import StoreUnavailable

T = TypeVar("T")
R = TypeVar("R")


def do_for_each(items: Iterable[T], act: Callable[[T], R]) -> list[R]:
    """What `act` answers for each. What goes wrong with some keeps none of the others from it; the first fault is raised at the
    end. Only when the database is away is nothing more tried.
    """
    answers: list[R] = []
    faults: list[Exception] = []
    for item in items:
        try:
            answers.append(act(item))
        except StoreUnavailable:
            raise
        except Exception as fault:
            faults.append(fault)
    if faults:
        raise faults[0]
    return answers
