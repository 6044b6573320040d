"""What other programs read of a benchmark is what the benchmark says."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.kmetbench_format import read_items
from exambench.benchmarks.loading import image_path
from exambench.errors import ConfigError, DataError, ImageError
from exambench.evaluation.pictures import with_pictures
from exambench.interop.data_folders import chats, hugging_face
from exambench.interop.exam_formats import kmetbench, kmmmu
from exambench.interop.exporting import Export, Exporter, write_export
from exambench.interop.harness_tasks import function_name, inspect_task, lm_eval_task
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

DEFINITION = find_definition("kmet-mini")
IMAGES = image_path(DEFINITION)
assert IMAGES is not None
MINI = with_pictures(read_benchmark(DEFINITION)[0], IMAGES)
HOSTILE = 'a"b\\c, {{answer}}\n---\n<script>\ud800'


def exam(*keys: Key, text: str = "무엇인가?") -> Benchmark:
    """Return a benchmark of one item for each key."""
    choices = tuple(map(Content, ("갑", "을", "병")))
    items = tuple(
        Item(str(n), {EXPLICIT: Wording(Content(text), choices)}, key, {"part": 1}, "왜냐하면.", "2003 1")
        for n, key in enumerate(keys, start=1)
    )
    return Benchmark("my-exam", "My exam", items, ())


def lines(export: Export, name: str) -> list[dict[str, Any]]:
    """Return the records of a file of an export."""
    return [json.loads(line) for line in export.files[name].decode().splitlines()]


def test_kmetbench_reads_back_as_the_same_items(tmp_path: Path) -> None:
    """Content hashes cover texts in every wording, keys and pictures; labels and rationales are compared as well."""
    write_export(kmetbench(MINI), tmp_path / "out", IMAGES)
    items, findings = read_items(tmp_path / "out" / "kmet-mini.json")
    again = with_pictures(Benchmark("kmet-mini", "", items, ()), tmp_path / "out" / "images")
    assert findings == ()
    assert again.content_hash == MINI.content_hash
    for old, new in zip(MINI.items, again.items, strict=True):
        assert (old.facets, old.rationale, old.source) == (new.facets, new.rationale, new.source)


PASSAGES = Benchmark(
    "my-exam",
    "My exam",
    (
        replace(exam(ChoiceKey(2)).items[0], passage="지문 하나.", facets={"part": 1, NEEDS_PASSAGE: True}),
        replace(exam(ChoiceKey(1)).items[0], id="2"),
    ),
    (),
)


def test_kmetbench_keeps_passages(tmp_path: Path) -> None:
    """They read back with the mark that they are needed; an item without one has no such field."""
    write_export(kmetbench(PASSAGES), tmp_path / "out", None)
    items, findings = read_items(tmp_path / "out" / "my-exam.json")
    assert findings == ()
    assert [item.content_hash for item in items] == [item.content_hash for item in PASSAGES.items]
    assert [item.needs_passage for item in items] == [True, False]
    assert "passage" not in json.loads((tmp_path / "out" / "my-exam.json").read_text(encoding="utf-8"))[1]


def test_other_programs_see_the_passage_above_the_question() -> None:
    """Where a form has a place for it, it stands there; elsewhere it begins the question."""
    above = "지문 하나.\n\n무엇인가?"
    row = next(csv.DictReader(io.StringIO(kmmmu(PASSAGES).files["my-exam.csv"].decode())))
    assert row["question"] == f"{above}\n① 갑\n② 을\n③ 병"
    assert [record["question"] for record in lines(inspect_task(PASSAGES), "items.jsonl")] == [above, "무엇인가?"]
    assert [record["question"] for record in lines(lm_eval_task(PASSAGES), "items.jsonl")] == [above, "무엇인가?"]
    records = lines(hugging_face(PASSAGES), "data/test.jsonl")
    assert [(record["passage"], record["question"]) for record in records] == [
        ("지문 하나.", "무엇인가?"),
        ("", "무엇인가?"),
    ]
    assert "passage" not in lines(hugging_face(MINI), "data/test.jsonl")[0]
    (first, _) = lines(chats(PASSAGES, DEFINITION.protocol()), "chats.jsonl")
    assert above in first["messages"][-2]["content"]


def test_kmetbench_leaves_out_what_it_has_no_place_for() -> None:
    """One right choice of an item of the five parts; the others are named with the reason."""
    export = kmetbench(exam(ChoiceKey(2), ChoiceSetKey(frozenset({1, 2})), TextKey("x")))
    assert [entry["id"] for entry in json.loads(export.files["my-exam.json"])] == [1]
    assert export.left_out == {"2": "the format has one right choice", "3": "the format has one right choice"}


def test_kmmmu_has_its_columns_and_kinds_of_questions() -> None:
    """The choices stand in the question; the answer is a sign among them, or the free answer."""
    keys = (
        ChoiceKey(2),
        ChoiceSetKey(frozenset({1, 3})),
        BooleanKey(value=True),
        TextKey("3.5 m/s"),
        TextKey("기압골"),
    )
    rows = list(csv.DictReader(io.StringIO(kmmmu(exam(*keys)).files["my-exam.csv"].decode())))
    assert [row["answer"] for row in rows] == ["②", "①, ③", "참", "3.5 m/s", "기압골"]
    assert [row["question_type"] for row in rows] == [
        "객관식(단일정답)",
        "객관식(복수정답)",
        "객관식(단일정답)",
        "주관식(수치/계산형)",
        "주관식(텍스트)",
    ]
    assert rows[0]["question"] == "무엇인가?\n① 갑\n② 을\n③ 병"


def test_kmmmu_image_links_are_a_list_literal() -> None:
    """As in the published file, and as :func:`ast.literal_eval` reads it."""
    rows = list(csv.DictReader(io.StringIO(kmmmu(MINI).files["kmet-mini.csv"].decode())))
    for item, row in zip(MINI.items, rows, strict=True):
        assert ast.literal_eval(row["image_link"]) == [image.path for image in item.wording().images]


def test_a_hugging_face_card_is_yaml_and_its_data_is_complete() -> None:
    """The head names where the data is, the size and the licence; each item is a line."""
    export = hugging_face(MINI)
    head = yaml.safe_load(export.files["README.md"].decode().split("---\n")[1])
    assert head["configs"][0]["data_files"] == [{"split": "test", "path": "data/test.jsonl"}]
    assert (head["license_name"], head["size_categories"]) == ("CC-BY-4.0", ["n<1K"])
    records = lines(export, "data/test.jsonl")
    assert [record["id"] for record in records] == [item.id for item in MINI.items]
    assert {path for record in records for path in record["question_images"]} <= {
        f"images/{image.path}" for image in export.pictures
    }


def test_chats_reason_before_they_answer() -> None:
    """The assistant's turn is the expert's rationale, then the answer in the protocol's form."""
    export = chats(MINI, DEFINITION.protocol())
    by_id = MINI.by_id
    records = lines(export, "chats.jsonl")
    assert {record["id"] for record in records} == {
        item.id for item in MINI.items if item.rationale and not item.wording().images
    }
    for record in records:
        item = by_id[record["id"]]
        assert isinstance(item.key, ChoiceKey)
        assert item.wording().question.text in record["messages"][-2]["content"]
        assert record["messages"][-1]["role"] == "assistant"
        assert record["messages"][-1]["content"] == f'{item.rationale}\n\n{{"정답": {item.key.index}}}'


