"""Length bias is found where it is planted, and a better model's longer rationales do not pass for it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from exambench.errors import ConfigError
from exambench.store import open_store
from tests.judging.examples import answer, sit
from tests.support.chat_server import completion
from tests.support.judges import (
    ITEMS,
    MODELS,
    Shelf,
    by_length,
    exambench,
    place_of,
    plain_exam,
    rationale,
    scores,
)


def test_a_judge_that_pays_by_length_shows_in_every_coefficient(shelf: Shelf) -> None:
    """All intervals exclude 0, and the slope is that of least squares on the verdicts."""
    shelf.judge(scores(by_length))
    document = shelf.shown("length")
    assert "characters" in document["length"]
    (judge,) = document["judges"]
    assert (judge["answers"], judge["items"], judge["answers_right_or_wrong"]) == (42, 14, 42)
    texts = [rationale(model, item).strip() for model in range(3) for item in range(1, ITEMS + 1)]
    lengths = list(map(len, texts))
    assert judge["characters"] == {
        "shortest": min(lengths),
        "median": float(np.median(lengths)),
        "longest": max(lengths),
    }
    dimension = judge["dimensions"][-1]
    for quantity in ("spearman", "pearson_log2", "partial_given_right", "partial_given_right_and_model"):
        assert dimension[quantity]["low"] > 0.3
    slope = np.polyfit(np.log2(lengths), [4 * (1 + length // 60) for length in lengths], 1)[0]
    assert dimension["points_per_doubling"]["estimate"] == pytest.approx(slope)
    assert dimension["points_per_doubling_held"]["low"] > 0
    assert re.search(r"gives \d\.\d\d points more in total", judge["summary"])


def test_a_better_models_longer_rationales_do_not_pass_for_bias(tmp_path: Path) -> None:
    """Models differ in length and score, within a model length says nothing: only the last partial is free of it."""
    store = tmp_path / "r.db"
    rng = random.Random(3)
    with open_store(str(store)) as results:
        runs = [
            sit(
                results,
                plain_exam(),
                {
                    str(item): answer(item, f"근거 {model}-{item}. " + "가" * rng.randint(40 * 3**model, 55 * 3**model))
                    for item in range(1, ITEMS + 1)
                },
                model=name,
            ).run_id
            for model, name in enumerate(MODELS)
        ]
    shelf = Shelf(store, tuple(runs))
    shelf.judge(scores(lambda call: 2 + place_of(call)[0] + random.Random(call.raw).choice((-1, 0, 1))))
    (judge,) = shelf.shown("length")["judges"]
    found = judge["dimensions"][-1]
    assert found["partial_given_right"]["low"] > 0.3
    assert found["partial_given_right_and_model"]["low"] < 0 < found["partial_given_right_and_model"]["high"]
    assert found["points_per_doubling"]["low"] > 0
    assert found["points_per_doubling_held"]["low"] < 0 < found["points_per_doubling_held"]["high"]
    assert "no effect of length can be told from chance" in judge["summary"]


def test_length_of_one_model_and_of_one_score_says_what_is_missing(shelf: Shelf) -> None:
    """One model cannot be held constant; without variation there is no coefficient."""
    shelf.judge(scores(by_length), name="real")
    shelf.judge(scores(lambda _: 3), name="flat")
    (one,) = shelf.shown("length", shelf.runs[0], "--judge", "real")["judges"]
    partial = one["dimensions"][-1]["partial_given_right_and_model"]
    assert (partial["estimate"], partial["reason"]) == (None, "one model: there is none to hold constant")
    (flat,) = shelf.shown("length", "--judge", "flat")["judges"]
    assert flat["dimensions"][-1]["spearman"]["reason"] == "all rationales have one score"
    assert flat["dimensions"][-1]["points_per_doubling_held"]["reason"] == "all rationales have one score"
    assert "no association of score and length can be computed (all rationales have one score)" in flat["summary"]
    with pytest.raises(ConfigError, match=r"not judged|no rationale of these runs was judged by this judge"):
        exambench("trust", "length", "--judge", "nobody", "--store", shelf.store)


def test_a_judge_that_returns_garbage_has_no_figure(shelf: Shelf) -> None:
    """Nothing is averaged from nothing: dashes with the reason, and for consistency an error."""
    shelf.only(1).judge(lambda _: completion("…"))
    (document,) = json.loads(exambench("verdicts", shelf.runs[0], "--json", "--store", shelf.store).stdout)
    assert (document["judged"], document["unjudged"], document["open"]) == (0, 14, 0)
    (judge,) = shelf.shown("length")["judges"]
    assert (judge["answers"], judge["characters"]["median"]) == (0, 0.0)
    assert {each["spearman"]["reason"] for each in judge["dimensions"]} == {"no rationale has a verdict"}
    shown = exambench("trust", "length", "--store", shelf.store).stdout
    assert "no rationale has a verdict" in shown
    assert "without scratchpad and thinking.\n" in shown  # and no range of no lengths
    with pytest.raises(ConfigError, match="no answer of these runs has two verdicts"):
        exambench("trust", "consistency", "--store", shelf.store)
