"""The parsers by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.parsing.booleans import read_boolean_leniently, read_boolean_strictly
from exambench.parsing.boxed import read_boxed, read_boxed_freely, read_boxed_set
from exambench.parsing.dicts import read_dict_leniently, read_dict_strictly
from exambench.parsing.letters import (
    read_letter_leniently,
    read_letter_strictly,
    read_letters_leniently,
    read_letters_strictly,
)
from exambench.parsing.visible import Parser, parser_of

PARSER_VERSION: Final = "2"
"""Changes whenever the behaviour of a parser does; stored beside each outcome."""

PARSERS: Final[Mapping[str, Parser]] = MappingProxyType(
    {
        "dict-strict": parser_of(read_dict_strictly),
        "dict-lenient": parser_of(read_dict_leniently),
        "boxed": parser_of(read_boxed),
        "boxed-multi": parser_of(read_boxed_set),
        "boxed-free": parser_of(read_boxed_freely),
        "letter-strict": parser_of(read_letter_strictly),
        "letter-lenient": parser_of(read_letter_leniently),
        "letters-strict": parser_of(read_letters_strictly),
        "letters-lenient": parser_of(read_letters_leniently),
        "boolean-strict": parser_of(read_boolean_strictly),
        "boolean-lenient": parser_of(read_boolean_leniently),
    }
)
"""The parsers by their names in benchmark definitions."""


def parser(name: str) -> Parser:
    """Return the parser of that name.

    Raises:
        ConfigError: There is none; the message lists those that there are.
    """
    if name not in PARSERS:
        raise ConfigError(
            Finding(
                "there is no such parser",
                field="parser",
                value=show(name),
                allowed=", ".join(PARSERS),
                remedy="Name one of these parsers",
            )
        )
    return PARSERS[name]
