"""One store a test, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from exambench.store import Store, open_store
from tests.support.postgres import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests of this process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place where no store is yet."""
    if request.param == "sqlite":
        return str(tmp_path / "exambench.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_database()


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    """An empty store."""
    with open_store(location) as opened:
        yield opened
