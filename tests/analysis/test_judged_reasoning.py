"""The reasoning gap of stored runs: its two sides on paper, whose verdicts count, and why a model has none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from exambench.analysis.diagnosis import Diagnosis, diagnose
from exambench.analysis.judged_reasoning import (
    NO_RUN,
    NO_SCORE,
    NO_VERDICT,
    NOT_JUDGED,
    OTHERWISE,
    load_reasoning_gap,
)
from exambench.analysis.reasoning_gap import ReasoningGap
from exambench.analysis.run_groups import groups_on_common_items, groups_on_same_items
from exambench.analysis.run_tables import table_of_group
from exambench.analysis.scores import load_scores
from exambench.benchmarks import find_definition
from exambench.items import Benchmark
from exambench.outcomes import Judgement, Unjudged, Verdict
from exambench.stats.resampling import Bootstrap
from exambench.store import JudgeRow, JudgingKind, JudgingRecord, RunRecord, Store, VerdictRow, open_store
from tests.judging.examples import AXES, answer, exam, sit

EXAM = exam(4)
HEADLINE = find_definition("kmetbench").protocol("advanced")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened


def headline(
    store: Store,
    model: str,
    right: str,
    benchmark: Benchmark = EXAM,
    *,
    answered: str = "1234",
    seed: int | None = None,
) -> RunRecord:
    """Store a run under the headline protocol in which these of the answered items are right."""
    texts = {item: json.dumps({"정답": (int(item) + (item not in right)) % 4 + 1}) for item in answered}
    return sit(store, benchmark, dict(texts), model=model, protocol=HEADLINE, seed=seed)


def reason(store: Store, model: str, benchmark: Benchmark = EXAM, *, seed: int | None = None) -> RunRecord:
    """Store a run under the protocol of rationales."""
    return sit(store, benchmark, {item: answer(int(item)) for item in "1234"}, model=model, seed=seed)


def judge(
    store: Store, run: RunRecord, totals: Mapping[str, int | str], name: str = "judge", **changes: object
) -> JudgingRecord:
    """Store a judging of four axes that asks about items 1 to 4: totals, texts that cannot be read, the rest open."""
    record = JudgingRecord(
        run_id=run.run_id,
        kind=JudgingKind.RUBRIC,
        judge_name=name,
        identity=f"{name}@u",
        decoding={},
        judge={},
        rubric_name="rubric",
        rubric_hash="r1",
        rubric={"axes": [{"key": axis} for axis in AXES], "low": 1, "high": 5},
        condition={"reference": True, "images": False},
    )
    record = replace(record, **changes)  # type: ignore[arg-type]  # fields of the dataclass
    store.judgings.register(record)
    store.judgings.plan(record.judging_id, [JudgeRow(item, 0, 0, 0, None, "field") for item in "1234"], {})
    rows = [VerdictRow(item, 0, 0, 1, _judgement(total)) for item, total in totals.items()]
    store.judgings.save_verdicts(record.judging_id, rows)
    return record


def _judgement(total: int | str) -> Judgement:
    if isinstance(total, str):
        return Unjudged(total)
    base, rest = divmod(total, 4)
    return Verdict({axis: base + (number < rest) for number, axis in enumerate(AXES)})


def gap_of(store: Store, *runs: RunRecord) -> ReasoningGap:
    """Return the gap of runs on the same items."""
    (group,) = groups_on_same_items([load_scores(store, run) for run in runs])
    return load_reasoning_gap(store, group, table_of_group(group))


def diagnosis_of(store: Store, *runs: RunRecord) -> Diagnosis:
    """Return the diagnosis of runs on the same items."""
    (group,) = groups_on_same_items([load_scores(store, run) for run in runs])
    table = table_of_group(group)
    return diagnose(table, Bootstrap(200, 42), reasoning=load_reasoning_gap(store, group, table))


def judged_side(gap: ReasoningGap) -> list[list[float]]:
    """Return the normalised scores that count, models × items."""
    assert gap.gap is not None
    return [list(map(float, row)) for row in gap.gap.first]


def test_judged_reasoning_less_accuracy_on_all_items(store: Store) -> None:
    """By hand: (20 − 4)/16 = 1 and (12 − 4)/16 = 1/2 are 3/4 on average, less 2 right of 4: 1/4.

    An unjudged item and one that waits count for the accuracy alone. An item left out is left out of both sides:
    without item 1 it is 1/2 − 1/3 = 1/6, without item 2 it is 1 − 1/3 = 2/3, a change of 5/12.
    """
    run = headline(store, "m", right="12")
    judge(store, reason(store, "m"), {"1": 20, "2": 12, "3": "?"})
    found = diagnosis_of(store, run)
    (family,) = found.families
    assert (family.names, family.formulas) == (
        ("reasoning",),
        ("(x − 4)/16 of judged reasoning − accuracy on all items",),
    )
    assert family.estimates.estimate[0, 0] == pytest.approx(1 / 4)
    assert (family.estimates.n_first[0, 0], family.estimates.n_second[0, 0]) == (2, 4)
    assert family.estimates.low[0, 0] < 1 / 4 < family.estimates.high[0, 0]
    (influence,) = family.influence
    assert influence is not None
    assert influence.max_change[0] == pytest.approx(5 / 12)
    assert (influence.item, influence.n[0], influence.sign_flips[0]) == (("2",), 2, 0)
    assert found.reasoning is not None
    (counts,) = found.reasoning.models
    assert (counts.asked, counts.judged, counts.unjudged, counts.open) == (4, 2, 1, 1)
    assert found.absent == ()


def test_the_scale_is_that_of_the_rubric(store: Store) -> None:
    """Two axes of 0 to 10: a total of 15 is 15/20."""
    run = headline(store, "m", right="12")
    axes = {"axes": [{"key": AXES[0]}, {"key": AXES[1]}], "low": 0, "high": 10}
    record = judge(store, reason(store, "m"), {}, rubric=axes)
    store.judgings.save_verdicts(record.judging_id, [VerdictRow("1", 0, 0, 1, Verdict({AXES[0]: 10, AXES[1]: 5}))])
    found = gap_of(store, run)
    assert found.gap is not None
    assert found.gap.formula == "(x − 0)/20 of judged reasoning − accuracy on all items"
    np.testing.assert_array_equal(found.gap.first, [[0.75, np.nan, np.nan, np.nan]])


def test_the_judge_of_most_models_counts_for_all(store: Store) -> None:
    """Although another judge has looked at one of them since; a model that only the other judged has no gap."""
    runs = [headline(store, model, right="12") for model in ("a", "b", "c")]
    reasons = [reason(store, model) for model in ("a", "b", "c")]
    for run in reasons[:2]:
        judge(store, run, {"1": 20}, "first")
    for run in (reasons[0], reasons[2]):
        judge(store, run, {"1": 4}, f"another for {run.model_name}")
    found = gap_of(store, *runs)
    assert found.judge is not None
    assert found.judge.name == "first"
    assert [row[0] for row in judged_side(found)[:2]] == [1.0, 1.0]
    assert [(each.model, each.reason) for each in found.absent] == [("c", OTHERWISE)]


def test_verdicts_by_different_rubrics_are_never_in_one_column(store: Store) -> None:
    """The same judge by a new rubric is another instrument; between equals the latest counts."""
    runs = [headline(store, model, right="12") for model in ("a", "b")]
    first, second = (reason(store, model) for model in ("a", "b"))
    judge(store, first, {"1": 20})
    judge(store, second, {"1": 4}, rubric_hash="r2")
    found = gap_of(store, *runs)
    assert found.judge is not None
    assert found.judge.rubric_hash == "r2"
    assert [(each.model, each.reason) for each in found.absent] == [("a", OTHERWISE)]


def test_the_latest_judging_of_a_judge_counts(store: Store) -> None:
    """Of two with another decoding the one that was begun last; one without any verdict does not count yet."""
    run, reasons = headline(store, "m", right="12"), reason(store, "m")
    judge(store, reasons, {"1": 20}, decoding={"seed": 1})
    latest = judge(store, reasons, {"1": 12}, decoding={"seed": 2})
    judge(store, reasons, {"1": "?"}, decoding={"seed": 3})
    found = gap_of(store, run)
    assert judged_side(found)[0][0] == 0.5
    assert [each.judging_id for each in found.models] == [latest.judging_id]


def test_a_run_with_the_decoding_of_the_headline_counts_first(store: Store) -> None:
    """Two runs of one model with different seeds each have their own reasons, whichever was judged last."""
    runs = [headline(store, "m", right="12", seed=seed) for seed in (1, 2)]
    judge(store, reason(store, "m", seed=2), {"1": 12})
    judge(store, reason(store, "m", seed=1), {"1": 20})
    found = gap_of(store, *runs)
    assert [row[0] for row in judged_side(found)] == [1.0, 0.5]


def test_on_common_items_both_sides_are_on_them(store: Store) -> None:
    """Item 4 has a verdict, but another model has no score for it."""
    runs = [headline(store, "a", right="12"), headline(store, "b", right="1", answered="123")]
    judge(store, reason(store, "a"), {"1": 20, "4": 4})
    (group,) = groups_on_common_items([load_scores(store, run) for run in runs])
    found = load_reasoning_gap(store, group, table_of_group(group))
    np.testing.assert_array_equal(judged_side(found), [[1.0, np.nan, np.nan], [np.nan] * 3])
    assert (found.models[0].asked, found.models[0].judged) == (3, 1)


def test_a_model_without_the_gap_is_named_with_the_reason(store: Store) -> None:
    """Each by what is missing: a run, a judge who saw the expert's rationale, a verdict, scores."""
    runs = [headline(store, model, right="12") for model in ("a", "b", "c", "d")]
    runs.append(headline(store, "e", right="", answered=""))
    judge(store, reason(store, "a"), {"1": 20})
    judge(store, reason(store, "b"), {"1": 20}, condition={"reference": False, "images": False})
    judge(store, reason(store, "c"), {"1": "?"})
    judge(store, reason(store, "e"), {"1": 20})
    found = diagnosis_of(store, *runs)
    assert {each.model: each.reason for each in found.absent} == {
        "b": NOT_JUDGED,
        "c": NO_VERDICT,
        "d": NO_RUN,
        "e": NO_SCORE,
    }
    assert {each.name for each in found.absent} == {"reasoning"}


