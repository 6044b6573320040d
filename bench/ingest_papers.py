"""Small papers of many kinds whose items are known, drawn from a seed and typeset."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from PIL import Image

MARKS: Final = {
    **{signs[0]: tuple(signs) for signs in ("①②③④⑤", "㉠㉡㉢㉣㉤", "㉮㉯㉰㉱㉲", "ⓐⓑⓒⓓⓔ")},
    **{
        f"{before}{signs[0]}{after}": tuple(f"{before}{sign}{after}" for sign in signs)
        for signs in ("ABCDE", "abcde", "가나다라마", "12345")
        for before, after in (("", "."), ("", ")"), ("(", ")"))
    },
}
"""Marks of options by the first."""
NUMBERS: Final = {
    "ko": ("{}.", "{}.", "{}.", "문 {}.", "[{}]", "{})", "{}번"),
    "en": ("{}.", "{}.", "{}.", "Q{}.", "[{}]", "{})", "Question {}."),
}
HEADINGS: Final = {
    "ko": ("제{}과목 기상학", "제{}과목: 예보론", "{}부 관측", "<제{}과목>"),
    "en": ("Part {}", "Section {}: Weather", "PART {}. Physics"),
}
NOUNS: Final = {
    "ko": ("구름", "바람", "기압", "온도", "습도", "대기", "전선", "태풍", "안개", "강수", "이슬점", "복사", "대류"),
    "en": ("cloud", "wind", "pressure", "humidity", "front", "typhoon", "fog", "rain", "convection", "cyclone"),
}
LINKS: Final = {
    "ko": ["증가하는", "감소하는", "나타나는", "설명하는", "일정한", "상승하는", "비례하는", "작은", "높은", "빠른"],
    "en": ["of", "in", "with", "from", "above", "below", "near", "and", "or", "during", "increases", "exceeds"],
}
PARTICLES: Final = "은는이가을를의에로와"
TRAPS: Final = {
    "ko": ("3.5", "2003년", "(2)", "12", "5.", "(가)", "1)", "①과", "(A)", "가.", "㉠의", "2번", "A.", "-5"),
    "en": ("3.5", "(2)", "12", "5.", "B", "(a)", "1)", "I.", "(A)", "①", "No. 2", "B.", "e.g."),
}
"""Words that look like numbers of items or marks of options."""
ENDINGS: Final = {
    "ko": ("것은?", "것으로 옳은 것은?", "값은 얼마인가?", "원인을 고르시오."),
    "en": ("which?", "what is it?", "choose the best answer.", "is"),
}
FORMULAS: Final = (
    "$x^2 + 1$",
    "$alpha / beta$",
    "$T_0 = 273$",
    "$sqrt(2 g h)$",
    "$sum_(i=1)^n x_i$",
    "$rho = p/(R T)$",
    "$10^(-3)$",
    "$x$",
)
SCRIPTS: Final = ("H#sub[2]O", "CO#sub[2]", "10#super[3]", "m#super[2]", "W/m#super[2]", "T#sub[d]")
FORMULA: Final = "\x00"
"""A formula in a text that is known."""
_SPECIAL: Final = re.compile(r"([\\#$*_`<>@\[\]~/=+\-\"'])")
_PAGE: Final = """
#set page(paper: "a4", margin: (x: 16mm, top: 24mm, bottom: 20mm), columns: {columns}, {furniture})
#set columns(gutter: 9mm)
#set text(font: "{font}", size: 9.5pt, lang: "{language}")
#set par(justify: {justify}, leading: 0.62em)
#set smartquote(enabled: false)
"""
_FURNITURE: Final = (
    "",
    "footer: context align(center)[#counter(page).display() / 5]",
    "header: align(center)[모의고사 2024 문제지], footer: context align(center)[#counter(page).display() 쪽]",
)
_ROOM: Final = {1: 70, 2: 32, 3: 20}
"""Korean letters in a line, by the number of columns."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a paper is set.

    Attributes:
        language: ``ko`` or ``en``.
        columns: Of a page.
        marks: The first mark of its options.
        count: Options of an item.
        row: Options in a row where they are short enough.
        number: Of an item, with ``{}``.
        indent: Ems by which options are indented.
        heading: Of a part, with ``{}``; nothing in a paper without parts.
        keys: Form of its key table, or ``csv``.
        font: Of its text.
        furniture: Header and footer.
        is_justified: Whether lines fill their columns.
        is_breakable: Whether items go on over pages.
    """

    language: str
    columns: int
    marks: str
    count: int
    row: int
    number: str
    indent: int
    heading: str
    keys: str
    font: str
    furniture: str
    is_justified: bool
    is_breakable: bool


@dataclass(frozen=True, slots=True)
class Known:
    """An item as it is, with ``FORMULA`` for formulas.

    Attributes:
        name: Its identifier.
        part: Number of its part, 0 without parts.
        number: Its number.
        stem: Its stem.
        options: Its options.
        key: The right one.
        source: What typst reads.
    """

    name: str
    part: int
    number: int
    stem: str
    options: tuple[str, ...]
    key: int
    figures: tuple[str, ...]
    source: str


@dataclass(slots=True)
class Drawn:
    """A paper: how it is set, its items, what typst reads, its keys as CSV, and its pictures."""

    kind: Kind
    items: list[Known] = field(default_factory=list)
    source: str = ""
    csv: str = ""
    pictures: dict[str, Image.Image] = field(default_factory=dict)


def paper_of(seed: int) -> Drawn:
    """Draw a paper."""
    rng = random.Random(seed)  # noqa: S311 - draws papers, no secrets
    drawn = Drawn(_kind(rng))
    parts = range(1, rng.choice((2, 3)) + 1) if drawn.kind.heading else range(1)
    pieces = [_page(drawn.kind)]
    for part in parts:
        if part:
            pieces.append(f"#align(center)[{_escaped(drawn.kind.heading.format(part))}]\n")
        for number in range(1, rng.choice((6, 9, 12)) + 1):
            drawn.items.append(_item(rng, drawn, part, number))
            pieces.append(drawn.items[-1].source)
    drawn.source = "\n".join([*pieces, *_keys(rng, drawn)])
    return drawn


def _kind(rng: random.Random) -> Kind:
    language = rng.choice(("ko", "ko", "en"))
    marks, number = rng.choice(("①",) * 5 + tuple(MARKS)), rng.choice(NUMBERS[language])
    return Kind(
        language=language,
        columns=rng.choice((1, 1, 2, 2, 3)),
        marks=marks,
        count=rng.choice((4, 4, 5)),
        row=rng.choice((1, 1, 2, 4)),
        number=number,
        indent=2 if marks == number.format(1) else rng.choice((0, 0, 1, 2)),
        heading=rng.choice(("", "", "", *HEADINGS[language])),
        keys=rng.choice(("pairs", "rows", "lines", "csv")),
        font="NanumGothic" if language == "ko" else rng.choice(("NanumGothic", "Libertinus Serif")),
        furniture=rng.choice(_FURNITURE),
        is_justified=rng.random() < 0.6,  # noqa: PLR2004 - shares of papers
        is_breakable=rng.random() < 0.6,  # noqa: PLR2004
    )


def _page(kind: Kind) -> str:
    return _PAGE.format(
        columns=kind.columns,
        furniture=kind.furniture,
        font=kind.font,
        language=kind.language,
        justify=str(kind.is_justified).lower(),
    )


def _item(rng: random.Random, drawn: Drawn, part: int, number: int) -> Known:
    kind = drawn.kind
    figures = [""] * (kind.count + 1)
    paragraphs = [_stem(rng, kind.language)]
    what = rng.choice(("words", "words", "long", "numbers", "formulas", "pictures"))
    extra = rng.choice(("", "", "", "figure", "list", "statements"))
    if extra == "figure":
        figures[0] = _picture(rng, drawn)
    elif extra:
        marks = "ㄱㄴㄷㄹ" if extra == "list" else rng.choice(("1234", "ABCD"))
        paragraphs += ["〈보기〉"] * (extra == "list")
        paragraphs += [f"{mark}. {_words(rng, kind.language, rng.choice((2, 5, 9)))}" for mark in marks[:3]]
    if what == "pictures":
        figures[1:] = [_picture(rng, drawn) for _ in range(kind.count)]
    options = [_option(rng, kind.language, what, n) for n in range(1, kind.count + 1)]
    stem = "\n\n".join(map(_typst, paragraphs))
    shown = f'\n\n#align(center, image("{figures[0]}", width: 60%))' if figures[0] else ""
    source = (
        f"#block(breakable: {str(kind.is_breakable).lower()})[{_escaped(kind.number.format(number))} {stem}{shown}\n\n"
        f"{_options(kind, options, figures[1:])}]\n#v(5pt)\n"
    )
    return Known(
        name=f"{part}-{number}" if part else str(number),
        part=part,
        number=number,
        stem=_known("\n".join(paragraphs)),
        options=tuple(map(_known, options)),
        key=rng.randrange(1, kind.count + 1),
        figures=tuple(figures),
        source=source,
    )


def _stem(rng: random.Random, language: str) -> str:
    words = [*_words(rng, language, rng.choice((3, 6, 12, 25))).split(" "), rng.choice(ENDINGS[language])]
    for signs in (FORMULAS, SCRIPTS):
        if rng.random() < 0.2:  # noqa: PLR2004 - share of stems
            words.insert(rng.randrange(1, len(words)), f"\x01{rng.choice(signs)}\x01")
    return " ".join(words)


def _words(rng: random.Random, language: str, count: int) -> str:
    words = []
    for place in range(count):
        if place and rng.random() < 0.03:  # noqa: PLR2004 - share of words
            words.append(rng.choice(TRAPS[language]))
        elif place % 2:
            words.append(rng.choice(LINKS[language]))
        else:
            words.append(rng.choice(NOUNS[language]) + (rng.choice(PARTICLES) if language == "ko" else ""))
    return " ".join(words)


def _option(rng: random.Random, language: str, what: str, number: int) -> str:
    if what == "pictures":
        return ""
    if what == "formulas":
        return f"\x01{rng.choice(FORMULAS)}\x01{rng.choice(('', ' hPa'))}"
    if what == "numbers":
        return rng.choice(("{}", "{}.5", "{} m", "{}. 5", "{}, 7", "-{}")).format(number)
    return _words(rng, language, rng.choice((1, 2, 3) if what == "words" else (5, 9, 14)))


def _options(kind: Kind, options: Sequence[str], pictures: Sequence[str]) -> str:
    cells = [
        f"[{_escaped(mark)} {_typst(option)}" + (f'#box(image("{picture}", width: 60%))]' if picture else "]")
        for mark, option, picture in zip(MARKS[kind.marks], options, pictures, strict=False)
    ]
    longest = max(len(_known(option)) for option in options)
    room = _ROOM[kind.columns] * (1 if kind.language == "ko" else 1.6)
    row = 1 if any(pictures) or (longest + 4) * kind.row > room else kind.row
    body = "\n\n".join(cell[1:-1] for cell in cells)
    if row > 1:
        body = f"#grid(columns: ({'1fr, ' * row}), row-gutter: 6pt, column-gutter: 6pt, {', '.join(cells)})"
    return f"#pad(left: {kind.indent}em)[{body}]"


def _picture(rng: random.Random, drawn: Drawn) -> str:
    picture = Image.new("RGB", (rng.randrange(120, 260), rng.randrange(80, 160)), "white")
    for _ in range(5):
        left, top = rng.randrange(10, picture.width - 40), rng.randrange(10, picture.height - 30)
        colour = (rng.randrange(256), rng.randrange(256), rng.randrange(256))
        picture.paste(colour, (left, top, left + 30, top + 20))
    name = f"{len(drawn.pictures)}.png"
    drawn.pictures[name] = picture
    return name


def _keys(rng: random.Random, drawn: Drawn) -> Iterator[str]:
    """Yield the key table, part by part, or write it as CSV."""
    kind = drawn.kind
    own = [mark.strip("().") for mark in MARKS[kind.marks]]
    signs = rng.choice((own, list("12345"), list("①②③④⑤")))
    parts = sorted({item.part for item in drawn.items})
    if kind.keys == "csv":
        names = ("part,number,answer", *(f"{item.part},{item.number},{signs[item.key - 1]}" for item in drawn.items))
        drawn.csv = "\n".join(name if kind.heading else name.split(",", 1)[1] for name in names)
        return
    yield f"#pagebreak()\n#align(center)[{'정답' if kind.language == 'ko' else 'Answer Key'}]\n"
    for part in parts:
        if part:
            yield f"{_escaped(kind.heading.format(part))}\n"
        yield _table(kind.keys, [(item.number, signs[item.key - 1]) for item in drawn.items if item.part == part])


def _table(form: str, answers: Sequence[tuple[int, str]]) -> str:
    if form == "lines":
        return "".join(f"{number}\\. {answer}\n\n" for number, answer in answers)
    if form == "pairs":
        return f"#table(columns: 8, {', '.join(f'[{number}], [{answer}]' for number, answer in answers)})"
    rows = [answers[at : at + 6] for at in range(0, len(answers), 6)]
    return "\n".join(
        f"#table(columns: {len(row)}, {', '.join(f'[{each[place]}]' for place in (0, 1) for each in row)})"
        for row in rows
    )


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _typst(text: str) -> str:
    """Return a text as typst reads it; what stands between two marks is for typst alone."""
    return "".join(piece if place % 2 else _escaped(piece) for place, piece in enumerate(text.split("\x01")))


def _known(text: str) -> str:
    return re.sub("\x01[^\x01]*\x01", FORMULA, text)
