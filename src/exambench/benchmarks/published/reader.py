"""A CSV file in, typed rows out; every cell that does not fit is named."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final, TypeVar, get_type_hints

from exambench.errors import DataError, Finding, show

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")
Cell = str | int | float | Decimal | bool | None

_TRUTH: Final = {"yes": True, "no": False, "True": True, "False": False}


def _decimal(text: str) -> Decimal:
    value = Decimal(text)
    if not value.is_finite():
        raise ValueError(text)
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_CONVERTERS: Final[Mapping[object, tuple[Callable[[str], Cell], str]]] = {
    str: (str, "text"),
    int: (int, "a whole number"),
    float: (_float, "a number"),
    Decimal: (_decimal, "a number"),
    bool: (_TRUTH.__getitem__, "yes or no"),
    int | None: (lambda text: int(text) if text else None, "a whole number or blank"),
    float | None: (lambda text: _float(text) if text else None, "a number or blank"),
    Decimal | None: (lambda text: _decimal(text) if text else None, "a number or blank"),
}


def read_text(path: Traversable) -> str:
    """Return the text of a file.

    Raises:
        DataError: The file is missing or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(Finding(problem="cannot be read", file=str(path), value=str(error))) from error


def read_table(path: Traversable, row_type: type[Row]) -> tuple[Row, ...]:
    """Read a CSV file whose columns are the fields of a dataclass.

    A number of type :class:`decimal.Decimal` keeps the digits that the source prints.

    Args:
        path: The CSV file.
        row_type: A dataclass; its fields name the columns in order, its annotations their types.

    Returns:
        The rows in the order of the file.

    Raises:
        DataError: The file is missing, its columns are not those of ``row_type``, a row has too few or too many
            cells, a cell does not hold its type, or there is no row. Every such place is a finding.
    """
    types = get_type_hints(row_type)
    names = [field.name for field in fields(row_type)]
    lines = list(csv.reader(io.StringIO(read_text(path), newline="")))
    if not lines or lines[0] != names:
        raise DataError(
            Finding(
                problem="the columns are not the expected ones",
                file=str(path),
                value=show(lines[0] if lines else []),
                allowed=", ".join(names),
            )
        )
    if len(lines) == 1:
        raise DataError(Finding(problem="there is no row", file=str(path)))
    findings: list[Finding] = []
    rows: list[Row] = []
    for number, cells in enumerate(lines[1:], start=1):
        place = f"row {number}"
        if len(cells) != len(names):
            findings.append(
                Finding(
                    problem="the number of cells is wrong",
                    file=str(path),
                    item=place,
                    value=str(len(cells)),
                    allowed=str(len(names)),
                )
            )
            continue
        values: dict[str, Cell] = {}
        for name, text in zip(names, cells, strict=True):
            convert, allowed = _CONVERTERS[types[name]]
            try:
                values[name] = convert(text)
            except (ValueError, KeyError, InvalidOperation):
                findings.append(
                    Finding(
                        problem="the cell does not hold its type",
                        file=str(path),
                        item=f"{place} ({cells[0]})",
                        field=name,
                        value=show(text),
                        allowed=allowed,
                    )
                )
        if len(values) == len(names):
            rows.append(row_type(**values))
    if findings:
        raise DataError(*findings)
    return tuple(rows)
