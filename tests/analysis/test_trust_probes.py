"""Pairs of verdicts become differences over items: means, shares, exact tests, and what is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from exambench.analysis.trust.probes import ProbeReport, Sample, probe_report
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun
from exambench.outcomes import Judgement, Unjudged, Verdict
from exambench.parsing.rationales import RationaleForm
from exambench.stats.resampling import Bootstrap
from exambench.store import JudgingKind, JudgingRecord, RunRecord
from tests.judging.examples import exam

AXES = ("a", "b")
DRAW = Bootstrap(20, 42)
BENCHMARK = exam(30)
RUN = RunRecord("exam", "0" * 64, "examinee", "examinee@x", {}, {}, "reasoning", "p", {"strict": "dict"})
RECORD = JudgingRecord(
    run_id=RUN.run_id,
    kind=JudgingKind.RUBRIC,
    judge_name="judge",
    identity="judge@x",
    decoding={},
    judge={},
    rubric_name="rubric",
    rubric_hash="r",
    rubric={"axes": [{"key": axis} for axis in AXES], "low": 1, "high": 5},
    condition={"reference": True, "images": False, "perturbation": "none"},
)
Scores = tuple[int, int]


def judged(values: Sequence[Sequence[Scores | str | None]]) -> JudgedRun:
    """Return verdicts: for each item, for each repeat, two scores; text stays unjudged, ``None`` is open."""
    answers = [
        JudgedAnswer(str(item), 0, repeat, judgement(value), right=True, form=RationaleForm.FIELD)
        for item, repeats in enumerate(values, start=1)
        for repeat, value in enumerate(repeats)
    ]
    return JudgedRun(RECORD, RUN, BENCHMARK, tuple(answers))


def judgement(value: Scores | str | None) -> Judgement | None:
    """Return a verdict, that there is none, or that it is not there yet."""
    match value:
        case str():
            return Unjudged(value)
        case None:
            return None
        case first, second:
            return Verdict({"a": first, "b": second}, (), "")


def report(
    before: Sequence[Sequence[Scores | str | None]], after: Sequence[Sequence[Scores | str | None]], trials: int = 1
) -> ProbeReport:
    """Return what the change does."""
    places = {(str(item), 0) for item in range(1, len(before) + 1)}
    sample = Sample("padding", "padded", places, trials, len(before), {}, 42)
    return probe_report(judged(before), judged(after), sample, DRAW)


score = st.integers(1, 5)
pair = st.tuples(score, score)


@settings(max_examples=30)
@given(st.lists(st.tuples(pair, pair), min_size=2, max_size=30))
def test_differences_and_tests_are_numpys_scipys_and_statsmodels(pairs: list[tuple[Scores, Scores]]) -> None:
    """The mean difference, scipy's binomial test without ties, and statsmodels' Holm over the axes."""
    before, after = ([[side[place]] for side in pairs] for place in (0, 1))
    found = report(before, after)
    changes = np.array([[b - a for a, b in zip(*side, strict=True)] for side in pairs])
    changes = np.column_stack([changes, changes.sum(axis=1)])
    p_values = []
    for effect, change in zip(found.effects, changes.T, strict=True):
        raised, lowered = int((change > 0).sum()), int((change < 0).sum())
        p_values.append(stats.binomtest(raised, raised + lowered).pvalue if raised + lowered else 1.0)
        assert effect.difference.value == pytest.approx(change.mean())
        assert (effect.raised, effect.lowered, effect.difference.n) == (raised, lowered, len(pairs))
        assert effect.p_value == pytest.approx(p_values[-1])
        assert effect.changed is not None
        assert effect.as_written is not None
        assert effect.changed - effect.as_written == pytest.approx(change.mean())
    holm = multipletests(p_values[:2], method="holm")[1]
    assert [effect.p_holm for effect in found.effects] == pytest.approx([*holm, p_values[2]])


def test_what_is_dropped_and_what_is_open_are_different_things() -> None:
    """Unreadable as written, unreadable after the change, unreadable on both sides, waiting, and one sound pair."""
    found = report(
        [[(1, 1)], ["?"], [(2, 2)], ["?"], [None], [(3, 3)]],
        [[(2, 1)], [(5, 5)], ["?"], ["?"], [(4, 4)], [None]],
    )
    assert (found.pairs, found.unjudged_as_written, found.unjudged_changed, found.open) == (1, 2, 1, 2)
    assert found.total.difference.value == 1.0
    assert found.total.difference.low is None


def test_repeats_of_the_judge_are_averaged_within_the_item() -> None:
    """Two repeats raised by 1 and lowered by 1 are no change; a repeat beyond the sample's does not count."""
    found = report([[(2, 2), (3, 3), (1, 1)]] * 2, [[(3, 2), (2, 3), (5, 5)]] * 2, trials=2)
    assert found.pairs == 4
    assert (found.total.difference.value, found.total.raised, found.total.lowered, found.total.p_value) == (0, 0, 0, 1)


def test_answers_outside_of_the_sample_do_not_count() -> None:
    """The judgings may hold more, from a larger sample asked earlier."""
    whole = report([[(1, 1)]] * 4, [[(2, 2)], [(2, 2)], [(5, 5)], [(5, 5)]])
    places = {("1", 0), ("2", 0)}
    before, after = judged([[(1, 1)]] * 4), judged([[(2, 2)], [(2, 2)], [(5, 5)], [(5, 5)]])
    found = probe_report(before, after, replace(whole.sample, places=places), DRAW)
    assert (found.pairs, found.total.difference.value) == (2, 2.0)


def test_without_a_pair_there_is_no_number() -> None:
    """Not 0, and no p-value."""
    found = report([["?"]], [["?"]])
    assert [(each.difference.value, each.as_written, each.p_value, each.p_holm) for each in found.effects] == [
        (None, None, None, None)
    ] * 3
