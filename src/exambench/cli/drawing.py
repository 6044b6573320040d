"""Figures as a person asks for them on the command line: read, drawn, written, and told in lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from exambench.analysis.other_scores import read_other_scores
from exambench.analysis.scores import find_runs
from exambench.benchmarks.published import load_published
from exambench.cli.reading import read_scores
from exambench.errors import ConfigError, Finding, show
from exambench.report.figures.catalogue import NotDrawn, Result, Wishes, draw, draw_published
from exambench.report.figures.fonts import find_font, names_of_signs
from exambench.report.figures.gathering import gather
from exambench.report.figures.language import Language
from exambench.report.figures.names import FigureName
from exambench.report.figures.published import KMETBENCH
from exambench.report.figures.rendering import FileFormat
from exambench.report.figures.writing import Written, write_figures
from exambench.report.grids import NOTHING
from exambench.stats.resampling import Bootstrap
from exambench.store import open_existing_store
from exambench.text import escaped

Member = TypeVar("Member", bound=StrEnum)


@dataclass(frozen=True)
class Request:
    """What a person asks for, as it was typed.

    Attributes:
        folder: Where the files go.
        formats: Formats, with commas between.
        only: Names of figures, with commas between; none for all.
        language: Language of titles, axes and legends.
        metric: Axis that model size is drawn against.
        others: File of scores on other benchmarks.
        lower_is_better: Its columns in which lower is better.
        by: Facets of the topic tree.
        study: The beginning of a study's id.
        published: A paper whose tables are drawn instead of a store.
        store: The result store.
        runs: Models' names, or beginnings of runs' identifiers.
        common: Whether all runs are put together on common items.
        bootstrap: How intervals are drawn.
    """

    folder: Path | None
    formats: str
    only: tuple[str, ...]
    language: Language
    metric: str | None
    others: Path | None
    lower_is_better: tuple[str, ...]
    by: tuple[str, ...]
    study: str | None
    published: str | None
    store: str
    runs: tuple[str, ...]
    common: bool
    bootstrap: Bootstrap


def draw_files(request: Request) -> Iterator[str]:
    """Draw and write figures; yield a line for each of them, those that could not be drawn with the reason.

    Signs that the font does not have are a warning on standard error.

    Raises:
        ConfigError: Something that was typed is not there, or nothing at all can be drawn.
        DataError: The file of other benchmarks breaks its format.
        StoreError: The store cannot be read.
    """
    folder = _folder(request.folder)
    _check_together(request)
    formats = members(FileFormat, [request.formats], "--format")
    wanted = members(FigureName, request.only, "--only") if request.only else tuple(FigureName)
    font = find_font()
    results = list(_results(request, wanted))
    drawn = [result for result in results if not isinstance(result, NotDrawn)]
    missing = [result for result in results if isinstance(result, NotDrawn)]
    if not drawn:
        raise ConfigError(
            *(Finding(problem=f"cannot be drawn: {each.reason.rstrip('.')}", item=each.name) for each in missing)
        )
    for written in write_figures(folder, drawn, formats, font):
        warn(written)
        yield f"{written.stem:<14} {' '.join(written.files)}"
    for each in missing:
        yield f"{each.name:<14} {NOTHING} {escaped(each.reason)}"


def members(kind: type[Member], texts: Sequence[str], option: str) -> tuple[Member, ...]:
    """Return the members of an enumeration that texts name, with commas between, each once.

    Raises:
        ConfigError: There is no such member, or none is named.
    """
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in set(kind)]
    if unknown or not names:
        raise ConfigError(
            *(
                Finding(
                    problem="is not known" if name else "names nothing",
                    field=option,
                    value=show(name),
                    allowed=", ".join(kind),
                    remedy="Name some of these, with commas between",
                )
                for name in unknown or [""]
            )
        )
    return tuple(kind(name) for name in dict.fromkeys(names))


def _folder(folder: Path | None) -> Path:
    if folder is None:
        raise ConfigError(
            Finding(
                problem="the folder for the files is missing",
                field="OUT",
                remedy="Name a folder, or list the figures with --list",
            )
        )
    return folder


def _check_together(request: Request) -> None:
    """Refuse what would be passed over without a word.

    Raises:
        ConfigError: An option is given that has no meaning beside the others.
    """
    of_a_store = {
        "RUN": request.runs,
        "--study": request.study,
        "--common": request.common,
        "--by": request.by,
    }
    found = [
        Finding(problem="means nothing beside --published", field=name, remedy="Leave one of the two out")
        for name, value in of_a_store.items()
        if value and request.published is not None
    ]
    if request.lower_is_better and request.others is None:
        found.append(
            Finding(problem="means nothing without --others", field="--lower-is-better", remedy="Name the file too")
        )
    if found:
        raise ConfigError(*found)


def _results(request: Request, wanted: Sequence[FigureName]) -> Iterator[Result]:
    others = None if request.others is None else read_other_scores(request.others, request.lower_is_better)
    wishes = Wishes(request.language, request.metric, request.by, others)
    if request.published is not None:
        yield from _published(request.published, wanted, wishes)
        return
    with open_existing_store(request.store) as store:
        runs = read_scores(store, find_runs(store, request.runs))
        sources = gather(store, runs, wanted, request.bootstrap, study=request.study, common=request.common)
    yield from draw(sources, wanted, wishes)


def _published(paper: str, wanted: Sequence[FigureName], wishes: Wishes) -> Iterator[Result]:
    if paper != KMETBENCH:
        raise ConfigError(
            Finding(
                problem="no figures are drawn of this paper",
                field="--published",
                value=show(paper),
                allowed=KMETBENCH,
                remedy="Name this one",
            )
        )
    yield from draw_published(load_published().kmetbench, wanted, wishes)


def warn(written: Written) -> None:
    """Tell on standard error which signs the font does not have."""
    if written.replaced:
        sys.stderr.write(
            f"warning: {written.stem}: the font lacks, and shows as a box: {names_of_signs(set(written.replaced))}\n"
        )
