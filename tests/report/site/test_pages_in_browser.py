"""The pages in a real browser: what a reader sees, types and clicks, and what no reader should ever see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from exambench.benchmarks.published import load_published
from exambench.report.site.building import build_site
from exambench.report.site.material import Material
from tests.support.browser import Watched, serious_barriers, watched_page
from tests.support.site import HOSTILE, hostile_exam, hostile_runs, material_of, runs_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


CLIPPED = """() => [...document.querySelectorAll(".board td, .board th")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => cell.textContent.trim())"""
"""The cells of a ranking whose text runs into the next column."""


@pytest.fixture(scope="module")
def material() -> Material:
    """What the site is made of, with six of the published models: rows are all alike, and axe looks at each."""
    published = load_published().kmetbench
    seeing, reading = ([row for row in published.leaderboard if row.is_vision_model is sees] for sees in (True, False))
    return replace(
        material_of(runs_of(), items=True),
        published=(replace(published, leaderboard=(*seeing[:3], *reading[:3])), load_published().scholarbench),
    )


@pytest.fixture(scope="module")
def site(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site in a folder."""
    out = tmp_path_factory.mktemp("pages") / "site"
    build_site(material, out)
    return out


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose names, questions, choices and reasons try to be more than text."""
    out = tmp_path_factory.mktemp("hostile") / "site"
    build_site(material_of(hostile_runs(hostile_exam()), items=True), out)
    return out


@contextmanager
def opened(browser: Browser, path: Path, **how: int | bool) -> Iterator[Watched]:
    """Open a page, and hold at the end that nothing went wrong and nobody else was asked for anything."""
    with watched_page(browser, **how) as watched:  # type: ignore[arg-type] # width, height, dark, scripts
        watched.open(path)
        yield watched
        assert watched.complaints == []
        assert watched.outside() == []


def models(page: Page) -> list[str]:
    """Return the names in the ranking, from the top, those that are shown; rows out of sight have no inner text."""
    return page.locator("#board tbody tr:not([hidden]) th bdi").all_text_contents()


def test_a_ranking_is_sorted_by_any_column(browser: Browser, site: Path) -> None:
    """A click sorts by a column, another turns it round; models without a score stand last both ways."""
    with opened(browser, site / "index.html") as watched:
        page = watched.page
        assert models(page)[:3] == ["best", "good", "middling"]
        page.get_by_role("button", name="Model").click()
        assert models(page) == ["best", "good", "middling", "unfinished", "weak", "weakest"]
        assert page.locator("th[aria-sort]").inner_text().startswith("Model")
        page.get_by_role("button", name="Model").click()
        assert models(page)[0] == "weakest"
        page.get_by_role("columnheader", name="Korean").get_by_role("button").click()
        # Of items 2, 4, 6, 8, 10 and 12: best 6, middling 4 (2, 6, 8, 12), good 4. The unfinished run has 3 of 3.
        assert models(page)[0] == "best"
        assert models(page)[-1] == "unfinished"


def test_a_metric_shows_its_own_ranks_and_intervals(browser: Browser, site: Path) -> None:
    """The chosen metric stands in front with its interval, n and rank, as the data say."""
    with opened(browser, site / "index.html") as watched:
        page = watched.page
        page.get_by_role("button", name="Korean", exact=True).first.click()
        first = page.locator("#board tbody tr", has_text="good")
        expect(first.locator(".lead b")).to_have_text("66.7", use_inner_text=True)  # four of six
        expect(first.locator(".lead .more")).to_have_text(re.compile(r"n=6$"), use_inner_text=True)
        assert page.locator("#lead").inner_text() == "Korean"
        assert page.locator("#chance").inner_text() == "25.0"


def test_a_published_table_keeps_the_units_of_its_paper(browser: Browser, site: Path) -> None:
    """Shares with three decimals, whichever column leads: in Table 2 o3-mini has the average .543 and MCQ .728."""
    with opened(browser, site / "ranking" / "published-scholarbench-table02.html") as watched:
        row = watched.page.locator("#board tbody tr").filter(has_text="o3-mini")
        expect(row.locator("td.lead")).to_have_text("0.543", use_inner_text=True)
        watched.page.get_by_role("button", name="MCQ multiple choice").click()
        expect(row.locator("td.lead")).to_have_text("0.728", use_inner_text=True)
        assert models(watched.page)[:2] == ["Qwen-72b", "Llama-70b"]  # .755 and .746, as printed


def test_a_ranking_is_searched_and_filtered(browser: Browser, site: Path) -> None:
    """Words, traits and sizes narrow it; the number of models that are left is said."""
    with opened(browser, site / "index.html") as watched:
        page = watched.page
        page.get_by_role("searchbox").fill("WEAK")
        assert models(page) == ["weak", "weakest"]
        assert page.locator("#shown").inner_text() == "2 of 6 models"
        page.get_by_role("searchbox").fill("")
        page.get_by_label("Korean model").check(force=True)
        assert models(page) == ["middling", "weak"]
        page.get_by_label("Size").select_option(label="≤ 3B")
        assert models(page) == ["weak"]
        page.get_by_label("proprietary").check(force=True)
        assert models(page) == []
        assert page.locator("#nothing").is_visible()


def test_a_cell_tells_its_interval_to_everybody(browser: Browser, site: Path) -> None:
    """The interval and n are in the text that a screen reader reads, and are shown on hover."""
    with opened(browser, site / "index.html") as watched:
        cell = watched.page.locator("#board tbody tr", has_text="best").locator("td.axis:not([hidden])").first
        expect(cell).to_have_text("100.0 100.0–100.0 n=6", use_inner_text=True)
        assert cell.locator("i").evaluate("each => getComputedStyle(each).opacity") == "0"
        cell.hover()
        assert cell.locator("i").evaluate("each => getComputedStyle(each).opacity") == "1"


def test_a_second_model_is_drawn_beside_the_first(browser: Browser, material: Material, site: Path) -> None:
    """The reader picks it; the data are loaded then, from the site's own folder; a link leads to the comparison."""
    best = next(row.run.run_id for row in material.boards[0].ranking.rows if row.name == "best")
    with opened(browser, site / "model" / f"{best}.html") as watched:
        page = watched.page
        part = page.locator("section.part").first
        assert not any("assets/data" in address for address in watched.requests)
        part.get_by_label("Beside").select_option(label="good")
        part.locator(".second-shape").wait_for(state="attached")
        # All items 9/12 = 0.75: the corner of the first axis stands 75 units above the centre.
        shape = part.locator(".second-shape").get_attribute("d")
        assert shape is not None
        assert "0.00 -75.00" in shape
        part.locator(".versus").click()
        page.locator("#pair table").wait_for()
        assert "best is ahead by 25.0 points" in page.locator("#pair").inner_text()


