"""Build the site of a large leaderboard from made-up answers; the last line of the output says what it took."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np

from exambench.analysis.diagnosis import diagnose
from exambench.analysis.leaderboard import rankings
from exambench.analysis.scores import RunScores, TrialRow
from exambench.benchmarks import find_definition
from exambench.items import Benchmark, ChoiceKey, Content, Item, Wording
from exambench.outcomes import OutcomeKind
from exambench.report.site.building import build_site
from exambench.report.site.item_material import ItemSet
from exambench.report.site.material import Material, board_of
from exambench.stats.resampling import Bootstrap
from exambench.store import RunRecord

MODELS: Final = 200
ITEMS: Final = 1774
IMAGES: Final = 82
KOREAN: Final = 73
SEED: Final = 42
CHOICES: Final = 4
BOOTSTRAP: Final = Bootstrap(1000, SEED)


def made_up_exam() -> Benchmark:
    """Return an exam of K-MetBench's size, with its axes."""
    items = tuple(
        Item(
            id=str(number),
            wordings={
                "explicit": Wording(
                    Content(f"{number}번. 상당온위가 고도에 따라 감소하는 대기층에 대한 설명으로 옳은 것은? " * 2),
                    tuple(Content(f"보기 {choice}: 대류불안정한 층이다") for choice in range(1, CHOICES + 1)),
                )
            },
            key=ChoiceKey(number % CHOICES + 1),
            facets={
                "part": number % 5 + 1,
                "korean": number % ITEMS < KOREAN,
                "modality": "image" if number > ITEMS - IMAGES else "text",
            },
        )
        for number in range(1, ITEMS + 1)
    )
    definition = find_definition("kmetbench")
    return Benchmark(
        "kmetbench", definition.title, items, tuple(table.axis() for table in definition.axes), pass_mark=0.6
    )


def made_up_runs(exam: Benchmark) -> list[RunScores]:
    """Return runs of models of all abilities."""
    rng = np.random.default_rng(SEED)
    return [_run(exam, number, ability, rng) for number, ability in enumerate(rng.uniform(0.2, 0.95, MODELS))]


def _run(exam: Benchmark, number: int, ability: float, rng: np.random.Generator) -> RunScores:
    name = f"model-{number:03d}"
    record = RunRecord(
        benchmark=exam.name,
        dataset_hash=exam.content_hash,
        model_name=name,
        identity=name,
        decoding={"temperature": 0.1},
        model={
            "name": name,
            "size_b": float(2 ** (number % 9)),
            "korean": number % 4 == 0,
            "proprietary": number % 5 == 0,
            "capabilities": {"images": True, "thinking": number % 3 == 0},
        },
        protocol_name="advanced",
        protocol_hash="0" * 64,
        protocol={"strict": "dict-strict", "lenient": "dict-lenient"},
        condition={"wording": "explicit"},
    )
    solved = rng.random(len(exam.items)) < ability
    rows = []
    for item, right in zip(exam.items, solved.tolist(), strict=True):
        assert isinstance(item.key, ChoiceKey)  # noqa: S101 - made above
        pick = item.key.index if right else item.key.index % CHOICES + 1
        rows.append(TrialRow(item.id, 0, OutcomeKind.ANSWERED, float(right), float(right), pick))
    return RunScores(record, exam, tuple(rows))


def main() -> None:
    """Build the site into the folder that the command line names; a second word adds the pages of the items."""
    out, with_items = Path(sys.argv[1]), "--with-items" in sys.argv[2:]
    exam = made_up_exam()
    runs = made_up_runs(exam)
    start = time.monotonic()
    (ranking,) = rankings(runs, BOOTSTRAP)
    board = board_of(ranking, diagnose(ranking.table, BOOTSTRAP), exam.content_hash)
    analysed = time.monotonic()
    sets = (ItemSet(exam, tuple((run.record.model_name, run) for run in runs)),) if with_items else ()
    pages = build_site(Material((board,), item_sets=sets), out)
    end = time.monotonic()
    took = {"pages": pages, "seconds": end - start, "analysis": analysed - start, "writing": end - analysed}
    sys.stdout.write(json.dumps(took) + "\n")


if __name__ == "__main__":
    main()
