"""A store with three models, pictures, judges and everything that can become of an answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image as Pixels

from exambench.items import Benchmark, ChoiceKey, Image
from exambench.outcomes import Unjudged, Verdict
from exambench.store import JudgingKind, JudgingRecord, RunRecord, Store, VerdictRow, open_store
from tests.support import stored_runs as made

HOSTILE = "<script>window.hacked = true</script>\"'><img src=x onerror='window.hacked=1'>\u202etxet"
LINK = "javascript:window.hacked=true"
LONG = "가" * 1_000_000


@dataclass(frozen=True)
class Example:
    """A store, and what is in it.

    Attributes:
        path: The store.
        images: Image root of its benchmark.
        digest: Digest of the picture of the item ``문항 0``.
        benchmark: The items.
        runs: The models ``right``, ``mixed`` and a hostile one.
    """

    path: Path
    images: Path
    digest: str
    benchmark: Benchmark
    runs: tuple[RunRecord, ...]


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    """Made once; nothing writes to it, which is the point of what is tested."""
    folder = tmp_path_factory.mktemp("view")
    images = folder / "images"
    images.mkdir()
    Pixels.new("RGB", (40, 30), (20, 80, 160)).save(images / "chart.png")
    digest = hashlib.sha256((images / "chart.png").read_bytes()).hexdigest()
    (folder / "secret.png").write_bytes((images / "chart.png").read_bytes() + b"secret")
    benchmark = made.exam(
        made.item(0, image=Image("chart.png", digest)),
        *(made.item(number) for number in range(1, 60)),
        made.item(60, item_id=HOSTILE, question=HOSTILE + "\ud800" + LONG),
        made.item(61, image=Image("../secret.png", hashlib.sha256((folder / "secret.png").read_bytes()).hexdigest())),
    )
    path = folder / "store.db"
    with open_store(str(path)) as store:
        right = made.add_run(
            store,
            benchmark,
            "right",
            {item.id: [made.answer(item.key.index)] for item in benchmark.items if isinstance(item.key, ChoiceKey)},
        )
        mixed = made.add_run(store, benchmark, "mixed", _mixed(benchmark))
        hostile = made.add_run(
            store,
            benchmark,
            f"{HOSTILE} 모델",
            {
                "문항 1": [made.response(f"{HOSTILE} {LINK}\n{made.answer(2)}", reasoning=HOSTILE)],
                HOSTILE: [made.response(LONG, reasoning=HOSTILE * 1_000)],
            },
            protocol_name=HOSTILE,
        )
        _judge(store, mixed)
    return Example(path, images, digest, benchmark, (right, mixed, hostile))


def _mixed(benchmark: Benchmark) -> dict[str, list[made.Written]]:
    written: dict[str, list[made.Written]] = {
        item.id: [made.answer(1), made.answer(1 + number % 4)] for number, item in enumerate(benchmark.items)
    }
    written["문항 1"] = [made.response("<think>둘인가?</think>정답: 2"), made.response(None)]
    written["문항 2"] = [made.FAILED, made.WAITING]
    written["문항 3"] = [made.UNSUPPORTED, made.UNSUPPORTED]
    return written


def _judge(store: Store, run: RunRecord) -> None:
    for reference in (True, False):
        record = JudgingRecord(
            run_id=run.run_id,
            kind=JudgingKind.RUBRIC,
            judge_name="judge <b>",
            identity="judge@http://localhost",
            decoding={},
            judge={"name": "judge"},
            rubric_name="rubric",
            rubric_hash="r" * 64,
            rubric={"axes": [{"key": "정확성"}], "low": 1, "high": 5},
            condition={"reference": reference, "images": False},
        )
        store.judgings.register(record)
        verdict = Verdict({"정확성": 4}, (f"오류 {HOSTILE}", "\ud800"), f"사유 {HOSTILE}")
        said = verdict if reference else Unjudged("no JSON object")
        store.judgings.save_verdicts(record.judging_id, [VerdictRow("문항 1", 0, 0, 1, said)])
