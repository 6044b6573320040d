"""The raw entries of a data file in K-MetBench's format: fields are added, and all others stay as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from exambench.configuration import read_ordinary
from exambench.construct.translation_rules import Translation
from exambench.errors import DataError, Finding
from exambench.items import ReviewState

QUESTION: Final = "question_english"
CHOICES: Final = "choices_english"
STATE: Final = "translation"


@dataclass(frozen=True, slots=True)
class Translated:
    """A translation with its state."""

    translation: Translation
    state: ReviewState


@dataclass
class Entries:
    """A data file.

    Attributes:
        file: Its path.
        entries: The objects in their order.
    """

    file: Path
    entries: Sequence[dict[str, Any]] = field(default_factory=list)

    def translated(self, found: Mapping[str, Translated | None]) -> str:
        """Return the data as JSON with the English side of some items.

        Args:
            found: By identifier; ``None`` takes the English side away.
        """
        changed = []
        for entry in self.entries:
            identifier = str(entry.get("id")).strip()
            if identifier not in found:
                changed.append(entry)
                continue
            kept = {name: value for name, value in entry.items() if name not in {QUESTION, CHOICES, STATE}}
            english = found[identifier]
            if english is not None:
                kept[QUESTION] = english.translation.question or entry["question"]  # a picture alone is in no language
                if english.translation.choices:
                    kept[CHOICES] = list(english.translation.choices)
                kept[STATE] = str(english.state)
            changed.append(kept)
        return json.dumps(changed, ensure_ascii=False, indent=1) + "\n"


def read_entries_of(path: Path) -> Entries:
    """Read a data file that was read as a benchmark before.

    Raises:
        DataError: It cannot be read, or is no list of objects.
    """
    try:
        value = json.loads(read_ordinary(path).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise DataError(Finding(f"cannot be read: {error}", file=str(path), allowed="a JSON array of items")) from error
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DataError(Finding("is no array of items", file=str(path), allowed="a JSON array of objects"))
    return Entries(path, value)