def test_any_two_models_are_compared(browser: Browser, site: Path) -> None:
    """Picking two shows their difference the right way round, and the address says which two."""
    with opened(browser, site / "compare.html") as watched:
        page = watched.page
        page.locator("#pair table").wait_for()
        page.locator("#pick-a").select_option(label="weakest")
        page.locator("#pick-b").select_option(label="middling")
        told = page.locator("#pair").inner_text()
        # middling: 8 of 12; weakest: none. Eight items speak for the one and none for the other.
        assert "weakest scores 0.0 % and middling 66.7 %" in told
        assert "middling is ahead by 66.7 points" in told
        assert "weakest does better on 0 items, middling on 8" in told
        assert "(McNemar, exact, two-sided)" in told
        assert "No removal of items turns the order" in told
        assert page.locator("#pair tbody tr").first.locator("td").nth(2).inner_text() == "−66.7"
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        page.locator("#pair table").wait_for()
        assert page.locator("#pick-a option:checked").inner_text() == "weakest"
        page.locator("#pick-b").select_option(label="weakest")
        assert page.locator("#pair").inner_text() == "Pick two different models."


def test_the_language_is_switched_and_remembered(browser: Browser, site: Path) -> None:
    """The other language is the same page; a page that is opened later comes in it."""
    with opened(browser, site / "method.html") as watched:
        page = watched.page
        assert page.locator("html").get_attribute("lang") == "en"
        page.get_by_role("link", name="한국어").click()
        page.wait_for_url("**/ko/method.html")
        assert page.locator("html").get_attribute("lang") == "ko"
        assert page.locator("h1").inner_text() == "방법"
        watched.open(site / "index.html")
        page.wait_for_url("**/ko/index.html")
        assert page.get_by_role("columnheader", name="순위").is_visible()
        page.get_by_role("link", name="English").click()
        page.wait_for_function("document.documentElement.lang === 'en'")


