"""What the commands of a meta-evaluation do, from options to files and back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.analysis.meta_random import DEFAULT_PER_MODEL, RandomSample, draw_random
from exambench.analysis.meta_sampling import DEFAULT_QUOTAS
from exambench.analysis.meta_study import JudgedModels, StudySample, draw_study, find_judge
from exambench.analysis.sampling import Sampling
from exambench.benchmarks import find_definition, shipped_definitions
from exambench.benchmarks.loading import image_path
from exambench.errors import ConfigError, Finding, show
from exambench.judging.returned_sheets import read_sheet
from exambench.judging.rubric import rubric_from_json
from exambench.judging.sheet_files import check_room, write_sheets
from exambench.judging.sheet_pictures import read_pictures
from exambench.judging.sheet_reading import read_scores
from exambench.judging.sheets import SampledAnswer, blind_cells, pictures_of, scoring_sheets
from exambench.report.formatting import plural
from exambench.store import RatingRow, StudyRecord, open_existing_store

_RATER: Final = re.compile(r"\w[\w.-]{0,63}")
_COUNT: Final = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What to draw, for whom, and where it goes; as a person wrote it."""

    folder: Path
    judge: str
    sampling: Sampling
    models: str | None
    items: str | None
    per_model: int | None
    raters: tuple[str, ...]
    seed: int
    xlsx: bool
    images: Path | None


@dataclass(frozen=True)
class WrittenStudy:
    """A study whose sheets are written.

    Attributes:
        drawn: What was drawn.
        paths: The files.
        without_pictures: Whether items show pictures that no file holds, since nobody said where they are.
    """

    drawn: StudySample | RandomSample
    paths: tuple[Path, ...]
    without_pictures: bool


def sample_study(options: SampleOptions, location: str) -> WrittenStudy:
    """Draw a study, store its key, and write its sheets.

    Raises:
        ConfigError: The judge, the quotas or the raters cannot be used, or a file is there already.
        ImageError: A picture for the sheets cannot be used.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
        StoreError: The store cannot be read or written.
    """
    raters = raters_named(options.raters)
    draw = _draw(options)
    check_room(options.folder, raters, xlsx=options.xlsx)
    with open_existing_store(location) as store:
        drawn = draw(find_judge(store, options.judge))
        first = drawn.runs[0]
        rubric = rubric_from_json(first.judging.rubric)
        study = StudyRecord(
            benchmark=first.run.benchmark,
            dataset_hash=first.run.dataset_hash,
            judge_name=first.judge_name,
            judgings=[judged.judging.judging_id for judged in drawn.runs],
            rubric=first.judging.rubric,
            raters=raters,
            sample=drawn.as_json(),
        )
        wanted = [SampledAnswer(run_id, item_id, trial) for (run_id, item_id), trial in drawn.trials.items()]
        cells = blind_cells(store, [judged.run for judged in drawn.runs], first.benchmark, wanted, rubric)
        shown = pictures_of([judged.run for judged in drawn.runs], first.benchmark, wanted) if options.xlsx else {}
        images = [image for found in shown.values() for image in found]
        root = options.images or _shipped_pictures(first.benchmark.name)
        pictures = read_pictures(root, images) if images and root is not None else {}
        sheets = scoring_sheets(study.study_id, rubric, cells, raters, options.seed, pictures=shown if pictures else {})
        # The key is stored first: a sheet without a key could never come back.
        store.studies.register(study, [place for sheet in sheets for place in sheet.places])
    paths = write_sheets(options.folder, sheets, rubric, xlsx=options.xlsx, pictures=pictures)
    return WrittenStudy(drawn, tuple(paths), without_pictures=bool(images) and not pictures)


def _shipped_pictures(benchmark: str) -> Path | None:
    """Return the folder of the pictures that come with a benchmark, if it ships with any."""
    return image_path(find_definition(benchmark)) if benchmark in shipped_definitions() else None


