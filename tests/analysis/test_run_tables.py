"""Tables of stored runs hold only what may be compared."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from exambench.analysis.run_tables import table_of_pair, tables_of_runs, tables_on_common_items
from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Image, Item, Wording
from exambench.store.records import RunRecord

NAN = float("nan")


def item(number: int, *, stem: str = "", picture: bool = False) -> Item:
    """Return an item of two choices, the first of which is right."""
    images = (Image(f"{number}.png"),) if picture else ()
    wording = Wording(Content(stem or f"질문 {number}", images), (Content("예"), Content("아니요")))
    facets = {"korean": number % 2 == 0, "modality": "image" if picture else "text", "part": number % 3}
    return Item(id=str(number), wordings={EXPLICIT: wording}, key=ChoiceKey(1), facets=facets)


def exam(*items: Item) -> Benchmark:
    """Return a benchmark with an axis of all items and one of Korean items."""
    axes = (Axis("korean", {"en": "Korean"}, {"korean": (True,)}), Axis("accuracy", {}))
    return Benchmark(name="exam", title="시험", items=items, axes=axes)


def run(
    benchmark: Benchmark,
    scores: Mapping[str, float],
    *,
    model: str = "model",
    images: bool = True,
    protocol: str = "advanced",
    temperature: float = 0.0,
) -> RunScores:
    """Return a run with these scores."""
    record = RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model,
        identity=model,
        decoding={"temperature": temperature},
        model={"capabilities": {"images": images}},
        protocol_name=protocol,
        protocol_hash=protocol * 8,
        protocol={"strict": "dict-strict", "lenient": "dict-lenient"},
        condition={"wording": EXPLICIT},
    )
    picks = {item_id: 1 if score else 2 for item_id, score in scores.items()}
    return RunScores(record, benchmark, scores, scores, {}, trials=1, picks=picks)


FOUR = exam(item(1), item(2), item(3), item(4, picture=True))
ALL = {"1": 1.0, "2": 0.0, "3": 1.0, "4": 1.0}
TEXT = {"1": 1.0, "2": 1.0, "3": 0.0}


def test_text_only_and_full_models_are_apart() -> None:
    """They were asked different items: the larger set comes first."""
    tables = tables_of_runs([run(FOUR, TEXT, model="reader", images=False), run(FOUR, ALL, model="seer")])
    assert [(table.models, table.items) for table in tables] == [
        (("seer",), ("1", "2", "3", "4")),
        (("reader",), ("1", "2", "3")),
    ]
    assert [table.ranked.all() for table in tables] == [True, True]


def test_together_they_stand_on_common_items() -> None:
    """Items that only one of them was asked are gone, and the title says so."""
    (table,) = tables_on_common_items([run(FOUR, ALL, model="seer"), run(FOUR, TEXT, model="reader", images=False)])
    assert table.items == ("1", "2", "3")
    assert table.scores.tolist() == [[1, 0, 1], [1, 1, 0]]
    assert "the 3 items that both runs have scores for" in table.title


def test_an_item_of_other_content_is_another_item() -> None:
    """Two runs on datasets that differ in one item share the others; by identifier alone they would share all."""
    changed = exam(item(1), item(2, stem="고친 질문"), item(3), item(4, picture=True))
    table = table_of_pair(run(FOUR, ALL, model="a"), run(changed, ALL, model="b"))
    assert table.items == ("1", "3", "4")
    assert len(tables_of_runs([run(FOUR, ALL, model="a"), run(changed, ALL, model="b")])) == 2


def test_runs_of_other_protocols_are_never_in_one_table() -> None:
    """Neither apart nor on common items; and a pair of them is refused with what differs."""
    runs = [run(FOUR, ALL, model="a"), run(FOUR, ALL, model="b", protocol="standard")]
    assert [table.models for table in tables_of_runs(runs)] == [("a",), ("b",)]
    assert len(tables_on_common_items(runs)) == 2
    with pytest.raises(ConfigError, match=r"differ in their protocol.*advanced.*standard"):
        table_of_pair(*runs)


def test_a_run_is_not_compared_with_itself() -> None:
    """Two names of one run are one run."""
    with pytest.raises(ConfigError, match="mean one run"):
        table_of_pair(run(FOUR, ALL), run(FOUR, ALL))


def test_an_incomplete_run_takes_no_place_and_is_named() -> None:
    """What is missing is NaN, and a note says how much."""
    (table,) = tables_of_runs([run(FOUR, ALL, model="whole"), run(FOUR, {"1": 1.0}, model="begun")])
    np.testing.assert_array_equal(table.scores[1], [1, NAN, NAN, NAN])
    assert table.ranked.tolist() == [True, False]
    assert any("begun" in note and "1 of 4 items" in note for note in table.notes)


def test_runs_of_one_model_are_told_apart() -> None:
    """Two decodings of one model have the beginning of their identifiers behind the name."""
    runs = [run(FOUR, ALL), run(FOUR, ALL, temperature=1.0)]
    (table,) = tables_of_runs(runs)
    assert table.models == tuple(f"model ({each.run_id[:8]})" for each in runs)


def test_the_axis_of_all_items_comes_first() -> None:
    """Wherever the benchmark names it; facets of axes are those to compare, and truth values are texts."""
    (table,) = tables_of_runs([run(FOUR, ALL)])
    assert list(table.axes) == ["accuracy", "korean"]
    assert table.compared_facets == ("korean",)
    assert table.facets["korean"] == ("false", "true", "false", "true")
    assert table.axes["korean"].tolist() == [False, True, False, True]
    assert table.strata == ("text", "text", "text", "image")


def test_picks_stand_beside_scores() -> None:
    """Positions from 0, the key among them; an item without a score has no pick."""
    (table,) = tables_of_runs([run(FOUR, {"1": 1.0, "2": 0.0})])
    assert table.picks is not None
    np.testing.assert_array_equal(table.picks.positions, [[0, 1, NAN, NAN]])
    assert (table.picks.key.tolist(), table.picks.n_choices.tolist()) == ([0] * 4, [2] * 4)


def test_without_any_score_there_is_no_table() -> None:
    """Runs that have not begun, or share nothing, are said to be so."""
    with pytest.raises(ConfigError, match="no scores to look at"):
        tables_of_runs([run(FOUR, {})])
    with pytest.raises(ConfigError, match="none on items in common"):
        tables_on_common_items([run(FOUR, {"1": 1.0}, model="a"), run(FOUR, {"2": 1.0}, model="b")])
