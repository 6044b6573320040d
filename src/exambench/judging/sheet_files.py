"""Scoring sheets as files for people: one a rater, and the rubric for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from exambench.judging.rubric import Rubric
from exambench.judging.sheet_pictures import (
    BESIDE,
    NONE,
    Pictures,
    columns_of,
    picture_width,
    place_pictures,
    with_columns,
)
from exambench.judging.sheet_writing import SheetFile, WholeNumbers, free_paths, write_sheet_files
from exambench.judging.sheets import ScoringSheet

RUBRIC: Final = "rubric.txt"
WIDTHS: Final = (14, 45, 30, 8, 45, 12, 70)
SCORE_WIDTH: Final = 12


def check_room(folder: Path, raters: Sequence[str], *, xlsx: bool) -> list[Path]:
    """Return the paths that the sheets of these raters will have, the rubric's first.

    Raises:
        ConfigError: One of the files is there already, which may be filled in.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    return free_paths(folder, [RUBRIC], [_stem(rater) for rater in raters], xlsx=xlsx)


def write_sheets(
    folder: Path, sheets: Sequence[ScoringSheet], rubric: Rubric, *, xlsx: bool, pictures: Pictures = NONE
) -> list[Path]:
    """Write each rater's sheet, and the rubric for all of them, into a folder; return the paths.

    Args:
        folder: Made if it is not there.
        sheets: One a rater.
        rubric: What raters score by.
        xlsx: Whether to write XLSX files beside the CSV files.
        pictures: The pictures of the sheets, by path, for the XLSX files; the CSV files have the paths.

    Raises:
        ConfigError: One of the files is there already, or cannot be written; then none of them is left.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
    """
    files = [_file(sheet, rubric, pictures) for sheet in sheets]
    return write_sheet_files(folder, {RUBRIC: f"{rubric.axes_text}\n"}, files, xlsx=xlsx)


def _file(sheet: ScoringSheet, rubric: Rubric, pictures: Pictures) -> SheetFile:
    axes = len(rubric.axes)
    shown = [picture_width()] * columns_of(sheet)
    widths = (*WIDTHS[:BESIDE], *shown, *WIDTHS[BESIDE:], *[SCORE_WIDTH] * axes)
    pictured = with_columns(sheet)
    return SheetFile(
        stem=_stem(sheet.rater),
        header=sheet.header,
        rows=sheet.rows,
        widths=widths,
        takes=WholeNumbers(axes, sheet.low, sheet.high),
        explained=("rubric", tuple(rubric.axes_text.splitlines())),
        spreadsheet=pictured,
        finish=partial(place_pictures, sheet=pictured, pictures=pictures, widths=widths) if shown else None,
    )


def _stem(rater: str) -> str:
    return f"scores-{rater}"
