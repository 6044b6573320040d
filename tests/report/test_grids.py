"""Tables of text cells: aligned in a terminal, literal everywhere, with a note for each value that is not there."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.report import grids
from exambench.report.grids import Grid, Section, cell, no_value
from exambench.text import printable

HOSTILE = "[red]a[/red] :skull: \x1b[31m|*<b>"


def printed(*sections: Section, width: int = 100) -> list[str]:
    """Return the lines that a terminal without colours would show."""
    stream = io.StringIO()
    Console(file=stream, width=width, no_color=True).print(grids.terminal(sections))
    return stream.getvalue().splitlines()


def section(*rows: tuple[grids.Cell, ...], header: tuple[str, ...] = ("name", "n")) -> Section:
    """Return a section of one table."""
    return Section("Section", (Grid("Title", header, rows),))


def test_hangul_and_latin_rows_are_equally_wide() -> None:
    """A Hangul syllable takes two columns; numbers stand below each other all the same."""
    lines = printed(section((cell("논리적_완결성"), cell("1,774")), (cell("depth"), cell("3"))))
    korean, latin = lines[-3:-1]
    assert korean.endswith("1,774")
    assert latin.endswith("    3")
    assert cell_len(korean) == cell_len(latin)


def test_text_is_shown_literally_in_a_terminal() -> None:
    """Markup and emoji codes stay text, and control characters cannot steer the terminal."""
    lines = printed(section((cell(HOSTILE), cell("1")), header=(HOSTILE, "n")))
    assert sum("[red]a[/red] :skull: \ufffd[31m|*<b>" in line for line in lines) == 2
    assert "\x1b" not in "".join(lines)


def test_text_is_shown_literally_in_markdown() -> None:
    """Signs that Markdown or HTML would act on are escaped, in titles and cells."""
    text = grids.markdown([Section(HOSTILE, (Grid(HOSTILE, (HOSTILE,), ((cell(HOSTILE),),)),))])
    escaped = "\\[red]a\\[/red] :skull: \ufffd\\[31m\\|\\*\\<b\\>"
    assert text == f"## {escaped}\n\n**{escaped}**\n\n| {escaped} |\n| --- |\n| {escaped} |\n"


@pytest.mark.parametrize(
    "sign",
    [*"\x1b\x07\n\x9b\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029\u200b\ufeff"],
    ids=lambda sign: f"U+{ord(sign):04X}",
)
def test_no_sign_steers_a_terminal_or_reorders_a_line(sign: str) -> None:
    """Controls, bidirectional marks, overrides and isolates, line breaks, and what cannot be seen are replaced."""
    assert printable(f"a{sign}b") == "a\ufffdb"


def test_joiners_stay() -> None:
    """They compose emoji and spell words of several scripts; they reorder nothing."""
    assert printable("\U0001f469\u200d\U0001f52c می\u200cخواهم") == "\U0001f469\u200d\U0001f52c می\u200cخواهم"


def test_a_missing_value_is_a_dash_with_a_note() -> None:
    """The same reason has one note, however often it stands."""
    rows = (
        (cell("a"), no_value("no variation")),
        (cell("b"), no_value("one rater")),
        (cell("c"), no_value("no variation")),
    )
    lines = [line.strip() for line in printed(section(*rows))]
    assert [line for line in lines if "–" in line] == ["a          – (1)", "b          – (2)", "c          – (1)"]
    assert lines[-3:-1] == ["(1) no variation.", "(2) one rater."]


def test_lines_of_a_cell_stand_below_each_other_or_in_one_line() -> None:
    """The terminal stacks what Markdown puts side by side."""
    one = section((cell("a"), cell(".5", "[.4, .6]")), header=("name", "units\nratings"))
    assert [line.strip() for line in printed(one)[-3:-1]] == ["a                .5", "[.4, .6]"]
    assert "| name | units ratings |\n| --- | ---: |\n| a | .5 \\[.4, .6] |" in grids.markdown([one])


def test_long_names_make_room_for_numbers() -> None:
    """Names are folded before a number is cut."""
    lines = printed(section((cell("x" * 80), *(cell("[.123, .456]") for _ in range(6))), header=("name", *"abcdef")))
    assert sum(line.count("[.123, .456]") for line in lines) == 6
    assert max(map(cell_len, lines)) <= 100


def test_a_narrow_terminal_gets_more_tables_and_cuts_no_number() -> None:
    """At 60 columns six intervals take two tables, each with the names, and every digit is still there."""
    lines = printed(
        section((cell("name"), *(cell("[.123, .456]") for _ in range(6))), header=("name", *"abcdef")), width=60
    )
    assert max(map(cell_len, lines)) <= 60
    assert [line.count("[.123, .456]") for line in lines if line.startswith("name ") and "[" in line] == [3, 3]


def test_a_long_title_is_wrapped_and_never_cut() -> None:
    """A title that is wider than the terminal takes two lines."""
    long = Section(" ".join(["the end of the scope"] * 8), ())
    assert " ".join(" ".join(printed(long, width=60)).split()) == long.title


def test_a_long_name_breaks_after_its_separators() -> None:
    """Organisation, family and size stay whole; a part that is too long, and nothing else, is broken anywhere."""
    numbers = [cell("[.123, .456]") for _ in range(4)]
    names = ("organisation/Some-Model-7B-Instruct", "x" * 20, "두 낱말로_된_긴_이름이다")
    lines = printed(section(*((cell(name), *numbers) for name in names), header=("name", *"abcd")), width=72)
    labels = [line.partition("[")[0].strip() for line in lines[4:] if line.strip() and "─" not in line]
    assert labels == [
        "organisation/",
        "Some-Model-7B-",
        "Instruct",
        "xxxxxxxxxxxxxxxx",
        "xxxx",
        "두 낱말로_된_긴_",
        "이름이다",
    ]
