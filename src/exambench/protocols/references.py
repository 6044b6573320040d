"""Choices that speak of other choices: "all of the above", "①, ③", "1번과 3번", "both A and B".

Such a choice, and every choice that it names, keeps its place when choices change places. No word is rewritten: the
order is then the one thing that changes, and a choice that only seems to speak of its neighbours ("①, ③" of marks in
a figure) is shown as it was written. What is taken for a reference by mistake costs some orders, never a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

CIRCLED: Final = {chr(ord("①") + place): place for place in range(20)}

_NAMED_NUMBER: Final = re.compile(
    r"""
      (?<![0-9.])([1-9][0-9]?)\s*번(?!째)
    | (?<!\w)\(\s*([1-9][0-9]?)\s*\) | (?<![\w.(])([1-9][0-9]?)\)
    | (?:보기|선택지|\boptions?|\bchoices?|\banswers?)\s*\(?([1-9][0-9]?)(?![0-9.])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_JOINED: Final = r"\s*(?:,\s*(?:and|or)?|·|&|/|및|또는|와|과|and\b|or\b|nor\b)\s*"
_NUMBERS_ALONE: Final = re.compile(
    rf"[1-9][0-9]?(?:{_JOINED}[1-9][0-9]?)+\s*(?:번|only|만)?(?:\s*(?:둘\s*다|셋\s*다|모두|전부|다)(?![가-힣]).*)?",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    r"""
    (?:([①-⑳])|(?<![0-9.\-−])([1-9][0-9]?)\s*번?|(?<![A-Za-z])([A-H]))
    \s*(?:[~∼〜～–—-]|부터|에서|\bto\b|\bthrough\b)\s*
    (?:([①-⑳])|([1-9][0-9]?)\s*번|([A-H])(?![A-Za-z]))
    """,
    re.VERBOSE,
)
_SMALL_NUMBERS: Final = re.compile(
    r"\b(?:both|either|neither)\s+([1-9][0-9]?)\s+(?:and|or|nor)\s+([1-9][0-9]?)\b", re.IGNORECASE
)
_LETTERS_JOINED: Final = re.compile(rf"(?<![A-Za-z])[A-H](?:{_JOINED}[A-H])+(?![A-Za-z])")
_NAMED_LETTER: Final = re.compile(
    r"""
      (?<!\w)\(([A-Ha-h])\)
    | (?:보기|선택지|\b[Oo]ptions?|\b[Cc]hoices?|\b[Oo]nly|\b[Bb]oth|\b[Ee]ither|\b[Nn]either|\b[Jj]ust)
      \s*\(?([A-H])(?![A-Za-z])
    | (?<![A-Za-z])([A-H])(?:\s+only\b|만(?![가-힣]))
    """,
    re.VERBOSE,
)
_SMALL_LETTERS: Final = re.compile(r"\b(?:both|either|neither)\s+([a-h])\s+(?:and|or|nor)\s+([a-h])\b", re.IGNORECASE)
_LETTER: Final = re.compile(r"(?<![A-Za-z])[A-H](?![A-Za-z])")

_ALL_OR_NONE: Final = re.compile(
    r"""
    \A\W*(?:
      (?:위|이상|상기|앞|보기)(?:의|에)?\s*(?:보기|선택지|항목?|것|내용|설명|사항|모든\s*\S+)?
      \s*(?:은|이|가|는|들)?\s*(?:모두|전부|다)(?![가-힣])
    | (?:위|이상|앞)의?\s*(?:보기|선택지|항목?|것|내용)?\s*(?:중|가운데)
    | (?:위|이상|앞)의?\s+(?:\S+\s+)?(?:둘|셋|두|세|네)(?=\s|다|모두|가지|개|\Z)
    | (?:모두|전부)\s*(?:다\s*)?
      (?:\Z|[.]|옳|맞|해당|정답|틀|아니|아님|그르|다르|포함|적절|적합|참|거짓|같|동일|사실|가능|올바|잘못|관계|영향)
    | (?:둘|셋|넷|두\s*가지|세\s*가지)\s*(?:모두|다|전부)(?![가-힣])
    | (?:정답|답|해당|옳은\s*것|맞는\s*것)\S*\s*(?:사항\s*|것이?\s*)?없 | 없(?:음|다)\W*\Z
    | (?:보기\s*(?:중|의)?\s*)?(?:어느|어떤)\s*(?:것|보기)도 | 아무\s*것도
    )
    | \b(?:all|none|both|neither|any|either|two|three|some|each)\s+(?:of\s+)?(?:the\s+)?
      (?:above|these|those|them|preceding|foregoing|following|others?|options|choices|answers|listed)\b
    | \bnot\s+(?:listed|given|any\s+of)\b | \A\W*(?:all|none|both|neither)\W*\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ABOVE: Final = re.compile(r"\A\W*(?:위|이상|상기|앞)|\b(?:above|preceding|foregoing)\b", re.IGNORECASE)
_SOME_ABOVE: Final = re.compile(
    r"\A\W*(?:위|이상|앞)의?\s+(?:\S+\s+)?(?:둘|셋|두|세)(?=\s|다|모두|가지|개|\Z)|\b(?:both|two|three|either|some)\s+(?:of\s+)?(?:the\s+)?above\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Freedom:
    """Which places may exchange their choices.

    Attributes:
        blocks: Sets of places, from 0, in order; choices change places within a block only.
        naming: Places whose choice names another by number or letter.
        speaking: Places whose choice speaks of others in any way.
    """

    blocks: tuple[tuple[int, ...], ...]
    naming: tuple[int, ...] = ()
    speaking: tuple[int, ...] = ()


def freedom_of(stem: str, choices: Sequence[str]) -> Freedom:
    """Return which choices of an item may change places.

    A choice that speaks of all others stays; one that speaks of those above it also keeps them above. A choice that
    names others by number or letter stays, as do those that it names, unless the names are marks of the stem's text, or
    every choice names some: these are then marks of something else, such as a figure.

    Args:
        stem: Text of the stem.
        choices: Text of each choice.
    """
    fixed: set[int] = set()
    walls: list[int] = []
    naming: list[int] = []
    speaking: list[int] = []
    marks = set(CIRCLED).intersection(stem) | set(_LETTER.findall(stem))
    references = [_named(text, marks, len(choices)) for text in choices]
    for place, (text, named) in enumerate(zip(choices, references, strict=True)):
        if named and not all(references):
            naming.append(place)
            fixed |= {place, *named}
        if _ALL_OR_NONE.search(text):
            speaking.append(place)
            fixed.add(place)
            if _SOME_ABOVE.search(text):
                fixed.update(range(place))
            if _ABOVE.search(text):
                walls.append(place)
    if _are_labels(choices):
        fixed.update(range(len(choices)))
    return Freedom(_blocks(len(choices), fixed, walls), tuple(naming), tuple(sorted({*naming, *speaking})))


def _named(text: str, marks: set[str], count: int) -> set[int]:
    """Return the places, from 0, that a choice names; a circled number or a letter that the stem uses is the stem's."""
    signs = {sign for sign in CIRCLED if sign in text and sign not in marks}
    numbers = [group for match in _NAMED_NUMBER.finditer(text) for group in match.groups() if group]
    if _NUMBERS_ALONE.fullmatch(text.strip()):
        numbers += re.findall(r"[0-9]+", text)
    numbers += [group for match in _SMALL_NUMBERS.finditer(text) for group in match.groups()]
    letters = {letter for match in _LETTERS_JOINED.finditer(text) for letter in re.findall(r"[A-H]", match.group())}
    letters |= {group.upper() for match in _NAMED_LETTER.finditer(text) for group in match.groups() if group}
    letters |= {group.upper() for match in _SMALL_LETTERS.finditer(text) for group in match.groups()}
    places = {CIRCLED[sign] for sign in signs} | {int(number) - 1 for number in numbers}
    places |= {ord(letter) - ord("A") for letter in letters - marks}
    places |= {place for match in _RANGE.finditer(text) for place in _within(match, marks)}
    return {place for place in places if place < count}


def _within(match: re.Match[str], marks: set[str]) -> range:
    """Return the places, from 0, that a range names; none where its signs are the stem's, or of two kinds."""
    for first, last in (match.group(1, 4), match.group(2, 5), match.group(3, 6)):
        if first and last and not marks.intersection((first, last)):
            return range(_place(first), _place(last) + 1)
    return range(0)


def _place(sign: str) -> int:
    """Return the place, from 0, that a circled number, a letter or a number names."""
    if sign in CIRCLED:
        return CIRCLED[sign]
    return ord(sign) - ord("A") if sign.isalpha() else int(sign) - 1


def _are_labels(choices: Sequence[str]) -> bool:
    """Tell whether every choice says its own number or letter alone: what is chosen is then shown elsewhere."""
    bare = [text.strip().strip(".()[]") for text in choices]
    plain = [str(CIRCLED[sign] + 1) if sign in CIRCLED else sign for sign in bare]
    return plain == [str(number) for number in range(1, len(plain) + 1)]


def _blocks(count: int, fixed: set[int], walls: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    edges = (0, *sorted(walls), count)
    parts = [tuple(place for place in range(start, stop) if place not in fixed) for start, stop in pairwise(edges)]
    return tuple(part for part in parts if len(part) > 1)
