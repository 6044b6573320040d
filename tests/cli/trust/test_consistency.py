"""A judge asked again: α, spread and identical scores are those of krippendorff and numpy on its verdicts."""

from __future__ import annotations

import json
import random
from typing import Any

import krippendorff
import numpy as np
import pytest

from exambench.errors import ConfigError
from exambench.items import digest
from tests.judging.examples import AXES, verdict_text
from tests.support.chat_server import Call, Reply, completion, serve
from tests.support.judges import (
    Shelf,
    by_length,
    exambench,
    place_of,
    scores,
)


def noise_of(call: Call) -> list[int]:
    """Return scores around three with an SD of one half on each axis, by answer, axis and repeat."""
    rng = random.Random(f"{place_of(call)} {call.body['seed']}")
    model, item = place_of(call)
    return [2 + int(digest([model, item, axis])[:2], 16) % 3 + rng.choice((-1, 0, 0, 0, 1)) for axis in range(4)]


def noisy(call: Call) -> Reply:
    """Judge with that noise, kept within the scale."""
    return completion(verdict_text([min(5, max(1, each)) for each in noise_of(call)]))


def test_consistency_is_that_of_krippendorff_and_numpy_on_the_verdicts(shelf: Shelf) -> None:
    """α by the package krippendorff, SD and identical shares by numpy, from the verdicts that the store shows."""
    shelf.only(2).judge(noisy, "--trials", "3")
    (judge,) = shelf.shown("consistency")["judges"]
    documents = json.loads(exambench("verdicts", "--json", "--store", shelf.store).stdout)
    tables = {each["run"]: table_of(each["verdicts"]) for each in documents}
    found = {run: each for each in judge["runs"] for run in each["runs"]}
    for run, table in (*tables.items(), (None, np.concatenate(list(tables.values())))):
        entry = judge["pooled"] if run is None else found[run]
        assert (entry["judge_trials"], entry["answers"]) == (3, len(table))
        for place, dimension in enumerate(entry["dimensions"]):
            matrix = table[:, :, place]
            expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement="interval")
            assert dimension["alpha_interval"]["estimate"] == pytest.approx(expected)
            assert dimension["mean_sd"]["estimate"] == pytest.approx(matrix.std(axis=1, ddof=1).mean())
            assert dimension["identical"]["estimate"] == pytest.approx((np.ptp(matrix, axis=1) == 0).mean())
            for quantity in ("alpha_interval", "mean_sd", "identical"):
                each = dimension[quantity]
                assert each["low"] <= each["estimate"] <= each["high"]


def table_of(verdicts: Any) -> Any:
    """Return scores, answers × repeats × (axes and total)."""
    by_item: dict[str, list[list[int]]] = {}
    for verdict in verdicts:
        values = [*(verdict["scores"][axis] for axis in AXES), verdict["total"]]
        by_item.setdefault(verdict["item"], []).append(values)
    return np.array(list(by_item.values()), dtype=float)


def test_the_known_spread_of_a_noisy_judge_lies_in_the_interval(shelf: Shelf) -> None:
    """The first axis is 3 ± 1 with probability 1/4 each, so its variance is 1/2.

    The mean SD of three such scores lies below √(1/2); it comes from enumerating the 4³ draws from (−1, 0, 0, 1).
    """
    draws = [(a, b, c) for a in (-1, 0, 0, 1) for b in (-1, 0, 0, 1) for c in (-1, 0, 0, 1)]
    expected = float(np.mean([np.std(each, ddof=1) for each in draws]))
    identical = float(np.mean([len(set(each)) == 1 for each in draws]))

    def script(call: Call) -> Reply:
        rng = random.Random(f"{place_of(call)} {call.body['seed']}")
        return completion(verdict_text([3 + rng.choice((-1, 0, 0, 1)), 3, 3, 3]))

    shelf.judge(script, "--trials", "3")
    (judge,) = shelf.shown("consistency", "--judge", "judge")["judges"]
    first, second, *_ = judge["pooled"]["dimensions"]
    assert first["mean_sd"]["low"] < expected < first["mean_sd"]["high"]
    assert first["identical"]["low"] < identical < first["identical"]["high"]
    # Pure noise around one value: no agreement beyond chance.
    assert first["alpha_interval"]["low"] < 0 < first["alpha_interval"]["high"]
    # All scores are 3: they are identical, and α does not exist.
    assert (second["identical"]["estimate"], second["mean_sd"]["estimate"]) == (1.0, 0.0)
    # Wilson's lower bound of k of k is k/(k + z²); resamples of ones would say that it is certain.
    n = second["identical"]["n"]
    assert second["identical"]["low"] == pytest.approx(n / (n + 1.959964**2), abs=1e-6)
    assert second["alpha_interval"]["estimate"] is None
    assert "no variation" in second["alpha_interval"]["reason"]
    assert "gives" in judge["summary"]


def test_consistency_needs_repeats_and_says_how_to_get_them(shelf: Shelf) -> None:
    """Judged once: an error with the remedy. Beside a judge with repeats, a dash with the reason."""
    with serve(scores(by_length)) as server:
        shelf.only(1).judge_by(server, name="once")
        with pytest.raises(ConfigError, match=r"no answer of these runs has two verdicts.*--trials 3"):
            exambench("trust", "consistency", "--store", shelf.store)
        shelf.only(1).judge_by(server, "--trials", "2", name="twice")
    shown = exambench("trust", "consistency", "--store", shelf.store).stdout
    assert "each answer has one verdict" in shown
    assert "once judged no answer twice" in " ".join(shown.split())


def test_repeats_that_cannot_be_read_are_counted_and_left_out(shelf: Shelf) -> None:
    """The third repeat of every fifth item is garbage: two verdicts remain, and the loss is told."""

    def script(call: Call) -> Reply:
        third = call.body["seed"] - 42 >= 6
        return completion("…") if third and place_of(call)[1] % 5 == 0 else scores(by_length)(call)

    shelf.only(2).judge(script, "--trials", "3")
    (judge,) = shelf.shown("consistency")["judges"]
    assert (judge["pooled"]["answers"], judge["pooled"]["unjudged"]) == (28, 4)
    assert "4 verdicts could not be read" in exambench("trust", "consistency", "--store", shelf.store).stdout
