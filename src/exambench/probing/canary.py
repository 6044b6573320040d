"""A string that nobody writes by chance: put into exported data, looked for in what models wrote. Pure.

A model that writes the string, or the beginning of its GUID, has read the marked data. One that does not may have read
it all the same.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from exambench.text import is_storable

FIELD: Final = "canary"
SHORTEST: Final = 8
"""Hexadecimal digits of a GUID's beginning that count as found: by chance one place in four thousand million."""

BYTE_ORDER_MARK: Final = "\ufeff"

_NAME: Final = "EXAMBENCH-CANARY"
_GUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_CANARY: Final = re.compile(rf"{_NAME} ({_GUID})")
_HYPHENS: Final = re.compile(r"[-\u2010-\u2015\u2212]")


class NotMarkableError(ValueError):
    """A text is not what its format says, or carries a canary already."""


def new_guid(seed: int | None) -> str:
    """Return a GUID (version 4): random from the system, or the one that a seed makes."""
    if seed is None:
        return str(uuid.uuid4())
    bits = random.Random(f"canary {seed}").getrandbits(128)  # noqa: S311 - repeatable on purpose
    return str(uuid.UUID(int=bits, version=4))


def canary_of(guid: str) -> str:
    """Return the string that stands in data."""
    return f"{_NAME} {guid}: evaluation data, keep out of training corpora"


def guid_in(text: str) -> str | None:
    """Return the GUID of the first canary in a text, or of a text that is a GUID alone; ``None`` if there is none."""
    found = _CANARY.search(text)
    if found:
        return found[1]
    return text.strip().lower() if re.fullmatch(_GUID, text.strip().lower()) else None


def marked(text: str, suffix: str, canary: str) -> str:
    """Return data with the canary in every record.

    Args:
        text: The data.
        suffix: What its file's name ends with, with the dot, in lower case.
        canary: The string.

    Raises:
        NotMarkableError: The format is unknown, the text is not of it, or there is a canary already.
    """
    check_format(suffix)
    if _CANARY.search(text):
        raise NotMarkableError("there is a canary already")
    return FORMATS[suffix](text, canary)


def check_format(suffix: str) -> None:
    """See that there is a way to mark files whose names end like this.

    Raises:
        NotMarkableError: There is none.
    """
    if suffix not in FORMATS:
        raise NotMarkableError(f"files that end with {suffix!r} cannot be marked")


def marked_bytes(data: bytes, suffix: str, canary: str) -> str:
    """Return the content of a file with the canary in every record; a byte order mark and CRLF stay where they were.

    Args:
        data: The content, UTF-8.
        suffix: What the file's name ends with, with the dot, in lower case.
        canary: The string.

    Raises:
        NotMarkableError: As of :func:`marked`, or it is no UTF-8.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotMarkableError(f"this is not UTF-8: {error.reason} at byte {error.start}") from error
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    crlf = suffix != ".json" and "\r\n" in text and "\n" not in text.replace("\r\n", "")
    plain = text.removeprefix(BYTE_ORDER_MARK)
    found = marked(plain.replace("\r\n", "\n") if crlf else plain, suffix, canary)
    return mark + (found.replace("\n", "\r\n") if crlf else found)


@dataclass(frozen=True, slots=True)
class Trace:
    """What of a canary stands in a text.

    Attributes:
        digits: Length of the longest beginning of the GUID, in hexadecimal digits; 0 below :data:`SHORTEST`.
        asked: Whether it stands in the prompt as well, so that the text may only repeat it.
    """

    digits: int
    asked: bool

    @property
    def whole(self) -> bool:
        """Whether the whole GUID is there."""
        return self.digits == len(uuid.UUID(int=0).hex)


def trace(guid: str, written: str, prompt: str) -> Trace:
    """Return what of a GUID stands in what a model wrote, in any case and with or without hyphens."""
    digits = _longest(guid, written)
    return Trace(digits, digits > 0 and _longest(guid, prompt) >= digits)


def _longest(guid: str, text: str) -> int:
    plain = _HYPHENS.sub("", text).lower()
    wanted = guid.replace("-", "")
    length = 0
    for size in range(SHORTEST, len(wanted) + 1):
        if wanted[:size] not in plain:
            break
        length = size
    return length


def _json(text: str, canary: str) -> str:
    value = _loaded(text)
    records = _with(value if isinstance(value, list) else [value], canary)
    return _written(records if isinstance(value, list) else records[0], indent=1) + "\n"


def _jsonl(text: str, canary: str) -> str:
    records = [_loaded(line) for line in text.split("\n") if line.strip()]
    return "".join(f"{_written(record)}\n" for record in _with(records, canary))


def _csv(text: str, canary: str) -> str:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise NotMarkableError(f"this is not CSV: {error}") from error
    if not rows or FIELD in rows[0]:
        raise NotMarkableError(f"there is no header, or it has a column {FIELD!r} already")
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*rows[0], FIELD])
    writer.writerows([*row, *[""] * (len(rows[0]) - len(row)), canary] for row in rows[1:] if row)
    return buffer.getvalue()


def _markdown(text: str, canary: str) -> str:
    return f"{text.rstrip()}\n\n<!-- {canary} -->\n"


def _plain(text: str, canary: str) -> str:
    return f"{text.rstrip()}\n\n{canary}\n"


def _loaded(text: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_kept, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise NotMarkableError(f"this is not JSON: {error}") from error


def _written(value: object, indent: int | None = None) -> str:
    """Return JSON as it can be read by people, or escaped where it holds what UTF-8 cannot."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text if is_storable(text) else json.dumps(value, indent=indent)


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _kept(text: str) -> float:
    """Return a number that is written again as it was read.

    Raises:
        ValueError: It has more digits than a number of 64 bits, or is beyond its range.
    """
    value = float(text)
    if not math.isfinite(value) or Decimal(repr(value)) != Decimal(text):
        raise ValueError(f"{text} would change when it is written again")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has one name twice")
    return found


def _with(records: list[Any], canary: str) -> list[dict[str, Any]]:
    for record in records:
        if not isinstance(record, dict):
            raise NotMarkableError("a record is no object")
        if FIELD in record:
            raise NotMarkableError(f"a record has a field {FIELD!r} already")
    if not records:
        raise NotMarkableError("there is no record")
    return [record | {FIELD: canary} for record in records]


FORMATS: Final[Mapping[str, Callable[[str, str], str]]] = MappingProxyType(
    {".json": _json, ".jsonl": _jsonl, ".csv": _csv, ".md": _markdown, ".txt": _plain}
)
"""How files are marked, by what their names end with."""
