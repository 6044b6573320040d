"""Cells of one model: what is compared with what, on which items, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from exambench.analysis.condition_cells import cells_of_models
from exambench.analysis.conditions import ModelConditions, compare_conditions
from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError
from exambench.items import Benchmark, Content, Wording
from exambench.stats.resampling import Bootstrap
from tests.support.runs import exam, item, run

DRAW = Bootstrap(resamples=200, seed=42)
EXAM = exam(*(item(number, choices=4) for number in range(1, 9)))
USUAL = {"wording": "explicit"}


def usual(signs: str, **changes: str) -> RunScores:
    """Return a run under the usual condition with these changes."""
    return run(EXAM, signs, condition=USUAL | changes)


def compared(*runs: RunScores, axis: str | None = None) -> ModelConditions:
    """Return what conditions do to the only model."""
    (found,) = compare_conditions(runs, DRAW, axis)
    return found


def test_a_contrast_is_the_exact_mcnemar_test_with_the_items_that_flip() -> None:
    """Of eight items five are lost and one is gained; the oracle is statsmodels."""
    found = compared(usual("++++++--"), usual("+-----+-", question="hidden"))
    (contrast,) = found.contrasts
    assert (contrast.lost, contrast.gained, contrast.n) == (("2", "3", "4", "5", "6"), ("7",), 8)
    assert contrast.means == (0.75, 0.25)
    assert contrast.difference.estimate == -0.5
    assert contrast.difference.low < -0.5 < contrast.difference.high
    oracle = mcnemar([[1, 5], [1, 1]], exact=True)
    assert contrast.test.p_value == pytest.approx(oracle.pvalue)
    assert contrast.adjusted == contrast.test.p_value


def test_contrasts_are_corrected_together() -> None:
    """By hand: p of 8:0 is 2/256, of 1:0 is 1; Holm gives 4/256 and 1."""
    runs = (usual("++++++++"), usual("--------", question="hidden"), usual("+++++++-", cot="on"))
    found = compared(*runs)
    assert [contrast.adjusted for contrast in found.contrasts] == pytest.approx([4 / 256, 1.0])


def test_only_what_both_cells_have_scores_for_is_compared() -> None:
    """An item that waits in one of them is in neither mean."""
    found = compared(usual("++++++++"), usual("+-..----", question="hidden"))
    assert found.contrasts[0].n == 6
    assert found.contrasts[0].means == pytest.approx((1.0, 1 / 6))


def worded(*differing: int) -> Benchmark:
    """Return the exam with an implicit wording of some items."""
    items = [
        replace(
            each, wordings={**each.wordings, "implicit": Wording(Content(f"우리 {each.id}"), each.wording().choices)}
        )
        if int(each.id) in differing
        else each
        for each in EXAM.items
    ]
    return exam(*items)


def square(benchmark: Benchmark, cells: Mapping[tuple[str, str], str]) -> ModelConditions:
    """Return what a grid of wording and prompt does."""
    return compared(
        *(
            run(benchmark, signs, protocol=protocol, condition={"wording": wording})
            for (wording, protocol), signs in cells.items()
        )
    )


def test_a_square_has_main_effects_and_interaction() -> None:
    """By hand, on the four items that read differently: means 1, .75 under standard, 1, 1 under advanced."""
    found = square(
        worded(1, 2, 3, 4),
        {
            ("explicit", "standard"): "++++----",
            ("implicit", "standard"): "+++-----",
            ("explicit", "advanced"): "++++++++",
            ("implicit", "advanced"): "++++++++",
        },
    )
    (effects,) = found.effects
    assert effects.n == 4
    assert effects.factors == ("wording", "prompt")
    assert np.array_equal(effects.means, [[1.0, 1.0], [0.75, 1.0]])
    # (.75 − 1 + 1 − 1) / 2; (1 − 1 + 1 − .75) / 2; (1 − 1) − (.75 − 1)
    assert (effects.first.estimate, effects.second.estimate) == (-0.125, 0.125)
    assert effects.interaction.estimate == 0.25


def test_wordings_are_compared_on_items_that_read_differently() -> None:
    """Items that read the same cannot differ, and would only water the effect down."""
    found = square(worded(1, 2), {("explicit", "p"): "++++++++", ("implicit", "p"): "--++++++"})
    assert (found.contrasts[0].n, found.contrasts[0].means) == (2, (1.0, 0.0))


def test_a_probe_is_held_against_chance_on_its_own_items() -> None:
    """Two of eight by chance 1/4 each; scipy's binomtest(6, 8, .25, 'greater') is 0.00422668."""
    found = compared(usual("++++++++"), usual("++++++--", question="hidden"))
    (probe,) = found.probes
    assert (probe.chance, probe.accuracy.n, probe.beats_chance) == (0.25, 8, True)
    assert probe.above_chance == pytest.approx(0.00422668, abs=1e-8)
    assert probe.solved == ("1", "2", "3", "4", "5", "6")


