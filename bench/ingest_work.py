"""A paper's items as they are, as they were read, and where the two differ."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageChops

from exambench.construct.formulas import MARK, is_formula
from exambench.construct.picture_marks import without_figures
from exambench.construct.records import Action, StageResult
from exambench.items import ChoiceKey, Content

DATA: Final = Path(__file__).parents[1] / "src" / "exambench" / "benchmarks" / "kmet_mini"
CONTENTS: Final = {
    "all characters": re.compile(r"(?!)"),
    "without spaces": re.compile(r"\s"),
    "Hangul alone": re.compile("[^\uac00-\ud7a3]"),
}
"""Ways to count characters: what is left out of each."""
MOST_OTHER: Final = 0.25
"""Part of an item's Hangul that may be misread where its bounds are right."""
MOST_LONGER: Final = 0.1
"""Part by which it may be longer or shorter; three syllables always may."""
FEW: Final = 3
_MATH: Final = re.compile(r"\$[^$]+\$")
_FORMULA: Final = "\x00"


@dataclass(frozen=True, slots=True)
class Truth:
    """An item as it is.

    Attributes:
        number: Its number in the paper.
        stem: Its stem, formulas as LaTeX.
        options: Its options.
        key: The right option.
        figure: Name of the stem's figure, or nothing.
        option_figures: Names of the options' figures.
    """

    number: int
    stem: str
    options: tuple[str, ...]
    key: int
    figure: str
    option_figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An item as it was read, whether it went on or was held back."""

    stem: str
    options: tuple[str, ...]
    key: int | None
    figures: tuple[tuple[str, ...], ...] = ()
    flagged: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """What of an item is right."""

    number: int
    found: bool
    bounds: bool
    stem: bool
    options: bool
    option_texts: bool
    key: bool
    figures: bool
    flagged: bool
    formulas: int
    all_formulas: int
    errors: dict[str, tuple[int, int]]

    @property
    def is_exact(self) -> bool:
        """Whether all of it is right; formulas by their marks."""
        return not self.faults

    @property
    def faults(self) -> list[str]:
        """What is not right."""
        names = ("found", "stem", "options", "option_texts", "key", "figures")
        return [name for name in names if not getattr(self, name)]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self) | {"exact": self.is_exact}


def read_truth() -> tuple[Truth, ...]:
    """Return the items of kmet-mini, numbered in their order."""
    entries = json.loads((DATA / "kmet-mini.json").read_text(encoding="utf-8"))
    return tuple(
        Truth(
            number,
            entry["question"]["text"],
            tuple(choice["text"] for choice in entry["choices"]),
            entry["answer"],
            entry["question"]["image"],
            tuple(choice["image"] for choice in entry["choices"]),
        )
        for number, entry in enumerate(entries, start=1)
    )


def found_in(result: StageResult) -> dict[int, Found]:
    """Return the items of a stage's result by number, those that were held back too."""
    review = {change.item: change for change in result.changes if change.action is Action.REVIEW}
    found = {
        int(name): Found(
            without_figures(change.details["stem"]),
            tuple(map(without_figures, change.details["options"])),
            change.details["answer"][0] if len(change.details["answer"]) == 1 else None,
            flagged=True,
            held=True,
        )
        for name, change in review.items()
        if "stem" in change.details
    }
    for item in result.items:
        wording = item.wording()
        contents = (wording.question, *wording.choices)
        found[int(item.id)] = Found(
            wording.question.text,
            tuple(choice.text for choice in wording.choices),
            item.key.index if isinstance(item.key, ChoiceKey) else None,
            tuple(_figures(content) for content in contents),
            flagged=item.id in review,
        )
    return found


