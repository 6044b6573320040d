"""One open database: how to read it, how to write it, and what its errors mean to a person."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Connection, Engine, Table, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError, StatementError

from exambench.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

WRITES: Final = "exambench_writes"
"""Execution option of a connection whose transactions write; SQLite locks for them at once."""

CHUNK: Final = 500
"""Keys in one statement; SQLite and PostgreSQL take more, plans stay small with fewer."""

WAL_INDEX_HEADER: Final = 48
"""Bytes of the header of SQLite's index of a write-ahead log."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Database:
    """An engine with the name under which a person knows it.

    Attributes:
        engine: Where connections come from.
        place: Path or address, without any password.
    """

    engine: Engine
    place: str

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a file of our own."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection whose statements all see the same state.

        Raises:
            StoreError: The database cannot be read.
        """
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self.translated(), self.engine.execution_options(**options).begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection in a transaction that may read and then write; it commits at the end.

        Raises:
            StoreError: The database cannot be written; nothing of the transaction is kept.
        """
        with self.translated(), self.write_engine().begin() as connection:
            yield connection

    def write_engine(self) -> Engine:
        """Return the engine for transactions that write."""
        return self.engine.execution_options(**{WRITES: True})

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn what a database raises into a :class:`StoreError` that names the store."""
        try:
            yield
        except (SQLAlchemyError, OverflowError, UnicodeError) as error:  # a broken file may hold bytes that are no text
            raise self.error(error) from error

    def error(self, error: Exception) -> StoreError:
        """Return what an error means: the place, the database's words, a remedy; never a statement or its values."""
        if isinstance(error, StoreError):
            return error
        words = str(error.orig) if isinstance(error, StatementError) and error.orig is not None else str(error)
        password = self.engine.url.password
        if password:
            words = words.replace(str(password), "***")
        return StoreError(f"{self.place}: {' '.join(words.split())}.{_remedy(words)}")

    def identity(self) -> str:
        """Return which file this is, so that another one in its place is noticed; a server stays the same.

        Raises:
            StoreError: The file is gone.
        """
        if not self.is_sqlite:
            return self.place
        found = _found(Path(self.place))
        return f"{found.st_dev}.{found.st_ino}"

    def stamp(self) -> str:
        """Return what changes whenever anything in the database may have changed; as cheap as can be.

        Of a file: which one it is, and the header of its write-ahead log's index, which every commit rewrites
        (https://sqlite.org/walformat.html, section 2.1). Of a server: its snapshot, which every transaction that
        writes moves on.

        Raises:
            StoreError: The file is gone, or the server does not answer.
        """
        if self.is_sqlite:
            return _stamp_of_file(Path(self.place))
        with self.reading() as connection:
            return str(connection.execute(text("SELECT pg_current_snapshot()::text")).scalar_one())

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """Return an ``INSERT`` that knows ``ON CONFLICT``, which both databases spell alike."""
        if self.is_sqlite:
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - slow to load, and most stores are files

        return postgresql.insert(table)

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def _found(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise StoreError(f"{path}: there is no store here any more ({error.strerror}).") from error


def _stamp_of_file(path: Path) -> str:
    found = _found(path)
    try:
        with path.with_name(f"{path.name}-shm").open("rb") as index:
            header = index.read(WAL_INDEX_HEADER)
    except FileNotFoundError:  # nobody has the file open
        header = b""
    except OSError as error:
        raise StoreError(f"{path}: its write-ahead log cannot be read ({error.strerror}).") from error
    return f"{found.st_dev}.{found.st_ino}.{found.st_size}.{found.st_mtime_ns}.{header.hex()}"


def is_unavailable(error: Exception) -> bool:
    """Tell whether an error concerns the database as a whole, so that trying row by row would not help."""
    if not isinstance(error, DBAPIError):
        return False
    is_sqlite = type(error.orig).__module__.startswith("sqlite3")
    return error.connection_invalidated or (is_sqlite and isinstance(error, OperationalError))


_REMEDIES: Final = (
    ("locked", "Another process has kept the store locked; end it or try again."),
    ("full", "Free some space and run the same command again: nothing that was stored is lost."),
    ("readonly", "Make the file and its folder writable, or name another store."),
    ("read-only", "Make the file and its folder writable, or name another store."),
    ("unable to open", "Make the file and its folder writable, or name another store."),
    ("not a database", "The file is something else than a store; name another one."),
    ("connection", "See that the server runs and lets you in, then run the same command again."),
)


def _remedy(words: str) -> str:
    lowered = words.lower()
    return next((f" {remedy}" for sign, remedy in _REMEDIES if sign in lowered), "")


def chunked(values: Iterable[_T], size: int = CHUNK) -> Iterator[Sequence[_T]]:
    """Cut an iterable into lists of at most ``size`` values."""
    iterator = iter(values)
    while chunk := list(islice(iterator, size)):
        yield chunk
