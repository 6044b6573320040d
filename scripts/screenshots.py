"""Take the pictures of docs/images: site and explorer of baselines on kmet-mini, and the published leaderboard.

Usage: python scripts/screenshots.py docs/images. Needs the extras ``site`` and ``view``, Playwright and Debian's
Chromium and fonts.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from exambench.store import open_existing_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MODELS: Final = ("baseline/longest", "baseline/first", "baseline/random")
COLOURS: Final = 96
"""Of a picture's palette: enough for text and bars."""


@dataclass(frozen=True)
class Shot:
    """A picture to take.

    Attributes:
        name: Of its file.
        path: The page, within the site; ``*`` stands for the identifier of a run.
        width: Of the window, in CSS pixels.
        height: Likewise.
        dark: Whether the reader prefers dark.
        other: A model to draw beside; none when empty.
    """

    name: str
    path: str
    width: int
    height: int
    dark: bool = False
    other: str = ""


SHOTS: Final = (
    Shot("site-leaderboard.png", "ranking/published-kmetbench-vision.html", 1280, 860),
    Shot("site-leaderboard-ko-dark.png", "ko/ranking/published-kmetbench-vision.html", 1280, 860, dark=True),
    Shot("site-model.png", "model/*.html", 1280, 900, other="baseline/random"),
    Shot("site-phone.png", "ranking/published-kmetbench-text.html", 390, 780),
)

VIEWS: Final = (
    Shot("view-run.png", "run/{run}.html?outcome=wrong&show=models", 1280, 860),
    Shot("view-answer-ko-dark.png", "ko/answer/{run}.html?item=50&trial=0&show=models", 1280, 1000, dark=True),
)
"""Pages of the explorer; ``{run}`` stands for the identifier of the first run."""


def main() -> None:
    """Build a site in a temporary folder, and take its pictures into the folder that the command line names."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        store = sit(Path(name))
        site = build(Path(name), store)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for shot in SHOTS:
            take(browser, min(site.glob(shot.path)).as_uri(), shot, out)
        with open_existing_store(store) as results, viewing(store) as address:
            run = results.records()[0].run_id
            for shot in VIEWS:
                take(browser, address + shot.path.format(run=run), shot, out)
        browser.close()


def sit(folder: Path) -> str:
    """Let the baselines sit kmet-mini, and return the store."""
    store = str(folder / "baselines.db")
    models = [word for model in MODELS for word in ("--model", model)]
    exambench("run", "--benchmark", "kmet-mini", *models, "--store", store)
    return store


def build(folder: Path, store: str) -> Path:
    """Return the folder of the site of a store."""
    site = folder / "site"
    exambench("site", str(site), "--store", store, "--published", "kmetbench")
    return site


@contextmanager
def viewing(store: str) -> Iterator[str]:
    """Serve a store, and give the address."""
    command = [sys.executable, "-m", "exambench", "view", "--store", store]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        yield str(process.stdout and process.stdout.readline().strip())
        process.send_signal(signal.SIGINT)


def exambench(*arguments: str) -> None:
    """Run a command of the toolkit."""
    subprocess.run([sys.executable, "-m", "exambench", *arguments], check=True)  # noqa: S603 - our own command


def take(browser: Browser, address: str, shot: Shot, out: Path) -> None:
    """Open a page and take its picture."""
    page = browser.new_page(
        viewport={"width": shot.width, "height": shot.height}, color_scheme="dark" if shot.dark else "light"
    )
    page.goto(address, wait_until="networkidle")
    if shot.other:
        beside(page, shot.other)
    path = out / shot.name
    page.screenshot(path=path)
    page.close()
    reduce(path)
    print(f"{path}: {path.stat().st_size:,} bytes")


def beside(page: Page, other: str) -> None:
    """Draw another model in the first figure."""
    page.locator("select.other").first.select_option(label=other)
    page.locator(".second-shape").first.wait_for(state="attached")


def reduce(path: Path) -> None:
    """Write a picture with a palette, which is a third of the size."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main()
