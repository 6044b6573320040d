"""What ``exambench build figures`` draws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from exambench.cli.building import record_of
from exambench.cli.drawing import members, warn
from exambench.report.figures.densities import NAME, densities
from exambench.report.figures.fonts import find_font
from exambench.report.figures.language import Language
from exambench.report.figures.rendering import FileFormat
from exambench.report.figures.writing import write_figures


def draw_stage(project: Path, stage: str, folder: Path, formats: str, language: Language) -> Iterator[str]:
    """Draw a stage's densities; yield a line that names the files.

    Raises:
        ConfigError: There is no such stage or format, or the folder cannot be written to.
        DataError: The stage has not run, or there is nothing to draw.
    """
    figure = densities(record_of(project, stage), language)
    wanted = members(FileFormat, [formats], "--format")
    for written in write_figures(folder, [(f"{stage}-{NAME}", figure)], wanted, find_font()):
        warn(written)
        yield f"{written.stem} {' '.join(written.files)}"
