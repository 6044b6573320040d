"""Pages of the items: question, choices, key, what each model picked, what judges say of its reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from exambench.analysis.run_tables import score_matrix_of
from exambench.analysis.scores import RunScores, TrialRow
from exambench.analysis.verdicts import JudgedRun
from exambench.items import Benchmark, ChoiceKey, ChoiceSetKey, Content, Item, Key, key_as_pair
from exambench.outcomes import OutcomeKind
from exambench.protocols.condition import USUAL
from exambench.report.site.boards import titles_of
from exambench.report.site.catalogue import LANGUAGES
from exambench.report.site.item_material import ItemSet
from exambench.report.site.rendering import Page
from exambench.stats.forensics import ItemStatistics, item_statistics

EXTENSIONS: Final = {b"\x89PNG\r\n": "png", b"\xff\xd8\xff": "jpg", b"GIF8": "gif", b"RIFF": "webp"}
"""First bytes of a file → how its name ends. What begins otherwise is not shown."""
STEM_LENGTH: Final = 120


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of an item.

    Attributes:
        name: Its path in the dataset.
        file: Its file in the site's folder of pictures; ``None`` when it is not there.
    """

    name: str
    file: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """Text with its pictures."""

    text: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says of one rationale: its total, of how many, and why."""

    judge: str
    total: int
    most: int
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run made of an item.

    Attributes:
        run_id: The run.
        name: What to call it.
        protocol: Its protocol.
        unusual: What is unusual in how it was shown the item, as the store keeps it.
        kind: What became of its first trial; ``None`` while it waits.
        pick: Choice, counted from 1, that was read; ``None`` where none was.
        score: Mean over the scored trials; ``None`` without one.
        opinions: What judges say.
    """

    run_id: str
    name: str
    protocol: str
    unusual: Mapping[str, object]
    kind: OutcomeKind | None
    pick: int | None
    score: float | None
    opinions: tuple[Opinion, ...]

    @property
    def is_between(self) -> bool:
        """Whether the score says more than the pick: a mean over trials, or a graded one."""
        return self.score not in {None, 0.0, 1.0}


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice.

    Attributes:
        content: What it says.
        right: Whether it is right.
        pickers: Who picked it in the first scored trial.
    """

    content: Shown
    right: bool
    pickers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """An item in the list of all of them.

    Attributes:
        path: Where its page stands.
        item_id: Its identifier.
        stem: The beginning of its question, or of its passage where that is all.
        labels: What it is about, by language: its axes, and labels that no axis asks for.
        difficulty: Mean score over the runs; ``None`` without one.
        discrimination: Correlation with the other items; ``None`` where it cannot be told.
        n: Runs with a score.
    """

    path: str
    item_id: str
    stem: str
    labels: tuple[Mapping[str, str], ...]
    difficulty: float | None
    discrimination: float | None
    n: int


@dataclass(frozen=True, eq=False)
class _Asked:
    """A set of items with what all of its pages need.

    Attributes:
        items: The items with their runs.
        listed: The list of them.
        files: The pictures' files by digest.
        opinions: What judges say, by run and item.
        unusual: What is unusual in the condition of each run.
    """

    items: ItemSet
    listed: Sequence[Listed]
    files: Mapping[str, str]
    opinions: Mapping[str, Mapping[str, tuple[Opinion, ...]]]
    unusual: Mapping[str, Mapping[str, object]]


def item_pages(sets: Sequence[ItemSet]) -> Iterator[Page]:
    """Yield a page for each item, and the list of all of them."""
    lists = []
    for items in sets:
        asked = _Asked(items, _listed(items), picture_files(items), _opinions(items), _unusual(items))
        lists.append((items.benchmark, asked.listed))
        yield from (_item_page(asked, number) for number in range(len(asked.listed)))
    if lists:
        yield Page(path="items/index.html", template="items.html", heading="items", content={"lists": lists})


def picture_files(items: ItemSet) -> dict[str, str]:
    """Return what the files of the pictures are called in a site, by digest."""
    found = {
        sha256: next((end for start, end in EXTENSIONS.items() if content.startswith(start)), None)
        for sha256, content in items.pictures.items()
    }
    return {sha256: f"{sha256}.{end}" for sha256, end in found.items() if end is not None}


def item_files(sets: Sequence[ItemSet]) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of the items, as paths and bytes, each once."""
    content = {file: each.pictures[sha256] for each in sets for sha256, file in picture_files(each).items()}
    for file, picture in sorted(content.items()):
        yield f"items/pictures/{file}", picture


