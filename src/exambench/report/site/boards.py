"""What the page of a ranking says, row by row: the same for rankings of runs and for published tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from exambench import items as exam
from exambench.analysis.judged_reasoning import ReasoningColumn
from exambench.analysis.leaderboard import Row
from exambench.analysis.scores import RunScores
from exambench.parsing import PARSER_VERSION
from exambench.report.site.catalogue import LANGUAGES
from exambench.report.site.material import REASONING, Board
from exambench.stats.ranking import RankTable
from exambench.stats.resampling import MeanTable

Said = tuple[str, Mapping[str, Any]]
"""Something to be said in the reader's language: a key of the catalogue, and the values of its text."""

OVERALL: Final = {"en": "All items", "ko": "전체 문항"}
REASONING_TITLES: Final = {"en": "Reasoning", "ko": "추론"}


@dataclass(frozen=True, slots=True)
class Scale:
    """How readers see shares in [0, 1].

    Attributes:
        factor: What a share is multiplied by.
        digits: Decimal places.
        said: Key of the text that says it.
    """

    factor: int
    digits: int
    said: str

    def shown(self, share: float) -> str:
        """Return a share as readers see it."""
        return f"{self.factor * share:.{self.digits}f}"


PERCENT: Final = Scale(100, 1, "said_table")
SHARE: Final = Scale(1, 3, "said_table_share")


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of scores.

    Attributes:
        key: What addresses and scripts call it.
        titles: What readers call it, by language.
        chance: What a blind guess gets, in [0, 1]; ``None`` where that is not known.
    """

    key: str
    titles: Mapping[str, str]
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a model.

    Attributes:
        estimate: In [0, 1].
        low: Lower bound of its interval; ``None`` where there is none.
        high: Upper bound.
        n: Number of items; ``None`` where it is not known.
        rank: Rank; ``None`` for a model that takes no place.
        rank_low: The better end of the rank's interval.
        rank_high: The worse end.
    """

    estimate: float
    low: float | None
    high: float | None
    n: int | None
    rank: float | None = None
    rank_low: float | None = None
    rank_high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A model in a ranking.

    Attributes:
        key: What addresses call it; empty where it has no page.
        name: Its name.
        traits: What readers filter by: ``korean``, ``vision``, ``thinking``, ``proprietary``, ``baseline``.
        size: Parameters in 10⁹; ``None`` where it is not known.
        marks: What must be known of its scores.
        scores: One per metric; ``None`` where it has none.
    """

    key: str
    name: str
    traits: tuple[str, ...]
    size: float | None
    marks: tuple[Said, ...]
    scores: tuple[Score | None, ...]


@dataclass(frozen=True)
class Sheet:
    """A page with a ranking.

    Attributes:
        key: What addresses call it.
        name: The benchmark.
        scope: Which items it is about.
        facts: What else sets it apart: the protocol, or the source of a published table.
        condition: How the items were shown, as the store keeps it; empty where that is not known.
        published: Whether the figures are somebody else's.
        metrics: The columns; the first is about all items.
        lines: The rows, the best first.
        pass_mark: Share of right answers that passes; ``None`` where there is none, or where these are some items only.
        notes: What must be known of it.
        scale: How its scores are shown.
    """

    key: str
    name: str
    scope: Said
    facts: tuple[str, ...]
    condition: Mapping[str, object]
    published: bool
    metrics: tuple[Metric, ...]
    lines: tuple[Line, ...]
    pass_mark: float | None
    notes: tuple[Said, ...]
    scale: Scale = PERCENT


def sheet_of(board: Board) -> Sheet:
    """Return what the page of a ranking says."""
    ranking = board.ranking
    first = ranking.group.runs[0]
    record = first.record
    return Sheet(
        key=board.key,
        name=first.benchmark.title,
        scope=scope_of(board),
        facts=(record.protocol_name,),
        condition=record.condition,
        published=False,
        metrics=metrics_of(board),
        lines=tuple(line_of(board, row) for row in ranking.rows),
        pass_mark=first.benchmark.pass_mark if any(row.passed is not None for row in ranking.rows) else None,
        notes=tuple(_notes(board)),
    )


def scope_of(board: Board) -> Said:
    """Return which items a ranking is about."""
    group = board.ranking.group
    n, whole = len(group.items), len(group.runs[0].benchmark.items)
    values = {"n": n, "whole": whole}
    if board.on_common_items:
        return "scope_common", values | {"runs": int(np.count_nonzero(group.ranked))}
    if n == whole:
        return "scope_all", values
    pictures = any(item.wording().images for item in group.items)
    return ("scope_some" if pictures or group.runs[0].sees_images else "scope_text"), values


def metrics_of(board: Board) -> tuple[Metric, ...]:
    """Return the columns of a ranking: its axes, and judged reasoning where there is any."""
    ranking = board.ranking
    titles = {axis.name: axis.titles for axis in ranking.group.runs[0].benchmark.axes}
    axes = [
        Metric(name, titles_of(name, titles.get(name) or (OVERALL if number == 0 else {})), ranking.chance.get(name))
        for number, name in enumerate(board.diagnosis.means.names)
    ]
    return (*axes, *([] if ranking.reasoning is None else [Metric(REASONING, REASONING_TITLES)]))


def titles_of(name: str, titles: Mapping[str, str]) -> Mapping[str, str]:
    """Return what to call an axis in every language; one that has no title is called as in another, or by its name."""
    other = next(iter(titles.values()), name)
    return {language: titles.get(language, other) for language in LANGUAGES}


def line_of(board: Board, row: Row) -> Line:
    """Return a row of a ranking."""
    number = board.row_of[row.run.run_id]
    scores = [_score(board.diagnosis.means, board.diagnosis.ranks, number, at) for at in _places(board)]
    if board.ranking.reasoning is not None:
        scores.append(_judged(board.ranking.reasoning, row.name))
    if row.place is not None and scores[0] is not None and board.diagnosis.ranks is None:
        scores[0] = _alone(scores[0])
    traits, size = traits_of(row.run)
    return Line(row.run.run_id, row.name, traits, size, tuple(marks_of(board, row)), tuple(scores))


def traits_of(run: RunScores) -> tuple[tuple[str, ...], float | None]:
    """Return what a model's file declares: what readers filter by, and its size."""
    model = run.record.model
    capabilities, endpoint = model.get("capabilities"), model.get("endpoint")
    declared = capabilities if isinstance(capabilities, Mapping) else {}
    held = {
        "korean": model.get("korean"),
        "vision": declared.get("images"),
        "thinking": declared.get("thinking"),
        "proprietary": model.get("proprietary"),
        "baseline": isinstance(endpoint, Mapping) and endpoint.get("kind") == "baseline",
    }
    size = model.get("size_b")
    return tuple(name for name, holds in held.items() if holds), float(size) if isinstance(size, int | float) else None


