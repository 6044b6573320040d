"""The texts of the pages."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import exambench.report.site
from exambench.report.site.catalogue import LANGUAGES, all_texts, catalogue

SOURCES = [
    path.read_text(encoding="utf-8")
    for path in Path(exambench.report.site.__file__).parent.rglob("*")
    if path.suffix in {".py", ".html"}
]
CALLED = re.compile(r'\bt\("([a-z_-]+)"[,)]')
BUILT = re.compile(r'"([a-z]+_)" ~|f"([a-z]+_)\{')


def names_in(text: str) -> set[str]:
    """Return the values that a text asks for."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_text_is_there_in_every_language() -> None:
    """No page falls back to another language."""
    for key, texts in all_texts().items():
        assert set(texts) == set(LANGUAGES), key
        assert all(text.strip() for text in texts.values()), key


def test_a_text_asks_for_the_same_values_in_every_language() -> None:
    """No number is lost in translation."""
    for key, texts in all_texts().items():
        english, *others = (names_in(texts[language]) for language in LANGUAGES)
        assert all(other == english for other in others), key


def test_korean_is_korean() -> None:
    """A text that holds words, and no formula alone, is translated."""
    alike = {key for key, texts in all_texts().items() if texts["en"] == texts["ko"]}
    assert alike <= {"difference", "p_holm"}


def test_the_templates_and_the_catalogue_know_the_same_keys() -> None:
    """Nothing is shown that has no text, and no text is left over."""
    whole = "\n".join(SOURCES)
    assert set(CALLED.findall(whole)) <= set(all_texts())
    prefixes = tuple(first or second for first, second in BUILT.findall(whole))
    unused = [key for key in all_texts() if f'"{key}"' not in whole and not key.startswith(prefixes)]
    assert unused == []


def test_a_missing_value_is_an_error() -> None:
    """A text never shows a name in braces."""
    with pytest.raises(KeyError):
        catalogue("en")("shown", n=1)
