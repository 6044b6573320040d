"""What kind of files the pictures of a benchmark are, and how large; nothing is decoded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from PIL import Image, UnidentifiedImageError

from exambench.analysis.counting import Count, counted
from exambench.engine.images import READABLE, READABLE_NAMES, resolve
from exambench.errors import Finding, ImageError
from exambench.items import Benchmark, Item
from exambench.stats.distributions import Summary, summary

SIDES: Final = (256, 512, 1024, 2048)
"""Upper bounds of the classes of pictures by their longer side, in pixels."""
LARGER: Final = "larger"


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """One picture file.

    Attributes:
        path: Path below the image root, as the items name it.
        kind: Format by content, such as ``PNG``.
        width: Pixels.
        height: Pixels.
        size: Bytes of the file.
    """

    path: str
    kind: str
    width: int
    height: int
    size: int


@dataclass(frozen=True, slots=True)
class PictureCounts:
    """Where pictures are shown, in the explicit wording, and what files they are.

    Attributes:
        items: Items that show any.
        in_stem: Items that show one in the stem.
        in_choices: Items that show one in a choice.
        shown: Pictures shown, a file as often as it is.
        files: Different files.
        kinds: Files by format; empty when no folder of pictures was looked at.
        sides: Files by the longer side: a class is named by its upper bound in pixels, the last is :data:`LARGER`.
        width: Pixels; ``None`` likewise.
        height: Pixels.
        size: Bytes.
    """

    items: int
    in_stem: int
    in_choices: int
    shown: int
    files: int
    kinds: tuple[Count, ...] = ()
    sides: tuple[Count, ...] = ()
    width: Summary | None = None
    height: Summary | None = None
    size: Summary | None = None


def read_picture_facts(benchmark: Benchmark, root: Path) -> tuple[PictureFacts, ...]:
    """Look at every picture of the explicit wording, each file once, sorted by path.

    Raises:
        ImageError: Pictures are missing, or of no type that can be read; each is a finding.
    """
    first_item: dict[str, str] = {}
    for item in benchmark.items:
        for image in item.wording().images:
            first_item.setdefault(image.path, item.id)
    facts, findings = [], list[Finding]()
    for path in sorted(first_item):
        try:
            facts.append(_facts(root, path))
        except ImageError as error:
            findings.extend(replace(finding, item=first_item[path]) for finding in error.findings)
    if findings:
        raise ImageError(*findings)
    return tuple(facts)


def _facts(root: Path, relative: str) -> PictureFacts:
    path = resolve(root, relative)
    try:
        with warnings.catch_warnings():
            # Nothing is decoded here, so the number of pixels is a fact and no danger.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path, formats=READABLE) as image:
                return PictureFacts(relative, image.format or "", image.width, image.height, path.stat().st_size)
    except UnidentifiedImageError:
        problem = "this is not a picture of a type that can be read"
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        problem = f"the picture cannot be read: {error}"
    raise ImageError(Finding(problem, file=str(path), allowed=READABLE_NAMES, remedy="Convert it to PNG"))


def picture_counts(items: Sequence[Item], facts: Sequence[PictureFacts] | None) -> PictureCounts:
    """Return where pictures are shown, and what files they are as far as somebody looked.

    Args:
        items: The items.
        facts: One for each file; ``None`` when nobody looked.
    """
    wordings = [item.wording() for item in items]
    shown = [image.path for wording in wordings for image in wording.images]
    looked = facts or ()
    return PictureCounts(
        items=sum(bool(wording.images) for wording in wordings),
        in_stem=sum(bool(wording.question.images) for wording in wordings),
        in_choices=sum(any(choice.images for choice in wording.choices) for wording in wordings),
        shown=len(shown),
        files=len(set(shown)),
        kinds=counted(fact.kind for fact in looked),
        sides=counted(_side_class(fact) for fact in looked),
        width=summary([fact.width for fact in looked]) if looked else None,
        height=summary([fact.height for fact in looked]) if looked else None,
        size=summary([fact.size for fact in looked]) if looked else None,
    )


def _side_class(fact: PictureFacts) -> int | str:
    longer = max(fact.width, fact.height)
    return next((side for side in SIDES if longer <= side), LARGER)
