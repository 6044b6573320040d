"""What programs for ScholarBench's files read of an export is what the items say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.scholarbench_format import TASKS, read_items
from exambench.cli.app import app
from exambench.cli.building import build_project
from exambench.cli.exit_codes import ExitCode
from exambench.errors import ConfigError, DataError
from exambench.interop.exporting import Export, write_export
from exambench.interop.scholarbench import scholarbench
from exambench.items import (
    EXPLICIT,
    NEEDS_PASSAGE,
    Benchmark,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    Image,
    Item,
    Key,
    TextKey,
    Wording,
)

PARAGRAPH = "지균풍은 기압 경도력과 전향력이 평형을 이룰 때 등압선과 나란히 분다."
CHOICES = ("기압 경도력", "마찰력", "전향력", "원심력")
TOPIC = "Key Features"
KEYS: dict[str, Key] = {
    "summarization": TextKey("지균풍의 두 힘."),
    "short_answer": TextKey("지균풍"),
    "multiple_choice": ChoiceKey(2),
    "multiple_select": ChoiceSetKey(frozenset({3, 1})),
    "true_false": BooleanKey(value=False),
}


def item(task: str, name: str = "", paragraph: str = "3", **more: Any) -> Item:
    """Return an item as a task of a paragraph."""
    choices = tuple(map(Content, CHOICES)) if task.startswith("multiple") else ()
    facets = {"category": "Earth & Life Sciences", "task": task, "paragraph": paragraph, "topic": TOPIC}
    wordings = {EXPLICIT: Wording(Content(f"{task}: 무엇인가?"), choices)}
    made = Item(name or f"{paragraph}/{task}", wordings, KEYS[task], facets, passage=PARAGRAPH)
    return replace(made, **more)


def exam(*items: Item) -> Benchmark:
    """Return a benchmark of these items."""
    return Benchmark("papers", "Papers", items, ())


def objects(export: Export) -> list[dict[str, Any]]:
    """Return the objects of an export, the same in both of its files."""
    array: list[dict[str, Any]] = json.loads(export.files["papers.json"])
    assert [json.loads(line) for line in export.files["papers.jsonl"].decode().split("\n")[:-1]] == array
    return array


def read_strictly(entry: dict[str, Any]) -> dict[str, tuple[str, tuple[str, ...], object, str]]:
    """Return question, choices, answer and topic by task, as a program reads them that allows for nothing.

    It takes ``id`` for a number, names every field that a task has to have, and knows ``참``, ``거짓``, ``True`` and
    ``False`` alone; a task may be missing.
    """
    assert str(entry["id"]).isdigit()
    assert isinstance(entry["paragraph"], str)
    assert isinstance(entry["category"], str)
    found: dict[str, tuple[str, tuple[str, ...], object, str]] = {}
    if "summarization" in entry:
        assert set(entry["summarization"]) == {"summary_text"}
        found["summarization"] = ("", (), entry["summarization"]["summary_text"], "")
    for task in ("short_answer", "true_false"):
        if task in entry:
            body = entry[task]
            assert set(body) == {"question", "answer", "topic"}
            truth = {"참": True, "True": True, "거짓": False, "False": False}
            answer = truth[body["answer"]] if task == "true_false" else body["answer"]
            found[task] = (body["question"], (), answer, body["topic"])
    for task in ("multiple_choice", "multiple_select"):
        if task in entry:
            body = entry[task]
            assert set(body) == {"question", "choices", "answer", "topic"}
            assert [choice[:3] for choice in body["choices"]] == ["a) ", "b) ", "c) ", "d) "][: len(body["choices"])]
            picks = body["answer"] if task == "multiple_select" else [body["answer"]]
            answer = tuple("abcd".index(pick) + 1 for pick in picks)
            found[task] = (body["question"], tuple(choice[3:] for choice in body["choices"]), answer, body["topic"])
    return found


def as_asked(asked: Item) -> tuple[str, tuple[str, ...], object, str]:
    """Return the same of an item; the format has no place for the question and the topic of a summary."""
    wording = asked.wording()
    choices = tuple(choice.text for choice in wording.choices)
    match asked.key:
        case ChoiceKey(index):
            answer: object = (index,)
        case ChoiceSetKey(indices):
            answer = tuple(sorted(indices))
        case BooleanKey(value):
            answer = value
        case TextKey(text):
            answer = text
    is_summary = asked.facets["task"] == "summarization"
    return "" if is_summary else wording.question.text, choices, answer, "" if is_summary else TOPIC


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).filter(str.strip)


@given(st.sets(st.sampled_from(TASKS), min_size=1), texts, st.integers(1, 4), st.booleans())
def test_a_strict_reader_reads_what_was_asked(tasks: set[str], text: str, right: int, truth: bool) -> None:  # noqa: FBT001 - drawn
    """Questions, choices, keys and topics come back, of whatever tasks a paragraph has."""
    keys: dict[str, Key] = {
        "summarization": TextKey(text),
        "short_answer": TextKey(text),
        "multiple_choice": ChoiceKey(right),
        "multiple_select": ChoiceSetKey(frozenset({right, 1})),
        "true_false": BooleanKey(truth),
    }
    choices = tuple(Content(f"{text} {number}") for number in range(4))
    items = [
        item(task, key=keys[task], wordings={EXPLICIT: Wording(Content(text), choices if "multiple" in task else ())})
        for task in tasks
    ]
    (entry,) = objects(scholarbench(exam(*items)))
    assert read_strictly(entry) == {str(each.facets["task"]): as_asked(each) for each in items}
    assert (entry["paragraph"], entry["category"]) == (PARAGRAPH, "Earth & Life Sciences")


def test_an_object_is_what_the_published_files_have() -> None:
    """Names of fields, letters of choices, and words of truth values."""
    (entry,) = objects(scholarbench(exam(*map(item, reversed(TASKS)))))
    assert list(entry) == ["id", "category", "paragraph", *TASKS]
    assert entry["id"] == 3
    assert entry["multiple_select"] == {
        "question": "multiple_select: 무엇인가?",
        "choices": ["a) 기압 경도력", "b) 마찰력", "c) 전향력", "d) 원심력"],
        "answer": ["a", "c"],
        "topic": "Key Features",
    }
    assert entry["multiple_choice"]["answer"] == "b"
    assert entry["true_false"]["answer"] == "거짓"
    assert entry["summarization"] == {"summary_text": "지균풍의 두 힘."}


def test_the_language_of_truth_values_is_that_of_most_paragraphs() -> None:
    """Programs that read the format know one language in a file."""
    english = [item("true_false", paragraph=str(number), passage="Wind blows.") for number in (1, 2)]
    answers = [entry["true_false"]["answer"] for entry in objects(scholarbench(exam(item("true_false"), *english)))]
    assert answers == ["False", "False", "False"]


def test_paragraphs_are_numbered_where_an_identifier_is_no_number() -> None:
    """The published scorer passes over objects whose ``id`` is none; the identifier is kept beside it."""
    entries = objects(scholarbench(exam(item("true_false", paragraph="kim2020-p3"), item("short_answer"))))
    assert [(entry["id"], entry["pid"]) for entry in entries] == [(1, "kim2020-p3"), (2, "3")]
    assert [entry["id"] for entry in objects(scholarbench(exam(item("short_answer", paragraph="12"))))] == [12]


def test_of_two_items_of_one_task_the_last_goes_in() -> None:
    """A second round of generation builds on the first; the other is named."""
    first, second = item("short_answer", "first"), item("short_answer", "second", key=TextKey("전향력"))
    export = scholarbench(exam(first, second))
    assert [entry["short_answer"]["answer"] for entry in objects(export)] == ["전향력"]
    assert export.left_out == {"first": "item second, a later one, is the short_answer of its paragraph"}


def without(facet: str) -> dict[str, Any]:
    """Return the facets of an item but for one."""
    return {name: value for name, value in item("short_answer").facets.items() if name != facet}


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (item("short_answer", "odd", facets=without("task")), "its facet task is none of"),
        (item("short_answer", "odd", facets=without("paragraph")), "belongs to no paragraph"),
        (item("short_answer", "odd", passage=""), "belongs to no paragraph"),
        (item("short_answer", "odd", facets=without("category")), "has no category"),
        (item("short_answer", "odd", key=ChoiceKey(1)), "its key is not of the kind of short_answer"),
        (item("short_answer", "odd", wordings={EXPLICIT: Wording(Content("?", (Image("x"),)))}), "has no pictures"),
        (item("short_answer", "odd", wordings={EXPLICIT: Wording(Content(" "))}), "has no question"),
        (
            item("multiple_choice", "odd", wordings={EXPLICIT: Wording(Content("?"), (Content("x"),) * 5)}),
            "at most 4 choices",
        ),
        (item("short_answer", "odd", passage="다른 문단"), "item 3/true_false has another text or category"),
    ],
)
def test_what_the_format_has_no_place_for_is_left_out_and_named(odd: Item, reason: str) -> None:
    """The others go in; where none is left, it is an error."""
    export = scholarbench(exam(item("true_false"), odd))
    assert list(objects(export)[0])[3:] == ["true_false"]
    assert list(export.left_out) == ["odd"]
    assert reason in export.left_out["odd"]
    if "another text" not in reason:
        with pytest.raises(DataError, match="no item can be put into the form scholarbench"):
            scholarbench(exam(odd))


def test_an_export_reads_back_as_the_same_items(tmp_path: Path) -> None:
    """Either file; a summary has lost its question, and cannot stand without its passage."""
    items = [*map(item, TASKS), item("true_false", paragraph="4", passage="둘째 문단")]
    write_export(scholarbench(exam(*items)), tmp_path / "out", None)
    for name in ("papers.json", "papers.jsonl"):
        found, findings = read_items(tmp_path / "out" / name)
        assert findings == ()
        assert [(as_asked(each), each.passage) for each in found] == [(as_asked(each), each.passage) for each in items]
        for old, new in zip(items[1:], found[1:], strict=True):
            assert (new.key, new.wordings, new.facets) == (old.key, old.wordings, old.facets)
        assert found[0].facets[NEEDS_PASSAGE] is True
        assert [each.needs_passage for each in found] == [True, False, False, False, False, False]


def test_what_a_build_left_is_exported_from_its_folder(tmp_path: Path) -> None:
    """Items come in by the stage that reads, and go out in another form, near-duplicates dropped."""
    again = item("short_answer", paragraph="4", passage="둘째 문단")
    write_export(scholarbench(exam(*map(item, TASKS), again)), tmp_path / "data", None)
    (tmp_path / "build.toml").write_text(
        'name = "papers"\n[[stages]]\nuse = "read"\ndata = "data/papers.jsonl"\nformat = "scholarbench"\n'
        '[[stages]]\nuse = "dedup"\nthreshold = 1.0\n',
        encoding="utf-8",
    )
    assert build_project(tmp_path, None) is ExitCode.COMPLETE
    arguments = ["export", "scholarbench", str(tmp_path / "out"), "--project", str(tmp_path)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert (tmp_path / "out" / "papers.json").read_bytes() == scholarbench(exam(*map(item, TASKS))).files["papers.json"]
    with pytest.raises(ConfigError, match="a build has its own data"):
        CliRunner().invoke(app, [*arguments, "--data", "x.json"], catch_exceptions=False)


def test_a_definition_may_name_the_format(tmp_path: Path) -> None:
    """A benchmark in this form is a definition and a data file, as any other."""
    write_export(scholarbench(exam(*map(item, TASKS))), tmp_path / "data", None)
    (tmp_path / "benchmark.toml").write_text(
        'extends = "kmetbench"\nname = "papers"\ntitle = "Papers"\n'
        'format = "scholarbench"\ndata = "data/papers.json"\n',
        encoding="utf-8",
    )
    benchmark, findings = read_benchmark(find_definition(str(tmp_path)))
    assert findings == ()
    assert [each.facets["task"] for each in benchmark.items] == list(TASKS)