def test_inspect_targets_are_the_letters_of_right_choices() -> None:
    """The module compiles, whatever the title; several right choices are several letters."""
    benchmark = exam(ChoiceKey(3), ChoiceSetKey(frozenset({1, 2})))
    export = inspect_task(Benchmark("1-x y", HOSTILE.replace("\ud800", ""), benchmark.items, ()))
    compile(export.files["exam_1_x_y.py"], "task", "exec")
    assert [record["target"] for record in lines(export, "items.jsonl")] == [["C"], ["A", "B"]]


def test_inspect_choices_that_are_pictures_say_which() -> None:
    """All pictures of an item stand together, those of the stem first; they are counted from 1."""
    wording = Wording(
        Content("어느 것인가?", (Image("stem.png"),)),
        (Content("", (Image("a.png"),)), Content("갑", (Image("b.png"), Image("c.png"))), Content("을"), Content("")),
    )
    export = inspect_task(Benchmark("b", "", (Item("1", {EXPLICIT: wording}, ChoiceKey(1)),), ()))
    (record,) = lines(export, "items.jsonl")
    assert record["images"] == ["stem.png", "a.png", "b.png", "c.png"]
    assert record["choices"] == ["(picture 2)", "갑 (picture 3, picture 4)", "을", "–"]


class _Loader(yaml.SafeLoader):
    """Reads a task's YAML as the harness does, except that functions stay names."""

    def name_of_function(self, node: yaml.ScalarNode) -> str:
        """Return the name that stands after ``!function``."""
        return str(self.construct_scalar(node))


