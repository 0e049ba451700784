"""Two games played side by side, and everything by which an observer can tell one from the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.sight.channels import LINES, Look, questions
from tests.sight.pairs import Pair
from tests.sight.tables import Answer, Question, Stage, Table, two_tables

LOOKS = 4
"""How often a pair is looked at by default, the last look being at everything."""

GLANCE = 9
"""How many questions, drawn from all, are asked at each look but the last."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An answer by which an observer can tell one game from the other."""

    who: str
    question: Question
    where: str
    one: object
    two: object

    def __str__(self) -> str:
        asked = f"{self.question.method} {self.question.path} {self.question.body or ''}"
        return f"{self.question.channel} for {self.who}: {self.where} of {asked}\n    {self.one}\n    {self.two}"


@dataclass(slots=True)
class Report:
    """What came of a pair: looks taken, answers compared, differences; sealed events, and whether a referee sees two games."""

    looks: int = 0
    answers: int = 0
    differences: list[Difference] = field(default_factory=list)
    sealed: int = 0
    referee_sees_two: bool = False

    @property
    def channels(self) -> set[str]:
        """Through which channels something was told."""
        return {difference.question.channel for difference in self.differences}

    def compare(self, who: str, question: Question, one: Answer, two: Answer) -> None:
        """Hold two answers to one question against each other."""
        self.answers += 2
        if question.is_refused and one.status < 400:
            self.differences.append(Difference(who, question, "not refused", one.status, two.status))
        for name in ("status", "headers", "body", "size"):
            ours, theirs = getattr(one, name), getattr(two, name)
            if ours != theirs:
                self.differences.append(Difference(who, question, name, *_apart(ours, theirs)))


def compare_pair(stage: Stage, pair: Pair, *, looks: int = LOOKS, until: str | None = None) -> Report:
    """Play a pair. Look at both games so many times: where they begin to differ, now and then, at all of it in the end.

    With `until` no more is asked once that channel has told something.
    """
    rng, total, first = random.Random(pair.name), len(pair.one.moves), pair.first_difference
    stops = [first, *(rng.randint(first, total) for _ in range(looks))][: looks - 1]
    with two_tables(stage, pair) as tables:
        comparison, since = _Comparison(pair, tables, rng, until), tables[0].version
        for made in range(total + 1):
            if made:
                comparison.play(made - 1)
            if made in stops and made < total:
                comparison.look(made, since)
                since = tables[0].version
        back = rng.randrange(total) if pair.rewinds else total
        comparison.look_at_all(back)
        comparison.look_as_referee()
    return comparison.report


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A pair while it is played."""

    pair: Pair
    tables: tuple[Table, Table]
    rng: random.Random
    until: str | None
    report: Report = field(default_factory=Report)

    def play(self, number: int) -> None:
        """Make a move in both games. What its seat is answered counts, if that is the one that may not tell them apart."""
        one, two = (table.play(number) for table in self.tables)
        seat = self.pair.one.moves[number].seat
        if seat == self.pair.seat:
            self.report.compare(str(seat), Question("own moves", f"move {number}"), one, two)
        assert self.tables[0].version == self.tables[1].version

    def look_at_all(self, made: int) -> None:
        """Look at everything, if need be after the game was rewound to where so many moves were made."""
        for table in self.tables:
            if made < len(self.pair.one.moves):
                table.rewind(made)
            table.verify()
        self.look(made, 0)

    def look(self, made: int, since: int) -> None:
        """Take a look, alternately with and without what the process remembers of the games."""
        if self.report.looks % 2:
            self.tables[0].stage.service.tools.games.clear()
        self.report.looks += 1
        state, version = self.pair.one.state_after(made), self.tables[0].version
        for who in self._observers(is_last=since == 0):
            look = Look(who, self.pair.one, made, since, version, state, self.rng)
            asked = list(questions(look))
            if not look.is_whole:
                asked = self.rng.sample(asked, min(GLANCE, len(asked)))
            for number, question in enumerate(asked):
                answers = (table.ask(who, question, f"look-{number}") for table in self.tables)
                self.report.compare(who, question, *answers)
                if self.until in self.report.channels:
                    return

    def _observers(self, *, is_last: bool) -> Iterator[str]:
        """Who may not tell the two games apart: the pair's seat; in the end, or where there is none, who has no seat."""
        if self.pair.seat is not None:
            yield str(self.pair.seat)
        elif self.pair.alike:
            yield str(self.rng.randrange(self.pair.one.seats))
        if self.pair.seat is None:
            yield from ("anybody", "key")
        elif is_last:
            yield self.rng.choice(("anybody", "key"))

    def look_as_referee(self) -> None:
        """Whoever may see all tells the two games apart."""
        question = Question("referee", "/v1/games/{game}/events?as=referee", LINES)
        one, two = (table.seen(table.send(table.stage.referee.token, question, "referee")) for table in self.tables)
        self.report.sealed = one.body.count('"sealed":true')
        self.report.referee_sees_two = one.body != two.body


def _apart(one: object, two: object) -> tuple[object, object]:
    """The two around the place where they part, if they are texts."""
    if not isinstance(one, str) or not isinstance(two, str):
        return one, two
    at = next((at for at, (ours, theirs) in enumerate(zip(one, two, strict=False)) if ours != theirs), -1)
    return one[max(0, at - 60) : at + 60], two[max(0, at - 60) : at + 60]
