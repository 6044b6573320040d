"""The files of a project: written whole or not at all, and read with what is wrong about them."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from exambench.configuration import read_ordinary
from exambench.construct.records import StageError, StageRecord, record_from_json, record_to_json
from exambench.errors import ConfigError, DataError, Finding, StoreError, show
from exambench.items import Item
from exambench.store.codec import item_from_json, item_to_json

ITEMS = "items.jsonl"
RECORD = "record.json"
LOCK: Final = ".build.lock"
FOLDER_OF_STAGES: Final = "stages"
FOLDER_OF_PICTURES: Final = "pictures"
SEAL: Final = "seal"
"""The field of a record's file with the digest of the others."""
LARGEST_OUTPUT: Final = 4 * 2**30
"""Bytes of what a stage writes."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is either there with all of its content, or as it was before.

    One process at a time; what another one left behind when it was killed is written over.

    Raises:
        ConfigError: It cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise _not_writable(path, error) from error


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Hold a project's folder while it is built, so that two builds do not write the same files.

    Raises:
        ConfigError: Another process is building the project, or the folder cannot be written to.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _not_writable(path, error) from error
    with os.fdopen(handle):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                Finding("another process is building this project", file=str(folder), remedy="Wait until it has ended")
            ) from None
        yield


def write_stage(folder: Path, items: Sequence[Item], record: StageRecord) -> None:
    """Write what came out of a stage: the items first, then the record that vouches for them and for itself.

    The record of the last run goes before, so that no record ever stands beside items of another run.

    Raises:
        ConfigError: A file cannot be written.
        StageError: The record holds a number that is none.
    """
    try:
        body = json.loads(json.dumps(record_to_json(record), allow_nan=False))
    except ValueError as error:
        raise StageError(f"stage {record.name}: a number in its record is none: {error}") from error
    try:
        (folder / RECORD).unlink(missing_ok=True)
    except OSError as error:
        raise _not_writable(folder / RECORD, error) from error
    lines = (json.dumps(item_to_json(item), ensure_ascii=False) + "\n" for item in items)
    write_whole(folder / ITEMS, "".join(lines).encode("utf-8", "surrogatepass"))
    text = json.dumps({**body, SEAL: _seal(body)}, ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / RECORD, text.encode("utf-8", "surrogatepass"))


def read_stage_items(folder: Path) -> tuple[Item, ...]:
    """Read what came out of a stage.

    Raises:
        DataError: The file is missing, or was changed into something that no stage writes.
    """
    path = folder / ITEMS
    try:
        lines = read_ordinary(path, LARGEST_OUTPUT).decode("utf-8", "surrogatepass").split("\n")
        return tuple(_item(json.loads(line)) for line in lines if line)
    except (AttributeError, OSError, RecursionError, StoreError, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def read_stage_record(folder: Path) -> StageRecord | None:
    """Read the record of a stage; ``None`` when it has never run.

    Raises:
        DataError: The file was changed since the stage wrote it, or is no record.
    """
    path = folder / RECORD
    try:
        return record_from_json(
            _unsealed(json.loads(read_ordinary(path, LARGEST_OUTPUT).decode("utf-8", "surrogatepass")))
        )
    except FileNotFoundError:
        return None
    except (KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        raise _unreadable(path, error) from error


def _item(body: Mapping[str, Any]) -> Item:
    item = item_from_json(body)
    if not isinstance(body["id"], str) or item_to_json(item) != body:
        raise ValueError("an item is not as a stage writes it")
    return item


def _unsealed(body: object) -> Mapping[str, Any]:
    """Return what a record's file says without its seal.

    Raises:
        ValueError: The seal is not that of the rest.
    """
    if not isinstance(body, dict) or body.pop(SEAL, None) != _seal(body):
        raise ValueError("it was changed after the stage wrote it")
    return body


def _seal(body: Mapping[str, Any]) -> str:
    """Return the digest of a record's fields.

    Raises:
        ValueError: A number that is none is among them.
    """
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode("ascii")).hexdigest()


def digest_of_files(folder: Path, paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Return name and SHA-256 of files, and of all files in folders, given relative to ``folder``.

    Raises:
        ConfigError: A folder holds what the build itself writes, so that it would never stay the same.
        DataError: One of them is missing, cannot be read, or is neither a file nor a folder.
    """
    found = []
    for path in paths:
        try:
            found += [(name.as_posix(), _sha256(folder / name)) for name in _files(folder, path)]
        except (OSError, ValueError) as error:
            raise DataError(
                Finding(
                    problem=f"cannot be read: {getattr(error, 'strerror', None) or error}",
                    file=str(folder / path),
                    remedy="Correct its path in build.toml; it is relative to the project's folder",
                )
            ) from error
    return found


def _files(folder: Path, path: Path) -> Sequence[Path]:
    if not (folder / path).is_dir():
        return (path,)
    _refuse_own_folder(folder.resolve(), (folder / path).resolve(), path)
    found = (place for place in (folder / path).rglob("*") if place.is_file())
    return sorted(place.relative_to(folder) if not path.is_absolute() else place for place in found)


def _refuse_own_folder(folder: Path, named: Path, as_named: Path) -> None:
    for own in (folder / FOLDER_OF_STAGES, folder / FOLDER_OF_PICTURES):
        if own.is_relative_to(named) or named.is_relative_to(own):
            raise ConfigError(
                Finding(
                    problem="the build writes into this folder, or into one in it",
                    file=str(folder / "build.toml"),
                    value=show(str(as_named)),
                    remedy="Put what the build reads into a folder of its own",
                )
            )


def _sha256(path: Path) -> str:
    """Return the digest of an ordinary file.

    Raises:
        OSError: It is none, or cannot be read.
        ValueError: The path has a NUL character.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "this is no ordinary file")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _not_writable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        Finding(
            problem=f"cannot be written: {error.strerror or error}",
            file=str(path),
            remedy="Make room for it, or build in a folder that you may write to",
        )
    )


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        Finding(
            problem=f"cannot be read: {' '.join(str(error).split())}",
            file=str(path),
            remedy="Delete the stage's folder; the next build makes it anew",
        )
    )