_Loader.add_constructor("!function", _Loader.name_of_function)


def lm_eval_config(export: Export, name: str) -> dict[str, Any]:
    """Return a task of the LM Evaluation Harness."""
    found: dict[str, Any] = yaml.load(export.files[name].decode(), _Loader)  # noqa: S506 - a safe loader of our own
    return found


def test_lm_eval_takes_text_with_one_right_choice() -> None:
    """The target is a place from 0; items with pictures are named with the reason."""
    export = lm_eval_task(MINI)
    records = lines(export, "items.jsonl")
    assert len(records) + len(export.left_out) == len(MINI.items)
    assert set(export.left_out.values()) == {"it has pictures"}
    for record in records:
        key = MINI.by_id[record["id"]].key
        assert isinstance(key, ChoiceKey)
        assert record["target"] == key.index - 1
        assert record["listed"].splitlines()[record["target"]].startswith(record["letters"][record["target"]])


def test_lm_eval_has_a_task_for_likelihoods_and_one_for_chats() -> None:
    """Both of the same items, which a module beside them finds wherever the harness is started."""
    export = lm_eval_task(MINI)
    likely, written = (lm_eval_config(export, f"{name}.yaml") for name in ("kmet_mini", "kmet_mini_generative"))
    assert (likely["task"], written["task"]) == ("kmet_mini", "kmet_mini_generative")
    assert (likely["output_type"], written["output_type"]) == ("multiple_choice", "generate_until")
    for task in (likely, written):
        assert task["custom_dataset"] == "kmet_mini_items.load"
        assert task["metadata"]["dataset"] == MINI.content_hash
    compile(export.files["kmet_mini_items.py"], "items", "exec")


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("정답: B", ["B"]),
        ("A는 옳지 않다. 따라서 **정답:** (C)", ["C"]),
        ("정답은 A인 듯하지만, 다시 보면 정답은 D이다.", ["A", "D"]),
        ("The answer is **B**.", ["B"]),
        ("ANSWER: Both are right", []),
        ("B", []),
        ("모르겠습니다.", []),
    ],
)
def test_the_letter_of_a_written_reply(reply: str, letters: list[str]) -> None:
    """As the harness's own filter finds it: :func:`re.findall`, of which the task takes the last."""
    (step, _) = lm_eval_config(lm_eval_task(MINI), "kmet_mini_generative.yaml")["filter_list"][0]["filter"]
    assert re.findall(step["regex_pattern"], reply) == letters
    assert step["group_select"] == -1


