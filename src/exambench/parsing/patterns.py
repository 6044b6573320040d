"""Regular expressions that are compiled when they are first used.

Those that read Korean and English sentences are long: to compile all of them takes as long as to read a thousand
answers, and a run whose model keeps to the format needs none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from sys import maxsize


class LazyPattern:
    """What :func:`re.compile` returns, as far as parsers need it.

    Attributes:
        pattern: The expression's text.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def match(self, text: str, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Match at a place; see :meth:`re.Pattern.match`."""
        return self._compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Match all of a stretch; see :meth:`re.Pattern.fullmatch`."""
        return self._compiled.fullmatch(text, start, end)

    def search(self, text: str, start: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Find the first match; see :meth:`re.Pattern.search`."""
        return self._compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = maxsize) -> Iterator[re.Match[str]]:
        """Find all matches; see :meth:`re.Pattern.finditer`."""
        return self._compiled.finditer(text, start, end)
