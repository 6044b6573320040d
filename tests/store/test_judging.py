"""What judges are asked and say is kept beside the runs, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.errors import ConfigError, StoreError
from exambench.exchange import Failure, Response
from exambench.outcomes import AnswerVerdict, Judgement, Settlement, Unjudged, Verdict
from exambench.store import PERTURBATION, JudgeRow, JudgingKind, JudgingRecord, Store, VerdictRow
from tests.store.examples import keys_of, planned_run

KEYS = [key[::-1] for key in keys_of(9)]
BODIES: dict[str, dict[str, object]] = {key: {"messages": []} for key in KEYS}


def judging_of(run_id: str, *, judge: str = "judge", reference: bool = True) -> JudgingRecord:
    """Return a judging of a run."""
    return JudgingRecord(
        run_id=run_id,
        kind=JudgingKind.RUBRIC,
        judge_name=judge,
        identity=f"{judge}@http://localhost",
        decoding={"temperature": 0.0},
        judge={"name": judge},
        rubric_name="rubric",
        rubric_hash="r" * 64,
        rubric={"axes": [{"key": "정확성"}], "low": 1, "high": 5},
        condition={"reference": reference, "images": False},
    )


def rows(*numbers: int, attempt: int = 0) -> list[JudgeRow]:
    """Return a try for each item number, with a key of its own."""
    return [JudgeRow(f"문항 {number}", 0, 0, attempt, KEYS[3 * attempt + number], "field") for number in numbers]


def planned(store: Store, count: int = 3) -> JudgingRecord:
    """Register a judging of a run with a first try for each of its items."""
    record = judging_of(planned_run(store, count))
    store.judgings.register(record)
    store.judgings.plan(record.judging_id, rows(*range(count)), BODIES)
    return record


def test_a_judging_comes_back_as_it_was(store: Store) -> None:
    """By the beginning of its id, among those of its run, and of all."""
    record = planned(store)
    other = judging_of(record.run_id, reference=False)
    store.judgings.register(other)
    assert store.judgings.find(record.judging_id[:5]) == record
    assert store.judgings.all(record.run_id) == store.judgings.all() == [record, other]
    assert store.judgings.all("no such run") == []


def test_a_judging_that_is_not_there_is_named_with_those_that_are(store: Store) -> None:
    """The message helps to find the right one."""
    record = planned(store)
    with pytest.raises(ConfigError, match=record.judging_id):
        store.judgings.find("zzz")
    store.judgings.register(judging_of(record.run_id, reference=False))
    with pytest.raises(ConfigError, match="several judgings begin like this"):
        store.judgings.find("")


def test_a_judging_of_no_run_is_refused(store: Store) -> None:
    """Verdicts are about something."""
    with pytest.raises(StoreError, match="the store has no run"):
        store.judgings.register(judging_of("0" * 16))


async def test_a_ledger_of_a_judging_claims_and_records(store: Store) -> None:
    """The judge's requests are claimed and answered as those of a run, in a session that is not the run's."""
    record = planned(store)
    async with store.judgings.ledger(record.judging_id) as ledger:
        claim = await ledger.claim(KEYS[:2])
        assert claim.held == set(KEYS[:2])
        await ledger.record(KEYS[0], Response("{}"))
        await ledger.record_failure(KEYS[1], Failure("HTTP 503"))
    assert [reply.row.item_id for reply in store.judgings.replies(record.judging_id)] == ["문항 0"]
    assert [row.item_id for row in store.judgings.unanswered(record.judging_id)] == ["문항 1", "문항 2"]
    (summary,) = store.runs()
    assert (summary.planned, summary.answered, summary.failed, summary.wall_seconds) == (3, 0, 0, 0.0)


async def test_a_ledger_of_no_judging_is_refused(store: Store) -> None:
    """A session belongs to something."""
    with pytest.raises(StoreError):
        async with store.judgings.ledger("0" * 16):
            pass


def test_the_plan_is_in_the_order_of_the_items(store: Store) -> None:
    """Item order, then tries; planning the same again changes nothing."""
    record = planned(store)
    store.judgings.plan(record.judging_id, rows(2, 0, attempt=1), BODIES)
    store.judgings.plan(record.judging_id, rows(0, 1, 2), {})
    assert [(row.item_id[-1], row.attempt) for row in store.judgings.planned(record.judging_id)] == [
        ("0", 0),
        ("0", 1),
        ("1", 0),
        ("2", 0),
        ("2", 1),
    ]


def test_a_try_that_leads_elsewhere_takes_its_verdict_and_later_tries_along(store: Store) -> None:
    """Another request is another question; what other items have stays."""
    record = planned(store)
    judging_id = record.judging_id
    store.judgings.plan(judging_id, rows(0, 1, attempt=1), BODIES)
    verdicts = [VerdictRow(f"문항 {number}", 0, 0, 2, Unjudged("?"), KEYS[3 + number]) for number in (0, 1)]
    store.judgings.save_verdicts(judging_id, verdicts)
    changed = JudgeRow("문항 0", 0, 0, 0, KEYS[8], "field")
    store.judgings.plan(judging_id, [changed], BODIES)
    assert [row for row in store.judgings.planned(judging_id) if row.item_id == "문항 0"] == [changed]
    assert store.judgings.verdicts(judging_id) == [verdicts[1]]


@pytest.mark.parametrize(
    "judgement",
    [
        Verdict({"표현": 5, "정확성": 1}, ("NUL \x00", "lone \ud800"), "이유"),
        AnswerVerdict(correct=True, settled=Settlement.MATCH),
        Unjudged("no closed dict"),
    ],
)
def test_every_judgement_comes_back_as_it_was(store: Store, judgement: Judgement) -> None:
    """Axes in their order, hostile text and all."""
    record = planned(store)
    row = VerdictRow("문항 1", 0, 0, 1, judgement, KEYS[1])
    store.judgings.save_verdicts(record.judging_id, [row])
    (found,) = store.judgings.verdicts(record.judging_id)
    assert found == row
    if isinstance(judgement, Verdict) and isinstance(found.judgement, Verdict):
        assert list(found.judgement.scores) == ["표현", "정확성"]


def test_verdicts_replace_all_that_were_there(store: Store) -> None:
    """A verdict that does not follow from the replies any more does not linger."""
    record = planned(store)
    both = [VerdictRow(f"문항 {number}", 0, 0, 1, Unjudged("?"), KEYS[number]) for number in (0, 1)]
    store.judgings.save_verdicts(record.judging_id, both)
    store.judgings.save_verdicts(record.judging_id, both[1:])
    assert store.judgings.verdicts(record.judging_id) == both[1:]


def test_probes_of_a_judge_are_found_by_no_other_name(store: Store) -> None:
    """A judging with a perturbation in its condition is another one, and neither all nor find returns it."""
    record = planned(store)
    probe = replace(record, condition={**record.condition, PERTURBATION: "padding"})
    store.judgings.register(probe)
    assert probe.judging_id != record.judging_id
    assert (record.is_perturbed, probe.is_perturbed) == (False, True)
    assert (probe.with_reference, probe.sees_images) == (True, False)
    assert store.judgings.all() == [record]
    assert store.judgings.probes() == store.judgings.probes(record.run_id) == [probe]
    assert store.judgings.probes("no such run") == []
    with pytest.raises(ConfigError, match="there is no such judging"):
        store.judgings.find(probe.judging_id)


def test_a_tally_counts_judgements_and_not_tries(store: Store) -> None:
    """Three asked, one of them twice; one verdict, one unreadable, one open. A judging without a plan has none."""
    record = planned(store)
    store.judgings.plan(record.judging_id, rows(1, attempt=1), BODIES)
    sound = VerdictRow("문항 0", 0, 0, 1, Verdict({"정확성": 3}))
    store.judgings.save_verdicts(record.judging_id, [sound, VerdictRow("문항 1", 0, 0, 2, Unjudged("?"))])
    store.judgings.register(judging_of(record.run_id, reference=False))
    tallies = store.judgings.tallies()
    assert set(tallies) == {record.judging_id}
    found = tallies[record.judging_id]
    assert (found.asked, found.judged, found.unjudged, found.open) == (3, 1, 1, 1)