def test_what_all_models_lack_is_said_once(store: Store) -> None:
    """Without a model in it; and nothing is said where the items are not about reasoning."""
    runs = [headline(store, model, right="12") for model in ("a", "b")]
    assert [(each.model, each.reason) for each in gap_of(store, *runs).absent] == [(None, NO_RUN)]
    reason(store, "a")
    assert [(each.model, each.reason) for each in gap_of(store, *runs).absent] == [("a", NOT_JUDGED), ("b", NO_RUN)]
    plain = replace(EXAM, items=tuple(replace(item, facets={}) for item in EXAM.items))
    assert gap_of(store, headline(store, "a", "12", plain)).absent == ()


def test_another_version_of_the_data_is_another_sitting(store: Store) -> None:
    """Verdicts on other items than those of the headline run are no verdicts on these."""
    judge(store, reason(store, "m", exam(5)), {"1": 20})
    assert [each.reason for each in gap_of(store, headline(store, "m", right="12")).absent] == [NO_RUN]


def test_runs_under_another_protocol_have_no_reasoning_gap(store: Store) -> None:
    """The accuracy beside a rationale is not that of the headline."""
    run = reason(store, "m")
    judge(store, run, {"1": 20})
    found = gap_of(store, run)
    assert found.gap is None
    (absent,) = found.absent
    assert absent.reason == (
        "it is held against the accuracy under the protocol advanced, and these runs are under reasoning"
    )
