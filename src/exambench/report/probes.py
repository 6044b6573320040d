"""The probes that there are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType

from exambench.protocols.probes import Probe
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text
from exambench.report.grids import Grid, Section, cell


def terminal(probes: Sequence[Probe]) -> RenderableType:
    """Return the probes as a Rich table."""
    return grids.terminal([_section(probes)])


def markdown(probes: Sequence[Probe]) -> str:
    """Return the probes as a Markdown table."""
    return grids.markdown([_section(probes)])


def as_csv(probes: Sequence[Probe]) -> str:
    """Return one line for each probe."""
    return csv_text(_record(probe) for probe in probes)


def as_json(probes: Sequence[Probe]) -> str:
    """Return the probes as a JSON document."""
    return json_text([_record(probe) for probe in probes])


def _section(probes: Sequence[Probe]) -> Section:
    rows = tuple((cell(probe.name), cell(probe.tests), cell(probe.chance), cell(*_settings(probe))) for probe in probes)
    header = ("Probe", "question", "a blind guess", "conditions")
    return Section("Probes", (Grid("exambench run --probe NAME", header, rows, labels=4),))


def _record(probe: Probe) -> dict[str, object]:
    return {
        "probe": probe.name,
        "tests": probe.tests,
        "chance": probe.chance,
        "conditions": " ".join(f"{name}={value}" for name, value in probe.settings),
    }


def _settings(probe: Probe) -> list[str]:
    """Return the conditions of a probe, a long row of permutations as its ends."""
    texts = [f"{name}={value}" for name, value in probe.settings]
    return texts if len(texts) <= 3 else [f"{texts[0]} … {texts[-1].partition('=')[2]}"]  # noqa: PLR2004 - lines