def import_sheets(paths: Sequence[Path], location: str) -> list[str]:
    """Store the scores of filled-in sheets, all or none; return what was stored, a line a sheet.

    Raises:
        DataError: A sheet cannot be read, or has a fault; every one is a finding.
        MissingExtraError: A sheet is XLSX, and what reads it is not installed.
        StoreError: The store cannot be read or written.
    """
    tables = [read_sheet(path) for path in paths]
    with open_existing_store(location) as store:
        rubrics = {study.study_id: rubric_from_json(study.rubric) for study in store.studies.all()}
        places = {place.answer_id: place for place in store.studies.places()}
        ratings = read_scores(tables, places.values(), rubrics)
        known = {
            (row.answer_id, row.dimension): row.score for study_id in rubrics for row in store.studies.ratings(study_id)
        }
        store.studies.save_ratings(ratings)
    sheets: dict[tuple[str, str], list[RatingRow]] = {}
    for rating in ratings:
        place = places[rating.answer_id]
        sheets.setdefault((place.study_id, place.rater), []).append(rating)
    return [_imported(study_id, rater, rows, known) for (study_id, rater), rows in sheets.items()]


def _imported(study_id: str, rater: str, rows: Sequence[RatingRow], known: Mapping[tuple[str, str], int]) -> str:
    """Return what was stored of a sheet, and how many scores took the place of others."""
    answers = plural(len({row.answer_id for row in rows}), "answer")
    replaced = sum(known.get((row.answer_id, row.dimension), row.score) != row.score for row in rows)
    told = f"; {plural(replaced, 'score')} replaced" if replaced else ""
    return f"{rater}: {answers} scored, study {study_id}{told}"


def raters_named(names: Sequence[str]) -> list[str]:
    """Return the names of people as their sheets are called.

    Raises:
        ConfigError: A name cannot be part of a file's name, or two are one.
    """
    composed = [unicodedata.normalize("NFC", name) for name in names]
    odd = [name for name in composed if _RATER.fullmatch(name) is None]
    if odd or len({name.casefold() for name in composed}) < len(composed):
        raise ConfigError(
            Finding(
                problem="this cannot be the name of a sheet" if odd else "two raters have one name",
                field="--raters",
                value=show(odd[0] if odd else ", ".join(composed)),
                allowed="letters, digits, dots, hyphens and underscores, 64 at most, each name once",
                remedy="Name each person once, with --raters for each",
            )
        )
    return composed


def _draw(options: SampleOptions) -> Callable[[JudgedModels], StudySample | RandomSample]:
    """Return what draws the sample.

    Raises:
        ConfigError: Quotas are none, or an option belongs to the other way of sampling.
    """
    given = {"--models": options.models, "--items": options.items, "--per-model": options.per_model}
    mine = {"--per-model"} if options.sampling is Sampling.RANDOM else {"--models", "--items"}
    odd = [name for name, value in given.items() if value is not None and name not in mine]
    if odd:
        raise ConfigError(
            Finding(
                problem=f"this says nothing about a {options.sampling} sample",
                field=odd[0],
                value=str(given[odd[0]]),
                allowed=f"with --sampling {options.sampling}: {' and '.join(sorted(mine))}",
                remedy="Leave it out, or name the other --sampling",
            )
        )
    if options.sampling is Sampling.RANDOM:
        count = DEFAULT_PER_MODEL if options.per_model is None else options.per_model
        return lambda judged: draw_random(judged, count, options.seed)
    models, items = _quotas(options.models, "--models"), _quotas(options.items, "--items")
    return lambda judged: draw_study(judged, models, items, options.seed)


def _quotas(text: str | None, field: str) -> tuple[int, ...]:
    if text is None:
        return DEFAULT_QUOTAS
    parts = [part.strip() for part in text.split(",")]
    if not all(map(_COUNT.fullmatch, parts)):
        raise ConfigError(
            Finding(
                problem="these are no quotas",
                field=field,
                value=show(text),
                allowed="three whole numbers with commas between, as in 3,4,3",
                remedy="Say how many to draw from each tier",
            )
        )
    return tuple(map(int, parts))
