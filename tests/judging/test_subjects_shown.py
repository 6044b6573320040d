"""What is judged of a run in another order of the choices is in the numbering that the examinee saw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from exambench.items import ChoiceKey
from exambench.judging.perturbations import Reordering
from exambench.judging.sheets import SampledAnswer, blind_cells
from exambench.judging.subjects import subjects_of
from exambench.protocols import Condition
from exambench.store import open_store
from tests.judging.examples import answer, exam, shipped_rubric, sit

REVERSED = Condition().having("order", "reversed")


def test_answer_and_key_are_where_the_examinee_saw_them(tmp_path: Path) -> None:
    """The first item's key is its second choice, shown third; the examinee named the fourth place, its first choice."""
    benchmark = exam(1)
    with open_store(str(tmp_path / "r.db")) as store:
        run = sit(store, benchmark, {"1": answer(1, choice=4)}, condition=REVERSED)
        (stored,) = store.outcomes(run.run_id, "dict-strict")
        (subject,) = subjects_of(store, run, benchmark.by_id)
    assert str(stored.outcome) == "Answered(value=1, flags=())"
    assert (subject.item.key, subject.answer) == (ChoiceKey(3), 4)
    assert [choice.text for choice in subject.wording.choices] == ["13 hPa", "12 hPa", "11 hPa", "10 hPa"]
    assert benchmark.items[0].key == ChoiceKey(2)


def test_a_probe_of_the_judge_moves_them_on_together(tmp_path: Path) -> None:
    """Whatever order comes next, the gold text and the answered text stay what they were."""
    benchmark = exam(1)
    with open_store(str(tmp_path / "r.db")) as store:
        run = sit(store, benchmark, {"1": answer(1, choice=4)}, condition=REVERSED)
        (subject,) = subjects_of(store, run, benchmark.by_id)
    moved = Reordering(seed=1).apply(subject)
    assert isinstance(moved.item.key, ChoiceKey)
    assert isinstance(moved.answer, int)
    assert moved.wording.choices[moved.item.key.index - 1].text == "11 hPa"
    assert moved.wording.choices[moved.answer - 1].text == "10 hPa"


def test_judges_and_raters_see_the_passage_that_the_examinee_saw(tmp_path: Path) -> None:
    """With the book open; with the book closed it is closed for them too, and an item without one was not asked."""
    plain = exam(2)
    benchmark = replace(plain, items=(replace(plain.items[0], passage="관측 일지"), plain.items[1]))
    found = {}
    with open_store(str(tmp_path / "r.db")) as store:
        for passage in ("shown", "hidden"):
            said = {"1": answer(1), "2": answer(2)}
            run = sit(store, benchmark, said, condition=Condition().having("passage", passage))
            found[passage] = [subject.passage for subject in subjects_of(store, run, benchmark.by_id)]
            place = SampledAnswer(run.run_id, "1", 0)
            cells = blind_cells(store, [run], benchmark, [place], shipped_rubric())[place]
            assert cells[0] == ("관측 일지\n\n" if passage == "shown" else "") + "1번 관측소의 기압은?"
    assert found == {"shown": ["관측 일지", ""], "hidden": [""]}
