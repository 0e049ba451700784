"""The supervisor's end: a signal stops it anywhere but in the midst of what must not be left half done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from moveledger.child import Child
from moveledger.errors import ServerFault
from moveledger.supervisor import House, Stopped, StopSignals


@pytest.fixture
def signals() -> Iterator[StopSignals]:
    """The signals of `up`, watched for; afterwards they are what they were."""
    before = {number: signal.getsignal(number) for number in StopSignals.NUMBERS}
    signals = StopSignals()
    signals.watch()
    yield signals
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", StopSignals.NUMBERS)
def test_a_signal_stops_it_where_it_is(number: signal.Signals) -> None:
    with pytest.raises(Stopped):
        signal.raise_signal(number)


def test_a_signal_in_a_held_block_stops_it_at_the_block_s_end(signals: StopSignals) -> None:
    done = []

    def work() -> None:
        with signals.held():
            with signals.held():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")

    with pytest.raises(Stopped):
        work()
    assert done == ["inner", "outer"]


def test_a_fault_of_a_held_block_gives_way_to_the_signal(signals: StopSignals) -> None:
    """As when Ctrl-C at the terminal ends what was being waited for, too."""

    def work() -> None:
        with signals.held():
            signal.raise_signal(signal.SIGINT)
            raise ServerFault("The database cluster could not be made.")

    with pytest.raises(Stopped):
        work()


def test_a_fault_of_a_held_block_passes_when_no_signal_came(signals: StopSignals) -> None:
    with pytest.raises(ServerFault), signals.held():
        raise ServerFault("The database cluster could not be made.")


def test_at_the_end_signals_change_nothing(signals: StopSignals) -> None:
    signals.ignore()
    for number in StopSignals.NUMBERS:
        signal.raise_signal(number)


def test_a_signal_does_not_break_into_a_look_at_a_child(
    signals: StopSignals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Popen.poll takes a lock: were it left locked, the wait for the child's end would never be over."""
    looks = []

    def poll(child: Child) -> bool:
        looks.append("begun")
        signal.raise_signal(signal.SIGTERM)
        looks.append("ended")
        return False

    monkeypatch.setattr(Child, "poll", poll)
    house = House({"STATE_FOLDER": str(tmp_path), "DATABASE_URL": "given", "REDIS_URL": "given"}, signals)
    monkeypatch.setattr(house, "_children", [Child("sleeper", ["sleep", "60"], tmp_path / "log")])
    with pytest.raises(Stopped):
        house.poll()
    assert looks == ["begun", "ended"]
    house.close()
