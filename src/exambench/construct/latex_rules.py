r"""What LaTeX of a formula has to be, by rule: closed, of known commands, a formula and nothing else. Pure.

A stretch of LaTeX goes into texts that others render, and comes from a model: it may neither break out of ``$…$`` nor
do more than set a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.errors import listed

SHIPPED: Final = Path(__file__).with_name("latex.toml")
LONGEST: Final = 1000
"""Characters of a formula."""
LONGEST_TEXT: Final = 60
"""Letters and blanks of the words in a formula."""
LONGEST_WORD: Final = 3
r"""Letters in a row, outside of commands and of ``\mathrm``, that may be variables."""
MOST_WORK: Final = 2048
"""Sum of 2 to the depth of each token: what renderers that measure each group twice need for a formula."""

_TOKEN: Final = re.compile(
    r"""
      \\begin\s*\{(?P<begin>[A-Za-z]+\*?)\}(?:\s*\{[lcr|\s]*\})?
    | \\end\s*\{(?P<end>[A-Za-z]+\*?)\}
    | \\(?P<side>left|right)(?![A-Za-z])\s*(?P<delimiter>\\[A-Za-z]+|\\?.|)
    | \\(?P<command>operatorname\*|[A-Za-z]+)
    | \\(?P<symbol>.?)
    | (?P<brace>[{}])
    | (?P<letters>[A-Za-z]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_LEFT: Final = r"\left"
_FENCES: Final = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_UNSAFE: Final = frozenset('$%#"`⟦⟧')

Name = Annotated[str, Field(min_length=1)]


class Latex(BaseModel):
    r"""What LaTeX of a formula may consist of.

    Attributes:
        commands: Names of commands, backslash apart.
        words: Names of commands whose argument may be words.
        symbols: What may follow a backslash besides letters.
        delimiters: What may follow ``\left`` and ``\right``.
        environments: Names of environments.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    commands: frozenset[Name]
    words: frozenset[Name]
    symbols: frozenset[Name]
    delimiters: frozenset[Name]
    environments: frozenset[Name]

    @cached_property
    def all_commands(self) -> frozenset[str]:
        """All names that may follow a backslash, environments and sides apart."""
        return self.commands | self.words


def read_latex(path: Path = SHIPPED) -> Latex:
    """Read what LaTeX may consist of.

    Raises:
        ConfigError: The file says something else.
    """
    return validate(Latex, read_table(path), str(path))


def bare(latex: str) -> str:
    """Return a formula without blanks around it, and without the signs that begin and end one."""
    text = latex.strip(" ")
    for opening, closing in _FENCES:
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening) + len(closing):
            return text[len(opening) : len(text) - len(closing)].strip(" ")
    return text


def latex_problems(latex: str, allowed: Latex) -> tuple[str, ...]:
    """Say in sentences what is wrong with a formula by rule; nothing where it can be used.

    Round and square brackets may be open: a formula in a line is cut where its font ends; see :func:`is_closed`.
    """
    if not latex.strip():
        return ("There is no formula.",)
    if len(latex) > LONGEST:
        return (f"It has {len(latex)} characters; a formula in a line has {LONGEST} at most.",)
    return tuple(_Walk(allowed).problems(latex))


def is_closed(latex: str) -> bool:
    """Tell whether as many round and square brackets open as close; ``[0, 1)`` is closed."""
    marks = [match["other"] for match in _TOKEN.finditer(latex) if match["other"]]
    return sum(mark in "([" for mark in marks) == sum(mark in ")]" for mark in marks)


@dataclass
class _Walk:
    """One reading of a formula from left to right."""

    allowed: Latex
    open: list[tuple[str, bool]] = field(default_factory=list)
    """What is open: a brace, ``left``, or an environment; and whether words may stand in it."""
    unknown: dict[str, None] = field(default_factory=dict)
    unpaired: dict[str, None] = field(default_factory=dict)
    words: dict[str, None] = field(default_factory=dict)
    strange: dict[str, None] = field(default_factory=dict)
    work: int = 0
    text: int = 0

    def problems(self, latex: str) -> Iterator[str]:
        before = ""
        for match in _TOKEN.finditer(latex):
            self._take(match, before)
            self.work += 2 ** min(len(self.open), LONGEST)
            before = before if match[0].isspace() else match["command"] or ""
        for name, _ in self.open:
            self.unpaired[_shown(name)] = None
        if self.unpaired:
            yield f"Not in pairs: {listed(tuple(self.unpaired))}."
        if self.unknown:
            yield f"Not known: {listed(tuple(self.unknown))}."
        if self.strange:
            yield f"Characters that are no LaTeX of one formula: {listed(tuple(map(ascii, self.strange)))}."
        if self.words:
            yield rf"Words outside of \mathrm{{}} and \text{{}}: {listed(tuple(self.words))}."
        if self.text > LONGEST_TEXT:
            yield f"Its words have {self.text} characters; those of a formula have {LONGEST_TEXT} at most."
        if self.work > MOST_WORK:
            yield "It is nested too deeply for its length."

    def _take(self, match: re.Match[str], before: str) -> None:
        kind = match.lastgroup or ""
        known = {
            "begin": self.allowed.environments,
            "delimiter": self.allowed.delimiters,
            "command": self.allowed.all_commands,
            "symbol": self.allowed.symbols,
        }
        if kind in known and match[kind] not in known[kind]:
            self.unknown[match[0]] = None
        match kind:
            case "letters":
                self._letters(match[0])
            case "other":
                self._character(match[0])
            case _:
                self._open_or_close(match, may_be_words=self._in_words() or before in self.allowed.words)

    def _open_or_close(self, match: re.Match[str], *, may_be_words: bool) -> None:
        if match["begin"]:
            self.open.append((match["begin"], self._in_words()))
        elif match["side"] == "left":
            self.open.append((_LEFT, self._in_words()))
        elif match["brace"] == "{":
            self.open.append(("{", may_be_words))
        elif closes := match["end"] or (match["side"] and _LEFT) or (match["brace"] and "{"):
            if self.open and self.open[-1][0] == closes:
                self.open.pop()
            else:
                self.unpaired[match[0]] = None

    def _in_words(self) -> bool:
        return bool(self.open) and self.open[-1][1]

    def _letters(self, letters: str) -> None:
        if self._in_words():
            self.text += len(letters)
        elif len(letters) > LONGEST_WORD:
            self.words[letters] = None

    def _character(self, character: str) -> None:
        in_words = self._in_words()
        self.text += in_words
        if character in _UNSAFE or not character.isprintable() or not (in_words or character.isascii()):
            self.strange[character] = None


def _shown(name: str) -> str:
    return name if name in {"{", _LEFT} else rf"\begin{{{name}}}"
