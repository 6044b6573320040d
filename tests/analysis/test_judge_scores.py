"""Means, gaps and shares of verdicts, held against sums on paper; what is unjudged is in none of them."""

from __future__ import annotations

import pytest

from exambench.analysis.judge_scores import JudgeScores, answer_scores, judge_scores
from exambench.analysis.scores import RunScores, TrialRow
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun
from exambench.items import EXPLICIT, Benchmark, ChoiceKey, Content, Item, Wording
from exambench.outcomes import AnswerVerdict, Judgement, OutcomeKind, Settlement, Unjudged, Verdict
from exambench.parsing.rationales import RationaleForm
from exambench.stats.resampling import Bootstrap
from exambench.store import JudgingKind, JudgingRecord, RunRecord

AXES = ("a", "b", "c", "d")
BOOTSTRAP = Bootstrap(200, 42)
BENCHMARK = Benchmark(
    "exam",
    "Exam",
    tuple(
        Item(str(number), {EXPLICIT: Wording(Content(f"q{number}"), (Content("x"), Content("y")))}, ChoiceKey(1))
        for number in range(1, 7)
    ),
    axes=(),
)
RUN = RunRecord(
    "exam",
    BENCHMARK.content_hash,
    "m",
    "m@u",
    {},
    {},
    "reasoning",
    "p",
    {"strict": "dict-strict"},
    {"wording": "explicit"},
)
JUDGING = JudgingRecord(
    RUN.run_id,
    JudgingKind.RUBRIC,
    "judge",
    "judge@u",
    {},
    {},
    "rubric",
    "r",
    {"axes": [{"key": axis} for axis in AXES], "low": 1, "high": 5},
    {"reference": True, "images": False},
)


def verdict(total: int, *errors: str) -> Verdict:
    """Return a verdict of a total that four equal scores and a rest make up."""
    base, rest = divmod(total, 4)
    return Verdict({axis: base + (number < rest) for number, axis in enumerate(AXES)}, errors)


def judged(*answers: tuple[str, Judgement | None, bool | None]) -> JudgedRun:
    """Return a run with these judgements: item, judgement, and whether the answer is right; repeats are trials."""
    rows = tuple(
        JudgedAnswer(item, 0, sum(other[0] == item for other in answers[:place]), judgement, right, RationaleForm.FIELD)
        for place, (item, judgement, right) in enumerate(answers)
    )
    return JudgedRun(JUDGING, RUN, BENCHMARK, rows)


def scores(run: JudgedRun, headline: RunScores | None = None) -> JudgeScores:
    """Return the scores with few resamples."""
    return judge_scores(run, headline, BOOTSTRAP)


def test_means_are_over_judged_items_alone() -> None:
    """(20 + 12 + 8)/3 = 13.33 and (13.33 - 4)/16 = 0.5833; an unjudged and an open item change neither mean nor n."""
    three = [("1", verdict(20), True), ("2", verdict(12), True), ("3", verdict(8), False)]
    found = scores(judged(*three, ("4", Unjudged("?"), True), ("5", None, True)))
    assert found.total is not None
    assert found.normalised is not None
    assert found.total.estimate == pytest.approx(40 / 3)
    assert found.normalised.estimate == pytest.approx((40 / 3 - 4) / 16)
    assert (found.total.n, found.axes["a"].n) == (3, 3)
    assert found.axes["a"].estimate == pytest.approx((5 + 3 + 2) / 3)
    assert found.total.low <= found.total.estimate <= found.total.high
    without = scores(judged(*three))
    assert (found.total, found.normalised, found.axes, found.weak) == (
        without.total,
        without.normalised,
        without.axes,
        without.weak,
    )


def test_the_normalised_score_runs_from_zero_to_one() -> None:
    """4 of 20 is 0, 20 of 20 is 1: (x - 4)/16, not x/20."""
    estimates = []
    for total in (4, 12, 20):
        interval = scores(judged(("1", verdict(total), True))).normalised
        assert interval is not None
        estimates.append(interval.estimate)
    assert estimates == [0.0, 0.5, 1.0]


