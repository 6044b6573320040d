"""From stored verdicts to a sample: which judge, which runs, which answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from exambench.analysis.meta_study import draw_study, find_judge, scores_of_answer
from exambench.errors import ConfigError
from exambench.items import TextKey
from exambench.judging.answers import SHIPPED, AnswerJudge, read_answer_rubric
from exambench.judging.rationales import RationaleJudge
from exambench.judging.running import register
from exambench.outcomes import Verdict
from exambench.store import RunRecord, Store, VerdictRow, open_store
from tests.judging.examples import AXES, answer, exam, judge_config, plan_for, shipped_rubric, sit


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened


def run_of(store: Store, model: str, rationales: Mapping[int, str]) -> RunRecord:
    """Store a run of four items that has these rationales."""
    texts = {str(number): answer(number, text) for number, text in rationales.items()}
    return sit(store, exam(4), texts, model=model)


def judged(
    store: Store, run: RunRecord, scores: Mapping[int, Sequence[int]], *, reference: bool = True, host: int = 9
) -> str:
    """Store verdicts: for each item one score on every axis for each of the judge's trials; return the judging."""
    judge = judge_config(f"http://127.0.0.1:{host}/v1")
    trials = max(map(len, scores.values()))
    instrument = RationaleJudge(shipped_rubric(), with_reference=reference)
    plan = plan_for(store, run, judge, instrument=instrument, trials=trials)
    register(plan, store)
    rows = [
        VerdictRow(str(item), 0, trial, 1, Verdict(dict.fromkeys(AXES, score)))
        for item, given in scores.items()
        for trial, score in enumerate(given)
    ]
    store.judgings.save_verdicts(plan.record.judging_id, rows)
    return plan.record.judging_id


ALL = dict.fromkeys(range(1, 5), "이유")


def test_items_are_drawn_from_those_that_every_drawn_model_has_a_judged_rationale_on(store: Store) -> None:
    """One model has no verdict on item 2, another no rationale on item 3: items 1 and 4 are left."""
    first, second = run_of(store, "alpha-7b", ALL), run_of(store, "beta-7b", ALL | {3: ""})
    judged(store, first, {1: [5], 3: [4], 4: [1]})
    judged(store, second, {1: [1], 2: [3], 3: [1], 4: [1]})
    drawn = draw_study(find_judge(store, "judge"), (1, 0, 1), (1, 0, 1))
    assert [each.run.model_name for each in drawn.runs] == ["alpha-7b", "beta-7b"]
    # Item 4: both 1 of 1 to 5, so 0 and no spread. Item 1: 5 and 1, so 1 and 0: mean 1/2, spread sqrt(1/2).
    assert [each.candidate.id for each in drawn.items.items] == ["4", "1"]
    assert [each.candidate.mean for each in drawn.items.items] == [0.0, 0.5]
    assert [each.candidate.spread for each in drawn.items.items] == pytest.approx([0.0, 0.5**0.5])
    assert set(drawn.trials.values()) == {0}
    assert any("from the 2 on which every drawn model" in note for note in drawn.notes)


def test_a_judges_score_of_an_answer_is_its_mean_over_the_judges_trials(store: Store) -> None:
    """Scores 2 and 5 make 3.5; an answer without a verdict has none."""
    judged(store, run_of(store, "alpha-7b", ALL), {1: [2, 5]})
    (run,) = find_judge(store, "judge").runs
    assert scores_of_answer(run, "1", 0) == dict.fromkeys(AXES, 3.5)
    assert scores_of_answer(run, "2", 0) == {}


def test_of_a_name_the_judgings_that_saw_the_experts_rationale_count(store: Store) -> None:
    """The others can be had by their id."""
    run = run_of(store, "alpha-7b", ALL)
    with_it, without = judged(store, run, {1: [5]}), judged(store, run, {1: [2]}, reference=False)
    assert [each.judging.judging_id for each in find_judge(store, "judge").runs] == [with_it]
    assert [each.judging.judging_id for each in find_judge(store, without[:8]).runs] == [without]


def test_a_name_of_two_judges_is_refused_with_their_ids(store: Store) -> None:
    """Same name, other address: two judges."""
    run = run_of(store, "alpha-7b", ALL)
    ids = [judged(store, run, {1: [5]}), judged(store, run, {1: [5]}, host=10)]
    with pytest.raises(ConfigError, match="several judges may be meant") as caught:
        find_judge(store, "judge")
    assert all(each in str(caught.value) for each in ids)
    assert len(find_judge(store, ids[0]).runs) == 1


def test_of_two_runs_of_a_model_the_one_judged_last_counts_and_that_is_told(store: Store) -> None:
    """A model is drawn once."""
    first = run_of(store, "alpha-7b", ALL)
    other = replace(first, protocol=first.protocol, protocol_hash="another")
    store.register_run(other)
    store.plan(other.run_id, store.planned(first.run_id), {})
    judged(store, first, {1: [5]})
    judged(store, other, {1: [5]})
    found = find_judge(store, "judge")
    assert [each.run.run_id for each in found.runs] == [other.run_id]
    assert found.notes == (f"Run {first.run_id} of alpha-7b was passed over: another one was judged later.",)


def test_a_judge_of_free_answers_is_no_judge_of_rationales(store: Store) -> None:
    """Its verdicts are right or wrong, nothing that people score."""
    benchmark = exam(1, key=TextKey("1013 hPa"))
    run = sit(store, benchmark, {"1": answer(1)})
    plan = plan_for(
        store, run, judge_config("http://127.0.0.1:9/v1"), instrument=AnswerJudge(read_answer_rubric(SHIPPED))
    )
    register(plan, store)
    with pytest.raises(ConfigError, match="this judge scores no rationales"):
        find_judge(store, plan.record.judging_id)
