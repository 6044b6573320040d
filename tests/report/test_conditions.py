"""The report of conditions says in words what its numbers mean, in every form."""

from __future__ import annotations

import csv
import io
import json

from exambench.analysis.conditions import ModelConditions, compare_conditions
from exambench.protocols.probes import PROBES
from exambench.report import conditions, probes
from tests.analysis.test_conditions import DRAW, EXAM, USUAL, usual
from tests.support.runs import run


def example() -> tuple[ModelConditions, ...]:
    """Return a model that loses its question, and stays as it is with a prompt to think."""
    return compare_conditions(
        [usual("++++++++"), usual("+-------", question="hidden"), usual("++++++++", cot="on")], DRAW
    )


def test_markdown_names_cells_findings_and_flips() -> None:
    """Conditions are told in words, with what a probe found."""
    text = conditions.markdown(example())
    assert "시험 · model under 3 conditions" in text
    for words in ("no question", "chain of thought", "not above chance loses 87.5 points", "no change shown"):
        assert words in text
    assert "| no question | as usual | 2 3 4 5 6 7 8 | – |" in text
    assert "Holm over 2 comparisons." in text
    assert "where what the answer needs is hidden; Holm over 1 probe." in text


def test_a_test_against_chance_is_explained_only_where_there_is_one() -> None:
    """Thinking first hides nothing."""
    text = conditions.markdown(compare_conditions([usual("++++++++"), usual("++++++++", cot="on")], DRAW))
    assert "chain-of-thought" in text
    assert "blind guess" not in text


def test_csv_and_json_have_the_same_numbers() -> None:
    """A line for each cell, contrast, probe and flip."""
    found = example()
    (document,) = json.loads(conditions.as_json(found))
    rows = list(csv.DictReader(io.StringIO(conditions.as_csv(found))))
    flips = [row["item"] for row in rows if row["section"] == "flip"]
    assert flips == document["contrasts"][0]["lost"]
    cells = [float(row["accuracy"]) for row in rows if row["section"] == "cell"]
    assert cells == [cell["accuracy"] for cell in document["cells"]] == [1.0, 0.125, 1.0]
    assert document["probes"][0]["above_chance"] is False
    assert {row["resamples"] for row in rows} == {"200"}


def test_a_cell_without_a_score_has_a_reason() -> None:
    """It was planned, and nothing came yet."""
    found = compare_conditions([usual("++++++++"), run(EXAM, "........", condition=USUAL | {"cot": "on"})], DRAW)
    assert "no item has a score" in conditions.markdown(found)


def test_all_probes_are_listed() -> None:
    """Name, question, what a blind guess gets, and the conditions."""
    listed = json.loads(probes.as_json(tuple(PROBES.values())))
    assert [row["probe"] for row in listed] == list(PROBES)
    assert all(row["tests"].endswith("?") and row["chance"] and row["conditions"] for row in listed)
    assert "| no-question |" in probes.markdown(tuple(PROBES.values()))
    assert len(probes.as_csv(tuple(PROBES.values())).splitlines()) == len(PROBES) + 1
