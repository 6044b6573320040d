"""The two languages of titles, axes and legends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """A language of figures, by its code."""

    EN = "en"
    KO = "ko"


@dataclass(frozen=True, slots=True)
class Phrase:
    """The same words in both languages; ``{name}`` is a place for a value."""

    en: str
    ko: str

    def text(self, language: Language, **values: object) -> str:
        """Return the words in a language, with the values in their places."""
        return (self.ko if language is Language.KO else self.en).format(**values)

    def filled(self, **values: object) -> Phrase:
        """Return the words with the values in their places, for good: what stands in braces in a value stays."""
        return Phrase(*(_literal(self.text(language, **values)) for language in Language))


def verbatim(text: str) -> Phrase:
    """Return a name that is the same in both languages."""
    return titled(text, {})


def titled(name: str, titles: Mapping[str, str]) -> Phrase:
    """Return what an axis is called: by its titles, or by its name in a language that it has no title in."""
    return Phrase(*(_literal(titles.get(language, name)) for language in Language))


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
