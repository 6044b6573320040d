"""Items with what every model made of them, for pages that show the examination itself."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exambench.analysis.run_groups import comparable
from exambench.analysis.run_names import names_of
from exambench.analysis.scores import RunScores
from exambench.analysis.verdicts import JudgedRun, load_all_verdicts
from exambench.engine.images import read_picture, resolve
from exambench.errors import ImageError
from exambench.items import Benchmark, Image, digest, short
from exambench.store import JudgingKind, Store


@dataclass(frozen=True, eq=False)
class ItemSet:
    """The items of a dataset.

    Attributes:
        benchmark: The dataset.
        runs: The runs that were asked any of its items, with their names, those of one protocol together.
        judged: Run → what judges say of it, the first judging first.
        pictures: Digest of a picture's file → its bytes; a picture that is not there is only named.
    """

    benchmark: Benchmark
    runs: tuple[tuple[str, RunScores], ...]
    judged: Mapping[str, tuple[JudgedRun, ...]] = field(default_factory=dict)
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What addresses call it."""
        return short(digest([self.benchmark.name, self.benchmark.content_hash]))


def gather_items(store: Store, runs: Sequence[RunScores]) -> list[ItemSet]:
    """Return the items of each dataset that runs sat, without pictures.

    Raises:
        StoreError: The store cannot be read.
    """
    by_dataset: defaultdict[tuple[str, str], list[RunScores]] = defaultdict(list)
    for run in runs:
        by_dataset[run.record.benchmark, run.record.dataset_hash].append(run)
    verdicts = gather_verdicts(store, runs)
    return [ItemSet(alike[0].benchmark, tuple(_named(alike)), verdicts) for alike in by_dataset.values()]


def _named(runs: Sequence[RunScores]) -> Iterator[tuple[str, RunScores]]:
    """Yield runs with names that tell them from the others of their protocol."""
    for alike in comparable(runs):
        yield from zip(names_of(alike), alike, strict=True)


def gather_verdicts(store: Store, runs: Iterable[RunScores]) -> dict[str, tuple[JudgedRun, ...]]:
    """Return what judges of rationales say of runs, by run.

    Raises:
        StoreError: The store cannot be read.
    """
    wanted = {run.run_id for run in runs}
    found: dict[str, tuple[JudgedRun, ...]] = {}
    for judged in load_all_verdicts(store):
        run_id = judged.run.run_id
        if run_id in wanted and judged.judging.kind is JudgingKind.RUBRIC:
            found[run_id] = (*found.get(run_id, ()), judged)
    return found


def read_pictures(benchmark: Benchmark, root: Path) -> dict[str, bytes]:
    """Return the pictures of a dataset whose files are in a folder with the content that the dataset names."""
    found: dict[str, bytes] = {}
    for image in _images(benchmark):
        if image.sha256 is None or image.sha256 in found:
            continue
        try:
            content = read_picture(resolve(root, image.path))
        except (ImageError, OSError):
            continue  # it is named on the page, and the reader told that it is not shown
        if hashlib.sha256(content).hexdigest() == image.sha256:
            found[image.sha256] = content
    return found


def _images(benchmark: Benchmark) -> Sequence[Image]:
    return [image for item in benchmark.items for wording in item.wordings.values() for image in wording.images]
