"""Coded reversals as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.probing.reversal_report import PairAgreement, ReversalReport
from exambench.probing.reversals import Reversal
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, number, percent, plural
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.report.provenance import drawn, interval_note


def terminal(report: ReversalReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: ReversalReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: ReversalReport) -> str:
    """Return one line for each group and code, in full precision, and one for each pair of readers."""
    return csv_text(_records(report))


def as_json(report: ReversalReport) -> str:
    """Return the report as a JSON document with every reading."""
    return json_text(
        {
            "sample": report.coding.coding_id,
            "benchmark": report.coding.benchmark,
            "dataset": report.coding.dataset_hash,
            "models": list(report.models),
            "runs": list(report.coding.runs),
            "facet": report.coding.sample.get("facet"),
            "seed": report.coding.sample.get("seed"),
            "readers": list(report.readers),
            "readers_without_codes": list(report.missing),
            **drawn(report.bootstrap),
            "counts": [record for record in _records(report) if record["section"] == "code"],
            "agreement": [_pair_as_json(pair) for pair in report.pairs],
            "readings": [
                {"item": each.item_id, "group": each.group, "solved_by": report.models[each.solver]}
                | {
                    "codes": {
                        reader: report.codes[reader, each]
                        for reader in report.readers
                        if (reader, each) in report.codes
                    },
                    "notes": {
                        reader: report.notes[reader, each]
                        for reader in report.readers
                        if (reader, each) in report.notes
                    },
                }
                for each in report.drawn
            ],
        }
    )


def _sections(report: ReversalReport) -> Iterator[Section]:
    notes = (
        (
            f"Sample {report.coding.coding_id} on {report.coding.benchmark}, seed {report.coding.sample.get('seed')}: "
            f"{plural(len(report.drawn), 'item')}, read by {', '.join(report.readers)}."
        ),
        *([f"Not in yet: the codes of {', '.join(report.missing)}."] if report.missing else []),
    )
    grids_ = [_codes(report, solver) for solver in dict.fromkeys(solver for solver, _ in report.groups)]
    yield Section("Why items are missed that the other model solves", (*grids_, *_agreement(report)), notes)


def _codes(report: ReversalReport, solver: int) -> Grid:
    groups = [group for each, group in report.groups if each == solver]
    counts = {group: report.counts(solver, group) for group in groups}
    rows = [
        (
            cell(report.scheme.title(code)),
            *(_count(counts[group][code.key], counts[group].total()) for group in groups),
            _count(sum(found[code.key] for found in counts.values()), sum(found.total() for found in counts.values())),
        )
        for code in report.scheme.codes
    ]
    items = {group: sum((each.solver, each.group) == (solver, group) for each in report.drawn) for group in groups}
    rows.append((cell("items"), *(cell(f"{items[group]}") for group in groups), cell(f"{sum(items.values())}")))
    return Grid(
        f"{report.models[solver]} is right, {report.models[1 - solver]} wrong: readings, and percent",
        ("Code", *(_header(report, group) for group in groups), "in all"),
        tuple(rows),
        notes=("A reading is one reader's of one item.",),
    )


def _header(report: ReversalReport, group: str) -> str:
    facet = report.coding.sample.get("facet")
    return group if facet is None else f"{facet}\n{group}"


def _count(count: int, total: int) -> Cell:
    return cell(f"{count}", percent(count / total, 0) if total else NOTHING)


def _agreement(report: ReversalReport) -> Iterator[Grid]:
    if report.pairs:
        yield Grid(
            "Agreement of readers",
            ("Readers", "items", "same\ncode", "Cohen κ"),
            tuple(
                (
                    cell(" and ".join(pair.readers)),
                    cell(f"{pair.n}"),
                    cell(f"{pair.same}", percent(pair.same / pair.n, 0) if pair.n else NOTHING),
                    no_value(pair.reason)
                    if pair.kappa is None
                    else cell(f"{pair.kappa.estimate:.3f}", f"{pair.kappa.low:.2f} to {pair.kappa.high:.2f}"),
                )
                for pair in report.pairs
            ),
            notes=(interval_note(report.bootstrap),),
        )


def _records(report: ReversalReport) -> Iterator[dict[str, Any]]:
    first = {"sample": report.coding.coding_id}
    for solver, group in report.groups:
        counts = report.counts(solver, group)
        for code in report.scheme.codes:
            yield {
                **first,
                "section": "code",
                "solved_by": report.models[solver],
                "missed_by": report.models[1 - solver],
                "group": group,
                "code": code.key,
                "readings": counts[code.key],
                "of": counts.total(),
                "items": sum(_is_in(each, solver, group) for each in report.drawn),
            }
    for pair in report.pairs:
        yield {**first, "section": "agreement", **_pair_as_json(pair)}


def _is_in(each: Reversal, solver: int, group: str) -> bool:
    return (each.solver, each.group) == (solver, group)


def _pair_as_json(pair: PairAgreement) -> dict[str, Any]:
    kappa = pair.kappa
    return {
        "readers": " and ".join(pair.readers),
        "n": pair.n,
        "same": pair.same,
        "kappa": None if kappa is None else number(kappa.estimate),
        "low": None if kappa is None else number(kappa.low),
        "high": None if kappa is None else number(kappa.high),
        "reason": pair.reason,
    }
