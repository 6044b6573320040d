"""What is said of all pairs of models."""

from __future__ import annotations

import pytest

from exambench.analysis.comparison import all_pairs
from exambench.report.comparison import pairs_grid
from tests.support.tables import table_of


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([[1, 0], [0, 1]], "p: McNemar, exact, two-sided; Holm"),
        ([[0.5, 0], [0, 1]], "p: sign test, exact, two-sided; Holm"),
        (
            [[1, 0], [0, 1], [0.5, 0]],
            "p: McNemar, exact, two-sided (of graded scores: sign test, exact, two-sided); Holm",
        ),
    ],
)
def test_the_note_names_the_tests_of_the_pairs(scores: list[list[float]], said: str) -> None:
    """Where pairs have different tests, both are named, each with the scores that it is for."""
    assert pairs_grid(all_pairs(table_of(scores)), None).notes[0].startswith(said)
