"""Scoring sheets for people: what a judge sees of an answer, without a trace of who gave it, and empty columns."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exambench.exchange import ImagePart, Part
from exambench.items import Benchmark, Image, digest
from exambench.judging.rubric import Rubric
from exambench.judging.subjects import Subject, subjects_of, without_names
from exambench.protocols import Shown, choices_of, condition_from, show_item
from exambench.store import RunRecord, SheetPlace, Store

KOREAN: Final = "ko"
_HEADERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ko": ("답안 번호", "문제", "보기", "정답", "참고 풀이", "수험자의 답", "수험자의 풀이"),
        "en": ("answer id", "question", "choices", "key", "expert's rationale", "answer", "rationale to score"),
    }
)
ID_HEADERS: Final = frozenset(names[0] for names in _HEADERS.values())
"""The header of the identifiers, in every language that sheets are written in."""
_PICTURE_HEADERS: Final = MappingProxyType({"ko": "그림 {}", "en": "picture {}"})
_PICTURES: Final = MappingProxyType({"ko": "[그림: {}]", "en": "[picture: {}]"})


@dataclass(frozen=True, slots=True)
class SampledAnswer:
    """An answer that people are to score: one trial of one item of a run."""

    run_id: str
    item_id: str
    trial: int


@dataclass(frozen=True)
class ScoringSheet:
    """What one rater gets.

    Attributes:
        rater: Who.
        header: Names of the columns: first the answer's identifier, at the end the axes.
        rows: The cells of each answer up to the axes, in an order by lot of this rater's own.
        places: Whose answer each row is; not for the rater.
        low: Lowest score of an axis.
        high: Highest score of an axis.
        pictures: The paths of the pictures of each row, in reading order; empty where no row has any.
        picture_header: Name of a column of pictures, with a place for its number.
    """

    rater: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    places: tuple[SheetPlace, ...]
    low: int
    high: int
    pictures: tuple[tuple[str, ...], ...] = ()
    picture_header: str = "{}"


def headers_of(rubric: Rubric) -> tuple[str, ...]:
    """Return the names of the columns before the scores, in the rubric's language."""
    return _HEADERS[_language(rubric)]


def score_headers_of(rubric: Rubric) -> dict[str, str]:
    """Return the names of the score columns by the keys of the axes: the axis's title and the scale.

    All signs are ones that CP949 has: a header must survive Korean spreadsheets.
    """
    return {
        axis.key: f"{axis.titles.get(_language(rubric), axis.key)} ({rubric.low}-{rubric.high})" for axis in rubric.axes
    }


def scoring_sheets(
    study_id: str,
    rubric: Rubric,
    answers: Mapping[SampledAnswer, tuple[str, ...]],
    raters: Sequence[str],
    seed: int,
    *,
    pictures: Mapping[SampledAnswer, tuple[Image, ...]] = MappingProxyType({}),
) -> tuple[ScoringSheet, ...]:
    """Return a sheet for each rater, in an order by lot of the rater's own.

    Args:
        study_id: The study; with the rater it makes the identifiers, which tell nothing of run and item.
        rubric: Axes and scale.
        answers: What :func:`blind_cells` returns.
        raters: Who scores.
        seed: Seed of the lot.
        pictures: What :func:`pictures_of` returns, where pictures are to stand in the sheets.
    """
    sheets = []
    for rater in raters:
        order = sorted(answers, key=lambda each: (each.run_id, each.item_id, each.trial))
        random.Random(f"{seed}:{rater}").shuffle(order)  # noqa: S311 - an order, not a secret
        prefix = f"s{digest([study_id, rater])[:8]}"
        places = tuple(
            SheetPlace(f"{prefix}-{number:03d}", study_id, rater, each.run_id, each.item_id, each.trial)
            for number, each in enumerate(order, start=1)
        )
        rows = tuple((place.answer_id, *answers[each]) for place, each in zip(places, order, strict=True))
        header = (*headers_of(rubric), *score_headers_of(rubric).values())
        shown = tuple(tuple(image.path for image in pictures.get(each, ())) for each in order)
        name = _PICTURE_HEADERS[_language(rubric)]
        sheets.append(ScoringSheet(rater, header, rows, places, rubric.low, rubric.high, shown, name))
    return tuple(sheets)


def blind_cells(
    store: Store, runs: Sequence[RunRecord], benchmark: Benchmark, wanted: Sequence[SampledAnswer], rubric: Rubric
) -> dict[SampledAnswer, tuple[str, ...]]:
    """Return what a rater sees of each answer, in the order of :func:`headers_of` without the identifier.

    The names of all these models are hidden in what any of them wrote.

    Raises:
        StoreError: The store cannot be read.
    """
    items = {answer.item_id: benchmark.by_id[answer.item_id] for answer in wanted}
    places = set(wanted)
    subjects = {
        SampledAnswer(run.run_id, subject.item.id, subject.trial): subject
        for run in runs
        for subject in subjects_of(store, run, items)
    }
    found = {place: subject for place, subject in subjects.items() if place in places}
    names = {name for subject in subjects.values() for name in subject.names}
    return {place: _cells(subject, rubric, names) for place, subject in found.items()}


def pictures_of(
    runs: Sequence[RunRecord], benchmark: Benchmark, wanted: Sequence[SampledAnswer]
) -> dict[SampledAnswer, tuple[Image, ...]]:
    """Return the pictures that the examinee saw, and the rater is to see, in reading order."""
    conditions = {run.run_id: condition_from(run.condition) for run in runs}
    shown = {answer: show_item(benchmark.by_id[answer.item_id], conditions[answer.run_id]) for answer in wanted}
    return {answer: found.wording.images for answer, found in shown.items() if isinstance(found, Shown)}


def _cells(subject: Subject, rubric: Rubric, names: set[str]) -> tuple[str, ...]:
    answer = rubric.no_answer if subject.answer_text is None else without_names(subject.answer_text, names)
    return (
        text_of(subject.stem, rubric.language),
        text_of(choices_of(subject.wording, rubric.choice), rubric.language),
        subject.gold_text,
        subject.item.rationale,
        answer,
        without_names(subject.rationale.text, names) or rubric.no_rationale,
    )


def text_of(parts: Sequence[Part], language: str) -> str:
    """Return parts as text; a picture by its path, for it stands beside the question or the sheet."""
    picture = _PICTURES[KOREAN if language == KOREAN else "en"]
    texts = [f"\n{picture.format(part.image.path)}" if isinstance(part, ImagePart) else part.text for part in parts]
    return "".join(texts).strip("\n")


def _language(rubric: Rubric) -> str:
    return KOREAN if rubric.language == KOREAN else "en"
