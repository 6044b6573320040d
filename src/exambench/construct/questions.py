"""From an item's lines and figures to its stem and its options, and what is doubtful about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.construct.conventions import Options
from exambench.construct.doubts import doubts_of
from exambench.construct.figures import Figure
from exambench.construct.joining import Fragment, Joined, joined
from exambench.construct.layout import Element, Layout
from exambench.construct.lines import Line
from exambench.construct.numbering import Part as PartName
from exambench.construct.numbering import Section
from exambench.construct.option_marks import Mark, marks_by_style, runs_of, text_of_mark
from exambench.construct.pages import Box, Glyph, Region, around

PARAGRAPH: Final = 0.9
"""Ems between the lines of an item's last option and what stands below it, when that is something else."""
ELSEWHERE: Final = 3.0
"""Ems between the beginnings of an option and of a line of it at most."""
_SPEAKS_OF_FIGURE: Final = re.compile(
    r"그림|사진|일기도이다|그래프이다|모식도|도표|\bfigures?\b|\bdiagram\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Part:
    """A stem or an option: its text with formulas, and its figures."""

    text: Joined
    figures: tuple[Figure, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it has neither."""
        return not self.figures and not any(not isinstance(piece, str) or piece.strip() for piece in self.text.pieces)


@dataclass(frozen=True, slots=True)
class Draft:
    """An item as it was read.

    Attributes:
        number: Its number in the paper.
        stem: The stem.
        options: The options in their order.
        part: The part by the heading before it.
        regions: Where it stands.
        faults: Why it cannot be an item as it is.
        doubts: What a person should look at.
        confidence: Of its characters, the least, in [0, 1].
        marks: The marks of its options, as glyphs, with their pages.
    """

    number: int
    stem: Part
    options: tuple[Part, ...]
    part: PartName | None
    regions: tuple[Region, ...]
    faults: tuple[str, ...]
    doubts: tuple[str, ...]
    confidence: float
    marks: tuple[tuple[int, Glyph], ...] = ()


def draft_of(section: Section, layout: Layout, convention: Options) -> Draft:
    """Read an item.

    Args:
        section: What belongs to it.
        layout: The paper.
        convention: How its options are marked, and how many there should be.
    """
    lines = [element for element in section.elements if isinstance(element, Line)]
    figures = [element for element in section.elements if isinstance(element, Figure)]
    seen = marks_by_style(lines).get(convention.style, [])
    marks, doubts, faults = _options_of(seen, lines, convention.count)
    faults += [convention.fault] if convention.fault else []
    faults += _lost_items(section, seen, convention.count)
    doubts += [convention.doubt] if convention.doubt else []
    cells, stray = _cells(lines, marks)
    by_option, of_stem = _figures_by_option(figures, marks)
    if figures and len(figures) == len(marks) and not any(cells[1:]):
        by_option, of_stem = [[], *([figure] for figure in _one_for_each(figures, marks))], []
    passage_lines = [element for element in section.passage if isinstance(element, Line)]
    stem = Part(
        joined([*fragments_of(passage_lines), *cells[0]], layout),
        (*(element for element in section.passage if isinstance(element, Figure)), *of_stem),
    )
    options = tuple(Part(joined(cells[n], layout), tuple(by_option[n])) for n in range(1, len(marks) + 1))
    glyphs = [glyph for line in lines for glyph in line.glyphs]
    faults += ["the stem is empty"] if stem.is_empty else []
    faults += [f"option {n} is empty" for n, option in enumerate(options, start=1) if option.is_empty]
    doubts += doubts_of(section, [part.text for part in (stem, *options)], glyphs, layout)
    doubts += _figure_doubts(stem, options, glyphs)
    doubts += [f"text below the last option was left out: {stray}"] if stray else []
    doubts += ["options side by side go on in another column"] if _are_parted(lines, marks) else []
    doubts += [f"a line below the last option may not belong to it: {text}" for text in _elsewhere(lines, marks)[:1]]
    return Draft(
        number=section.number,
        stem=stem,
        options=options,
        part=section.part,
        regions=_regions((*section.passage, *section.elements)),
        faults=tuple(faults),
        doubts=tuple(doubts),
        confidence=min((glyph.confidence for glyph in glyphs), default=1.0),
        marks=tuple((lines[mark.line].page, lines[mark.line].glyphs[mark.glyph]) for mark in marks),
    )


def _options_of(
    seen: Sequence[Mark], lines: Sequence[Line], expected: int
) -> tuple[tuple[Mark, ...], list[str], list[str]]:
    """Return the marks of the options, doubts and faults.

    They are the last run of marks that has as many as expected, else the longest run.
    """
    strict, all_runs = runs_of([mark for mark in seen if mark.stands_apart]), runs_of(seen)
    for runs, doubt in ((strict, ""), (all_runs, "its options are told apart by single spaces")):
        fitting = [run for run in runs if len(run) == expected]
        if fitting:
            doubts = [doubt] if doubt else []
            if sum(len(run) > 1 for run in runs) > 1:
                doubts.append("it has several runs of option marks; the last that is whole was taken")
            elif any(mark.stands_apart and mark.value == 1 and mark.place < fitting[-1][0].place for mark in seen):
                doubts.append("another first mark stands above its options, which may begin there")
            others = [mark for mark in seen if mark.stands_apart and mark.place > fitting[-1][0].place]
            odd = [text_of_mark(lines, mark) for mark in others if mark not in fitting[-1]]
            if odd:
                doubts.append(f"marks stand among its options that do not count up: {' '.join(odd)[:40]}")
            return fitting[-1], doubts, []
    longest = max((*strict, *all_runs), key=len, default=())
    found = "".join(text_of_mark(lines, mark) for mark in seen) or "none"
    return (
        longest,
        [],
        [f"it has {len(longest)} options where {expected} are expected; marks seen: {found[:40]}"],
    )


def _lost_items(section: Section, seen: Sequence[Mark], expected: int) -> list[str]:
    """Return a fault when whole items stand in one: their numbers start anew, or are of another shape."""
    whole = sum(len(run) == expected for run in runs_of(seen))
    if whole < 2 or not section.inside:  # noqa: PLR2004 - two items
        return []
    inside = ", ".join(map(str, section.inside[:10]))
    return [
        (
            f"other items may stand in it: the numbers {inside} begin lines of it, and it has {whole} times {expected} "
            "options; where numbers start anew in each part, the setting heading has to match the headings"
        )
    ]


def _cells(lines: Sequence[Line], marks: Sequence[Mark]) -> tuple[list[list[Fragment]], str]:
    """Return the parts of lines that are the stem's and each option's, and text that is neither's.

    Options that stand side by side share the lines below too: each glyph belongs to the option that begins nearest to
    its left, at the beginning of the column where they go on in another one, and to the first where none does.
    """
    cells: list[list[Fragment]] = [[] for _ in range(len(marks) + 1)]
    by_line: dict[int, list[tuple[int, Mark]]] = {}
    for number, mark in enumerate(marks, start=1):
        by_line.setdefault(mark.line, []).append((number, mark))
    current: list[tuple[float, int]] = [(float("-inf"), 0)]
    origin = 0.0
    begun = [mark.box.left - lines[mark.line].start for mark in marks]
    for place, line in enumerate(lines):
        skipped = {at for _, mark in by_line.get(place, []) for at in range(mark.glyph, mark.end)}
        if skipped:
            begins = [(line.glyphs[mark.glyph].box.left, number) for number, mark in by_line[place]]
            current, origin = [(float("-inf"), begins[0][1] - 1), *begins], line.start
        elif marks and place > marks[-1].line and _is_apart(lines[place - 1], line):
            return cells, " ".join(rest.text for rest in lines[place:])[:200]
        for at, (begin, number) in enumerate(current):
            end = current[at + 1][0] if at + 1 < len(current) else float("inf")
            left, right = begin + line.start - origin, end + line.start - origin
            glyphs = _trimmed(
                glyph
                for index, glyph in enumerate(line.glyphs)
                if index not in skipped and left <= glyph.box.middle[0] < right
            )
            if glyphs:
                own = begun[number - 1] + ELSEWHERE * line.size if number else float("inf")
                ends = [line.start + other for other in begun if other > own]
                cells[number].append(Fragment(line.page, glyphs, min(right, line.edge, *ends)))
        if skipped:
            current = [(float("-inf"), begins[0][1]), *begins[1:]]
    return cells, ""


def _are_parted(lines: Sequence[Line], marks: Sequence[Mark]) -> bool:
    """Tell whether options that stand side by side go on in another column, where their places are not sure."""
    begun: dict[int, int] = {}
    for mark in marks:
        begun[mark.line] = begun.get(mark.line, 0) + 1
    row: Line | None = None
    for place, line in enumerate(lines):
        if place in begun:
            row = line if begun[place] > 1 else None
        elif row is not None and (row.page, row.start) != (line.page, line.start):
            return True
    return False


def _is_apart(before: Line, line: Line) -> bool:
    """Tell whether a line stands farther below another one than lines of a text do, or is set larger."""
    if line.page != before.page or line.box.top < before.box.top:
        return False
    return line.box.top - before.box.bottom > PARAGRAPH * before.size or line.size > 1.1 * before.size


def _elsewhere(lines: Sequence[Line], marks: Sequence[Mark]) -> list[str]:
    """Return lines below the last option that begin far from it and those beside it, as a closing word does."""
    last = marks[-1].line if marks else len(lines)
    begins = [mark.box.left for mark in marks if mark.line == last]
    return [
        line.text[:200]
        for line in lines[last + 1 :]
        if line.glyphs and min(abs(line.box.left - left) for left in [*begins, line.start]) > ELSEWHERE * line.size
    ]


def _trimmed(glyphs: Iterable[Glyph]) -> tuple[Glyph, ...]:
    found = list(glyphs)
    while found and found[0].text.isspace():
        found.pop(0)
    return tuple(found) if any(not glyph.text.isspace() for glyph in found) else ()


def fragments_of(lines: Sequence[Line]) -> list[Fragment]:
    """Return whole lines as they are joined, without the spaces at their ends and those that hold nothing else."""
    return [Fragment(line.page, _trimmed(line.glyphs), line.edge) for line in lines if _trimmed(line.glyphs)]


def _figures_by_option(figures: Sequence[Figure], marks: Sequence[Mark]) -> tuple[list[list[Figure]], list[Figure]]:
    """Return the figures of each option, and those of the stem.

    A figure is an option's when the option's mark stands to its left; otherwise that of the nearest mark above it in
    whose column it is; and the stem's when there is none.
    """
    by_option: list[list[Figure]] = [[] for _ in range(len(marks) + 1)]
    of_stem: list[Figure] = []
    for figure in figures:
        owner = _owner(figure.region, marks)
        (of_stem if owner is None else by_option[owner]).append(figure)
    return by_option, of_stem


def _owner(region: Region, marks: Sequence[Mark]) -> int | None:
    box = region.box
    across = box.middle[0]
    best: tuple[tuple[bool, float], int] | None = None
    for number, mark in enumerate(marks, start=1):
        place = mark.box
        if mark.page != region.page or place.left > across:
            continue
        beside = _is_beside(box, place)
        if not beside and place.middle[1] > box.top:
            continue
        if any(place.left < other.left <= across for other in _row(region, mark, marks)):
            continue
        rank = (not beside, box.top - place.bottom)
        if best is None or rank < best[0]:
            best = (rank, number)
    return None if best is None else best[1]


def _one_for_each(figures: Sequence[Figure], marks: Sequence[Mark]) -> list[Figure]:
    """Return the figure of each mark, where options are pictures alone: the nearest that is left, and to the right."""
    rest = list(figures)
    found = []
    for mark in marks:
        left, height = mark.box.left, mark.box.middle[1]
        nearest = min(
            rest,
            key=lambda figure: (
                figure.region.page != mark.page,
                figure.region.box.middle[0] < left,
                any(left < each.left < figure.region.box.middle[0] for each in _row(figure.region, mark, marks)),
                not _is_beside(figure.region.box, mark.box),
                abs(figure.region.box.middle[1] - height),
            ),
        )
        rest.remove(nearest)
        found.append(nearest)
    return found


def _row(figure: Region, mark: Mark, marks: Sequence[Mark]) -> list[Box]:
    """Return the marks that stand at the height of one, or of a figure."""
    return [
        other.box
        for other in marks
        if other.page == mark.page and (_is_level(other.box, mark.box) or _is_beside(figure.box, other.box))
    ]


def _is_beside(figure: Box, mark: Box) -> bool:
    """Tell whether a mark stands at the height of a figure; one on its lower edge does."""
    return figure.top <= mark.middle[1] <= figure.bottom + mark.height / 2


def _is_level(one: Box, two: Box) -> bool:
    return abs(one.middle[1] - two.middle[1]) < two.height / 2


def _figure_doubts(stem: Part, options: Sequence[Part], glyphs: Sequence[Glyph]) -> list[str]:
    text = "".join(piece for piece in stem.text.pieces if isinstance(piece, str))
    has_figures = bool(stem.figures) or any(option.figures for option in options)
    if has_figures and any(not glyph.font for glyph in glyphs):
        return ["its figures were cut out of a scan by their outline"]
    if _SPEAKS_OF_FIGURE.search(text) and not has_figures:
        return ["it speaks of a figure, and none was found"]
    return []


def _regions(elements: Sequence[Element]) -> tuple[Region, ...]:
    """Return where elements stand: one region for each column that they are in."""
    groups: list[Region] = []
    for element in elements:
        page, box = (
            (element.page, element.box) if isinstance(element, Line) else (element.region.page, element.region.box)
        )
        last = groups[-1] if groups else None
        if last is None or last.page != page or box.bottom < last.box.top or box.left > last.box.right:
            groups.append(Region(page, box))
        else:
            groups[-1] = Region(page, around([last.box, box]))
    return tuple(groups)
