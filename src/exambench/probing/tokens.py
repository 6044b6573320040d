"""Korean text as tokens, by a tokenizer that is named beside every number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Final

from exambench.errors import MissingExtraError

_WORD: Final = re.compile(r"\S+")
_SIGN: Final = re.compile(r"\S")


class Tokenization(StrEnum):
    """What a token is."""

    KIWI = "kiwi"
    WORDS = "words"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: what it is (a morpheme in its own form), and where it ends in the text."""

    text: str
    end: int


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Cuts a composed text (NFC) into tokens.

    Attributes:
        name: What it is called beside a number, with its version.
        cut: From a text to its tokens.
    """

    name: str
    cut: Callable[[str], list[Token]]

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return [token.text for token in self.cut(unicodedata.normalize("NFC", text))]


def _by(pattern: re.Pattern[str]) -> Callable[[str], list[Token]]:
    return lambda text: [Token(match.group(), match.end()) for match in pattern.finditer(text)]


WORDS: Final = Tokenizer("words between spaces", _by(_WORD))
CHARACTERS: Final = Tokenizer("characters without spaces", _by(_SIGN))


def tokenizer(wanted: Tokenization | None) -> Tokenizer:
    """Return a tokenizer; by default Kiwi's morphemes where Kiwi is installed, else words.

    Raises:
        MissingExtraError: Kiwi is asked for and not installed.
    """
    match wanted:
        case Tokenization.WORDS:
            return WORDS
        case Tokenization.CHARACTERS:
            return CHARACTERS
        case None if find_spec("kiwipiepy") is None:
            return WORDS
        case _:
            return _kiwi()


def _kiwi() -> Tokenizer:
    try:
        import kiwipiepy  # noqa: PLC0415 - an optional part, and slow to load
    except ImportError as error:
        raise MissingExtraError("korean", "cutting Korean text into morphemes") from error
    kiwi = kiwipiepy.Kiwi()
    return Tokenizer(
        f"Kiwi {kiwipiepy.__version__} morphemes",
        lambda text: [Token(token.form, token.start + token.len) for token in kiwi.tokenize(text)],
    )
