"""Many small papers of many kinds, each read and held against what it says; shares by kind, and what no one is told."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageChops

from bench.ingest_papers import FORMULA, Drawn, Known, paper_of
from exambench.construct.formulas import MARK, is_formula
from exambench.construct.ingest import ingest
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.records import Action, StageResult
from exambench.construct.stage import Context
from exambench.items import ChoiceKey, Content, Item

OUTCOMES: Final = ("exact", "flagged", "held back", "wrong and not told")
KINDS: Final = ("language", "columns", "marks", "number", "keys")
"""What papers are grouped by."""


def campaign(papers: int, first: int = 0) -> Mapping[tuple[str, str], Counter[str]]:
    """Read papers drawn from seeds, print each item that is wrong and not told, and return outcomes by kind.

    Args:
        papers: How many.
        first: Seed of the first.
    """
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for seed in range(first, first + papers):
        drawn = paper_of(seed)
        with tempfile.TemporaryDirectory() as folder:
            outcomes = dict(_outcomes(drawn, Path(folder)))
        for kind in (("all", ""), *((name, str(getattr(drawn.kind, name))) for name in KINDS)):
            found[kind].update(outcomes.values())
        missed = [name for name, outcome in outcomes.items() if outcome == OUTCOMES[-1]]
        if missed:
            print(f"seed {seed}: wrong and not told: {', '.join(missed)}")
    return found


def table(found: Mapping[tuple[str, str], Counter[str]]) -> Iterator[str]:
    """Yield the shares of outcomes, a line for each kind of paper."""
    yield f"{'':28} {'items':>6} " + " ".join(f"{outcome:>18}" for outcome in OUTCOMES)
    for (name, value), outcomes in sorted(found.items()):
        items = outcomes.total()
        shares = " ".join(f"{outcomes[outcome] / items:18.1%}" for outcome in OUTCOMES)
        yield f"{f'{name} {value}'.strip():28} {items:6} {shares}"


def _outcomes(drawn: Drawn, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what became of each item of a paper, and of each that is none of it."""
    result = _read(drawn, folder)
    told = {change.item for change in result.changes if change.action is Action.REVIEW}
    items = {item.id: item for item in result.items}
    for known in drawn.items:
        item = items.pop(known.name, None)
        if item is None:
            yield known.name, OUTCOMES[2] if known.name in told else OUTCOMES[3]
        elif known.name in told:
            yield known.name, OUTCOMES[1]
        else:
            yield known.name, OUTCOMES[0] if _is_exact(known, item, folder) else OUTCOMES[3]
    yield from ((name, OUTCOMES[1] if name in told else OUTCOMES[3]) for name in items)


def _read(drawn: Drawn, folder: Path) -> StageResult:
    import typst  # noqa: PLC0415 - of the development environment; other suites do without

    for name, picture in drawn.pictures.items():
        picture.save(folder / name)
    (folder / "exam.typ").write_text(drawn.source, encoding="utf-8")
    (folder / "exam.pdf").write_bytes(typst.compile(folder / "exam.typ", root=folder, format="pdf", timestamp=0))
    keys = None
    if drawn.csv:
        keys = Path("keys.csv")
        (folder / keys).write_text(drawn.csv, encoding="utf-8")
    settings = IngestSettings(paper=Path("exam.pdf"), keys=keys)
    return ingest((), settings, Context(folder, folder / "pictures", 42, {}))


def _is_exact(known: Known, item: Item, folder: Path) -> bool:
    contents = (item.wording().question, *item.wording().choices)
    return (
        [_shown(MARK.sub(FORMULA, content.text)) for content in contents]
        == list(map(_shown, (known.stem, *known.options)))
        and isinstance(item.key, ChoiceKey)
        and item.key.index == known.key
        and all(_shows(content, name, folder) for content, name in zip(contents, known.figures, strict=True))
        and item.facets.get("part", 0) == known.part
    )


def _shown(text: str) -> str:
    """Return a text in which formulas side by side are one, as they may be read."""
    return FORMULA.join(_runs(text.split(FORMULA)))


def _runs(pieces: Sequence[str]) -> Iterator[str]:
    yield from (piece for place, piece in enumerate(pieces) if place in {0, len(pieces) - 1} or piece.strip())


def _shows(content: Content, name: str, folder: Path) -> bool:
    figures = [image for image in content.images if not is_formula(image, content.text)]
    if not name or len(figures) != 1:
        return not name and not figures
    with Image.open(folder / name) as one, Image.open(folder / "pictures" / figures[0].path) as two:
        first, second = one.convert("RGB"), two.convert("RGB")
        return first.size == second.size and ImageChops.difference(first, second).getbbox() is None
