"""A site in a folder: every page in every language, or nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from exambench.errors import ConfigError, Finding
from exambench.report.site.boards import Sheet
from exambench.report.site.catalogue import LANGUAGES
from exambench.report.site.comparing import compare_page, data_files
from exambench.report.site.downloads import download_files, downloads_page
from exambench.report.site.item_pages import item_files, item_pages
from exambench.report.site.material import Material
from exambench.report.site.method import method_page
from exambench.report.site.model_pages import model_pages
from exambench.report.site.pages import board_pages, board_paths, sheets_of
from exambench.report.site.rendering import Frame, Page, path_in, render

MARKER: Final = ".exambench-site"
"""Name of the file that tells a folder of ours from other people's."""
ASSETS: Final = ("early.js", "icon.svg", "site.css", "site.js")


def build_site(material: Material, out: Path) -> int:
    """Write a site into a folder, in place of the one that it wrote there before, and return the number of pages.

    The pages are written beside the folder first, and renamed when all of them are there.

    Raises:
        ConfigError: The folder holds something else, or there is no ranking to show.
        MissingExtraError: The extra ``site`` is not installed.
    """
    _refuse_others(out)
    if not material.boards and material.published is None:
        raise ConfigError(
            Finding(
                problem="no run has a score yet, so there is no ranking to show",
                field="run",
                remedy="See how far each has come with: exambench runs",
            )
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as name:
        folder = Path(name) / "new"
        folder.mkdir()
        for path, content in site_files(material):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            count += path.endswith(".html")
        if out.exists():
            out.rename(Path(name) / "old")
        folder.rename(out)
    return count


def site_files(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a site as its path, with forward slashes, and its bytes."""
    sheets = sheets_of(material)
    yield MARKER, b""
    for asset in ASSETS:
        yield f"assets/{asset}", files(__package__).joinpath("assets", asset).read_bytes()
    yield from data_files(material, sheets)
    yield from download_files(material)
    yield from item_files(material.item_sets)
    frame = Frame(material.title, has_items=bool(material.item_sets))
    for page in pages(material, sheets):
        for language in LANGUAGES:
            yield path_in(language, page.path), render(frame, page, language).encode()


def pages(material: Material, sheets: Sequence[Sheet]) -> Iterator[Page]:
    """Yield every page of a site.

    Args:
        material: What the site is made of.
        sheets: Its rankings, as :func:`~exambench.report.site.pages.sheets_of` returns them.
    """
    yield from board_pages(sheets)
    yield from model_pages(material, sheets, board_paths(sheets))
    yield compare_page(material, sheets)
    yield method_page(material, sheets)
    yield downloads_page(material)
    yield from item_pages(material.item_sets)


def _refuse_others(out: Path) -> None:
    if out.is_dir() and ((out / MARKER).is_file() or not any(out.iterdir())):
        return
    if out.exists():
        raise ConfigError(
            Finding(
                problem="is there already, and is not a site of ours",
                file=str(out),
                allowed="a new folder, an empty one, or one that this command has written",
                remedy="Name another folder",
            )
        )