def test_dark_and_light_follow_the_reader(browser: Browser, site: Path) -> None:
    """The system's preference first, then the reader's click, which the next page remembers."""
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    with opened(browser, site / "index.html", dark=True) as watched:
        page = watched.page
        dark = page.evaluate(paper)
        page.locator("#theme").click()
        light = page.evaluate(paper)
        assert dark == "rgb(20, 23, 27)"
        assert light == "rgb(252, 252, 251)"
        watched.open(site / "downloads.html")
        assert page.evaluate(paper) == light


@pytest.mark.parametrize("width", [1280, 390])
def test_every_kind_of_page_is_free_of_serious_barriers_and_fits_its_window(
    browser: Browser, material: Material, site: Path, width: int
) -> None:
    """axe-core finds nothing serious, and no page is wider than the window, in both languages, light and dark."""
    run = material.boards[0].ranking.rows[0].run.run_id
    items = material.item_sets[0].key
    kinds = ["index.html", f"model/{run}.html", "compare.html", "method.html", "downloads.html"]
    kinds += ["items/index.html", f"items/{items}/11.html", "ranking/published-kmetbench-text.html"]
    kinds += ["ranking/published-scholarbench-table20.html"]
    with watched_page(browser, width=width) as watched:
        for number, kind in enumerate(kinds):
            language, colours = ("ko", "light") if (number + width) % 4 < 2 else (".", "dark")
            watched.page.emulate_media(color_scheme=colours)  # type: ignore[arg-type] # a word of two
            watched.open(site / language / kind)
            if kind == "compare.html":
                watched.page.locator("#pair table").wait_for()
            assert serious_barriers(watched.page) == [], kind
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, kind
            assert watched.page.evaluate(CLIPPED) == [], kind
        assert watched.complaints == []
        assert watched.outside() == []


@pytest.mark.parametrize("width", [1280, 800, 390])
def test_the_longest_texts_fit_their_places(browser: Browser, hostile_site: Path, width: int) -> None:
    """Names of 200 characters without a space, ranks with halves and three digits, a score of 100 on 1,774 items."""
    with opened(browser, hostile_site / "index.html", width=width) as watched:
        watched.page.evaluate("""() => {
          const row = document.querySelector("#board tbody tr");
          row.querySelector(".rank .more").textContent = "107.5–142.5";
          row.querySelector(".lead .more").textContent = "100.0–100.0 n=1,774";
        }""")
        assert watched.page.evaluate(CLIPPED) == []
        for item in hostile_site.glob("items/*/*.html"):
            watched.open(item)
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, item.name


def test_a_ranking_is_whole_without_scripts(browser: Browser, site: Path) -> None:
    """Whoever forbids scripts reads the table; what would not work is not shown."""
    with opened(browser, site / "index.html", scripts=False) as watched:
        page = watched.page
        assert len(models(page)) == 6
        assert page.locator(".lead .bar").first.is_visible()
        assert not page.locator("#controls").is_visible()


def test_everything_is_reached_by_keyboard(browser: Browser, site: Path) -> None:
    """The first stop skips to the content; filters, metrics and columns are stops, and Enter and Space work."""
    with opened(browser, site / "index.html") as watched:
        page = watched.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to content"
        page.keyboard.press("Enter")
        stops = []
        for _ in range(40):
            page.keyboard.press("Tab")
            stops.append(page.evaluate("(document.activeElement.value || document.activeElement.textContent).trim()"))
            if stops[-1] == "Korean":
                break
        page.keyboard.press("Enter")
        assert page.locator("#lead").inner_text() == "Korean"
        assert "korean" in stops  # the filter of this name comes before the metric


def test_hostile_text_stays_text_on_every_page(browser: Browser, hostile_site: Path) -> None:
    """Names, questions, choices and reasons are shown as they are; nothing runs, nothing is asked for."""
    pages = sorted(path for path in hostile_site.rglob("*.html") if "ko" not in path.parts)
    with watched_page(browser) as watched:
        for path in pages:
            watched.open(path)
            assert watched.page.title() not in {"taken", "1"}, path
            assert watched.page.locator("img[src=x], a[href^=javascript]").count() == 0, path
        watched.open(hostile_site / "index.html")
        assert HOSTILE[0][:200] in models(watched.page)
        watched.open(hostile_site / "compare.html")
        watched.page.locator("#pair table").wait_for()
        assert HOSTILE[0] in watched.page.locator("#pair").inner_text()
        assert watched.complaints == []
        assert watched.outside() == []