def _item_page(asked: _Asked, number: int) -> Page:
    items, item, line = asked.items, asked.items.benchmark.items[number], asked.listed[number]
    answers = [
        _answer(asked, item, name, run) for name, run in items.runs if run.knows(item) and item.id in run.by_item
    ]
    wording = item.wording()
    pickers: defaultdict[int, list[Answer]] = defaultdict(list)
    others: defaultdict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.pick is not None:
            pickers[answer.pick].append(answer)
        else:
            others["open" if answer.kind is None else str(answer.kind)].append(answer)
    right = _right(item.key)
    return Page(
        path=line.path,
        template="item.html",
        name=f"{items.benchmark.title} · {line.item_id}",
        content={
            "benchmark": items.benchmark,
            "item": line,
            "passage": item.passage,
            "question": _shown(wording.question, asked.files),
            "choices": [
                Choice(_shown(content, asked.files), place in right, tuple(pickers[place]))
                for place, content in enumerate(wording.choices, start=1)
            ],
            "key": None if right else str(key_as_pair(item.key)[1]),
            "judged": [answer for answer in answers if answer.opinions],
            "others": others,
            "several_protocols": len({run.record.protocol_name for _, run in items.runs}) > 1,
            "picked": sum(map(len, pickers.values())),
            "rationale": item.rationale,
            "source": item.source,
            "before": asked.listed[number - 1] if number else None,
            "after": asked.listed[number + 1] if number + 1 < len(asked.listed) else None,
        },
    )


def _answer(asked: _Asked, item: Item, name: str, run: RunScores) -> Answer:
    rows: tuple[TrialRow, ...] = run.by_item[item.id]
    return Answer(
        run.run_id,
        name,
        run.record.protocol_name,
        asked.unusual[run.run_id],
        rows[0].kind,
        run.picks.get(item.id),
        run.scores.get(item.id),
        asked.opinions.get(run.run_id, {}).get(item.id, ()),
    )


def _unusual(items: ItemSet) -> dict[str, dict[str, object]]:
    """Return by run what is unusual in how it was shown the items."""
    return {
        run.run_id: {name: value for name, value in run.record.condition.items() if str(value) != USUAL.get(name)}
        for _, run in items.runs
    }


def _right(key: Key) -> frozenset[int]:
    match key:
        case ChoiceKey(index):
            return frozenset({index})
        case ChoiceSetKey(indices):
            return indices
        case _:
            return frozenset()


def _shown(content: Content, files: Mapping[str, str]) -> Shown:
    return Shown(content.text, tuple(Picture(image.path, files.get(image.sha256 or "")) for image in content.images))


def _listed(items: ItemSet) -> list[Listed]:
    found = _statistics(items)
    return [
        Listed(
            path=f"items/{items.key}/{number + 1}.html",
            item_id=item.id,
            stem=(item.wording().question.text or item.passage)[:STEM_LENGTH],
            labels=_labels(items.benchmark, item),
            difficulty=_number(found.difficulty[number]),
            discrimination=_number(found.discrimination[number]),
            n=int(found.n[number]),
        )
        for number, item in enumerate(items.benchmark.items)
    ]


def _labels(benchmark: Benchmark, item: Item) -> tuple[Mapping[str, str], ...]:
    """Return the titles of the axes of some items that an item is in, and its other labels as the data name them."""
    axes = [axis for axis in benchmark.axes if axis.where]
    told = {facet for axis in axes for facet in axis.where}
    others = (
        name if value is True else f"{name} {value}"
        for name, value in item.facets.items()
        if name not in told and value is not False
    )
    return (
        *(titles_of(axis.name, axis.titles) for axis in axes if axis.selects(item)),
        *(dict.fromkeys(LANGUAGES, label) for label in others),
    )


def _statistics(items: ItemSet) -> ItemStatistics:
    """Return the statistics over all runs of the protocol that most runs are of: those compare with each other."""
    by_protocol: defaultdict[tuple[str, ...], list[RunScores]] = defaultdict(list)
    for _, run in items.runs:
        record = run.record
        by_protocol[record.protocol_hash, *map(str, record.condition.items())].append(run)
    runs = max(by_protocol.values(), key=len)
    return item_statistics(score_matrix_of(runs, items.benchmark.items))


def _opinions(items: ItemSet) -> dict[str, dict[str, tuple[Opinion, ...]]]:
    """Return what judges say, by run and item; of several trials the first."""
    found: dict[str, dict[str, tuple[Opinion, ...]]] = {}
    for run_id, several in items.judged.items():
        for judged in several:
            for item_id, opinion in _of_judge(judged).items():
                of_run = found.setdefault(run_id, {})
                of_run[item_id] = (*of_run.get(item_id, ()), opinion)
    return found


def _of_judge(judged: JudgedRun) -> dict[str, Opinion]:
    most = len(judged.axes) * judged.scale[1]
    return {
        answer.item_id: Opinion(judged.judge_name, answer.verdict.total, most, answer.verdict.reason)
        for answer in reversed(judged.answers)
        if answer.verdict is not None
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
