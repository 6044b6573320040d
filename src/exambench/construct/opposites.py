"""Stems that hardly differ and ask the reverse: the highest instead of the lowest, the wrong instead of the right."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate

SHIPPED: Final = Path(__file__).with_suffix(".toml")

Term = Annotated[str, Field(min_length=1)]
Side = Annotated[list[Term], Field(min_length=1)]


class _Lexicon(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    negations: list[Term] = Field(default_factory=list)
    antonyms: list[Annotated[list[Side], Field(min_length=2, max_length=2)]] = Field(default_factory=list)


@dataclass(frozen=True)
class Opposites:
    """A lexicon of negations and of pairs of opposite terms.

    Attributes:
        negations: Words whose presence reverses a question.
        antonyms: Pairs of sides; each side is a list of forms of one term.
    """

    negations: tuple[str, ...]
    antonyms: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    def reversal(self, a: str, b: str) -> str | None:
        """Return in which word two stems ask the reverse of each other; ``None`` if in none.

        They do when only one of them has a negation, or when one has more of a term and the other has more of its
        opposite. Of terms that stand in each other (포화, 불포화) the longest counts. Latin words count as whole
        words, and capitals do not matter.
        """
        first, second = self._terms(a), self._terms(b)
        denied = [[word for word in self.negations if terms[word.casefold()]] for terms in (first, second)]
        if bool(denied[0]) != bool(denied[1]):
            return (denied[0] or denied[1])[0]
        for sides in self.antonyms:
            more = [sum(first[form.casefold()] - second[form.casefold()] for form in side) for side in sides]
            if more[0] * more[1] < 0:
                return f"{sides[0][0]} ↔ {sides[1][0]}"
        return None

    def as_json(self) -> list[object]:
        """Return the lexicon as JSON values, for a digest."""
        return [list(self.negations), [list(map(list, sides)) for sides in self.antonyms]]

    def _terms(self, text: str) -> Counter[str]:
        return Counter(found.casefold() for found in self._pattern.findall(text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Match the longest term that stands anywhere."""
        terms = {*self.negations, *(form for sides in self.antonyms for side in sides for form in side)}
        longest_first = sorted(terms, key=lambda term: (-len(term), term))
        return re.compile("|".join(map(_whole, longest_first)) or r"(?!)", re.IGNORECASE)


def read_opposites(path: Path = SHIPPED) -> Opposites:
    """Read a lexicon from a TOML or YAML file; the Korean and English one that ships by default.

    Raises:
        ConfigError: The file is not a lexicon.
    """
    lexicon = validate(_Lexicon, read_table(path), str(path))
    return Opposites(tuple(lexicon.negations), tuple((tuple(one), tuple(other)) for one, other in lexicon.antonyms))


def _whole(term: str) -> str:
    """Return a pattern for a term; Korean ones take endings and particles, Latin ones stand alone."""
    return rf"\b{re.escape(term)}\b" if term.isascii() else re.escape(term)
