"""Whether a renderer sets a formula: missing arguments, double exponents, and what comes out empty."""

from __future__ import annotations

import warnings
from typing import Final, TypeGuard
from xml.etree.ElementTree import ParseError  # the exception alone; nothing is parsed here

from exambench.errors import MissingExtraError

_REFUSALS: Final[tuple[type[Exception], ...]] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    ParseError,
    StopIteration,
    TypeError,
    ValueError,
)
"""How the renderer says that it cannot read something, besides exceptions of its parser."""


def rendering_problems(latex: str) -> tuple[str, ...]:
    """Say why a formula cannot be set; nothing where it can. The rules have to hold before: they bound its time.

    Raises:
        MissingExtraError: The extra ``construct`` is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of how it finds its own fonts
            from latex2mathml import exceptions  # noqa: PLC0415 - an optional part
            from ziamath.zmath import Latex  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise MissingExtraError("construct", "setting formulas") from error
    refusals = (*_REFUSALS, *(each for each in vars(exceptions).values() if _is_exception(each)))
    try:
        width, height = Latex(latex).getsize()
    except refusals as error:
        return (f"It cannot be set ({type(error).__name__}): an argument is missing, or a sign stands where none may.",)
    return () if width > 0 and height > 0 else ("Nothing is seen when it is set.",)


def _is_exception(value: object) -> TypeGuard[type[Exception]]:
    return isinstance(value, type) and issubclass(value, Exception)
