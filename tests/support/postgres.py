"""A PostgreSQL server of our own for the length of the tests, on a socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.support.parts import require_part

_SUPERUSER = "postgres"


@dataclass(frozen=True)
class PostgresServer:
    """A running server.

    Attributes:
        binaries: Folder of ``psql`` and its like.
        folder: Where its data and its socket lie.
    """

    binaries: Path
    folder: Path
    _numbers: Iterator[int]

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql://{_SUPERUSER}@/{database}?host={self.folder}"

    def create_database(self) -> str:
        """Create an empty database and return its address."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Execute a statement as the superuser."""
        options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", _SUPERUSER, "-c", statement]
        _execute([self.binaries / "psql", *options, database], self.folder)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server, and stop it and remove all of it at the end; skip, or fail in CI, where there is none."""
    binaries = _find_binaries()
    require_part(
        "PostgreSQL", "Install it with: apt-get install --no-install-recommends postgresql", found=binaries is not None
    )
    assert binaries is not None
    # Not in pytest's folder: the path of a socket is at most 107 bytes long.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, _SUPERUSER)
        data = folder / "data"
        _execute(
            [binaries / "initdb", "-D", data, "-U", _SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
            folder,
        )
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        log = folder / "log"
        _execute([binaries / "pg_ctl", "-D", data, "-w", "-s", "-l", log, "-o", options, "start"], folder)
        try:
            yield PostgresServer(binaries, folder, count(1))
        finally:
            _execute([binaries / "pg_ctl", "-D", data, "-w", "-s", "-m", "immediate", "stop"], folder)


def _find_binaries() -> Path | None:
    """Return the folder of ``initdb``: on the path, or where Debian puts it, the newest version first."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(found, key=lambda path: int(path.parts[-3]), reverse=True)
    return versions[0].parent if versions else None


def _execute(command: Sequence[str | Path], folder: Path) -> None:
    """Execute a command to its end; as the user ``postgres`` when we are root, whom the server refuses."""
    as_user = _SUPERUSER if os.geteuid() == 0 else None
    group = pwd.getpwnam(_SUPERUSER).pw_gid if as_user else None
    done = subprocess.run(
        command,
        cwd=folder,
        user=as_user,
        group=group,
        extra_groups=[] if as_user else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stdout}")
