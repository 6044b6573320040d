"""``exambench site``: leaderboard, models, comparisons and methods as pages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exambench.cli.options import AnswerJudge, Level, Resamples, Runs, Seed, StoreOption, draw

if TYPE_CHECKING:
    from exambench.analysis.scores import RunScores
    from exambench.benchmarks import Definition
    from exambench.benchmarks.published import KMetBench, ScholarBench
    from exambench.report.site.item_material import ItemSet
    from exambench.store import Store


def command(
    out: Annotated[Path, typer.Argument(help="Folder for the site; one that this command wrote is replaced.")],
    runs: Runs = None,
    store: StoreOption = "exambench.db",
    published: Annotated[
        list[str] | None,
        typer.Option(help="Add the figures of a paper, marked as such and ranked apart: kmetbench, scholarbench."),
    ] = None,
    with_items: Annotated[
        bool,
        typer.Option(
            "--with-items", help="Add the items, with key and answers. Mind the licence, and that models may read them."
        ),
    ] = False,
    images: Annotated[
        Path | None,
        typer.Option(help="Folder of the items' pictures, for --with-items; by default the benchmark's own."),
    ] = None,
    answer_judge: AnswerJudge = None,
    resamples: Resamples = 1000,
    seed: Seed = 42,
    level: Level = 0.95,
) -> None:
    """Write a static site: rankings, models, comparisons, methods, downloads, in English and Korean."""
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import read_scores
    from exambench.report.site.building import build_site
    from exambench.report.site.material import Material, gather_boards, gather_costs
    from exambench.store import open_existing_store

    bootstrap, figures = draw(resamples, seed, level), _published(published or [])
    with open_existing_store(store) as results:
        scores = read_scores(results, find_runs(results, runs or []), answer_judge)
        material = Material(
            boards=gather_boards(results, scores, bootstrap),
            costs=gather_costs(results, scores),
            published=figures,
            item_sets=_items(results, scores, images) if with_items else (),
        )
    count = build_site(material, out)
    sys.stdout.write(f"{count:,} pages in {out}; open {out / 'index.html'}\n")


def _items(store: Store, runs: Sequence[RunScores], images: Path | None) -> tuple[ItemSet, ...]:
    """Return the items that runs were asked, by dataset, with the pictures that can be found."""
    from exambench.benchmarks.loading import image_path
    from exambench.report.site.item_material import gather_items, read_pictures

    definitions = _definitions()
    sets = []
    for items in gather_items(store, runs):
        name = items.benchmark.name
        folder = images or (image_path(definitions[name]) if name in definitions else None)
        pictures = {} if folder is None else read_pictures(items.benchmark, folder)
        sets.append(replace(items, pictures=pictures))
    return tuple(sets)


def _definitions() -> dict[str, Definition]:
    """Return the shipped definitions by name: those of others may lie anywhere."""
    from exambench.benchmarks import find_definition
    from exambench.benchmarks.definition import shipped_definitions

    return {name: find_definition(name) for name in shipped_definitions()}


def _published(names: Sequence[str]) -> tuple[KMetBench | ScholarBench, ...]:
    """Return the figures of papers, each once, in the order of their names on the command line.

    Raises:
        ConfigError: A paper is not known, or what ships of it holds no table with the scores of models.
    """
    from exambench.benchmarks.published import load_published
    from exambench.errors import ConfigError, Finding, show

    if not names:
        return ()
    data = load_published()
    known: dict[str, KMetBench | ScholarBench] = {"kmetbench": data.kmetbench, "scholarbench": data.scholarbench}
    for name in names:
        if name not in known:
            raise ConfigError(
                Finding(
                    problem="the figures of KMMMU that ship hold no leaderboard: the edition they are from lacks it"
                    if name == "kmmmu"
                    else "there is no published leaderboard of this name",
                    field="--published",
                    value=show(name),
                    allowed=", ".join(known),
                    remedy="See what ships with: exambench published list",
                )
            )
    return tuple(known[name] for name in dict.fromkeys(names))
