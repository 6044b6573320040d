"""The engine suite's results as a table, as met and missed aims, and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from bench.measure import Cost

LIMIT: Final = "bare loop"
OURS: Final = "exambench"
MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """One run of one contender.

    Attributes:
        cost: The whole process.
        phase_seconds: From the first request to the last answer, by the server's clock.
        phase_cpu_seconds: Processor time of the contender in between; ``None`` if the server could not tell.
        phase_peak_bytes: Its largest resident size by the last answer.
        error: Why the run doesn't count; empty if it does.
    """

    name: str
    items: int
    cost: Cost
    phase_seconds: float
    phase_cpu_seconds: float | None
    phase_peak_bytes: int | None
    error: str = ""

    @classmethod
    def of(cls, name: str, items: int, cost: Cost, phase: Mapping[str, Any], log: Path) -> Self:
        """Put together what was seen from outside and by the server."""
        error = ""
        if cost.status:
            error = f"ended with status {cost.status}, see {log}"
        elif phase["requests"] != items or phase["answers"] != items:
            error = f"asked {phase['requests']} times instead of {items}, see {log}"
        seconds = phase["last"] - phase["first"]
        return cls(name, items, cost, seconds, phase["cpu_seconds"], phase["peak_bytes"], error)

    @property
    def rate(self) -> float:
        """Items a second over the whole process."""
        return self.items / self.cost.seconds

    @property
    def phase_rate(self) -> float:
        """Items a second between the first request and the last answer."""
        return self.items / self.phase_seconds if self.phase_seconds else 0.0


HEADINGS: Final = (
    "contender    whole process                                  request phase",
    "               items/s   ratio  seconds    CPU s  peak MB    items/s   ratio  seconds    CPU s  peak MB",
)


def table(results: Sequence[Result]) -> str:
    """Return all results as text; ratios are to the bare loop."""
    limit = next((result for result in results if result.name == LIMIT and not result.error), None)
    return "\n".join([*HEADINGS, *(_row(result, limit) for result in results)])


def _row(result: Result, limit: Result | None) -> str:
    if result.error:
        return f"{result.name:<12} {result.error}"
    cost = result.cost
    ratio = result.rate / limit.rate if limit else None
    phase_ratio = result.phase_rate / limit.phase_rate if limit else None
    whole = _cells(result.rate, ratio, cost.seconds, cost.cpu_seconds, cost.peak_bytes)
    phase = _cells(
        result.phase_rate, phase_ratio, result.phase_seconds, result.phase_cpu_seconds, result.phase_peak_bytes
    )
    return f"{result.name:<12} {whole}  {phase}"


def _cells(rate: float, ratio: float | None, seconds: float, cpu_seconds: float | None, peak_bytes: int | None) -> str:
    return " ".join(
        (
            f"{rate:9.0f}",
            _number(ratio, "7.2f"),
            f"{seconds:8.2f}",
            _number(cpu_seconds, "8.2f"),
            _number(None if peak_bytes is None else peak_bytes / MEGABYTE, "8.0f"),
        )
    )


def _number(value: float | None, form: str) -> str:
    width = form.partition(".")[0]
    return f"{'–':>{width}}" if value is None else f"{value:{form}}"


@dataclass(frozen=True, slots=True)
class Aim:
    """Something that should hold, with what was found; ``found`` is ``None`` when it could not be measured."""

    text: str
    wanted: float
    found: float | None
    at_most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether it holds."""
        if self.found is None:
            return None
        return self.found <= self.wanted if self.at_most else self.found >= self.wanted

    def __str__(self) -> str:
        verdict = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        sign = "≤" if self.at_most else "≥"
        found = "–" if self.found is None else f"{self.found:.2f}"
        return f"{verdict:<13} {self.text}: {found} (aim {sign} {self.wanted:g})"


def aims(results: Sequence[Result], help_seconds: float | None) -> Iterator[Aim]:
    """Yield what the toolkit aims at, beside what was found."""
    by_name = {result.name: result for result in results if not result.error}
    limit, ours = by_name.get(LIMIT), by_name.get(OURS)
    inspect, harness = by_name.get("Inspect AI"), by_name.get("lm-eval")
    yield Aim(
        "the bare loop's request phase, items/s (or the server is too slow)", 2000, limit.phase_rate if limit else None
    )
    share = ours.phase_rate / limit.phase_rate if ours and limit else None
    yield Aim("request phase, share of the bare loop's rate", 0.6, share)
    yield Aim("whole process, times Inspect AI's rate", 10, ours.rate / inspect.rate if ours and inspect else None)
    yield Aim("whole process, times lm-eval's rate", 4, ours.rate / harness.rate if ours and harness else None)
    yield Aim("peak memory, MB", 200, ours.cost.peak_bytes / MEGABYTE if ours else None, at_most=True)
    yield Aim("exambench --help, seconds", 0.25, help_seconds, at_most=True)


def as_json(results: Sequence[Result], help_seconds: float | None, options: Mapping[str, object]) -> str:
    """Return everything as JSON: the machine, the options, the results and the aims."""
    return json.dumps(
        {
            "machine": {"system": platform.platform(), "cores": os.cpu_count(), "python": platform.python_version()},
            "options": {name: str(value) for name, value in options.items()},
            "results": [asdict(result) | {"rate": result.rate, "phase_rate": result.phase_rate} for result in results],
            "aims": [asdict(aim) | {"met": aim.met} for aim in aims(results, help_seconds)],
        },
        ensure_ascii=False,
        indent=2,
    )
