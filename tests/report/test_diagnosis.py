"""Sentences and tables of diagnoses and comparisons."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from exambench.analysis.comparison import compare
from exambench.analysis.diagnosis import Weakness, diagnose
from exambench.report import comparison as comparisons
from exambench.report import diagnosis
from exambench.report.grids import side_by_side
from exambench.stats.intervals import Interval
from exambench.stats.resampling import Bootstrap
from tests.support.tables import table_of

DRAW = Bootstrap(resamples=100, seed=42)
NO_VERDICTS = "no judge's verdicts among these scores; see: exambench verdicts"
WEAKNESS = Weakness(
    model="qwen",
    axis="P3",
    accuracy=Interval(estimate=0.4, low=0.3, high=0.48, n=60, level=0.95, method="bootstrap"),
    overall=0.5,
    excludes_overall=True,
    few=False,
    best_model="gemini",
    best_score=0.75,
    own_score=0.4,
    common=60,
)


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({}, "excludes that; gemini is best on it with 75.0%, 35.0 points above it."),
        (
            {"excludes_overall": False, "own_score": 0.45, "common": 40},
            "includes that; gemini is best on it with 75.0%, 30.0 points above it on the 40 common items.",
        ),
        (
            {"best_model": "qwen", "best_score": 0.4, "few": True},
            "excludes that; no ranked model is better on it; so few items only describe.",
        ),
        ({"best_model": None, "best_score": None, "own_score": None}, "excludes that."),
    ],
)
def test_the_weakest_axis_in_a_sentence(changes: dict[str, object], end: str) -> None:
    """With n, accuracy, interval, and the distances to all items and to the best model."""
    assert diagnosis.sentence(replace(WEAKNESS, **changes)) == (  # type: ignore[arg-type]  # fields of the dataclass
        "qwen is weakest on P3: 40.0% of 60 items (95% interval 30.0–48.0), 10.0 points below its 50.0% on all items; "
        f"the interval {end}"
    )


def test_an_absent_gap_is_said_in_every_form() -> None:
    """A dash with its reason, never silence."""
    found = diagnose(table_of([[1, 0, 1, 0]], facets={"reasoning": ["true"] * 4}, compared=[]), DRAW)
    stream = io.StringIO()
    Console(file=stream, width=100).print(diagnosis.terminal([found]))
    assert f"reasoning gap: – ({NO_VERDICTS})." in stream.getvalue()
    assert f"reasoning gap: – ({NO_VERDICTS})." in diagnosis.markdown([found])
    (document,) = json.loads(diagnosis.as_json([found]))
    assert document["absent_gaps"] == [{"gap": "reasoning", "model": None, "reason": NO_VERDICTS}]
    (line,) = [
        each for each in csv.DictReader(io.StringIO(diagnosis.as_csv([found]))) if each["section"] == "absent gap"
    ]
    assert (line["gap"], line["reason"]) == (
        "reasoning",
        NO_VERDICTS,
    )


def test_the_order_in_a_sentence() -> None:
    """A leads by two wins of three: two removals tie, three turn the order, and the items are named."""
    compared = compare(table_of([[1, 1, 1, 0, 0], [0, 0, 0, 1, 0]]), 0, 1, DRAW)
    assert comparisons.order_sentence(compared) == (
        "A leads. 2 removals make them level; removing 3 of the 3 items on which A alone is better (60.0% of 5) puts "
        "B ahead, and no fewer do. AMIP removes these items: q0, q1, q2. Items that A alone is better on have all the "
        "same influence, so any others of them do as well."
    )


def test_an_order_that_cannot_turn_in_a_sentence() -> None:
    """B never does better: it can draw level, never lead; and level models have no order."""
    behind = compare(table_of([[0, 0, 0], [1, 0, 0]]), 0, 1, DRAW)
    assert comparisons.order_sentence(behind) == (
        "B leads, and A is better on no item: 1 removal makes them level, and none puts A ahead."
    )
    level = compare(table_of([[1, 0], [0, 1]]), 0, 1, DRAW)
    assert comparisons.order_sentence(level).startswith("The two are level")


def test_the_detectable_difference_in_a_sentence() -> None:
    """Of so few items nothing is found; that is said, not left out."""
    few = compare(table_of([[1, 0], [0, 0]]), 0, 1, DRAW)
    assert comparisons.power_sentence(few) == (
        "The two differ on 50.0% of 2 items: no true difference is found at the 0.05 level with a power of 80%."
    )
    many = compare(table_of([[1] * 50 + [0] * 50, [0] * 10 + [1] * 40 + [0] * 50]), 0, 1, DRAW)
    assert comparisons.power_sentence(many).startswith("The two differ on 10.0% of 100 items: a true difference of ")


def test_many_axes_are_shown_in_several_tables() -> None:
    """Columns that don't fit 100 characters go to a further table; none is lost."""
    axes = {f"a rather long axis {n}": [True, False] * 2 for n in range(9)}
    (whole, *_) = next(diagnosis.sections(diagnose(table_of([[1, 0, 1, 0]], axes=axes), DRAW), 20)).grids
    headers = [grid.header[1:] for grid in side_by_side(whole, 100)]
    assert len(headers) > 1
    assert [name for header in headers for name in header] == ["all", *axes]
