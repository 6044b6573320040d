"""A probe is two judgings of one sample, apart from all scores, and shares requests with ordinary judgings."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.errors import ConfigError
from exambench.judging.perturbations import AS_WRITTEN, Injection, Padding, Perturbation, Reordering, read_probe_texts
from exambench.judging.probing import Probe, plan_probe
from exambench.store import PERTURBATION, Store, open_store
from tests.judging.examples import answer, ask, exam, judge_config, plan_for, sit, verdict_text
from tests.support.chat_server import always, completion, serve

SIZE = 12
TEXTS = read_probe_texts()


def probe_of(store: Store, base_url: str, size: int = 5, seed: int = 1, trials: int = 1) -> Probe:
    """Return a padding probe of a run of twelve answers."""
    run = sit(store, exam(SIZE), {str(number): answer(number) for number in range(1, SIZE + 1)})
    return plan_probe(plan_for(store, run, judge_config(base_url), trials=trials), Padding(TEXTS), size, seed)


def items_of(probe: Probe) -> set[str]:
    """Return the items of the sample."""
    return {item_id for item_id, _ in probe.places}


def test_both_sides_are_about_the_same_answers_with_the_same_seeds(tmp_path: Path) -> None:
    """Item by item and trial by trial, one request differs from the other in its messages alone."""
    with open_store(str(tmp_path / "r.db")) as store:
        probe = probe_of(store, "http://127.0.0.1:9/v1", trials=2)
    sides = [plan.first_tries() for plan in (probe.as_written, probe.changed)]
    assert [row.place for row, _ in sides[0]] == [row.place for row, _ in sides[1]]
    assert len(sides[0]) == 10
    for (_, before), (_, after) in zip(*sides, strict=True):
        assert before is not None
        assert after is not None
        assert (before.parameters, before.trial, before.identity) == (after.parameters, after.trial, after.identity)
        assert before.messages != after.messages


def test_a_larger_sample_holds_the_smaller_and_a_seed_draws_another(tmp_path: Path) -> None:
    """So that more can be asked later without losing what was asked."""
    with open_store(str(tmp_path / "r.db")) as store:
        small, large, other, all_ = (
            probe_of(store, "http://127.0.0.1:9/v1", size, seed) for size, seed in ((4, 1), (8, 1), (4, 2), (99, 1))
        )
    assert items_of(small) < items_of(large)
    assert len(items_of(small)) == len(items_of(other)) == 4
    assert items_of(small) != items_of(other)
    assert len(items_of(all_)) == all_.pool == SIZE


def test_what_was_asked_as_written_is_not_asked_again(tmp_path: Path) -> None:
    """After an ordinary judging only the changed side is asked; after a probe an ordinary judging asks the rest."""
    with open_store(str(tmp_path / "r.db")) as store, serve(always(completion(verdict_text()))) as server:
        probe = probe_of(store, server.base_url)
        ask(probe.as_written, store)
        assert len(server.calls) == 5
        run = store.run(probe.as_written.record.run_id)
        ask(plan_for(store, run, judge_config(server.base_url)), store)
        assert len(server.calls) == SIZE
        ask(probe.changed, store)
        assert len(server.calls) == SIZE + 5
        larger = probe_of(store, server.base_url, size=9)
        ask(larger.as_written, store)
        ask(larger.changed, store)
        assert len(server.calls) == SIZE + 9


def test_no_reader_of_judgings_finds_a_probe(tmp_path: Path) -> None:
    """Neither among the judgings of the run or of the store, nor by its identifier."""
    with open_store(str(tmp_path / "r.db")) as store, serve(always(completion(verdict_text()))) as server:
        probe = probe_of(store, server.base_url)
        ask(probe.as_written, store)
        ask(probe.changed, store)
        records = [probe.as_written.record, probe.changed.record]
        assert store.judgings.all() == store.judgings.all(records[0].run_id) == []
        assert {record.judging_id for record in store.judgings.probes()} == {each.judging_id for each in records}
        for record in records:
            with pytest.raises(ConfigError, match="there is no such judging"):
                store.judgings.find(record.judging_id)
            assert len(store.judgings.verdicts(record.judging_id)) == 5


def test_every_change_is_a_judging_of_its_own(tmp_path: Path) -> None:
    """The condition holds what was changed, and the seed of an order."""
    with open_store(str(tmp_path / "r.db")) as store:
        run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
        plan = plan_for(store, run, judge_config("http://127.0.0.1:9/v1"))
    changes: list[Perturbation] = [Padding(TEXTS), Injection(TEXTS, 5)]
    probes = [plan_probe(plan, change, 2, 1) for change in changes]
    assert len({plan.record.judging_id, *(probe.changed.record.judging_id for probe in probes)}) == 3
    assert [probe.changed.record.condition[PERTURBATION] for probe in probes] == [each.tag for each in changes]
    assert {probe.as_written.record.condition[PERTURBATION] for probe in probes} == {AS_WRITTEN}
    assert {probe.changed.record.condition["reference"] for probe in probes} == {True}


def test_answers_that_cannot_be_changed_are_left_out_and_counted(tmp_path: Path) -> None:
    """Two of four name a choice by its number, one gives no reasons; the expert's rationale is not seen."""
    texts = {"1": answer(1), "2": answer(2, "3번이 옳다."), "3": answer(3, ""), "4": answer(4, "(2)가 맞다.")}
    with open_store(str(tmp_path / "r.db")) as store:
        run = sit(store, exam(4), texts)
        plan = plan_for(store, run, judge_config("http://127.0.0.1:9/v1"))
    probe = plan_probe(plan, Reordering(1, with_reference=False), 10, 1)
    assert items_of(probe) == {"1"}
    assert sorted(probe.left_out.values()) == [1, 2]
    # The expert's rationales of this exam begin with "N번", so with them in sight nothing is left.
    with pytest.raises(ConfigError, match="the probe order fits no answer of run"):
        plan_probe(plan, Reordering(1), 10, 1)
