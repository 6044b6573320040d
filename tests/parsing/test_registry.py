"""The parsers by name."""

from __future__ import annotations

import pytest

import exambench.parsing
from exambench.errors import ConfigError
from exambench.parsing import PARSER_VERSION, PARSERS, parser


def test_the_parsers_are_the_eleven_of_the_protocols() -> None:
    """Benchmark definitions name these."""
    assert list(PARSERS) == [
        "dict-strict",
        "dict-lenient",
        "boxed",
        "boxed-multi",
        "boxed-free",
        "letter-strict",
        "letter-lenient",
        "letters-strict",
        "letters-lenient",
        "boolean-strict",
        "boolean-lenient",
    ]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    """The error says what is allowed."""
    with pytest.raises(ConfigError) as caught:
        parser("dict")
    assert all(name in str(caught.value) for name in PARSERS)


def test_a_known_name_gives_its_parser() -> None:
    """The function and the mapping agree."""
    assert all(parser(name) is PARSERS[name] for name in PARSERS)


def test_the_public_names_are_these() -> None:
    """Others build on them."""
    assert exambench.parsing.__all__ == ["PARSERS", "PARSER_VERSION", "Parser", "parser", "visible_text"]
    assert PARSER_VERSION
