"""True or false."""

from __future__ import annotations

from typing import Final

from exambench.items import Wording
from exambench.parsing.claims import Nothing, Stated
from exambench.parsing.phrases import before_explanation
from exambench.parsing.statements import last_statement, only_an_option
from exambench.parsing.visible import Read, Violation
from exambench.parsing.vocabulary import TRUTH

_BARE: Final = {"1": True, "0": False}


def read_boolean_strictly(text: str, _wording: Wording) -> Read | Violation:
    """Read a bare ``1`` or ``0``."""
    value = _BARE.get(text.strip())
    return Violation("neither 1 nor 0") if value is None else Read(value)


def read_boolean_leniently(text: str, wording: Wording) -> Read | Violation:
    """Read one word for true or false, alone or in an explicit statement."""
    strict = read_boolean_strictly(text, wording)
    if isinstance(strict, Read):
        return strict
    stated = last_statement(text, TRUTH)
    alone = only_an_option(before_explanation(text), TRUTH)
    if isinstance(stated, Stated):
        agreed = len(stated.values) == 1 and alone in {None, stated.values[0]}
        return Read(stated.values[0], stated.flags) if agreed else Violation("both truth values")
    if alone is not None:
        return Read(alone)
    return Violation("no truth value" if isinstance(stated, Nothing) else stated.reason)