def marks_of(board: Board, row: Row) -> Iterator[Said]:
    """Yield what must be known of the scores of a run."""
    found = row.run.coverage
    if not row.run.complete:
        yield "mark_incomplete", {"n": found.items, "whole": found.expected}
    if found.failed:
        yield "mark_failed", {"n": found.failed}
    if found.unjudged:
        yield "mark_unjudged", {"n": found.unjudged}
    if row.run.record.dataset_hash != board.current:
        yield "mark_stale", {"hash": exam.short(row.run.record.dataset_hash)}
    if row.run.trials not in {(), (1,)}:
        yield "mark_trials", {"n": row.run.trials[-1]}


def _places(board: Board) -> range:
    return range(len(board.diagnosis.means.names))


def _score(means: MeanTable, ranks: RankTable | None, model: int, axis: int) -> Score | None:
    if not means.n[model, axis]:
        return None
    placed = ranks is not None and not math.isnan(ranks.rank[model, axis])
    rank, low, high = (
        (float(values[model, axis]) for values in (ranks.rank, ranks.low, ranks.high))
        if ranks is not None and placed
        else (None, None, None)
    )
    return Score(
        estimate=float(means.estimate[model, axis]),
        low=_bound(means.low[model, axis]),
        high=_bound(means.high[model, axis]),
        n=int(means.n[model, axis]),
        rank=rank,
        rank_low=low,
        rank_high=high,
    )


def _judged(reasoning: ReasoningColumn, name: str) -> Score | None:
    """Return the judged reasoning of a model, on which no rank depends."""
    found = reasoning.scores.get(name)
    return (
        None
        if found is None
        else Score(found.mean.estimate, _bound(found.mean.low), _bound(found.mean.high), found.mean.n)
    )


def _alone(score: Score) -> Score:
    """Return the score of the only run that takes a place: it is its ranking's first."""
    return Score(score.estimate, score.low, score.high, score.n, rank=1.0)


def _bound(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _notes(board: Board) -> Iterator[Said]:
    ranking, group = board.ranking, board.ranking.group
    drawn = ranking.bootstrap
    yield (
        "note_interval",
        {"level": f"{drawn.level:.0%}", "resamples": f"{drawn.resamples:,}", "seed": drawn.seed},
    )
    yield "note_rank", {}
    if ranking.reasoning is not None:
        yield "note_reasoning", {"judge": ranking.reasoning.judge.name, "rubric": ranking.reasoning.judge.rubric}
    judging = next((run.judging for run in group.runs if run.judging is not None), None)
    if judging is not None:
        yield "note_answers", {"judge": judging.judge_name, "rubric": judging.rubric_name}
    if group.trials_differ:
        yield "note_trials", {}
    if len(group.datasets) > 1:
        hashes = ", ".join(map(exam.short, group.datasets))
        yield "note_datasets", {"hashes": hashes, "n": group.other_content}
    version = group.runs[0].parser_version
    if version != PARSER_VERSION:
        yield "note_parser", {"version": version, "present": PARSER_VERSION}
    mark = group.runs[0].benchmark.pass_mark
    judged = [row for row in ranking.rows if row.passed is not None]
    if judged and mark is not None:
        yield "note_pass", {"mark": f"{100 * mark:g}", "n": sum(bool(row.passed) for row in judged), "of": len(judged)}


def short_titles(metric: Metric) -> Mapping[str, str]:
    """Return what a narrow column is called: ``P1`` of ``P1 Analysis and forecasting``."""
    return {
        language: metric.key if title.startswith(f"{metric.key} ") else title
        for language, title in metric.titles.items()
    }
