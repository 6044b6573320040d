"""A site in a folder: every page in every language, or nothing."""

from __future__ import annotations

import os
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
"""Name of the file that lists what this program wrote into a folder: nothing else in it is ours to replace."""
ASSETS: Final = ("early.js", "icon.svg", "site.css", "site.js")


def build_site(material: Material, out: Path) -> int:
    """Write a site into a folder, in place of the one that it wrote there before, and return the number of pages.

    The pages are written beside the folder first, and renamed when all of them are there. A link to a folder stays
    a link.

    Raises:
        ConfigError: The folder holds something else, cannot be written, or there is no ranking to show.
        MissingExtraError: The extra ``site`` is not installed.
    """
    if not material.boards and not material.published:
        raise ConfigError(
            Finding(
                problem="no run has a score yet, so there is no ranking to show",
                field="run",
                remedy="See how far each has come with: exambench runs",
            )
        )
    try:
        place = Path(os.path.realpath(out))  # resolve() gives no path for links that lead to each other
        _refuse_others(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".exambench-", dir=place.parent) as name:
            folder = Path(name) / "new"
            count = _write(material, folder)
            _refuse_others(place)  # it may have changed meanwhile
            _put_in_place(folder, place, Path(name) / "old")
    except OSError as error:
        raise ConfigError(
            Finding(f"cannot be written: {error}", file=str(out), remedy="Name another folder")
        ) from error
    return count


def _write(material: Material, folder: Path) -> int:
    """Write all files of a site and the list of them, and return the number of pages."""
    folder.mkdir()
    folders, written = {folder}, []
    for path, content in site_files(material):
        target = folder / path
        if target.parent not in folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            folders.add(target.parent)
        target.write_bytes(content)
        written.append(path)
    (folder / MARKER).write_bytes("".join(f"{path}\n" for path in sorted(written)).encode())
    return sum(path.endswith(".html") for path in written)


def _put_in_place(new: Path, place: Path, aside: Path) -> None:
    """Rename a folder to where another one may be; that one comes back when it fails."""
    held = place.exists()
    if held:
        place.rename(aside)
    try:
        new.rename(place)
    except OSError:
        if held and not place.exists():
            aside.rename(place)
        raise


def site_files(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a site as its path, with forward slashes, and its bytes."""
    sheets = sheets_of(material)
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


def _refuse_others(place: Path) -> None:
    """Hold that replacing a folder destroys nothing but an older site.

    Raises:
        ConfigError: Something else is there.
    """
    if not place.exists():
        return
    foreign = _foreign(place) if place.is_dir() else place
    if foreign is not None:
        raise ConfigError(
            Finding(
                problem="is there already, and this command did not write it",
                file=str(foreign),
                allowed="a new folder, an empty one, or one with a site that this command has written and nothing else",
                remedy="Move it elsewhere, or name another folder",
            )
        )
    if Path.cwd().is_relative_to(place):
        raise ConfigError(
            Finding(
                problem="is the folder that the command runs in, which it would replace",
                file=str(place),
                remedy="Run the command from another folder",
            )
        )


def _foreign(folder: Path) -> Path | None:
    """Return something in a folder that is not of the site there; ``None`` where there is nothing."""
    marker = folder / MARKER
    listed = marker.read_text(encoding="utf-8").splitlines() if marker.is_file() else []
    ours = {folder / path for path in listed} | {marker}
    ours |= {parent for path in ours for parent in path.parents}
    return next((path for path in sorted(folder.rglob("*")) if path not in ours), None)
