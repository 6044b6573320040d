"""What the commands of a meta-evaluation do, from options to files and back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.analysis.meta_study import StudySample, draw_study, find_judge
from exambench.errors import ConfigError, Finding, show
from exambench.judging.returned_sheets import read_sheet
from exambench.judging.rubric import rubric_from_json
from exambench.judging.sheet_files import check_room, write_sheets
from exambench.judging.sheet_reading import read_scores
from exambench.judging.sheets import SampledAnswer, blind_cells, scoring_sheets
from exambench.report.formatting import plural
from exambench.store import RatingRow, StudyRecord, open_existing_store

_RATER: Final = re.compile(r"\w[\w.-]{0,63}")
_COUNT: Final = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What to draw, for whom, and where it goes; as a person wrote it."""

    folder: Path
    judge: str
    models: str
    items: str
    raters: tuple[str, ...]
    seed: int
    xlsx: bool


def sample_study(options: SampleOptions, location: str) -> tuple[StudySample, list[Path]]:
    """Draw a study, store its key, and write its sheets; return the draw and the paths.

    Raises:
        ConfigError: The judge, the quotas or the raters cannot be used, or a file is there already.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
        StoreError: The store cannot be read or written.
    """
    raters = _raters(options.raters)
    quotas = _quotas(options.models, "--models"), _quotas(options.items, "--items")
    check_room(options.folder, raters, xlsx=options.xlsx)
    with open_existing_store(location) as store:
        drawn = draw_study(find_judge(store, options.judge), *quotas, options.seed)
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
        sheets = scoring_sheets(study.study_id, rubric, cells, raters, options.seed)
        # The key is stored first: a sheet without a key could never come back.
        store.studies.register(study, [place for sheet in sheets for place in sheet.places])
    return drawn, write_sheets(options.folder, sheets, rubric, xlsx=options.xlsx)


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


def _raters(names: Sequence[str]) -> list[str]:
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


def _quotas(text: str, field: str) -> tuple[int, ...]:
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
