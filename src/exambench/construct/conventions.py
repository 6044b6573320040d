"""How a paper numbers its items and marks their options: the reading in which most items have whole options."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from exambench.construct.layout import Element
from exambench.construct.lines import Line
from exambench.construct.numbering import MIXED, Part, Section, sections_of, starts_in, streams_of
from exambench.construct.option_marks import Mark, marks_by_style, runs_of
from exambench.construct.signs import AUTO, BY_NAME, CIRCLED, STYLES, Style

USUAL: Final = 4
"""Options of an item where a paper is too short to tell."""
FEWEST: Final = 3
"""Items that agree, so that they tell how many options an item has, or how these are marked."""
MOST: Final = 0.6
"""Part of the items that have to have the same number of options."""
NEARLY_ALL: Final = 0.75
"""Part of the items whose options a kind of marks numbers, when it is the paper's."""


@dataclass(frozen=True, slots=True)
class Options:
    """How options are marked.

    Attributes:
        style: By what kind of marks.
        count: How many an item has.
        whole: How many items have so many.
        fault: Why no item can be trusted, or nothing.
        doubt: What a person should look at in each item, or nothing.
    """

    style: Style
    count: int
    whole: int
    fault: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Convention:
    """How a paper is read.

    Attributes:
        sections: Its items.
        options: How their options are marked.
        starts_anew: Whether numbers start anew in each part.
    """

    sections: tuple[Section, ...]
    options: Options
    starts_anew: bool = False


Found = Mapping[Style, list[Mark]]


def convention_of(
    elements: Sequence[Element], heading: re.Pattern[str], marks: str = AUTO, choices: int | None = None
) -> Convention:
    """Find how a paper is to be read.

    Every shape of numbers that there is, in one sequence or in one for each part, is tried with every kind of marks;
    that in which most items have whole options is taken, and of several the first.

    Args:
        elements: The paper without its table of right answers.
        heading: Pattern of a line that begins a part.
        marks: Name of the kind of marks, or ``auto``.
        choices: How many options an item has; ``None`` when the paper tells.
    """
    read = []
    for shape, starts_anew, sections in _readings(elements, heading):
        found = [marks_by_style(_lines(section)) for section in sections]
        read.append((shape, Convention(sections, options_of(found, marks, choices), starts_anew)))
    best = max((convention for _, convention in read), key=lambda convention: convention.options.whole)
    return best if best.options.whole else next(convention for shape, convention in read if shape == MIXED)


def options_of(items: Sequence[Found], marks: str = AUTO, choices: int | None = None) -> Options:
    """Find how options are marked.

    Args:
        items: The marks of each item by their kind.
        marks: Name of the kind, or ``auto``.
        choices: How many options an item has; ``None`` when the paper tells.
    """
    if marks != AUTO:
        style = BY_NAME[marks]
        count = choices or _usual_count(items, style)
        return Options(style, count, _whole(items, style, count))
    styles = [style for style in STYLES if style.is_detected and any(style in item for item in items)]
    read = [_read(items, style, choices) for style in styles]
    enough = [options for options in read if items and options.whole >= NEARLY_ALL * len(items)]
    if len(enough) > 1:
        last = [options for options in enough if all(_is_last(items, options, other) for other in enough)]
        if not last:
            names = ", ".join(options.style.name for options in enough)
            return _untold(read, choices, f"its options may be marked by any of {names}")
        enough = last
    if enough:
        few = len(items) < FEWEST and enough[0].style is not CIRCLED
        doubt = f"fewer than {FEWEST} items tell that options are marked by {enough[0].style.name}" if few else ""
        return replace(enough[0], doubt=doubt)
    best = max(read, key=lambda options: options.whole, default=None)
    if best is None or best.style is CIRCLED or not best.whole:
        return next((each for each in read if each.style is CIRCLED), Options(CIRCLED, choices or USUAL, 0))
    return _untold(read, choices, f"marks such as {best.style.name} number the options of too few items")


def _untold(read: Sequence[Options], choices: int | None, why: str) -> Options:
    fault = f"{why}; name the kind with the setting marks"
    return Options(CIRCLED, choices or USUAL, max(options.whole for options in read), fault)


def _read(items: Sequence[Found], style: Style, choices: int | None) -> Options:
    count = choices or _usual_count(items, style)
    return Options(style, count, _whole(items, style, count))


def _usual_count(items: Sequence[Found], style: Style) -> int:
    """Return how many options most items have; the usual number where they do not tell."""
    runs = [_runs(item.get(style, ())) for item in items]
    lengths = Counter(len(found[-1]) for found in runs if found)
    if not lengths:
        return USUAL
    count, times = max(lengths.items(), key=lambda each: (each[1], each[0]))
    return count if times >= max(FEWEST, MOST * sum(lengths.values())) else USUAL


def _runs(marks: Sequence[Mark]) -> list[tuple[Mark, ...]]:
    """Return the runs of more than one mark that stand apart, or of others where there are none."""
    for found in (runs_of([mark for mark in marks if mark.stands_apart]), runs_of(marks)):
        runs = [run for run in found if len(run) > 1]
        if runs:
            return runs
    return []


def _whole_run(item: Found, style: Style, count: int) -> tuple[Mark, ...] | None:
    marks = item.get(style, ())
    for found in (runs_of([mark for mark in marks if mark.stands_apart]), runs_of(marks)):
        runs = [run for run in found if len(run) == count]
        if runs:
            return runs[-1]
    return None


def _whole(items: Sequence[Found], style: Style, count: int) -> int:
    return sum(_whole_run(item, style, count) is not None for item in items)


def _is_last(items: Sequence[Found], options: Options, other: Options) -> bool:
    """Tell whether the marks of one kind stand below those of another in each item that has both."""
    if options is other:
        return True
    for item in items:
        own, others = (_whole_run(item, each.style, each.count) for each in (options, other))
        if own is not None and others is not None and own[0].place <= others[-1].place:
            return False
    return True


def _lines(section: Section) -> list[Line]:
    return [element for element in section.elements if isinstance(element, Line)]


def _readings(elements: Sequence[Element], heading: re.Pattern[str]) -> Iterator[tuple[str, bool, tuple[Section, ...]]]:
    """Yield the ways to cut a paper into items: shape of numbers, whether they start anew in each part, the items."""
    shapes = [shape for shape, _ in Counter(start.shape for start in starts_in(elements)).most_common()]
    shapes = [*(shape for shape in shapes if shape != MIXED and len(shapes) > 1), MIXED]
    for shape in shapes:
        yield shape, False, sections_of(elements, heading, shape)
    streams = streams_of(elements, heading)
    if len([part for part in streams if part is not None]) > 1:
        for shape in shapes:
            sections = tuple(_anew(streams, heading, shape))
            if any(one.part != two.part and two.number <= one.number for one, two in pairwise(sections)):
                yield shape, True, sections


def _anew(streams: Mapping[Part | None, Sequence[Element]], heading: re.Pattern[str], shape: str) -> Iterator[Section]:
    for part, stream in streams.items():
        for section in sections_of(stream, heading, shape):
            yield replace(section, part=part)
