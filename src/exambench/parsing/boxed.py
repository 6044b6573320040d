r"""The boxed answer of KMMMU: the last balanced ``\boxed{…}``."""

from __future__ import annotations

import re
from typing import Final

from exambench.items import Wording
from exambench.parsing.options import index_from_integer, index_from_letter, index_from_text
from exambench.parsing.unicode import ENCLOSED, normal_form
from exambench.parsing.visible import Read, Violation

_NO_BOX: Final = Violation("no closed box")
_EMPTY_BOX: Final = Violation("the box is empty")
_MARK: Final = re.compile(r"\\boxed\s*+\{|\\[\s\S]|[{}]")


def read_boxed(text: str, wording: Wording) -> Read | Violation:
    """Read the index of one option, as a string: by number, circled number, letter, or the option's exact text."""
    content = _peeled_box(text)
    if isinstance(content, Violation):
        return content
    index = _index(content, wording) or index_from_text(content, wording)
    return Violation("the box does not hold one option") if index is None else Read(str(index))


def read_boxed_set(text: str, wording: Wording) -> Read | Violation:
    """Read the indices of all options that are boxed, as strings in ascending order."""
    content = _peeled_box(text)
    if isinstance(content, Violation):
        return content
    indices = [_index(name, wording) for name in _names(content)]
    known = {index for index in indices if index is not None}
    if not known or None in indices:
        return Violation("the box does not hold a set of options")
    return Read(tuple(str(index) for index in sorted(known)))


def read_boxed_freely(text: str, _wording: Wording) -> Read | Violation:
    """Read the boxed string as it is, peeled."""
    content = _peeled_box(text)
    return content if isinstance(content, Violation) else Read(content)


def _index(name: str, wording: Wording) -> int | None:
    index = index_from_integer(name, wording)
    if index is not None or wording.labels:
        return index
    letter = normal_form("NFKC", name)
    return index_from_letter(letter, wording) if len(letter) == 1 and letter.isascii() and letter.isalpha() else None


def _peeled_box(text: str) -> str | Violation:
    content = _last_box(text)
    if content is None:
        return _NO_BOX
    return peeled(content) or _EMPTY_BOX


def _last_box(text: str) -> str | None:
    """Return what stands in the last balanced box, by where boxes open."""
    open_braces: list[tuple[int, bool]] = []
    last: tuple[int, int] | None = None
    for mark in _MARK.finditer(text):
        lexeme = mark.group()
        if lexeme.endswith("{") and lexeme != r"\{":
            open_braces.append((mark.end(), lexeme != "{"))
        elif lexeme == "}" and open_braces:
            start, boxed = open_braces.pop()
            if boxed and (last is None or start > last[0]):
                last = (start, mark.start())
    return None if last is None else text[slice(*last)]


_PEEL_START: Final = re.compile(r"(?:\s|\$|\*\*|\\[,;!~ ]|~)++")
_PEEL_END: Final = re.compile(r"(?:\s|\$|\*\*|~|(?<!\\)\.|\\[,;!~ ])\Z")
_COVER: Final = re.compile(r"\\(?:text|mathbf)\s*+\{")


def peeled(content: str) -> str:
    r"""Return the content without what only sets it in type.

    Dollar signs, ``\text{…}``, ``\mathbf{…}``, ``**``, spaces and a trailing full stop go, in any order and depth.
    """
    pairs = _brace_pairs(content)
    start, end = 0, len(content)
    while True:
        while (edge := _PEEL_END.search(content, max(start, end - 2), end)) and edge.start() >= start:
            end = edge.start()
        if edge := _PEEL_START.match(content, start, end):
            start = edge.end()
        cover = _COVER.match(content, start, end)
        if cover is None or pairs.get(cover.end() - 1) != end - 1:
            return content[start:end]
        start, end = cover.end(), end - 1


def _brace_pairs(text: str) -> dict[int, int]:
    pairs: dict[int, int] = {}
    open_braces: list[int] = []
    for mark in re.finditer(r"\\[{}]|[{}]", text):
        if mark.group() == "{":
            open_braces.append(mark.start())
        elif mark.group() == "}" and open_braces:
            pairs[open_braces.pop()] = mark.start()
    return pairs


_TEXT_COMMAND: Final = re.compile(r"\\(?:text|mathbf)\s*+\{([^{}]*+)\}")
_SEPARATOR: Final = re.compile(r"[\s,、;·/&]|\\[,;!~ &]|\\q?quad\b|및|그리고|(?:와|과)|\band\b")
_NAME: Final = re.compile(r"\(?([0-9]++|[A-Za-z]|[\u1100-\u1112])\)?(?![0-9A-Za-z\u1100-\u1112])")
_BRACKETS: Final = re.compile(r"\\?[\[{(](.*?)\\?[\]})]", re.DOTALL)
_QUOTE: Final = str.maketrans("", "", "\"'“”‘’$*")


def _names(content: str) -> list[str]:
    """Split a set into the names of its members; a part that names nothing becomes an empty name."""
    plain = normal_form("NFKC", _TEXT_COMMAND.sub(r" \1 ", content).translate(ENCLOSED)).translate(_QUOTE)
    brackets = _BRACKETS.fullmatch(plain.strip())
    if brackets:
        plain = brackets[1]
    names: list[str] = []
    position = 0
    while position < len(plain):
        if separator := _SEPARATOR.match(plain, position):
            position = separator.end()
            continue
        name = _NAME.match(plain, position)
        names.append(name[1] if name else "")
        if name is None:
            break
        position = name.end()
    return names
