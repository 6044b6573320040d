"""The part of a store that is about studies: what people score beside a judge, whose answers these are, the scores.

A sheet that a rater gets names answers by identifiers of its own; only the store knows which run, item and trial an
identifier stands for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, inspect, select

from exambench.errors import ConfigError, Finding, listed, show
from exambench.items import digest
from exambench.store.database import Database, chunked
from exambench.store.tables import metadata, ratings, studies, study_places
from exambench.store.times import now, to_text

STUDY_ID_LENGTH: Final = 16
_TABLES: Final = (studies, study_places, ratings)


@dataclass(frozen=True)
class StudyRecord:
    """What people are asked to score, and beside which judge.

    Attributes:
        benchmark: Name of the benchmark.
        dataset_hash: Content hash of its items.
        judge_name: What to call the judge.
        judgings: The judgings that the sample was drawn from, one a run, the runs in the order of the sample.
        rubric: The rubric as JSON values.
        raters: Who scores.
        sample: What was drawn, how and why, as JSON values.
        created_at: When it was stored, UTC; empty before.
    """

    benchmark: str
    dataset_hash: str
    judge_name: str
    judgings: Sequence[str]
    rubric: Mapping[str, object]
    raters: Sequence[str]
    sample: Mapping[str, object]
    created_at: str = field(default="", compare=False)

    @property
    def study_id(self) -> str:
        """Digest of what makes the study this study."""
        parts = [self.benchmark, self.dataset_hash, list(self.judgings), dict(self.rubric), list(self.raters)]
        return digest([*parts, dict(self.sample)])[:STUDY_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """Whose answer stands at one place of one rater's sheet.

    Attributes:
        answer_id: What the sheet calls it; unique in the store.
        study_id: The study.
        rater: Whose sheet.
        run_id: The run that gave the answer.
        item_id: The item that was asked.
        trial: The trial of the run.
    """

    answer_id: str
    study_id: str
    rater: str
    run_id: str
    item_id: str
    trial: int


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A score that a person gave.

    Attributes:
        answer_id: The place on the person's sheet.
        dimension: Key of an axis of the rubric.
        score: The score, on the rubric's scale.
    """

    answer_id: str
    dimension: str
    score: int


class Studies:
    """Studies with their sheets' keys and ratings; :attr:`exambench.store.Store.studies`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read or written. A method
    that writes keeps all of what it was given or nothing, and may be called again with the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, record: StudyRecord, places: Sequence[SheetPlace]) -> None:
        """Store a study with the key of its sheets; a stored one stays as it is.

        A store from before there were studies gets their tables.
        """
        values = {column.name: getattr(record, column.name) for column in studies.c}
        values |= {"judgings": list(record.judgings), "raters": list(record.raters), "created_at": to_text(now())}
        with self._database.writing() as connection:
            metadata.create_all(connection, tables=_TABLES)
            stored = connection.execute(select(studies.c.study_id).where(studies.c.study_id == record.study_id)).first()
            if stored is not None:
                return
            connection.execute(studies.insert(), values)
            for chunk in chunked([{c.name: getattr(place, c.name) for c in study_places.c} for place in places]):
                connection.execute(study_places.insert(), list(chunk))

    def all(self) -> list[StudyRecord]:
        """Return the studies, the first made first."""
        with self._database.reading() as connection:
            if not _has_studies(connection):
                return []
            statement = select(studies).order_by(studies.c.created_at, studies.c.study_id)
            return [
                StudyRecord(**{name: value for name, value in row.items() if name != "study_id"})
                for row in connection.execute(statement).mappings()
            ]

    def find(self, study_id: str | None = None) -> StudyRecord:
        """Return the study of an identifier or of the beginning of one; the only one when none is given.

        Raises:
            ConfigError: No study has it, or more than one; the message names them.
        """
        known = self.all()
        found = [record for record in known if record.study_id.startswith(study_id or "")]
        if len(found) == 1:
            return found[0]
        raise ConfigError(
            Finding(
                problem=_unclear(study_id, found),
                file=self._database.place,
                field="--study",
                value=None if study_id is None else show(study_id),
                allowed=listed(f"{each.study_id} ({each.judge_name}, {each.created_at})" for each in found or known)
                or "none, for the store has no studies yet",
                remedy="Name one of these" if known else "Draw one with: exambench meta sample",
            )
        )

    def places(self, study_id: str | None = None) -> list[SheetPlace]:
        """Return the key of the sheets of a study, or of all studies, in the order of the identifiers."""
        statement = select(study_places).order_by(study_places.c.study_id, study_places.c.answer_id)
        if study_id is not None:
            statement = statement.where(study_places.c.study_id == study_id)
        with self._database.reading() as connection:
            if not _has_studies(connection):
                return []
            return [SheetPlace(**row) for row in connection.execute(statement).mappings()]

    def save_ratings(self, rows: Sequence[RatingRow]) -> None:
        """Store scores, in place of those that the same places had on the same axes."""
        insert = self._database.insert(ratings)
        upsert = insert.on_conflict_do_update(
            index_elements=list(ratings.primary_key), set_={"score": insert.excluded.score}
        )
        values = [{"answer_id": row.answer_id, "dimension": row.dimension, "score": row.score} for row in rows]
        with self._database.writing() as connection:
            for chunk in chunked(values):
                connection.execute(upsert, list(chunk))

    def ratings(self, study_id: str) -> list[RatingRow]:
        """Return the scores of a study, in the order of the identifiers."""
        statement = (
            select(ratings)
            .join(study_places, study_places.c.answer_id == ratings.c.answer_id)
            .where(study_places.c.study_id == study_id)
            .order_by(ratings.c.answer_id, ratings.c.dimension)
        )
        with self._database.reading() as connection:
            return [RatingRow(row.answer_id, row.dimension, row.score) for row in connection.execute(statement)]


def _unclear(study_id: str | None, found: Sequence[StudyRecord]) -> str:
    if found:
        return "several studies may be meant"
    return "there is no study yet" if study_id is None else "there is no such study"


def _has_studies(connection: Connection) -> bool:
    """Tell whether the store has the tables; one that was made before there were studies lacks them."""
    return inspect(connection).has_table(studies.name)