def test_means_over_trials_are_not_held_against_chance() -> None:
    """The exact test is of solved items; there is a difference with its interval all the same."""
    shaky = run(EXAM, "++++++++", "--------", condition=USUAL | {"question": "hidden"})
    (probe,) = compared(usual("++++++++"), shaky).probes
    assert probe.beats_chance is None
    assert probe.accuracy.estimate == 0.5


def test_what_a_condition_refused_is_counted_by_reason() -> None:
    """Items without pictures are not asked without their pictures."""
    pictured = exam(item(1, picture=True), item(2), item(3))
    hidden = run(pictured, "-  ", condition=USUAL | {"images": "hidden"})
    found = compared(run(pictured, "+++"), hidden)
    assert found.refused == ({}, {"it has no picture": 2})
    assert found.contrasts[0].n == 1


def test_what_a_protocol_is_not_for_is_not_counted_as_refused() -> None:
    """Of two items without pictures the condition refuses one: nobody meant to ask about the Korean one, item 2."""
    pictured = exam(item(1, picture=True), item(2), item(3))
    cells = [run(pictured, "+ +"), run(pictured, "-  ", condition=USUAL | {"images": "hidden"})]
    protocol = {**cells[0].record.protocol, "where": {"korean": [False]}}
    some = [replace(cell, record=replace(cell.record, protocol=protocol)) for cell in cells]
    assert compared(*some).refused == ({}, {"it has no picture": 1})


def test_an_axis_narrows_everything() -> None:
    """The Korean items are those of even numbers."""
    found = compared(usual("++++++++"), usual("+-+-+-+-", question="hidden"), axis="korean")
    assert found.contrasts[0].means == (1.0, 0.0)
    with pytest.raises(ConfigError, match="korean, accuracy"):
        compared(usual("++++++++"), usual("++++++++", cot="on"), axis="weather")


def test_runs_of_other_decoding_or_data_are_not_cells_of_one_model() -> None:
    """Only protocol and condition may differ."""
    other = run(EXAM, "++++++++", condition=USUAL | {"cot": "on"}, decoding={"temperature": 1.0})
    assert cells_of_models([usual("++++++++"), other]) == ()
    with pytest.raises(ConfigError, match="no model was asked in more than one way"):
        compare_conditions([usual("++++++++"), other], DRAW)


def shuffled(signs: str, index: int, orders: Mapping[str, tuple[int, ...]], picks: Mapping[str, int]) -> RunScores:
    """Return a run under a permutation, with the orders that were shown and what was picked."""
    made = run(EXAM, signs, condition=USUAL | {"order": f"shuffled-{index}@42"})
    rows = tuple(
        replace(row, order=orders[row.item_id], pick=picks[row.item_id]) for row in made.rows if row.score is not None
    )
    return replace(made, rows=rows)


def test_the_original_order_is_held_against_the_others() -> None:
    """All eight are solved in their own order, in neither permutation: each has a chance of 1/3 to be that one."""
    orders = {item.id: (4, 3, 2, 1) for item in EXAM.items}
    picks = {item.id: 4 for item in EXAM.items}
    found = compared(usual("++++++++"), *(shuffled("--------", index, orders, picks) for index in (1, 2)))
    (result,) = found.reshufflings
    assert (result.mean, result.sd, result.original_accuracy) == (0.0, 0.0, 1.0)
    assert result.p_value == pytest.approx(3.0**-8)
    assert result.hangs_on_the_order is True
    assert (result.consistency.same, result.consistency.n) == (0, 8)
    assert found.contrasts == ()


def test_places_are_expected_as_often_as_choices_can_stand_there() -> None:
    """The fourth choice always stands first: in 6 of its 23 other orders it does, and in 5 it keeps its place."""
    orders = {item.id: (4, 3, 2, 1) for item in EXAM.items}
    picks = {item.id: 4 for item in EXAM.items}
    (result,) = compared(usual("++++++++"), shuffled("--------", 1, orders, picks)).reshufflings
    assert result.places.observed.tolist() == [8, 0, 0, 0]
    assert result.places.expected == pytest.approx(8 * np.array([6, 6, 6, 5]) / 23)
    assert result.places.preferred == 1
