"""The stages suite counts what a stage did to items as its record says."""

from __future__ import annotations

import json
from pathlib import Path

from bench.measure import Cost
from bench.stages import Result, result_of
from bench.stages_work import Sizes, write_project
from exambench.benchmarks.kmetbench_format import read_items
from exambench.construct.project import read_project
from exambench.construct.records import Action, Change, Spending, StageRecord

MODEL = Path(__file__).parents[2] / "models" / "smollm2-135m.toml"


def test_the_counts_are_those_of_the_record() -> None:
    """Of five items one is changed, and waits too, one is dropped, one waits, one is noted, and one is not named."""
    changes = (
        Change("1", Action.CHANGED, "was set"),
        Change("1", Action.REVIEW, "in the sample"),
        Change("2", Action.DROPPED, "solved"),
        Change("3", Action.REVIEW, "broke a rule"),
        Change("4", Action.NOTED, "not asked"),
    )
    record = StageRecord("s", "label", "f", 5, 4, "d", changes, {}, Spending(requests=7))
    assert result_of(record, Cost(0, 2.5, 1.0, 1)) == Result(
        "s", 5, 7, kept=2, changed=1, dropped=1, people=2, seconds=2.5, reasons={"in the sample": 1, "broke a rule": 1}
    )


def test_the_project_is_one_that_can_be_built(tmp_path: Path) -> None:
    """Half of its items are about a country that they do not name; the model is the given one, with other limits."""
    write_project(tmp_path, MODEL, Sizes(items=4, max_tokens=99, context=1234))
    items, findings = read_items(tmp_path / "items.json")
    assert findings == ()
    assert [item.facets["korean"] for item in items] == [True, True, False, False]
    assert not any("한국" in item.wording().question.text for item in items)
    assert not any(item.rationale for item in items)
    model = json.loads((tmp_path / "model.yaml").read_text(encoding="utf-8"))
    assert (model["decoding"]["max_tokens"], model["endpoint"]["context"]) == (99, 1234)
    assert len(read_project(tmp_path).steps) > 1
