"""The formats of data files, by the names that definitions and projects give them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from exambench.benchmarks import kmetbench_format, scholarbench_format
from exambench.errors import Finding
from exambench.items import Item

Format = Literal["kmetbench", "scholarbench"]
"""What a ``benchmark.toml`` and the stage ``read`` may name."""


def read_items(path: Path, form: Format) -> tuple[tuple[Item, ...], tuple[Finding, ...]]:
    """Read every item that can be read.

    Returns:
        The usable items in the order of the file, and everything that is wrong, errors and warnings.

    Raises:
        DataError: The file cannot be read at all, or is of another form.
    """
    match form:
        case "kmetbench":
            return kmetbench_format.read_items(path)
        case "scholarbench":
            return scholarbench_format.read_items(path)
