"""How numbers stand in every table, and how records become CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from exambench.report.grids import NOTHING
from exambench.text import REPLACEMENT, as_cell

SMALLEST_P: Final = 0.001
SHOWN_ROWS: Final = 20

_NUMBERS: Final = re.compile(r"(?:(?:^|(?<=[0-9]) )[+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)+")
"""One number, or several in one cell, as Python writes them."""
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f]")
_STEERING: Final = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""What is no control in JSON, and yet steers a terminal, reorders a line, breaks it, or cannot be printed."""

T = TypeVar("T")


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share in percent, without the sign; a dash for none."""
    return NOTHING if share is None or math.isnan(share) else f"{100 * share:.{digits}f}"


def points(difference: float | None, digits: int = 1) -> str:
    """Return a difference of shares in percentage points, with its sign; a dash for none."""
    if difference is None or math.isnan(difference):
        return NOTHING
    shown = f"{100 * difference:+.{digits}f}"
    return shown.replace("-", "−") if float(shown) else shown.lstrip("+-")


def percent_range(low: float, high: float, digits: int = 1) -> str:
    """Return an interval of shares in percent."""
    return NOTHING if math.isnan(low) else f"{percent(low, digits)}–{percent(high, digits)}"


def points_range(low: float, high: float, digits: int = 1) -> str:
    """Return an interval of differences in percentage points."""
    return NOTHING if math.isnan(low) else f"{points(low, digits)} to {points(high, digits)}"


def p_value(value: float | None) -> str:
    """Return a p-value to three decimals."""
    if value is None or math.isnan(value):
        return NOTHING
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"


def equals(p: float | None) -> str:
    """Return a p-value as it stands in a sentence, after the p: ``= 0.042``, ``< 0.001``."""
    shown = p_value(p)
    return shown.replace("<", "< ") if shown.startswith("<") else f"= {shown}"


def rank_text(rank: float) -> str:
    """Return a rank, or a percentile of ranks, to one decimal where it is not whole."""
    return f"{rank:.1f}".removesuffix(".0")


def plural(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def cut(rows: Sequence[T], most: int | None, what: str) -> tuple[Sequence[T], tuple[str, ...]]:
    """Return the first rows, and a note that says how many are not shown.

    Args:
        rows: All rows.
        most: How many to show; ``None`` for all.
        what: What the rows are, in the plural.
    """
    if most is None or len(rows) <= most:
        return rows, ()
    return rows[:most], (f"Not shown: {len(rows) - most:,} of {len(rows):,} {what}; --csv and --json have all.",)


def number(value: float | None) -> float | None:
    """Return a number as JSON and CSV take it: none where there is none."""
    return None if value is None or not math.isfinite(value) else float(value)


def csv_text(records: Iterable[Mapping[str, object]]) -> str:
    """Return records as CSV; a column for each name that any record has, in the order of first appearance.

    Without a record there is no column, and nothing to return.

    Text that a spreadsheet would evaluate begins with an apostrophe, and signs that steer a terminal are replaced.
    """
    kept = [{name: _csv_cell(value) for name, value in record.items()} for record in records]
    if not kept:
        return ""
    buffer = io.StringIO()
    writer = csv.DictWriter(
        buffer, fieldnames=list(dict.fromkeys(name for record in kept for name in record)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(kept)
    return buffer.getvalue()


def json_text(document: Any) -> str:  # noqa: ANN401 - JSON
    """Return a JSON document; signs that steer a terminal or cannot be printed stand as their escapes."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text) + "\n"


def _csv_cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    printed = _STEERING.sub(REPLACEMENT, _CONTROLS.sub(REPLACEMENT, value))
    return printed if _NUMBERS.fullmatch(printed) else as_cell(printed)
