"""A child process that its owner keeps alive, and that never outlives its owner."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
SETTLED_S = 10.0
"""A child that lived this long counts as healthy: its next death is followed by the first pause again."""
LARGEST_LOG = 10_000_000
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(slots=True)
class Child:
    """One foreground process. `start` it from the main thread: Linux ends it when the *thread* that forked it ends."""

    name: str
    command: Sequence[str | Path]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM
    environ: Mapping[str, str] | None = None
    """The whole environment of the child; the owner's if none is given."""
    started: int = 0
    """How often it was started."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _since: float = 0.0
    _pause: float = FIRST_PAUSE_S
    _not_before: float | None = None

    @property
    def pid(self) -> int | None:
        """The process id, or none if it was never started or was stopped."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process in a group of its own, so that a Ctrl-C at the terminal reaches only its owner."""
        with _open_log(self.log) as log:
            self._process = subprocess.Popen(
                [str(word) for word in self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environ,
                process_group=0,
                preexec_fn=_die_with(os.getpid(), self.stop_signal),  # noqa: PLW1509 - from the main thread, see above
            )
        self.started += 1
        self._since = time.monotonic()
        self._not_before = None

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def poll(self) -> bool:
        """Start the process again if it died and its pause is over; say whether that was done. Never waits."""
        if self._process is None or self.alive():
            return False
        now = time.monotonic()
        if self._not_before is None:
            settled = now - self._since > SETTLED_S
            self._pause = FIRST_PAUSE_S if settled or self.started == 1 else min(self._pause * 2, LONGEST_PAUSE_S)
            self._not_before = now + self._pause
        if now < self._not_before:
            return False
        self.start()
        return True

    def exit_status(self) -> int | None:
        """How the process ended; none while it runs."""
        return None if self._process is None else self._process.poll()

    def ask_to_stop(self) -> None:
        """Send the stop signal and do not wait."""
        if self._process is not None:
            self._process.send_signal(self.stop_signal)

    def stop(self, grace: float = 10.0) -> None:
        """Ask the process to stop, wait up to `grace` seconds, then kill it. Twice is harmless."""
        if self._process is None:
            return
        self.ask_to_stop()
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def last_words(self, lines: int = 5) -> str:
        """The end of its log, for a message to the person who started it."""
        with suppress(OSError):
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-lines:])
        return ""


def stop_all(children: Sequence[Child], grace: float = 10.0) -> None:
    """Ask all to stop at once, then wait for each: together they take no longer than the slowest."""
    for child in children:
        child.ask_to_stop()
    deadline = time.monotonic() + grace
    for child in children:
        child.stop(max(0.0, deadline - time.monotonic()))


def _die_with(owner: int, stop_signal: signal.Signals) -> Callable[[], None] | None:
    """What a child does before it becomes its program: ask Linux to stop it when its owner ends, even by kill -9."""
    if _libc is None:
        return None
    prctl, number = _libc.prctl, int(stop_signal)

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != owner:  # the owner died between the fork and the line above
            os._exit(1)

    return bind


def die_with_parent() -> None:
    """For a process that a library forked: have Linux end it when the one that forked it is gone."""
    parent = multiprocessing.parent_process()
    bind = None if parent is None or parent.pid is None else _die_with(parent.pid, signal.SIGTERM)
    if bind is not None:
        bind()


def _open_log(path: Path) -> BinaryIO:
    if path.exists() and path.stat().st_size > LARGEST_LOG:
        path.replace(path.with_suffix(".old.log"))
    return path.open("ab")
