r"""Dict literals in prose, written as JSON, as Python, or as a mix of both.

``json`` and ``ast.literal_eval`` each refuse half of what models write, recurse, and need to be told where a literal
ends. This scanner reads what the two have in common: nested dicts, lists, tuples and sets; strings in single or double
quotes, in which raw line breaks and stray backslashes stand for themselves and which are joined when adjacent;
numbers; the constants of both languages; trailing commas.

It takes linear time on any text. A container that was tried once is never tried again, because what it is depends only
on the text after its opening brace. A new try can therefore only start inside a string of an older one, and since
single and double quotes permute the three states of the lexer (outside, in single, in double quotes), no character is
read more than three times.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from exambench.parsing.unicode import INVISIBLE, normal_form


@dataclass(frozen=True, slots=True)
class Number:
    """A number by its digits: whether it is an index is not for the scanner to say, nor how large it may be."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """A list, a tuple or a set."""

    items: Sequence[Literal]


class Other(Enum):
    """A literal that no answer can be."""

    CONSTANT = auto()
    DICT = auto()


Literal = str | Number | Group | Other


@dataclass(frozen=True, slots=True)
class Entry:
    """A dict literal that has the wanted key.

    Attributes:
        values: What stands under the key; more than one when the key is repeated.
        start: Position of the opening brace.
        end: Position after the closing brace.
    """

    values: Sequence[Literal]
    start: int
    end: int


def dicts_with_key(text: str, key: str) -> list[Entry]:
    """Return every closed dict literal that has the key, at any depth, in the order in which they close.

    What stands in the strings of a dict that is never closed is not looked at.
    """
    scan = _Scan(text, key)
    position = text.find("{")
    while position >= 0:
        position = text.find("{", scan.attempt(position))
    return scan.found


def list_of_strings(text: str) -> list[str] | None:
    """Return the strings of a text that is one list literal of strings and nothing else, else ``None``."""
    scan = _Scan(text, "")
    start = len(text) - len(text.lstrip())
    if not text.startswith("[", start):
        return None
    end = scan.attempt(start)
    if not isinstance(scan.last, Group) or text[end:].strip():
        return None
    strings = [item for item in scan.last.items if isinstance(item, str)]
    return strings if len(strings) == len(scan.last.items) else None


_TOKEN: Final = re.compile(
    rf"""
    [\s{INVISIBLE}]*+
    (?:
      (?P<string> "(?:[^"\\]++|\\.)*+" | '(?:[^'\\]++|\\.)*+' )
    | (?P<number> [+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?(?![\w.]) )
    | (?P<constant> (?:true|false|null|True|False|None|NaN|[+-]?Infinity)\b )
    | (?P<mark> [{{}}\[\](),:] )
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_ENDS_OR_OPENS_STRING: Final = re.compile(rf"[\s{INVISIBLE}]*+(?:\Z|[\"'])")
_CLOSER: Final = {"{": "}", "[": "]", "(": ")"}


class _Expect(Enum):
    FIRST = auto()  # a value, or the end of an empty container
    NEXT = auto()  # after a comma: a value, or the end
    VALUE = auto()  # after a colon
    DONE = auto()  # after a value: a comma, a colon, or the end


@dataclass(slots=True)
class _Frame:
    """A container that is being read."""

    start: int
    closer: str
    expect: _Expect = _Expect.FIRST
    current: Literal = Other.CONSTANT
    key: Literal | None = None
    pairs: int = 0
    items: list[Literal] | None = None  # lists are made when needed: hostile text opens containers by the million
    answers: list[Literal] | None = None

    def accept(self, value: Literal) -> bool:
        """Take a value where one may stand; adjacent strings become one."""
        if self.expect is _Expect.DONE:
            if not (isinstance(self.current, str) and isinstance(value, str)):
                return False
            value = self.current + value
        self.current = value
        self.expect = _Expect.DONE
        return True

    def colon(self) -> bool:
        """Make the value before a colon the key."""
        if self.closer != "}" or self.expect is not _Expect.DONE or self.key is not None or self.items:
            return False
        if isinstance(self.current, Group | Other) and self.current is not Other.CONSTANT:
            return False
        self.key = self.current
        self.expect = _Expect.VALUE
        return True

    def comma(self, wanted: str) -> bool:
        """End an entry."""
        if self.expect is not _Expect.DONE or not self._finish_entry(wanted):
            return False
        self.expect = _Expect.NEXT
        return True

    def close(self, mark: str, wanted: str) -> bool:
        """End the container."""
        if mark != self.closer or self.expect is _Expect.VALUE:
            return False
        return self.expect is not _Expect.DONE or self._finish_entry(wanted)

    def _finish_entry(self, wanted: str) -> bool:
        if self.key is None:
            self.items = self.items or []
            self.items.append(self.current)
            return self.pairs == 0
        if isinstance(self.key, str) and normal_form("NFC", self.key) == wanted:
            self.answers = self.answers or []
            self.answers.append(self.current)
        self.pairs += 1
        self.key = None
        return True

    @property
    def literal(self) -> Literal:
        return Other.DICT if self.closer == "}" and not self.items else Group(self.items or ())


class _Scan:
    """One reading of a text."""

    def __init__(self, text: str, key: str) -> None:
        self.text = text
        self.key = key
        self.found: list[Entry] = []
        self.last: Literal | None = None
        self._tried: set[int] = set()

    def attempt(self, start: int) -> int:
        """Try to read a container at its opening mark; return where to look for the next one."""
        self.last = None
        if start in self._tried:
            return start + 1
        position = start
        frames: list[_Frame] = []
        while token := _TOKEN.match(self.text, position):
            if not self._take(token, frames):
                return start + 1
            position = token.end()
            if not frames:
                return position
        unclosed = _proven_dict(frames) and _ENDS_OR_OPENS_STRING.match(self.text, position)
        return len(self.text) if unclosed else start + 1

    def _take(self, token: re.Match[str], frames: list[_Frame]) -> bool:
        """Apply one token to the innermost container; tell whether the literal may go on."""
        lexeme = token[token.lastgroup or 0]
        if lexeme in _CLOSER:
            return self._open(token, frames)
        if token.lastgroup != "mark":
            return frames[-1].accept(_scalar(token))
        if lexeme == ":":
            return frames[-1].colon()
        return frames[-1].comma(self.key) if lexeme == "," else self._close(token, frames)

    def _open(self, token: re.Match[str], frames: list[_Frame]) -> bool:
        start = token.start("mark")
        if start in self._tried or (frames and frames[-1].expect is _Expect.DONE):
            return False
        self._tried.add(start)
        frames.append(_Frame(start, _CLOSER[token["mark"]]))
        return True

    def _close(self, token: re.Match[str], frames: list[_Frame]) -> bool:
        frame = frames[-1]
        if not frame.close(token["mark"], self.key):
            return False
        if frame.answers:
            self.found.append(Entry(frame.answers, frame.start, token.end()))
        frames.pop()
        self.last = frame.literal
        return not frames or frames[-1].accept(self.last)


def _scalar(token: re.Match[str]) -> Literal:
    match token.lastgroup:
        case "string":
            return decoded(token["string"][1:-1])
        case "number":
            return Number(token["number"])
    return Other.CONSTANT


def _proven_dict(frames: list[_Frame]) -> bool:
    """Tell whether what was not closed had shown itself to be a dict by a colon."""
    return bool(frames) and (frames[0].pairs > 0 or frames[0].key is not None)


_ESCAPE: Final = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|([\"'\\/\n]|[ntr](?![A-Za-z])))"
)
_SIMPLE_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


def decoded(raw: str) -> str:
    r"""Return the text that the inside of a string literal stands for.

    A backslash that starts no escape of either language stands for itself, and so does one before a word, as in
    ``\nabla`` or ``\text``.
    """
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_unescaped, raw)
    # JSON writes characters beyond the basic plane as two escapes; a lone half stays what it is.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescaped(escape: re.Match[str]) -> str:
    four, two, eight, simple = escape.groups()
    if simple is not None:
        return _SIMPLE_ESCAPES.get(simple, simple)
    return chr(int(four or two or eight, 16))
