"""Runs of one model are told apart by what differs."""

from __future__ import annotations

from exambench.analysis.run_names import names_of
from tests.support.runs import exam, item, run

ONE = exam(item(1))


def test_a_model_with_one_run_goes_by_its_name() -> None:
    """Two models, two names."""
    assert names_of([run(ONE, model="a"), run(ONE, model="b")]) == ("a", "b")


def test_runs_of_one_model_have_the_settings_that_differ() -> None:
    """The temperature is the same; one run leaves the seed to the endpoint. Other models keep their names."""
    runs = [
        run(ONE, decoding={"temperature": 0.5, "top_p": 0.9, "seed": 42}),
        run(ONE, decoding={"temperature": 0.5, "top_p": 1.0}),
        run(ONE, model="other", decoding={"temperature": 0.0}),
    ]
    assert names_of(runs) == ("model (top_p 0.9, seed 42)", "model (top_p 1.0, no seed)", "other")


def test_runs_that_differ_in_their_data_alone_have_their_identifiers() -> None:
    """So have runs whose settings would be too long to read."""
    changed = exam(item(1, stem="고친 질문"))
    for runs in (
        [run(ONE), run(changed)],
        [run(ONE, decoding={"extra_body": {"guided": "x" * 100}}), run(ONE, decoding={"extra_body": {}})],
    ):
        first, second = runs
        assert f"model ({first.run_id[:8]})" in names_of(runs)
        assert len(set(names_of(runs))) == 2
        assert max(map(len, names_of([second, first]))) < 40


def test_a_model_that_is_called_like_another_with_its_settings_is_told_apart_too() -> None:
    """Names are texts from people: one may read like what would be made for another."""
    runs = [
        run(ONE, decoding={"temperature": 0.0}),
        run(ONE, decoding={"temperature": 1.0}),
        run(ONE, model="model (temperature 1.0)"),
    ]
    names = names_of(runs)
    assert names[0] == "model (temperature 0.0)"
    assert len(set(names)) == 3
