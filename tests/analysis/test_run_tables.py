"""Tables of stored runs hold only what may be compared."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.run_tables import table_of_pair, tables_of_runs, tables_on_common_items
from exambench.errors import ConfigError
from tests.support.runs import exam, item, run

NAN = float("nan")


FOUR = exam(item(1), item(2), item(3), item(4, picture=True))
ALL = "+-++"
TEXT = "++-"


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
    (table,) = tables_of_runs([run(FOUR, ALL, model="whole"), run(FOUR, "+", model="begun")])
    np.testing.assert_array_equal(table.scores[1], [1, NAN, NAN, NAN])
    assert table.ranked.tolist() == [True, False]
    assert any("begun" in note and "1 of 4 items" in note for note in table.notes)


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
    (table,) = tables_of_runs([run(FOUR, "+-")])
    assert table.picks is not None
    np.testing.assert_array_equal(table.picks.positions, [[0, 1, NAN, NAN]])
    assert (table.picks.key.tolist(), table.picks.n_choices.tolist()) == ([0] * 4, [2] * 4)


def test_without_any_score_there_is_no_table() -> None:
    """Runs that have not begun, or share nothing, are said to be so."""
    with pytest.raises(ConfigError, match="no scores to look at"):
        tables_of_runs([run(FOUR)])
    with pytest.raises(ConfigError, match="none on items in common"):
        tables_on_common_items([run(FOUR, "+", model="a"), run(FOUR, " +", model="b")])