def compare(truth: Truth, found: Found | None, pictures: Path | None) -> Comparison:
    """Hold an item as it was read against what it is.

    Args:
        truth: The item.
        found: What was read; ``None`` when it was not found.
        pictures: Folder of the figures that were cut out, to be the same to the pixel; ``None`` for a scan, where
            only their number is compared.
    """
    if found is None:
        return Comparison(
            number=truth.number,
            found=False,
            bounds=False,
            stem=False,
            options=False,
            option_texts=False,
            key=False,
            figures=False,
            flagged=False,
            formulas=0,
            all_formulas=_formulas_of(truth),
            errors=_errors(truth, None),
        )
    marked = _matches(truth.stem, found.stem)
    texts = [_matches(*pair) for pair in zip(truth.options, found.options, strict=False)]
    count = len(found.options) == len(truth.options)
    pairs = [(truth.stem, found.stem), *zip(truth.options, found.options, strict=False)]
    return Comparison(
        number=truth.number,
        found=True,
        bounds=_has_bounds(truth.stem, found.stem)
        and all(_has_bounds(*pair) for pair in zip(truth.options, found.options, strict=False)),
        stem=marked,
        options=count,
        option_texts=count and all(texts),
        key=found.key == truth.key,
        figures=_same_figures(truth, found, pictures),
        flagged=found.flagged,
        formulas=sum(len(MARK.findall(read)) for true, read in pairs if _matches(true, read)),
        all_formulas=_formulas_of(truth),
        errors=_errors(truth, found),
    )


def _figures(content: Content) -> tuple[str, ...]:
    return tuple(image.path for image in content.images if not is_formula(image, content.text))


def _matches(true: str, read: str) -> bool:
    """Tell whether a text is right to the letter, with a mark for each formula."""
    return _MATH.sub(_FORMULA, true) == MARK.sub(_FORMULA, read)


def _has_bounds(true: str, read: str) -> bool:
    """Tell whether a text begins and ends where it should: its Hangul is about as much, and about the same."""
    true, read = (CONTENTS["Hangul alone"].sub("", _MATH.sub("", text)) for text in (true, read))
    allowed = max(FEW, MOST_OTHER * len(true))
    return abs(len(true) - len(read)) <= max(FEW, MOST_LONGER * len(true)) and _distance(true, read) <= allowed


def _distance(one: str, two: str) -> int:
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - of the extra `construct`; other suites do without

    return Levenshtein.distance(one, two)


def _same_figures(truth: Truth, found: Found, pictures: Path | None) -> bool:
    """Tell whether each figure is where it belongs; of held-back items none is known."""
    names = (truth.figure, *truth.option_figures)
    if not found.figures:
        return not any(names)
    return len(names) == len(found.figures) and all(
        (len(read) == bool(name) if pictures is None else _same_pixels(name, read, pictures))
        for name, read in zip(names, found.figures, strict=True)
    )


def _same_pixels(name: str, read: Sequence[str], pictures: Path) -> bool:
    if not name or len(read) != 1:
        return not name and not read
    with Image.open(DATA / "images" / name) as one, Image.open(pictures / read[0]) as two:
        first, second = one.convert("RGB"), two.convert("RGB")
        return first.size == second.size and ImageChops.difference(first, second).getbbox() is None


def _errors(truth: Truth, found: Found | None) -> dict[str, tuple[int, int]]:
    """Return edits and lengths of the item's texts that have no formula, for each way of counting."""
    true = [truth.stem, *truth.options]
    read = ["", *[""] * len(truth.options)] if found is None else [found.stem, *found.options]
    read += [""] * (len(true) - len(read))
    pairs = [(one, two) for one, two in zip(true, read, strict=False) if not _MATH.search(one)]
    found_errors = {}
    for what, left_out in CONTENTS.items():
        shown = [tuple(left_out.sub("", " ".join(text.split())) for text in pair) for pair in pairs]
        found_errors[what] = (
            sum(_distance(one, two) for one, two in shown),
            sum(len(one) for one, _ in shown),
        )
    return found_errors


def _formulas_of(truth: Truth) -> int:
    return sum(len(_MATH.findall(text)) for text in (truth.stem, *truth.options))
