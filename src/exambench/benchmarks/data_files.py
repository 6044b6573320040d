"""Data files of any format: JSON values from a file, and faults that a whole file can have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from exambench.configuration import read_ordinary
from exambench.errors import DataError, Finding, Severity, show
from exambench.items import Item

LARGEST_FILE: Final = 2**30
"""Bytes of a data file."""


def read_array(path: Path) -> list[object]:
    """Read a JSON array with at least one value.

    Raises:
        DataError: The file cannot be read at all, or is something else.
    """
    return _as_array(path, _value(path, _text(path)))


def read_array_or_lines(path: Path) -> list[object]:
    """Read a JSON array, or a file with a JSON value on each line (JSONL), with at least one value.

    Raises:
        DataError: The file cannot be read at all, or is something else.
    """
    text = _text(path)
    if text.lstrip().startswith("["):
        return _as_array(path, _value(path, text))
    lines = [_value(path, line, f"line {number}: ") for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return _as_array(path, lines)


def duplicate_ids(items: Iterable[Item], file: str) -> list[Finding]:
    """Return a finding for each identifier that several items have."""
    return [
        Finding(
            problem=f"the identifier stands {count} times",
            file=file,
            item=identifier,
            field="id",
            value=show(identifier),
            allowed="each identifier once",
            remedy="Give every item an identifier of its own",
        )
        for identifier, count in Counter(item.id for item in items).items()
        if count > 1
    ]


def unknown_fields(entries: Iterable[object], known: frozenset[str], file: str) -> list[Finding]:
    """Return a warning for each field of the entries that the format does not have."""
    unknown = Counter(key for entry in entries if isinstance(entry, dict) for key in entry if key not in known)
    return [
        Finding(
            problem=f"the field is not part of the format; {count} items have it, and it is ignored",
            severity=Severity.WARNING,
            file=file,
            field=show(name),
            allowed=", ".join(sorted(known)),
            remedy="Check its spelling",
        )
        for name, count in sorted(unknown.items())
    ]


def _text(path: Path) -> str:
    try:
        return read_ordinary(path, LARGEST_FILE).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _value(path: Path, text: str, place: str = "") -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, error, place) from error
    return value


def _unreadable(path: Path, error: Exception, place: str = "") -> DataError:
    return DataError(
        Finding(
            problem=f"cannot be read: {place}{error}",
            file=str(path),
            allowed="a JSON array of items in UTF-8",
            remedy="Name the benchmark's data file, or get it again",
        )
    )


def _as_array(path: Path, value: object) -> list[object]:
    if not isinstance(value, list) or not value:
        raise DataError(
            Finding(
                problem="holds no array of items",
                file=str(path),
                value=show(type(value).__name__ if value else value),
                allowed="a JSON array with at least one item",
                remedy="Name the benchmark's data file",
            )
        )
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: either of its values could be the one that was meant."""
    counts = Counter(key for key, _ in pairs)
    repeated = [key for key, count in counts.items() if count > 1]
    if repeated:
        raise ValueError(f"the key {show(repeated[0])} stands twice in one object")
    return dict(pairs)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
