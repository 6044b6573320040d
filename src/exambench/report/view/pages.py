"""From the address of a page to its HTML: pages of the site, of runs and of answers, in one language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from exambench.report.site.building import ASSETS as SITE_ASSETS
from exambench.report.site.building import pages as site_pages
from exambench.report.site.catalogue import LANGUAGES
from exambench.report.site.comparing import data_files
from exambench.report.site.downloads import download_files
from exambench.report.site.item_material import gather_items
from exambench.report.site.item_pages import item_pages
from exambench.report.site.pages import sheets_of
from exambench.report.site.rendering import NAVIGATION, SITE, Frame, Page, render
from exambench.report.view import addresses
from exambench.report.view.answering import answer_content
from exambench.report.view.filters import FURTHEST_PAGE, number_in, read_filters
from exambench.report.view.listing import run_content
from exambench.report.view.live import Moment
from exambench.report.view.pictures import Gallery
from exambench.report.view.safety import POLICY

VIEW: Final = "exambench.report.view"
OWN_ASSETS: Final = ("view.css", "view.js")
KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
FIRST: Final = "index.html"
RUNS: Final = "runs.html"
POLL_BUSY: Final = 1_500
POLL_IDLE: Final = 3_000
"""Milliseconds between a page's questions whether anything has changed."""

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Written:
    """A page as it is sent.

    Attributes:
        status: HTTP status.
        body: The HTML.
        etag: Tells it from what it was before.
    """

    status: int
    body: bytes
    etag: str


def split_language(path: str) -> tuple[str, str]:
    """Return the language of an address, and the path within it; a folder's page is that of the runs."""
    first, *others = LANGUAGES
    for language in others:
        if path == language or path.startswith(f"{language}/"):
            return language, path[len(language) + 1 :] or RUNS
    return first, path or RUNS


def page_at(moment: Moment, gallery: Gallery, language: str, path: str, pairs: Pairs) -> Written:
    """Return the page at an address; one that says so where there is none.

    Args:
        moment: The store.
        gallery: The pictures.
        language: Its language.
        path: Its path within the language.
        pairs: What stands behind the path.

    Raises:
        ExambenchError: What it would show cannot be computed.
        UnfinishedError: It takes longer than a reader waits, and goes on in the background.
    """
    page = _page(moment, gallery, path, pairs)
    if page is None:
        return error_page(language, "view_not_found", 404)
    titles = " · ".join(sorted(set(moment.titles().values()))) or "exambench"
    html = render(_frame(titles, has_items=bool(moment.runs())), page, language)
    return _written(200, html)


def error_page(language: str, heading: str, status: int, reason: str = "") -> Written:
    """Return a page that says why another one is not there, or not yet."""
    page = Page(path=FIRST, template="error.html", heading=heading, content={"reason": reason, "poll": POLL_IDLE})
    return _written(status, render(_frame("exambench", has_items=False), page, language))


def asset(name: str) -> bytes | None:
    """Return a file that pages need; ``None`` where there is none of that name."""
    if name in OWN_ASSETS:
        return files(VIEW).joinpath("assets", name).read_bytes()
    return files(SITE).joinpath("assets", name).read_bytes() if name in SITE_ASSETS else None


def site_file(moment: Moment, path: str) -> bytes | None:
    """Return a file with the data of the site's pages; ``None`` where there is none of that name.

    Raises:
        ExambenchError: It cannot be computed.
    """
    found: dict[str, bytes] = moment.memory.get("files", moment.stamp, lambda: dict(_files(moment)))
    return found.get(path)


def _files(moment: Moment) -> Iterator[tuple[str, bytes]]:
    material = moment.material()
    yield from data_files(material, sheets_of(material))
    yield from download_files(material)


def _frame(title: str, *, has_items: bool) -> Frame:
    return Frame(
        title=title,
        has_items=has_items,
        policy=POLICY,
        packages=(VIEW, SITE),
        navigation=((RUNS, "view_runs"), *NAVIGATION),
        styles=("view.css",),
        scripts=("view.js",),
    )


def _page(moment: Moment, gallery: Gallery, path: str, pairs: Pairs) -> Page | None:
    if path == RUNS:
        return Page(path=RUNS, template="runs.html", heading="view_runs", content=_runs(moment))
    folder, _, name = path.partition("/")
    if not path.endswith(".html"):  # a browser asks for an icon of its own accord; that is no reason to rank models
        return None
    if folder in {"run", "answer"}:
        return _of_run(moment, folder, name.removesuffix(".html"), pairs)
    if folder == "items":
        return _of_items(moment, gallery).get(path)
    return _of_site(moment).get(path) or (_nothing_yet() if path == FIRST else None)


def _runs(moment: Moment) -> dict[str, object]:
    return {
        "found": moment.progress(),
        "titles": moment.titles(),
        "poll": POLL_BUSY if moment.is_busy() else POLL_IDLE,
        "place": moment.store.place,
    }


def _of_run(moment: Moment, folder: str, run_id: str, pairs: Pairs) -> Page | None:
    run = moment.run(run_id)
    if run is None:
        return None
    filters = read_filters(pairs)
    poll = {"poll": POLL_BUSY if moment.is_busy() else POLL_IDLE}
    if folder == "run":
        content = run_content(moment, run, filters)
        query = addresses.query_of(filters)
        return Page(addresses.of_run(run_id), "run.html", name=run.model_name, content=content | poll, query=query)
    place = place_in(pairs)
    found = answer_content(moment, run, place, filters)
    if found is None:
        return None
    return Page(
        path=f"answer/{run_id}.html",
        template="answer.html",
        name=f"{run.model_name} · {place[0]}",
        content=found | poll,
        query=addresses.query_of_answer(place, filters),
    )


def place_in(pairs: Pairs) -> tuple[str, int]:
    """Return the item and the trial in an address."""
    values = dict(pairs)
    return values.get("item", ""), number_in(values.get("trial", ""), 0, FURTHEST_PAGE)


def _of_site(moment: Moment) -> Mapping[str, Page]:
    def made() -> dict[str, Page]:
        material = moment.material()
        return {page.path: page for page in site_pages(material, sheets_of(material))}

    return moment.memory.soon("site", moment.stamp, made)


def _of_items(moment: Moment, gallery: Gallery) -> Mapping[str, Page]:
    def made() -> dict[str, Page]:
        sets = [gallery.with_pictures(items) for items in gather_items(moment.store, moment.all_scores())]
        return {page.path: page for page in item_pages(sets)}

    return moment.memory.soon("item pages", moment.stamp, made)


def _nothing_yet() -> Page:
    return Page(path=FIRST, template="empty.html", heading="leaderboard", content={"poll": POLL_IDLE})


def _written(status: int, html: str) -> Written:
    body = html.encode("utf-8", "replace")
    return Written(status, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
