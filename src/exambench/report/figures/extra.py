"""The optional parts that figures are drawn with."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from exambench.errors import MissingExtraError

PARTS: Final = ("altair", "vl_convert", "fontTools")


def require_figures() -> None:
    """Make sure that the parts are there, before anything is computed.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    if any(find_spec(part) is None for part in PARTS):
        raise MissingExtraError("figures", "drawing figures")