def test_the_correct_premium_is_the_score_on_right_answers_less_that_on_all() -> None:
    """Right: (20 + 12)/2 = 16, that is 0.75; all: 0.5833; the difference is 0.1667."""
    found = scores(judged(("1", verdict(20), True), ("2", verdict(12), True), ("3", verdict(8), False)))
    assert found.right is not None
    assert found.right.estimate == pytest.approx(0.75)
    assert found.correct_premium is not None
    assert found.correct_premium.estimate == pytest.approx(0.75 - (40 / 3 - 4) / 16)
    assert (found.correct_premium.n_first, found.correct_premium.n_second) == (2, 3)


def test_the_reasoning_gap_is_the_normalised_score_less_the_accuracy_on_all_items() -> None:
    """Normalised 0.5833 on three items, accuracy 4/6 on six: -0.0833."""
    rows = (TrialRow(str(number), 0, OutcomeKind.ANSWERED, float(number <= 4)) for number in range(1, 7))
    headline = RunScores(RUN, BENCHMARK, tuple(rows))
    found = scores(judged(("1", verdict(20), True), ("2", verdict(12), True), ("3", verdict(8), False)), headline)
    assert found.reasoning_gap is not None
    assert found.reasoning_gap.estimate == pytest.approx((40 / 3 - 4) / 16 - 4 / 6)
    assert (found.reasoning_gap.n_first, found.reasoning_gap.n_second) == (3, 6)


def test_weak_reasoning_is_at_most_twelve_beside_a_right_answer() -> None:
    """13 is not weak, 12 is; wrong answers, unjudged ones and answers without a score are not in the share."""
    found = scores(
        judged(
            ("1", verdict(13), True),
            ("2", verdict(12), True),
            ("3", verdict(4), False),
            ("4", Unjudged("?"), True),
            ("5", verdict(4), None),
            ("6", verdict(4), True),
        )
    )
    assert found.weak is not None
    assert (found.n_weak, found.weak.n, found.weak_limit) == (2, 3, 12)


def test_trials_of_the_judge_are_averaged_before_anything_is_counted() -> None:
    """14 and 11 are 12.5 on average: one item, and not weak."""
    found = scores(judged(("1", verdict(14), True), ("1", verdict(11), True)))
    assert found.total is not None
    assert (found.total.estimate, found.total.n) == (12.5, 1)
    assert found.weak is not None
    assert (found.n_weak, found.weak.n) == (0, 1)


def test_factual_errors_are_listed_with_their_place() -> None:
    """Every one, in order, and how many verdicts list any."""
    found = scores(judged(("1", verdict(8, "e1", "e2"), True), ("2", verdict(9), True), ("3", verdict(9, "e3"), False)))
    assert [(error.item_id, error.text) for error in found.errors] == [("1", "e1"), ("1", "e2"), ("3", "e3")]
    assert found.with_errors == 2


def test_without_a_verdict_there_is_no_number() -> None:
    """An empty set has no mean, least of all 0."""
    found = scores(judged(("1", Unjudged("?"), True), ("2", None, True)))
    assert (found.axes, found.total, found.normalised, found.right) == ({}, None, None, None)
    assert (found.correct_premium, found.reasoning_gap, found.weak, found.errors) == (None, None, None, ())


def test_free_answers_are_counted_by_how_they_were_settled() -> None:
    """Two of three decided answers are right; the unjudged one is in no share."""
    run = judged(
        ("1", AnswerVerdict(correct=True, settled=Settlement.MATCH), None),
        ("2", AnswerVerdict(correct=True, settled=Settlement.JUDGE), None),
        ("3", AnswerVerdict(correct=False, settled=Settlement.JUDGE), None),
        ("4", Unjudged("?"), None),
    )
    found = answer_scores(run)
    assert found.correct is not None
    assert found.correct.estimate == pytest.approx(2 / 3)
    assert found.correct.n == 3
    assert found.settled == {"match": 1, "judge": 2}
