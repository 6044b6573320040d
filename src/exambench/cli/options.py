"""What the commands of analysis share: which runs, how intervals are drawn, and how a result is printed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from exambench.cli.output import OutputForm

if TYPE_CHECKING:
    from rich.console import RenderableType

    from exambench.analysis.matrix_columns import Layout
    from exambench.analysis.odd_picks import OddPicks
    from exambench.analysis.score_table import ScoreTable
    from exambench.analysis.scores import RunScores
    from exambench.stats.resampling import Bootstrap

R_contra = TypeVar("R_contra", contravariant=True)
R = TypeVar("R")

Runs = Annotated[
    list[str] | None, typer.Argument(help="Runs: models' names, or beginnings of run ids; all by default.")
]
StoreOption = Annotated[str, typer.Option(help="The result store: a file, or a PostgreSQL URL.")]
Common = Annotated[
    bool,
    typer.Option("--common", help="Put all runs together, on the items that all of them have scores for."),
]
AnswerJudge = Annotated[
    str | None,
    typer.Option(help="The judge whose verdicts on free answers count; the one with verdicts on most runs by default."),
]
Resamples = Annotated[int, typer.Option(min=2, max=1_000_000, help="How often to draw the items for the intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the draw.")]
Level = Annotated[float, typer.Option(help="Level of the intervals, between 0 and 1.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, in full precision.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV, in full precision.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]


class Rendering(Protocol[R_contra]):
    """A module that gives a result its four forms."""

    def terminal(self, result: R_contra, /) -> RenderableType:
        """Return the result for a terminal."""
        ...

    def markdown(self, result: R_contra, /) -> str:
        """Return the result as Markdown."""
        ...

    def as_csv(self, result: R_contra, /) -> str:
        """Return the result as CSV."""
        ...

    def as_json(self, result: R_contra, /) -> str:
        """Return the result as JSON."""
        ...


def print_result(form: OutputForm, rendering: Rendering[R], result: R) -> None:
    """Print a result in the form that was asked for."""
    from rich.console import Console

    match form:
        case OutputForm.JSON:
            sys.stdout.write(rendering.as_json(result))
        case OutputForm.CSV:
            sys.stdout.write(rendering.as_csv(result))
        case OutputForm.MARKDOWN:
            sys.stdout.write(rendering.markdown(result))
        case OutputForm.TERMINAL:
            Console().print(rendering.terminal(result))


def draw(resamples: int, seed: int, level: float) -> Bootstrap:
    """Return how intervals are to be drawn.

    Raises:
        ConfigError: The level does not lie between 0 and 1.
    """
    from exambench.stats.resampling import Bootstrap

    check_level(level)
    return Bootstrap(resamples, seed, level)


def check_level(level: float) -> None:
    """Refuse what is no level of intervals.

    Raises:
        ConfigError: The level does not lie between 0 and 1.
    """
    from exambench.errors import ConfigError, Finding

    if not 0.0 < level < 1.0:
        raise ConfigError(
            Finding(
                problem="is not a level of intervals",
                field="--level",
                value=str(level),
                allowed="a number between 0 and 1, both excluded",
                remedy="Give 0.95 for intervals of 95 percent",
            )
        )


def stored_scores(store: str, runs: list[str], answer_judge: str | None = None) -> list[RunScores]:
    """Return the scores of stored runs, those that were named or all.

    Raises:
        ConfigError: A run is not there, the store is empty, or no such judge has looked at free answers.
        StoreError: The store cannot be read.
    """
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import read_scores
    from exambench.store import open_existing_store

    with open_existing_store(store) as results:
        return read_scores(results, find_runs(results, runs), answer_judge)


def stored_tables(
    store: str, runs: list[str], *, common: bool, answer_judge: str | None = None
) -> tuple[ScoreTable, ...]:
    """Return the score tables of stored runs.

    Raises:
        ConfigError: A run is not there, no run has scores, or no such judge has looked at free answers.
        StoreError: The store cannot be read.
    """
    from exambench.analysis.run_tables import tables_of_runs, tables_on_common_items

    scores = stored_scores(store, runs, answer_judge)
    return tables_on_common_items(scores) if common else tables_of_runs(scores)


def stored_pair(store: str, a: str, b: str, answer_judge: str | None = None) -> ScoreTable:
    """Return the score table of two stored runs on common items.

    Raises:
        ConfigError: A run is not there, a name fits several, or the two may not be compared.
        StoreError: The store cannot be read.
    """
    from exambench.analysis.run_tables import table_of_pair
    from exambench.analysis.scores import find_run
    from exambench.cli.reading import read_scores
    from exambench.store import open_existing_store

    with open_existing_store(store) as results:
        first, second = read_scores(results, [find_run(results, name) for name in (a, b)], answer_judge)
    return table_of_pair(first, second)


def matrix_layout(
    item: str | None, facets: list[str], key: str | None, *, picks: bool, choices: int, odd_picks: OddPicks
) -> Layout:
    """Return what a person says of the columns of a matrix.

    Raises:
        ConfigError: Picks have no key, or a key has no picks.
    """
    from exambench.analysis.matrix_columns import Layout
    from exambench.errors import ConfigError, Finding

    if picks != (key is not None):
        raise ConfigError(
            Finding(
                problem="the column of the right choices is not named" if picks else "scores need no key",
                field="--key",
                allowed="--picks and --key COLUMN together, or neither",
                remedy="Name the column with --key" if picks else "Add --picks if the cells are picks",
            )
        )
    return Layout(item, tuple(facets), key, choices if picks else None, odd_picks)
