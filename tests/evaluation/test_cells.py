"""From what a person typed to protocols and conditions."""

from __future__ import annotations

import pytest

from exambench.errors import ConfigError
from exambench.evaluation.cells import MOST_CELLS, Cell, cells_of
from exambench.protocols import Condition


def test_nothing_named_is_the_usual_condition_under_the_headline_protocol() -> None:
    """One cell, as before there were others."""
    assert cells_of() == (Cell(),)


def test_a_grid_is_every_combination_in_the_order_of_its_words() -> None:
    """The last word varies fastest; a prompt is a protocol."""
    cells = cells_of(grid=["wording=explicit,implicit", "prompt=standard,advanced"])
    assert [(cell.condition.wording, cell.protocol) for cell in cells] == [
        ("explicit", "standard"),
        ("explicit", "advanced"),
        ("implicit", "standard"),
        ("implicit", "advanced"),
    ]
    assert cells[2].title == "wording implicit, prompt standard"


def test_a_probe_is_asked_beside_the_usual_condition() -> None:
    """What is fixed holds for both; a probe that is named twice is asked once."""
    cells = cells_of(settings=["cot=on"], probes=["no-question", "no-question"])
    thinking = Condition().having("cot", "on")
    assert [cell.condition for cell in cells] == [thinking, thinking.having("question", "hidden")]
    assert [cell.title for cell in cells] == ["", "no question"]


def test_a_probe_of_permutations_has_five() -> None:
    """Each is a cell of its own."""
    assert len(cells_of(probes=["reshuffle"])) == 6


def test_a_probe_of_permutations_or_examples_may_have_another_size() -> None:
    """Ten permutations; three examples."""
    assert len(cells_of(probes=["reshuffle=10"])) == 11
    assert cells_of(probes=["few-shot=3"])[1].condition == Condition().having("shots", "3")


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"settings": ["images"]}, "NAME=VALUE"),
        ({"settings": ["images="]}, "NAME=VALUE"),
        ({"settings": ["colour=red"]}, "question=shown, hidden"),
        ({"settings": ["cot=on", "cot=off"]}, "named before"),
        ({"settings": ["cot=maybe"]}, "off, on"),
        ({"grid": ["cot=on,on"]}, "each given once"),
        ({"grid": ["cot=on,"]}, "each given once"),
        ({"grid": ["cot=on,off"], "settings": ["cot=on"]}, "both fixed and varied"),
        ({"grid": ["prompt=a,b"], "protocol": "a"}, "both fixed and varied"),
        ({"settings": ["wording=implicit"], "wording": "original"}, "both fixed and varied"),
        ({"probes": ["guess"]}, "no-question"),
        ({"probes": ["reshuffle=0"]}, "reshuffle=1 to reshuffle=100"),
        ({"probes": ["reshuffle=٣"]}, "reshuffle=1 to reshuffle=100"),
        ({"probes": ["few-shot=33"]}, "few-shot=1 to few-shot=32"),
        ({"probes": ["few-shot="]}, "few-shot=1 to few-shot=32"),
        ({"probes": ["no-image=2"]}, "reshuffle=1 to reshuffle=100"),
    ],
)
def test_what_does_not_exist_or_stands_twice_is_refused(named: dict[str, list[str]], message: str) -> None:
    """One error that lists what is allowed."""
    with pytest.raises(ConfigError) as error:
        cells_of(**named)  # type: ignore[arg-type] # protocol and wording are single words
    assert message in str(error.value)


def test_too_many_cells_are_refused() -> None:
    """Before a model is asked for any of them."""
    orders = ",".join(f"shuffled-{index}" for index in range(1, MOST_CELLS + 2))
    with pytest.raises(ConfigError, match="too many cells"):
        cells_of(grid=[f"order={orders}"])
