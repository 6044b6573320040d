"""The texts of the pages in each language, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = MappingProxyType({"en": "English", "ko": "한국어"})
"""Code → what its readers call it. The first one stands at the root of a site, the others in folders of their own."""


@dataclass(frozen=True)
class Catalogue:
    """The texts in one language.

    Attributes:
        language: Its code.
        texts: Key → text, with the names of values in braces.
    """

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with values in place of their names.

        Raises:
            KeyError: There is no such text, or a value is missing.
        """
        return self.texts[key].format_map(values)


def catalogue(language: str, packages: tuple[str, ...] = (__package__,)) -> Catalogue:
    """Return the texts of some packages in a language.

    Raises:
        KeyError: There is no such language.
    """
    return Catalogue(language, MappingProxyType({key: texts[language] for key, texts in all_texts(packages).items()}))


@cache
def all_texts(packages: tuple[str, ...] = (__package__,)) -> Mapping[str, Mapping[str, str]]:
    """Return every text of some packages, by key and language."""
    read: dict[str, dict[str, str]] = {}
    for package in packages:
        read |= tomllib.loads(files(package).joinpath("catalogue.toml").read_text(encoding="utf-8"))
    return MappingProxyType({key: MappingProxyType(texts) for key, texts in read.items()})
