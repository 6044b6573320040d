"""A string that nobody writes by chance: put into exported data, looked for in what models wrote. Pure.

A model that writes the string, or the beginning of its GUID, has read the marked data. One that does not may have read
it all the same.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

FIELD: Final = "canary"
SHORTEST: Final = 8
"""Hexadecimal digits of a GUID's beginning that count as found: by chance one place in four thousand million."""

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
    if suffix not in FORMATS:
        raise NotMarkableError(f"files that end with {suffix!r} cannot be marked")
    if _CANARY.search(text):
        raise NotMarkableError("there is a canary already")
    return FORMATS[suffix](text, canary)


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
    return json.dumps(records if isinstance(value, list) else records[0], ensure_ascii=False, indent=1) + "\n"


def _jsonl(text: str, canary: str) -> str:
    records = [_loaded(line) for line in text.split("\n") if line.strip()]
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in _with(records, canary))


def _csv(text: str, canary: str) -> str:
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
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
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotMarkableError(f"this is not JSON: {error}") from error


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
