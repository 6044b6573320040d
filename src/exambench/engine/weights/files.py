"""Large files in a cache: one writer at a time, room before writing, verified once."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from exambench.errors import ConfigError, Finding

CHUNK_BYTES: Final = 1 << 20
SPARE_BYTES: Final = 64 << 20
"""What stays free on the disk when a file has been written."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (POSIX ``flock``); it ends with the process, however that ends."""
    with path.open("ab") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        yield


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_verified(path: Path, sha256: str, cache: Path) -> bool:
    """Return whether a file has this digest, without hashing it again while size and time of change stay the same."""
    note = _note(path, sha256, cache)
    if note.exists() and note.read_text(encoding="utf-8") == _fingerprint(path):
        return True
    if sha256_of(path) != sha256:
        return False
    note_verified(path, sha256, cache)
    return True


def note_verified(path: Path, sha256: str, cache: Path) -> None:
    """Note in the cache that this file, as it is now, has this digest."""
    _note(path, sha256, cache).write_text(_fingerprint(path), encoding="utf-8")


def _note(path: Path, sha256: str, cache: Path) -> Path:
    place = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return cache / f"{sha256}.{place}.verified.json"


def _fingerprint(path: Path) -> str:
    status = path.stat()
    return json.dumps({"path": str(path), "size": status.st_size, "mtime_ns": status.st_mtime_ns})


def require_room(folder: Path, needed: int) -> None:
    """Check that a file of ``needed`` bytes fits into a folder.

    Raises:
        ConfigError: It does not.
    """
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE_BYTES:
        raise ConfigError(
            cannot_keep(folder, f"{needed >> 20} MiB and {SPARE_BYTES >> 20} to spare are needed, {free >> 20} free")
        )


def cannot_keep(folder: Path, why: str) -> Finding:
    """Return the finding for weights that cannot be written to the cache."""
    return Finding(
        f"the weights cannot be kept in the cache: {why}",
        file=str(folder),
        field="weights",
        remedy="Make room there, or set XDG_CACHE_HOME to a folder with room that can be written",
    )
