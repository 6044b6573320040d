r"""Numbers with units, as people and models write them: ``1{,}013 hPa``, ``\frac{1}{2}``, ``3 \times 10^{5}``."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

_LONGEST: Final = 200
"""Characters of the longest string that is read as a number."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit.

    Attributes:
        value: The number as it is written, without the unit.
        unit: The unit in one spelling; empty when there is none.
    """

    value: Fraction
    unit: str = ""

    def readings_beside(self, other: Quantity) -> tuple[Fraction, ...]:
        """Return the values to compare with another quantity: beside a bare number, 50 % is 50 and also one half."""
        return (self.value, self.value / 100) if self.unit == "%" and not other.unit else (self.value,)


_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT_RUN: Final = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]++")
_COVER: Final = re.compile(r"\\(?:text|textbf|mathrm|mathbf|rm|operatorname)\s*+\{([^{}]*+)\}")
_REPLACEMENTS: Final = (
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"(?<=[0-9])\\[,!](?=[0-9]{3}(?![0-9]))"), ","),
    (re.compile(r"\\(?:left|right)\b|\\[!]|[$]|\*\*"), ""),
    (re.compile(r"\\[,;: ]|\\q?quad\b|~"), " "),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])|[·⋅✕]"), "×"),
    (re.compile(r"\\[dt]frac\b"), r"\\frac"),
    (re.compile(r"\^\s*\\circ|\^\s*\{\s*\\circ\s*\}|\\degree\b|º"), "°"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"[−–]"), "-"),
    (re.compile(r"\\mu(?![A-Za-z])|μ"), "µ"),
    (re.compile(r"\^\s*\{\s*([-+]?[0-9]+)\s*\}"), r"^\1"),
)


def plain(text: str) -> str:
    """Return the text without its typesetting: LaTeX, widths, superscript digits, a full stop at the end."""
    raised = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run.group().translate(_SUPERSCRIPTS), text)
    result = unicodedata.normalize("NFKC", raised) if len(raised) <= _LONGEST else raised
    for pattern, replacement in _REPLACEMENTS:
        result = pattern.sub(replacement, result)
    result = _COVER.sub(r"\1", _COVER.sub(r"\1", result))
    return result.strip().rstrip(".").strip()


_DECIMAL: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]+)?|[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)"
_NUMBER: Final = re.compile(
    rf"""
    (?P<sign>[-+]?)\s*
    (?: \\frac\s*\{{\s*(?P<upper>-?{_DECIMAL})\s*\}}\s*\{{\s*(?P<lower>-?{_DECIMAL})\s*\}}
      | (?P<above>{_DECIMAL})\s*/\s*(?P<below>{_DECIMAL})
      | (?P<decimal>{_DECIMAL})(?!\^)(?:[eE](?P<e>[-+]?[0-9]{{1,3}})(?![0-9]))?
    )?
    (?:(?:(?<=[0-9}}.])\s*[×x*]\s*|(?<![0-9}}.])(?=10\^))10\^(?P<power>[-+]?[0-9]{{1,3}})(?![0-9.]))?
    \s*(?P<unit>.*)
    """,
    re.VERBOSE | re.DOTALL,
)
_SYMBOL: Final = (
    r"(?:hPa|[kMG]?Pa|m?bar|mb|[kcmµn]?m|km|[kmµ]?g|ton|[mµn]?s|sec|min|hr?|day|[kM]?J|[kMm]?W|[kM]?N|[kMGm]?Hz|K|°[CF]?"
    r"|[℃℉]|C|rad|deg|sr|kt|kts|knots?|mol|L|ml|mL|V|A|Ω|eV|cal|kcal|atm|ppm|ppb|gpm|dBZ|dB|ha|DU)"
)
_UNIT: Final = re.compile(
    rf"%|{_SYMBOL}(?:\^?[-+]?[0-9])?(?:\s*[/×.*]?\s*{_SYMBOL}(?:\^?[-+]?[0-9])?)*+"
    r"|개|명|배|도|미터|킬로미터|시간|분|초|일|년|월|퍼센트|노트|헥토파스칼|번|회|층|원"
)


def quantity(text: str) -> Quantity | None:
    """Return the number that a string is, or ``None`` when it is anything else or anything more."""
    if len(text) > _LONGEST:
        return None
    found = _NUMBER.fullmatch(plain(text))
    if found is None:
        return None
    unit = found["unit"].strip().strip("()[]")
    value = _value(found)
    if value is None or (unit and not _UNIT.fullmatch(unit)):
        return None
    return Quantity(value, "%" if unit == "퍼센트" else re.sub(r"\s+", " ", unit))


def _value(found: re.Match[str]) -> Fraction | None:
    """Return the number of a match; ``None`` when there is none, or it divides by zero."""
    upper, lower = found["upper"] or found["above"], found["lower"] or found["below"]
    if upper is not None:
        divisor = _fraction(lower)
        if not divisor:
            return None
        value = _fraction(upper) / divisor
    elif found["decimal"] is not None:
        value = _fraction(found["decimal"])
    elif found["power"] is not None:
        value = Fraction(1)
    else:
        return None
    for exponent in (found["e"], found["power"]):
        value *= Fraction(10) ** int(exponent or 0)
    return -value if found["sign"] == "-" else value


def _fraction(digits: str) -> Fraction:
    return Fraction(digits.replace(",", ""))
