"""Which pages a site has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from exambench.report.site.boards import Sheet, sheet_of, short_titles
from exambench.report.site.material import Material
from exambench.report.site.published_papers import papers_of
from exambench.report.site.rendering import Page

TRAITS: Final = ("korean", "vision", "thinking", "proprietary", "baseline")
SIZES: Final = ((0, 3, "≤ 3B"), (3, 10, "3–10B"), (10, 40, "10–40B"), (40, 100_000, "> 40B"))


def sheets_of(material: Material) -> tuple[Sheet, ...]:
    """Return the rankings of a site, those of runs first, those of papers as they were named."""
    published = [sheet for paper in papers_of(material) for sheet in paper.sheets]
    return (*map(sheet_of, material.boards), *published)


def board_pages(sheets: Sequence[Sheet]) -> Iterator[Page]:
    """Yield a page for each ranking; the first one is the first page of the site."""
    paths = board_paths(sheets)
    for sheet in sheets:
        telling = [trait for trait in TRAITS if len({trait in line.traits for line in sheet.lines}) > 1]
        yield Page(
            path=paths[sheet.key],
            template="board.html",
            name=sheet.name,
            content={
                "sheet": sheet,
                "sheets": [(other, paths[other.key]) for other in sheets],
                "several_benchmarks": len({other.name for other in sheets}) > 1,
                "traits": telling,
                "sizes": SIZES if any(line.size is not None for line in sheet.lines) else (),
                "short_titles": [short_titles(metric) for metric in sheet.metrics],
            },
        )


def board_paths(sheets: Sequence[Sheet]) -> Mapping[str, str]:
    """Return where the page of each ranking stands, by its key."""
    return {sheet.key: f"ranking/{sheet.key}.html" if number else "index.html" for number, sheet in enumerate(sheets)}
