"""The files of a project: written whole or not at all, and read with what is wrong about them."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exambench.construct.records import StageRecord, record_from_json, record_to_json
from exambench.errors import ConfigError, DataError, Finding, StoreError
from exambench.items import Item
from exambench.store.codec import item_from_json, item_to_json

ITEMS = "items.jsonl"
RECORD = "record.json"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is either there with all of its content, or as it was before.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Hold a project's folder while it is built, so that two builds do not write the same files.

    Raises:
        ConfigError: Another process is building the project.
    """
    with (folder / ".build.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                Finding("another process is building this project", file=str(folder), remedy="Wait until it has ended")
            ) from None
        yield


def write_stage(folder: Path, items: Sequence[Item], record: StageRecord) -> None:
    """Write what came out of a stage: the items first, then the record that vouches for them by their digest."""
    lines = (json.dumps(item_to_json(item), ensure_ascii=False) + "\n" for item in items)
    write_whole(folder / ITEMS, "".join(lines).encode("utf-8", "surrogatepass"))
    text = json.dumps(record_to_json(record), ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / RECORD, text.encode("utf-8", "surrogatepass"))


def read_stage_items(folder: Path) -> tuple[Item, ...]:
    """Read what came out of a stage.

    Raises:
        DataError: The file is missing, or was changed into something that is no list of items.
    """
    path = folder / ITEMS
    try:
        lines = path.read_bytes().decode("utf-8", "surrogatepass").split("\n")
        return tuple(item_from_json(json.loads(line)) for line in lines if line)
    except (OSError, ValueError, StoreError, RecursionError) as error:
        raise _unreadable(path, error) from error


def read_stage_record(folder: Path) -> StageRecord | None:
    """Read the record of a stage; ``None`` when it has never run.

    Raises:
        DataError: The file was changed into something that is no record.
    """
    path = folder / RECORD
    if not path.exists():
        return None
    try:
        body: Any = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
        return record_from_json(body)
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _unreadable(path, error) from error


def digest_of_files(folder: Path, paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Return name and SHA-256 of files, and of all files in folders, given relative to ``folder``.

    Raises:
        DataError: One of them is missing or cannot be read.
    """
    return [(name.as_posix(), _sha256(folder / name)) for path in paths for name in _files(folder, path)]


def _files(folder: Path, path: Path) -> Iterator[Path]:
    if (folder / path).is_dir():
        found = (place for place in (folder / path).rglob("*") if place.is_file())
        yield from sorted(place.relative_to(folder) if not path.is_absolute() else place for place in found)
    else:
        yield path


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(
            Finding(
                problem=f"cannot be read: {error.strerror}",
                file=str(path),
                remedy="Correct its path in build.toml; it is relative to the project's folder",
            )
        ) from error


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        Finding(
            problem=f"cannot be read: {' '.join(str(error).split())}",
            file=str(path),
            remedy="Delete the stage's folder; the next build makes it anew",
        )
    )
