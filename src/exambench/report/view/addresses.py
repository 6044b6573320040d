"""Where the pages of the explorer stand, as paths within a language, and where raw texts and pictures do."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from exambench.report.view.filters import Filters
from exambench.store.answer_records import Place


def of_run(run_id: str, filters: Filters | None = None) -> str:
    """Return where the answers of a run are listed."""
    return f"run/{quote(run_id, safe='')}.html{query_of(filters)}"


def of_answer(run_id: str, place: Place, filters: Filters | None = None) -> str:
    """Return where one answer is shown, with the list that the reader comes from."""
    return f"answer/{quote(run_id, safe='')}.html{query_of_answer(place, filters)}"


def query_of_answer(place: Place, filters: Filters | None = None) -> str:
    """Return what stands behind the path of an answer's page."""
    asked = urlencode([("item", place[0]), ("trial", str(place[1]))])
    more = "" if filters is None else filters.query
    return f"?{asked}&{more}" if more else f"?{asked}"


def query_of(filters: Filters | None) -> str:
    """Return what stands behind the path of a run's page."""
    return f"?{filters.query}" if filters is not None and filters.query else ""


def of_raw(run_id: str, place: Place, part: str) -> str:
    """Return where a whole text stands, from the root of the server and without a slash before it."""
    asked = urlencode([("item", place[0]), ("trial", str(place[1])), ("part", part)])
    return f"raw/{quote(run_id, safe='')}?{asked}"
