"""Files that come with the toolkit and that a stage's result depends on, such as prompts and word lists."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digests_of_shipped(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return the SHA-256 of files of the toolkit, wherever it is installed.

    Raises:
        OSError: One of them is missing: the toolkit is not whole.
    """
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
