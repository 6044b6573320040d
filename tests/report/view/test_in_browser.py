"""The explorer in a real browser: filters, keys, a run in progress, hostile texts, and what a store in trouble does."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from aiohttp import web
from playwright.sync_api import expect

from exambench.report.view.live import Moment
from exambench.store import open_store
from tests.report.view.conftest import HOSTILE, Example
from tests.support import stored_runs as made
from tests.support.browser import Watched, serious_barriers, watched_page
from tests.support.chat_server import Call, Reply, serve
from tests.support.commands import start
from tests.support.exams import write_exam
from tests.support.sittings import right, run_arguments, wait_for_calls
from tests.support.viewing import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def address(example: Example) -> Iterator[str]:
    """Where the example is served."""
    with serving(example.path, images=example.images) as served:
        yield served


@pytest.fixture
def reader(browser: Browser, address: str) -> Iterator[Watched]:
    """A reader of the example: nothing on the console, no request to another host, whatever is tested."""
    with watched_page(browser) as watched:
        yield watched
        assert watched.complaints == []
        assert watched.outside(address) == []


def answer_at(example: Example, run: int, item: str, **more: str) -> str:
    """Return the address of an answer's page, without the server."""
    return f"answer/{example.runs[run].run_id}.html?{urlencode({'item': item, 'trial': '0', **more})}"


def test_a_choice_is_shown_at_once_and_stands_in_the_address(reader: Watched, address: str, example: Example) -> None:
    """The page is not loaded anew, the focus stays, the way back leads back, the other language keeps the choice."""
    page = reader.page
    reader.open(f"{address}run/{example.runs[1].run_id}.html")
    page.evaluate("window.same = true")
    page.get_by_role("checkbox", name="wrong").focus()
    page.keyboard.press("Space")
    page.wait_for_url("**?outcome=wrong")
    expect(page.locator("#lines .state:not(.wrong)")).to_have_count(0)
    assert page.evaluate("window.same")
    assert page.evaluate("document.activeElement.value") == "wrong"
    page.get_by_label("Axis").select_option("korean")
    page.wait_for_url("**?axis=korean&outcome=wrong")
    page.get_by_label("Search questions").fill("27번")
    page.keyboard.press("Enter")
    page.wait_for_url("**?q=27*")
    expect(page.locator("#lines tr")).to_have_count(1)
    page.get_by_role("link", name="한국어").click()
    page.wait_for_url("**/ko/run/**q=27**axis=korean**outcome=wrong")
    assert page.locator("#lines tr").count() == 1
    page.go_back()
    page.go_back()
    expect(page.locator("#lines tr")).not_to_have_count(1)


def test_arrow_keys_go_through_the_selection(reader: Watched, address: str, example: Example) -> None:
    """Not while one types; at the end they do nothing."""
    page = reader.page
    reader.open(address + answer_at(example, 1, "문항 1", outcome="unparsed"))
    assert "1 of 2" in page.locator("#steps").inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**trial=1&outcome=unparsed")
    assert "2 of 2" in page.locator("#steps").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**trial=0&outcome=unparsed")
    page.locator("#steps").get_by_role("link", name="List").click()
    page.wait_for_url("**?outcome=unparsed")
    search = page.get_by_label("Search questions")
    search.fill("ab")
    search.press("ArrowLeft")
    assert page.evaluate("document.activeElement.selectionStart") == 1


def test_pictures_are_in_their_place(reader: Watched, address: str, example: Example) -> None:
    """Loaded, with words for who does not see them."""
    reader.open(address + answer_at(example, 1, "문항 0"))
    picture = reader.page.get_by_alt_text("Picture chart.png")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 40)


@dataclass(frozen=True)
class Window:
    """How somebody reads."""

    width: int
    dark: bool
    language: str


@pytest.mark.parametrize("window", [Window(1280, dark=False, language=""), Window(390, dark=True, language="ko/")])
def test_pages_have_no_serious_barriers(browser: Browser, address: str, example: Example, window: Window) -> None:
    """Wide and light, narrow and dark; and nothing is wider than the window."""
    first = f"run/{example.runs[1].run_id}.html?outcome=unparsed" if window.dark else "runs.html"
    paths = [first, answer_at(example, 1, "문항 1")]
    with watched_page(browser, width=window.width, dark=window.dark) as watched:
        for path in paths:
            watched.open(address + window.language + path)
            assert serious_barriers(watched.page) == []
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= window.width
        assert watched.complaints == []


def test_hostile_texts_do_nothing(reader: Watched, address: str, example: Example) -> None:
    """In names, questions, answers, reasoning, verdicts, searches: they are read, not run."""
    run = example.runs[2].run_id
    for path in (
        "runs.html",
        f"run/{run}.html?{urlencode({'q': '<script>'})}",
        answer_at(example, 2, "문항 1", q=HOSTILE),
        answer_at(example, 1, "문항 1"),
        answer_at(example, 2, HOSTILE),
    ):
        reader.open(address + path)
        assert reader.page.evaluate("window.hacked") is None
        assert reader.page.locator("a[href^=javascript]").count() == 0
    assert "<script>" in reader.page.locator("h1").inner_text()


def test_the_pages_work_without_scripts(browser: Browser, address: str, example: Example) -> None:
    """Filters are a form, and steps are links."""
    with watched_page(browser, scripts=False) as watched:
        page = watched.page
        watched.open(f"{address}run/{example.runs[1].run_id}.html")
        page.get_by_label("Worth a look").select_option("readings")
        page.get_by_role("button", name="Apply").click()
        assert "1–1 of 1" in page.locator("#found").inner_text()
        page.locator("#lines a").first.click()
        assert "1 of 1" in page.locator("#steps").inner_text()


