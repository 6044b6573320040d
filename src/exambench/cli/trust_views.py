"""The commands of ``exambench trust`` that look at stored verdicts: consistency, length, self-preference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from exambench.cli.options import Csv, Json, Level, Markdown, Resamples, Runs, Seed, StoreOption, draw, print_result
from exambench.cli.output import output_form

if TYPE_CHECKING:
    from exambench.analysis.trust.judges import JudgedGroup
    from exambench.store import Store

JudgeName = Annotated[str | None, typer.Option(help="The name of a judge; all judges by default.")]
Families = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=FAMILY", help="The family of a model or judge. May be repeated; before model files."),
]


def consistency(
    runs: Runs = None,
    judge: JudgeName = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show how far a judge agrees with itself over repeats (exambench judge --trials): α, SD, identical scores."""
    from exambench.analysis.trust.consistency import consistency_report
    from exambench.report.trust import consistency as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        groups = _groups(results, runs, judge)
    print_result(form, rendering, consistency_report(groups, bootstrap))


def length(
    runs: Runs = None,
    judge: JudgeName = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show how scores go with the length of rationales, with right and wrong, and the model, held constant."""
    from exambench.analysis.trust.length import length_report
    from exambench.report.trust import length as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    with open_existing_store(store) as results:
        found = length_report(results, _groups(results, runs, judge), bootstrap)
    print_result(form, rendering, found)


def self_preference(
    runs: Runs = None,
    family: Families = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
    store: StoreOption = "exambench.db",
    as_json: Json = False,
    as_csv: Csv = False,
    as_markdown: Markdown = False,
) -> None:
    """Show whether judges favour their own family, held against other judges of the same answers."""
    from exambench.analysis.trust.families import read_families
    from exambench.analysis.trust.preference import preference_report
    from exambench.report.trust import preference as rendering
    from exambench.store import open_existing_store

    form = output_form(as_json=as_json, as_csv=as_csv, as_markdown=as_markdown)
    bootstrap = draw(resamples, seed, level)
    declared = read_families(family or [])
    with open_existing_store(store) as results:
        groups = _groups(results, runs, None)
    print_result(form, rendering, preference_report(groups, declared, bootstrap))


def _groups(results: Store, runs: list[str] | None, judge: str | None) -> tuple[JudgedGroup, ...]:
    """Return the judgings of rationales of the runs that were named, all responses read first."""
    from exambench.analysis.scores import find_runs
    from exambench.analysis.trust.judges import judged_groups
    from exambench.cli.reading import read_new

    wanted = find_runs(results, runs or [])
    read_new(results, wanted)
    return judged_groups(results, wanted, judge)
