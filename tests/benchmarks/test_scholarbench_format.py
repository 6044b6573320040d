"""ScholarBench's files as they are found, and every fault by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exambench.benchmarks.scholarbench_format import read_items
from exambench.errors import DataError, Finding, Severity
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Item, TextKey, Wording

CHOICE: dict[str, Any] = {
    "question": "어느 것?",
    "choices": ["a) 적운", "b) 층운", "c) 권운"],
    "answer": "c",
    "topic": "구름",
}


def entry(**tasks: object) -> dict[str, Any]:
    """Return a paragraph with some tasks."""
    return {"id": 7, "category": "Earth", "paragraph": "구름은 셋이다.", **tasks}


def read(tmp_path: Path, *entries: object) -> tuple[tuple[Item, ...], tuple[Finding, ...]]:
    """Return what is read of a file of these objects."""
    path = tmp_path / "scholar.json"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return read_items(path)


def one(tmp_path: Path, **tasks: object) -> Item:
    """Return the only item of a paragraph without a fault."""
    ((item,), findings) = read(tmp_path, entry(**tasks))
    assert findings == ()
    return item


def test_a_task_is_an_item_about_its_paragraph(tmp_path: Path) -> None:
    """Choices lose their letters; the paragraph is the passage."""
    item = one(tmp_path, multiple_choice=CHOICE)
    assert item == Item(
        "7-multiple_choice",
        {EXPLICIT: Wording(Content("어느 것?"), (Content("적운"), Content("층운"), Content("권운")))},
        ChoiceKey(3),
        {"category": "Earth", "task": "multiple_choice", "paragraph": "7", "topic": "구름"},
        passage="구름은 셋이다.",
    )


def test_a_summary_has_no_question_and_needs_its_passage(tmp_path: Path) -> None:
    """What is to be done with the passage a protocol says."""
    item = one(tmp_path, summarization={"summary_text": "셋."})
    assert (item.key, item.wording(), item.needs_passage) == (TextKey("셋."), Wording(Content()), True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("참", True),
        ("거짓", False),
        ("True", True),
        ("false", False),
        (1, True),
        ("0", False),
        (True, True),
        (0, False),
    ],
)
def test_truth_values_are_read_in_every_way_that_files_write_them(
    tmp_path: Path, written: object, meant: object
) -> None:
    """Words in either language, numbers, booleans."""
    item = one(tmp_path, true_false={"question": "그런가?", "answer": written, "topic": ""})
    assert item.key == BooleanKey(bool(meant))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answer": "c) 층운"}, "has other words after a letter than its choice"),
        ({"choices": ["a) 적운", "b) 적운", "c) 권운"]}, "has a choice twice"),
    ],
)
def test_a_doubtful_key_is_a_warning(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    """The letter counts, and people are told: it, or what stands there, may be wrong."""
    ((item,), (finding,)) = read(tmp_path, entry(multiple_choice=CHOICE | changes))
    assert item.key == ChoiceKey(3)
    assert (finding.severity, finding.problem, finding.item) == (Severity.WARNING, problem, "7-multiple_choice")


@pytest.mark.parametrize("answer", [["a", "c"], ["C", "a"], ["a) 적운", "c) 권운"]])
def test_several_letters_are_a_set(tmp_path: Path, answer: object) -> None:
    """In whatever order, small or large, with or without the choice behind them."""
    item = one(tmp_path, multiple_select=CHOICE | {"answer": answer})
    assert item.key == ChoiceSetKey(frozenset({1, 3}))


def test_a_paragraph_may_be_a_list_of_sections(tmp_path: Path) -> None:
    """Headings above their texts, a blank line between sections."""
    sections = [{"section": "서론", "text": "하나."}, {"section": "결론", "text": ["둘.", "셋."]}, {"text": "넷."}]
    ((item,), findings) = read(tmp_path, entry(multiple_choice=CHOICE) | {"paragraph": sections})
    assert findings == ()
    assert item.passage == "서론\n하나.\n\n결론\n둘.\n셋.\n\n넷."


def test_choices_without_letters_are_taken_as_they_stand(tmp_path: Path) -> None:
    """One that only begins as if it had a letter keeps it."""
    item = one(tmp_path, multiple_choice=CHOICE | {"choices": ["적운", "b) 층운", "권운"]})
    assert [choice.text for choice in item.wording().choices] == ["적운", "b) 층운", "권운"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"answer": "d"}, "answer"),
        ({"answer": ["a", "b"]}, "answer"),
        ({"answer": "둘째"}, "answer"),
        ({"answer": None}, "answer"),
        ({"question": " "}, "question"),
        ({"choices": ["a) 하나"]}, "choices"),
        ({"choices": "a) 하나 b) 둘"}, "choices"),
        ({"choices": ["b) 하나", "a) 둘", "c) 셋"]}, "choices"),
        ({"choices": ["a) 하나", "b) ", "c) 셋"]}, "choices[2]"),
    ],
)
def test_a_task_with_a_fault_is_no_item_and_the_fault_is_named(
    tmp_path: Path, changes: dict[str, object], field: str
) -> None:
    """The other tasks of the paragraph are read."""
    truth = {"question": "그런가?", "answer": "참", "topic": ""}
    items, findings = read(tmp_path, entry(multiple_choice=CHOICE | changes, true_false=truth))
    assert [item.id for item in items] == ["7-true_false"]
    assert [(each.item, each.field, each.severity) for each in findings] == [
        ("7-multiple_choice", field, Severity.ERROR)
    ]


@pytest.mark.parametrize("changes", [{"id": ""}, {"paragraph": ""}, {"paragraph": [1]}, {"category": None}])
def test_a_paragraph_with_a_fault_is_no_item(tmp_path: Path, changes: dict[str, object]) -> None:
    """Its tasks are about nothing."""
    items, findings = read(tmp_path, entry(multiple_choice=CHOICE) | changes)
    assert items == ()
    assert [(each.field, each.severity) for each in findings] == [(next(iter(changes)), Severity.ERROR)]


def test_lines_are_read_as_an_array_is(tmp_path: Path) -> None:
    """JSONL with blank lines, and a line that is no JSON named by its number."""
    path = tmp_path / "scholar.jsonl"
    line = json.dumps(entry(multiple_choice=CHOICE))
    path.write_text(f"{line}\r\n\n{line.replace('7', '8', 1)}\n", encoding="utf-8")
    items, findings = read_items(path)
    assert [item.id for item in items] == ["7-multiple_choice", "8-multiple_choice"]
    assert findings == ()
    path.write_text(f"{line}\n{{", encoding="utf-8")
    with pytest.raises(DataError, match="line 2"):
        read_items(path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.dictionaries(st.sampled_from(["id", "category", "paragraph", "true_false"]), VALUES),
    st.dictionaries(st.sampled_from([*CHOICE]), VALUES),
)
def test_whatever_stands_in_a_field_is_read_or_reported(
    tmp_path: Path, changes: dict[str, Any], task: dict[str, Any]
) -> None:
    """No file breaks the reader: what is no item is a finding."""
    items, findings = read(tmp_path, entry(multiple_choice=CHOICE | task) | changes)
    assert items or any(each.severity is Severity.ERROR for each in findings)