@pytest.mark.parametrize("exporter", [kmetbench, kmmmu, hugging_face, inspect_task, lm_eval_task])
def test_an_export_of_nothing_is_an_error(exporter: Exporter) -> None:
    """An empty file would look like a benchmark."""
    with pytest.raises(DataError, match="no item can be put into the form"):
        exporter(Benchmark("my-exam", "", (), ()))


@pytest.mark.parametrize("exporter", [kmetbench, hugging_face, inspect_task, lm_eval_task])
def test_hostile_text_stays_data(exporter: Exporter, tmp_path: Path) -> None:
    """Quotes, braces, line breaks and half of a surrogate pair come back as they were."""
    write_export(exporter(exam(ChoiceKey(1), text=HOSTILE)), tmp_path / "out", None)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.json*")]
    assert any(HOSTILE in str(json.loads(text)) or HOSTILE in repr_of(json.loads(text)) for text in texts)


def repr_of(value: object) -> str:
    """Return all strings of a JSON value, one after another."""
    if isinstance(value, dict):
        return "\0".join(map(repr_of, value.values()))
    return "\0".join(map(repr_of, value)) if isinstance(value, list) else str(value)


def test_a_folder_that_is_there_is_not_touched(tmp_path: Path) -> None:
    """It may hold an earlier export."""
    with pytest.raises(ConfigError, match="is there already"):
        write_export(Export({"a": b""}), tmp_path, None)


def test_a_missing_picture_leaves_no_folder(tmp_path: Path) -> None:
    """All of it is written, or nothing."""
    with pytest.raises(ImageError, match="there is no such picture"):
        write_export(Export({"a": b""}, (Image("none.png"),)), tmp_path / "out", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kmet-mini", "kmet_mini"),
        ("2003", "exam_2003"),
        ("기상", "exam___"),
        ("class", "exam_class"),
        ("json", "exam_json"),
    ],
)
def test_a_name_becomes_an_identifier(name: str, expected: str) -> None:
    """Python and YAML take it."""
    assert function_name(name) == expected
    assert function_name(name).isidentifier()


SEPARATORS = "a\rb\u2028c\x0bd\x0ce\x85f"
"""What some programs take for the end of a line."""


def test_signs_that_end_lines_elsewhere_end_no_record() -> None:
    """Inspect's task reads as many records as there are, and KMMMU's rows are whole."""
    benchmark = exam(ChoiceKey(1), ChoiceKey(2), text=SEPARATORS)
    export = inspect_task(benchmark)
    (reading,) = re.findall(r'"utf-8"\)(\.\S+)', export.files["my_exam.py"].decode())
    (separator,) = re.findall(r'\.split\("(.*)"\)', reading)
    records = export.files["items.jsonl"].decode().split(ast.literal_eval(f'"{separator}"'))
    assert [json.loads(record)["question"] for record in records if record] == [SEPARATORS] * 2
    rows = list(csv.DictReader(io.StringIO(kmmmu(benchmark).files["my-exam.csv"].decode(), newline=""), strict=True))
    assert [row["question"] for row in rows] == [f"{SEPARATORS}\n① 갑\n② 을\n③ 병"] * 2


def test_a_hostile_title_is_yaml_and_one_heading() -> None:
    """Whatever stands in it."""
    title = "A \x7f\x85\u2028\ufeff --- \n# b <script>"
    card = hugging_face(Benchmark("my-exam", title, exam(ChoiceKey(1)).items, ())).files["README.md"].decode()
    assert yaml.safe_load(card.split("---\n")[1])["pretty_name"] == title
    assert "\n# b" not in card
    assert "<script>" not in card.split("---\n")[2]


def test_no_folder_is_made_outside_for_a_picture_that_leads_out(tmp_path: Path) -> None:
    """The path is looked at before anything is written."""
    with pytest.raises(ImageError, match="leads out"):
        write_export(Export({"a": b""}, (Image("../../outside/a.png"),)), tmp_path / "in" / "out", tmp_path)
    assert not (tmp_path / "in" / "outside").exists()
    assert not (tmp_path / "outside").exists()
