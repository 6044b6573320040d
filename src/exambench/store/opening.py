"""From a path or an address to an open store, its tables in place."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError

from exambench.errors import ConfigError, Finding, MissingExtraError, StoreError, show
from exambench.store.database import WRITES, Database
from exambench.store.store import Store
from exambench.store.tables import SCHEMA_VERSION, metadata, schema

DEFAULT_LOCATION: Final = "exambench.db"
BUSY_SECONDS: Final = 30.0
READING_BUSY_SECONDS: Final = 5.0
CONNECT_SECONDS: Final = 10
CREATION_LOCK: Final = 0x6578_616D  # "exam": the advisory lock under which tables are created
_LIKE_POSTGRES: Final = re.compile(
    r"\s*postgres\w*(?:\+\w+)?:(?!//)|(?!.*://).*\b(?:host|dbname|password)\s*=", re.IGNORECASE
)
"""Addresses and parameters that were meant for PostgreSQL, and may hold a password; no name of a file."""

_ALLOWED: Final = "a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE"


def open_store(location: str) -> Store:
    """Open a store, and create it where there is none yet.

    Args:
        location: Path of an SQLite file, or a URL with the scheme ``sqlite`` or ``postgresql``.

    Raises:
        ConfigError: The location is neither.
        MissingExtraError: PostgreSQL is asked for, and its driver is not installed.
        StoreError: The place cannot be reached or written, is something else than a store, or a store of
            another version.
    """
    return _opened(location, create=True)


def open_existing_store(location: str) -> Store:
    """Open a store to look into it; where there is none, none is created.

    Args:
        location: As for :func:`open_store`.

    Raises:
        ConfigError: The location is neither a path nor a URL that we know.
        MissingExtraError: PostgreSQL is asked for, and its driver is not installed.
        StoreError: There is no store, or it cannot be used.
    """
    return _opened(location, create=False)


def open_store_read_only(location: str) -> Store:
    """Open a store in such a way that nothing can be written through it, while others may write to it.

    Args:
        location: As for :func:`open_store`.

    Raises:
        ConfigError: The location is neither a path nor a URL that we know.
        MissingExtraError: PostgreSQL is asked for, and its driver is not installed.
        StoreError: There is no store, or it cannot be used.
    """
    url = _url(location)
    if url.drivername == "sqlite":
        path = Path(str(url.database))
        _check_path(path, create=False)
        return _checked(Database(_sqlite_reader(path), place=str(path)), create=False)
    engine = _postgres_engine(url).execution_options(postgresql_readonly=True)
    return _checked(Database(engine, place=_shown(url)), create=False)


def _opened(location: str, *, create: bool) -> Store:
    url = _url(location)
    if url.drivername == "sqlite":
        path = Path(str(url.database))
        _check_path(path, create=create)
        database = Database(_sqlite_engine(url), place=str(path))
    else:
        database = Database(_postgres_engine(url), place=_shown(url))
    return _checked(database, create=create)


def _checked(database: Database, *, create: bool) -> Store:
    try:
        _ensure_schema(database, create=create)
    except BaseException:
        database.close()
        raise
    return Store(database)


def _url(location: str) -> URL:
    """Return the address with the driver that we use; an error never shows what may hold a password."""
    if not location or _LIKE_POSTGRES.match(location):
        return _refuse("postgresql…" if location else location)
    if "://" not in location:
        return URL.create("sqlite", database=str(Path(location).expanduser()))
    scheme = location.partition("://")[0]
    try:
        url = make_url(location)
    except (ArgumentError, ValueError):
        return _refuse(f"{scheme}://…")
    match url.get_backend_name():
        case "sqlite" if url.database and url.database != ":memory:":
            return URL.create("sqlite", database=url.database)
        case "postgresql" | "postgres" if "@" not in (url.host or ""):  # a sign @ in a password is written %40
            return url.set(drivername="postgresql+psycopg")
        case _:
            return _refuse(f"{scheme}://…")


def _refuse(shown: str) -> URL:
    raise ConfigError(
        Finding(
            problem="this is no place for a store",
            field="--store",
            value=show(shown),
            allowed=_ALLOWED,
            remedy="Name a file on a local disk, or a PostgreSQL database",
        )
    )


def _shown(url: URL) -> str:
    """Return an address for people: no password, and no query, which may hold one too."""
    user = f"{url.username}@" if url.username else ""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{user}{url.host or ''}{port}/{url.database or ''}"


def _check_path(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder. Name a file in it, such as {path / DEFAULT_LOCATION}.")
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist. Create it, or name another store.")
    if not create and not path.exists():
        raise StoreError(f"{path}: there is no store here. Name another one with --store, or run a model first.")


def _switch_to_wal(path: str) -> None:
    """Make a new file keep a write-ahead log for good: readers then never wait for the writer.

    The switch needs the file to itself for a moment, and SQLite does not wait for that moment as it does for locks.
    """
    give_up_at = time.monotonic() + BUSY_SECONDS
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            while not _is_in_wal(connection, give_up_at):
                time.sleep(0.01)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be used as a store: {error}. Name a file on a local disk.") from error


def _is_in_wal(connection: sqlite3.Connection, give_up_at: float) -> bool:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return True
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) or time.monotonic() > give_up_at:
            raise
        return False
    if mode != "wal":
        raise sqlite3.OperationalError(f"its file system has no write-ahead log (journal mode {mode})")
    return True


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself; _begin does
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail when another one wrote in between.
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _sqlite_reader(path: Path) -> Engine:
    """Return an engine whose connections cannot write; whoever looks at a store waits less long than who writes."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(path.resolve()))}?mode=ro",
            uri=True,
            timeout=READING_BUSY_SECONDS,
            check_same_thread=False,
            isolation_level=None,
        )
        connection.execute("PRAGMA query_only = ON")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _postgres_engine(url: URL) -> Engine:
    arguments: dict[str, Any] = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    try:
        return create_engine(url, connect_args=arguments, hide_parameters=True, pool_pre_ping=True)
    except ImportError as error:
        raise MissingExtraError("postgres", "a store in PostgreSQL") from error


