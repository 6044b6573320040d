"""A real browser for the tests of pages: Debian's Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.support.parts import require_part

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ABORTED: Final = "net::ERR_ABORTED"
"""Says of a request that the reader has gone to another page meanwhile."""
AXE: Final = {"preload": False, "resultTypes": ["violations"]}
"""Preloading asks for style sheets; what passes need not be described."""
SERIOUS: Final = frozenset({"serious", "critical"})


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser, and stop it at the end; skip, or fail in CI, where there is none."""
    program = shutil.which("chromium")
    require_part(
        "Chromium", "Install it with: apt-get install --no-install-recommends chromium", found=program is not None
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watched:
    """A page that notes what goes wrong on it.

    Attributes:
        page: The page.
        complaints: Errors on the console, exceptions that nobody caught, requests that failed.
        requests: Addresses of everything that it asked for.
    """

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def outside(self, *own: str) -> list[str]:
        """Return the requests that went to another host than these, or that are no files."""
        hosts = {urlsplit(address).netloc for address in own}
        return [
            address
            for address in self.requests
            if urlsplit(address).scheme not in {"file", "data", "blob", "about"}
            and urlsplit(address).netloc not in hosts
        ]

    def open(self, address: str | Path) -> None:
        """Go to an address, or to a file, and wait until it has loaded."""
        self.page.goto(address if isinstance(address, str) else address.resolve().as_uri())


@contextmanager
def watched_page(
    browser: Browser, *, width: int = 1280, height: int = 900, dark: bool = False, scripts: bool = True
) -> Iterator[Watched]:
    """Open a page in a profile of its own.

    Args:
        browser: The browser.
        width: Of the window, in CSS pixels.
        height: Likewise.
        dark: Whether the reader's system prefers dark.
        scripts: Whether scripts run.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    try:
        page = context.new_page()
        watched = Watched(page)
        page.on("console", lambda message: _note(watched, message.type, message.text))
        page.on("pageerror", lambda error: watched.complaints.append(f"uncaught: {error}"))
        page.on("request", lambda request: watched.requests.append(request.url))
        page.on("requestfailed", lambda request: _note_failure(watched, request))
        yield watched
    finally:
        context.close()


def serious_barriers(page: Page) -> list[str]:
    """Return what axe-core finds on a page that is serious or critical, as rule and elements."""
    found = Axe().run(page, options=AXE).response["violations"]
    return [
        f"{violation['id']}: {[node['target'] for node in violation['nodes']][:3]}"
        for violation in found
        if violation["impact"] in SERIOUS
    ]


def _note(watched: Watched, kind: str, text: str) -> None:
    if kind in {"error", "warning"}:
        watched.complaints.append(f"{kind}: {text}")


def _note_failure(watched: Watched, request: Request) -> None:
    if request.failure != ABORTED:
        watched.complaints.append(f"failed: {request.url}: {request.failure}")