def test_a_choice_that_was_made_before_the_script_ran_counts(reader: Watched, address: str, example: Example) -> None:
    """On a slow line a reader ticks a box of a page whose script is still on its way."""
    reader.page.add_init_script(
        "document.addEventListener('readystatechange', () => {"
        " const box = document.querySelector('input[name=outcome][value=wrong]');"
        " if (box && document.readyState === 'interactive') box.checked = true; })"
    )
    reader.open(f"{address}run/{example.runs[1].run_id}.html")
    expect(reader.page).to_have_url(re.compile("outcome=wrong"))


def test_a_run_in_progress_moves_by_itself(browser: Browser, tmp_path: Path) -> None:
    """Another process asks a model; the reader's choice, focus and place stay while progress and answers come in."""
    gate, rest = threading.Event(), 30
    data = write_exam(tmp_path, 40)

    def script(call: Call) -> Reply:
        async def reply(request: web.Request) -> web.StreamResponse:
            if call.number >= rest:
                await asyncio.to_thread(gate.wait)
            return await right(call)(request)

        return reply

    store = tmp_path / "a.db"
    with serve(script) as server:
        process = start(run_arguments(data, server, store, "--concurrency", "4"))
        try:
            wait_for_calls(server, rest + 4)
            with serving(store) as address, watched_page(browser, height=500) as watched:
                page = watched.page
                watched.open(f"{address}runs.html")
                page.locator("#runs .tag.good", has_text="running").wait_for()
                assert "30 of 40 answered" in page.locator("#runs").inner_text()
                assert "30 answered" in page.locator("#runs").inner_text()
                page.locator("#runs a").click()
                page.get_by_label("right").check()
                expect(page.locator("#lines tr")).to_have_count(30, timeout=30_000)
                page.evaluate("window.same = true; scrollTo(0, 400)")
                page.locator("#lines a").nth(5).focus()
                gate.set()
                expect(page.locator("#lines tr")).to_have_count(40, timeout=30_000)
                page.locator("#head .tag", has_text="complete").wait_for()
                assert page.evaluate("window.same")
                assert page.evaluate("scrollY") == 400
                assert page.evaluate("document.activeElement.textContent") == "6"
                assert "outcome=right" in page.url
                assert watched.complaints == []
        finally:
            gate.set()
            assert process.wait(30) == 0
            assert process.stderr is not None
            process.stderr.close()


def test_the_leaderboard_keeps_what_the_reader_chose(browser: Browser, tmp_path: Path) -> None:
    """Metric, order and search hold for the scores that come in while the page is open."""
    exam = made.exam(*(made.item(number) for number in range(4)))
    path = tmp_path / "a.db"

    def sit(model: str, *choices: int) -> None:
        written = {item.id: [made.answer(choice)] for item, choice in zip(exam.items, choices, strict=True)}
        with open_store(str(path)) as store:
            made.add_run(store, exam, model, written)

    sit("good", 1, 2, 3, 4)
    sit("bad", 2, 3, 4, 1)
    with serving(path) as address, watched_page(browser) as watched:
        page = watched.page
        watched.open(f"{address}index.html")
        page.get_by_role("button", name="Korean", exact=True).first.click()
        page.locator("th[data-sort=name] button").click()
        page.get_by_label("Search models").fill("o")
        page.evaluate("window.same = true")
        expect(page.locator("#board tbody tr:not([hidden]) bdi")).to_have_text(["good"])
        sit("fool", 1, 1, 1, 1)
        expect(page.locator("#board tbody tr:not([hidden]) bdi")).to_have_text(["fool", "good"], timeout=30_000)
        assert page.evaluate("window.same")
        assert page.locator("#lead").inner_text() == "Korean"
        expect(page.locator("tr:not([hidden]) td.lead").first).to_contain_text(
            "50.0", use_inner_text=True
        )  # items 0 and 3: one of two
        assert watched.complaints == []


def test_a_ranking_that_takes_long_appears_by_itself(
    browser: Browser, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then its page says that it is being computed, and the runs are there."""
    gate, gathered = threading.Event(), Moment.material
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 0.0)
    monkeypatch.setattr(Moment, "material", lambda moment: gate.wait() and gathered(moment))
    with serving(example.path) as address, watched_page(browser) as watched:
        page = watched.page
        try:
            watched.open(f"{address}ko/index.html")
            assert page.locator("h1").inner_text() == "계산하고 있습니다"
            page.get_by_role("link", name="실행", exact=True).first.click()
            page.locator("#runs", has_text="mixed").wait_for()
            page.go_back()
            page.locator("h1", has_text="계산하고 있습니다").wait_for()
        finally:
            gate.set()
        page.locator("#board").wait_for(timeout=30_000)
        assert watched.complaints == []


def test_a_page_tells_that_its_store_is_in_trouble_and_recovers(
    browser: Browser, example: Example, tmp_path: Path
) -> None:
    """What was known stays, with a word about it; when the store is back, the word goes."""
    path, away = tmp_path / "a.db", tmp_path / "away.db"
    shutil.copy(example.path, path)
    with serving(path) as address, watched_page(browser) as watched:
        page = watched.page
        watched.open(f"{address}runs.html")
        path.rename(away)
        page.locator("#strip", has_text="No answer from the server").wait_for(timeout=30_000)
        assert "mixed" in page.locator("#runs").inner_text()
        page.reload()
        page.locator("h1", has_text="The store cannot be read").wait_for()
        away.rename(path)
        page.locator("#runs", has_text="mixed").wait_for(timeout=30_000)