def _ensure_schema(database: Database, *, create: bool) -> None:
    with database.reading() as connection:
        version = _version(connection)
        if version is None and create:
            _require_no_tables_of_others(connection, database)
    if version is None and not create:
        raise StoreError(f"{database.place}: there is no store here. Name another one with --store.")
    if version is None:
        version = _created(database)
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{database.place} is a store of version {version}; this program reads and writes version "
            f"{SCHEMA_VERSION}. Use the exambench that made it, or name another store."
        )


def _version(connection: Connection) -> int | None:
    """Return the version of the store, or ``None`` where there is none.

    Raises:
        StoreError: The table is there, but without its one row.
    """
    if not inspect(connection).has_table(schema.name):
        return None
    version = connection.execute(select(schema.c.version)).scalar()
    if version is None:
        raise StoreError("the store has lost its version. Name another store.")
    return int(version)


def _created(database: Database) -> int:
    """Create the tables, unless another process has done so since we looked; return the version."""
    if database.is_sqlite:
        _switch_to_wal(str(database.engine.url.database))
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": CREATION_LOCK})
            _require_utf8(connection, database.place)
        version = _version(connection)
        if version is not None:
            return version
        _require_no_tables_of_others(connection, database)
        metadata.create_all(connection, checkfirst=False)
        connection.execute(schema.insert(), {"version": SCHEMA_VERSION})
    return SCHEMA_VERSION


def _require_utf8(connection: Connection, place: str) -> None:
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise StoreError(
            f"{place}: the database's encoding is {encoding}, which cannot hold every text. "
            "Create one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )


def _require_no_tables_of_others(connection: Connection, database: Database) -> None:
    """Refuse to mix our tables with another program's: any table in a file, one of our names in a server."""
    present = set(inspect(connection).get_table_names())
    foreign = present if database.is_sqlite else present & set(metadata.tables)
    if foreign:
        raise StoreError(
            f"{database.place} belongs to another program: it has the tables {show(sorted(foreign))} "
            "and is not a store of exambench. Name another store."
        )
