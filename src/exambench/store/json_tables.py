"""Sets of values as one parameter of a statement: a JSON array that the database unfolds into rows.

A list of parameters would meet the databases' limits with the first large examination.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import CTE, JSON, ColumnElement, Integer, Select, Text, bindparam, cast, column, func, select

from exambench.store.database import Database


def texts(database: Database, values: Iterable[str]) -> Select[Any]:
    """Return a query that gives these texts, for use with ``IN``."""
    written = _parameter(sorted(values))
    if database.is_sqlite:
        return select(func.json_each(written).table_valued(column("value", Text)).c.value)
    return select(func.json_array_elements_text(cast(written, JSON)).table_valued(column("value", Text)).c.value)


def rows(database: Database, name: str, values: Iterable[Sequence[object]], **types: type[Text | Integer]) -> CTE:
    """Return a table of rows, computed once in a statement.

    Args:
        database: Where the statement will run.
        name: Name of the table in the statement.
        values: One sequence a row, of texts, integers and ``None``.
        types: Name and type of each column.
    """
    written = _parameter([list(row) for row in values])
    if database.is_sqlite:
        each = func.json_each(written).table_valued(column("value", Text))
        found: list[ColumnElement[Any]] = [
            func.json_extract(each.c.value, f"$[{place}]") for place in range(len(types))
        ]
    else:
        each = func.json_array_elements(cast(written, JSON)).table_valued(column("value", JSON))
        found = [each.c.value.op("->>")(place) for place in range(len(types))]
    columns = [cast(value, kind).label(label) for value, (label, kind) in zip(found, types.items(), strict=True)]
    return select(*columns).cte(name).prefix_with("MATERIALIZED")


def _parameter(value: object) -> ColumnElement[str]:
    return bindparam(None, json.dumps(value, ensure_ascii=True, separators=(",", ":")), type_=Text, unique=True)
