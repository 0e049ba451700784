"""Work in several processes that begin at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from threading import BrokenBarrierError
from typing import Protocol, TypeVar

T = TypeVar("T")
PATIENCE_S = 60.0


class Line(Protocol):
    """Where processes wait for each other."""

    def wait(self, timeout: float | None = None) -> int: ...


_line: list[Line] = []


def run_together(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """What the tasks answer, each from a process of its own. Each calls `wait_for_all` once when it is ready to begin."""
    context = get_context("spawn")
    line = context.Barrier(len(tasks))
    with ProcessPoolExecutor(len(tasks), mp_context=context, initializer=_stand_in, initargs=(line,)) as pool:
        done = [pool.submit(task) for task in tasks]
        return [task.result(timeout=2 * PATIENCE_S) for task in done]


def wait_for_all() -> None:
    """In a task: return when all the others are as far. Raises `RuntimeError` when one of them does not come."""
    try:
        _line[0].wait(PATIENCE_S)
    except BrokenBarrierError as broken:
        raise RuntimeError("another process was not ready in time") from broken


def _stand_in(line: Line) -> None:
    _line[:] = [line]
