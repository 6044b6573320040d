"""What choices are called: by number, by letter, by Korean consonant."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
JAMO: Final = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"


class Labels(StrEnum):
    """A way to call choices."""

    NUMBERS = "numbers"
    LETTERS = "letters"
    JAMO = "jamo"

    def of(self, count: int) -> tuple[str, ...] | None:
        """Return the labels of so many choices, none for numbers; ``None`` when there are not enough labels."""
        signs = {Labels.NUMBERS: "", Labels.LETTERS: LETTERS, Labels.JAMO: JAMO}[self]
        if not signs:
            return ()
        return tuple(signs[:count]) if count <= len(signs) else None

    def stands_in(self, text: str, count: int) -> bool:
        """Tell whether a text uses one of the first labels by itself, as marks of figures and statements do."""
        labels = self.of(count)
        if not labels:
            return False
        signs = "".join(labels)
        return re.search(rf"(?<![A-Za-z가-힣ㄱ-ㅣ°\\])[{signs}](?![A-Za-zㄱ-ㅣ])", text) is not None
