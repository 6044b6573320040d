"""What published fields have no place for comes back from our own, and every fault of it is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.benchmarks.own_fields import FIELD, completed, own_fields
from exambench.benchmarks.scholarbench_format import read_items
from exambench.errors import Severity
from exambench.items import EXPLICIT, ChoiceKey, Content, Item, Wording

CHOICES = ("적운", "층운")
ITEM = Item(
    "7-multiple_choice",
    {EXPLICIT: Wording(Content("어느 것?"), tuple(map(Content, CHOICES)))},
    ChoiceKey(2),
    {"task": "multiple_choice", "paragraph": "7"},
    passage="구름은 둘이다.",
)
texts = st.text(st.characters(exclude_categories=("Cs", "Cc", "Mn", "Mc", "Lo", "So", "Sk")), max_size=12)
names = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)
labels = st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.text("ab 가", max_size=5))


@settings(max_examples=40)
@given(
    names,
    st.dictionaries(names, labels),
    st.dictionaries(names, st.tuples(texts, texts, texts)),
    st.text("가a \n", max_size=9),
)
def test_what_is_written_is_read(name: str, facets: dict[str, Any], asked: dict[str, Any], text: str) -> None:
    """Identifier, labels with their types, wordings and texts, through JSON."""
    wordings = {
        each: Wording(Content(stem), (Content(one), Content(other))) for each, (stem, one, other) in asked.items()
    }
    item = Item(
        name, {**ITEM.wordings, **wordings}, ITEM.key, {**facets, "task": "multiple_choice"}, text, text, ITEM.passage
    )
    said = json.loads(json.dumps(own_fields(item, ITEM)))
    found, findings = completed(ITEM, said, "multiple_choice", "x.json", fixed="task")
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert errors == []
    assert found is not None
    if not findings:  # a text that is not in NFC is composed, with a warning
        assert found == item
        assert [type(value) for value in found.facets.values()] == [type(value) for value in item.facets.values()]


def test_nothing_is_said_twice() -> None:
    """Of an item that the published fields say, the identifier alone."""
    assert own_fields(ITEM, ITEM) == {"id": "7-multiple_choice"}


@pytest.mark.parametrize(
    ("own", "field", "problem"),
    [
        ([], "exambench", "is not by task"),
        ({"essay": {}}, "exambench", "is not by task"),
        ({"short_answer": {}}, "exambench", "is not by task"),
        ({"multiple_choice": "x"}, "exambench.multiple_choice", "is not what it can be"),
        ({"multiple_choice": {"key": 1}}, "exambench.multiple_choice", "is not what it can be"),
        ({"multiple_choice": {"id": ""}}, "exambench.multiple_choice.id", "cannot be used"),
        ({"multiple_choice": {"id": "a\u001b[1m"}}, "exambench.multiple_choice.id", "cannot be used"),
        ({"multiple_choice": {"rationale": ["x"]}}, "exambench.multiple_choice.rationale", "is not text"),
        ({"multiple_choice": {"source": "\u0000"}}, "exambench.multiple_choice.source", "is not text"),
        ({"multiple_choice": {"facets": 1}}, "exambench.multiple_choice.facets", "is not an object"),
        (
            {"multiple_choice": {"facets": {"task": "multiple_choice", "x": 1.5}}},
            "exambench.multiple_choice.facets.x",
            "is no label",
        ),
        (
            {"multiple_choice": {"facets": {"task": "multiple_choice", "x": 2**63}}},
            "exambench.multiple_choice.facets.x",
            "is no label",
        ),
        ({"multiple_choice": {"facets": {"task": "true_false"}}}, "exambench.multiple_choice.facets.task", "another"),
        ({"multiple_choice": {"wordings": []}}, "exambench.multiple_choice.wordings", "is not an object"),
        (
            {"multiple_choice": {"wordings": {"original": {"question": "?", "choices": ["하나"]}}}},
            "exambench.multiple_choice.wordings.original",
            "is no wording",
        ),
        (
            {"multiple_choice": {"wordings": {"original": "?"}}},
            "exambench.multiple_choice.wordings.original",
            "is no wording",
        ),
    ],
)
def test_a_fault_is_named_by_its_field(tmp_path: Path, own: object, field: str, problem: str) -> None:
    """No item is made of it."""
    choices = [f"{letter}) {text}" for letter, text in zip("ab", CHOICES, strict=True)]
    task = {"question": "어느 것?", "choices": choices, "answer": "b", "topic": ""}
    entry = {"id": 7, "category": "Earth", "paragraph": "구름은 둘이다.", "multiple_choice": task, FIELD: own}
    path = tmp_path / "data.json"
    path.write_text(json.dumps([entry]), encoding="utf-8")
    items, findings = read_items(path)
    assert items == ()
    assert [finding.field for finding in findings][:1] == [field]
    assert problem in str(findings[0])
