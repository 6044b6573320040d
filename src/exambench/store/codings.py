"""The part of a store that is about codings: what readers make of two models' answers, and whose answers these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, inspect, select

from exambench.errors import ConfigError, Finding, show
from exambench.items import digest
from exambench.store.database import Database, chunked
from exambench.store.tables import codes, coding_places, codings, metadata
from exambench.store.times import now, to_text

CODING_ID_LENGTH: Final = 16
_TABLES: Final = (codings, coding_places, codes)


@dataclass(frozen=True)
class CodingRecord:
    """A sample of answers that readers put into categories.

    Attributes:
        benchmark: Name of the benchmark.
        dataset_hash: Content hash of its items.
        runs: The two runs, A and B.
        scheme: The categories as JSON values.
        readers: Who reads.
        sample: What was drawn, and how, as JSON values.
        created_at: When it was stored, UTC; empty before.
    """

    benchmark: str
    dataset_hash: str
    runs: Sequence[str]
    scheme: Mapping[str, object]
    readers: Sequence[str]
    sample: Mapping[str, object]
    created_at: str = field(default="", compare=False)

    @property
    def coding_id(self) -> str:
        """Digest of what makes the coding this coding."""
        parts = [self.benchmark, self.dataset_hash, list(self.runs), dict(self.scheme), list(self.readers)]
        return digest([*parts, dict(self.sample)])[:CODING_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class CodingPlace:
    """What stands at one place of one reader's sheet.

    Attributes:
        answer_id: What the sheet calls it; unique in the store.
        study_id: The coding.
        rater: Whose sheet.
        item_id: The item.
        solver: Which of the runs solved it, 0 for A and 1 for B.
    """

    answer_id: str
    study_id: str
    rater: str
    item_id: str
    solver: int


@dataclass(frozen=True, slots=True)
class CodeRow:
    """What a reader made of one place."""

    answer_id: str
    code: str
    note: str


class Codings:
    """Codings with their sheets' keys and codes; :attr:`exambench.store.Store.codings`.

    Every method may raise :class:`~exambench.errors.StoreError` when the database cannot be read or written. A method
    that writes keeps all of what it was given or nothing, and may be called again with the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, record: CodingRecord, places: Sequence[CodingPlace]) -> None:
        """Store a coding with the key of its sheets; a stored one stays as it is.

        A store from before there were codings gets their tables.
        """
        values = {column.name: getattr(record, column.name) for column in codings.c}
        values |= {"runs": list(record.runs), "readers": list(record.readers), "created_at": to_text(now())}
        with self._database.writing() as connection:
            metadata.create_all(connection, tables=_TABLES)
            known = select(codings.c.coding_id).where(codings.c.coding_id == record.coding_id)
            if connection.execute(known).first() is not None:
                return
            connection.execute(codings.insert(), values)
            rows = [{c.name: getattr(place, c.name) for c in coding_places.c} for place in places]
            for chunk in chunked(rows):
                connection.execute(coding_places.insert(), list(chunk))

    def all(self) -> list[CodingRecord]:
        """Return the codings, the first made first."""
        with self._database.reading() as connection:
            if not _has_codings(connection):
                return []
            statement = select(codings).order_by(codings.c.created_at, codings.c.coding_id)
            return [
                CodingRecord(**{name: value for name, value in row.items() if name != "coding_id"})
                for row in connection.execute(statement).mappings()
            ]

    def find(self, coding_id: str | None = None) -> CodingRecord:
        """Return the coding of an identifier or of the beginning of one; the only one when none is given.

        Raises:
            ConfigError: No coding has it, or more than one; the message names them.
        """
        known = self.all()
        found = [record for record in known if record.coding_id.startswith(coding_id or "")]
        if len(found) == 1:
            return found[0]
        raise ConfigError(
            Finding(
                problem="several samples may be meant" if found else "there is no such sample",
                file=self._database.place,
                field="--sample",
                value=show(coding_id or ""),
                allowed=", ".join(f"{each.coding_id} ({each.created_at})" for each in found or known)
                or "none, for the store has no samples of reversals yet",
                remedy="Name one of these" if known else "Draw one with: exambench reversals sample",
            )
        )

    def places(self, coding_id: str | None = None) -> list[CodingPlace]:
        """Return the key of the sheets of a coding, or of all codings, in the order of the identifiers."""
        statement = select(coding_places).order_by(coding_places.c.study_id, coding_places.c.answer_id)
        if coding_id is not None:
            statement = statement.where(coding_places.c.study_id == coding_id)
        with self._database.reading() as connection:
            if not _has_codings(connection):
                return []
            return [CodingPlace(**row) for row in connection.execute(statement).mappings()]

    def save_codes(self, rows: Sequence[CodeRow]) -> None:
        """Store codes, in place of those that the same places had."""
        insert = self._database.insert(codes)
        upsert = insert.on_conflict_do_update(
            index_elements=list(codes.primary_key), set_={"code": insert.excluded.code, "note": insert.excluded.note}
        )
        values = [{"answer_id": row.answer_id, "code": row.code, "note": row.note} for row in rows]
        with self._database.writing() as connection:
            for chunk in chunked(values):
                connection.execute(upsert, list(chunk))

    def codes(self, coding_id: str) -> list[CodeRow]:
        """Return the codes of a coding, in the order of the identifiers."""
        statement = (
            select(codes)
            .join(coding_places, coding_places.c.answer_id == codes.c.answer_id)
            .where(coding_places.c.study_id == coding_id)
            .order_by(codes.c.answer_id)
        )
        with self._database.reading() as connection:
            return [CodeRow(row.answer_id, row.code, row.note) for row in connection.execute(statement)]


def _has_codings(connection: Connection) -> bool:
    """Tell whether the store has the tables; one that was made before there were codings lacks them."""
    return inspect(connection).has_table(codings.name)
