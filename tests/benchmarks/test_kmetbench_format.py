"""K-MetBench's data file is read in every way in which real copies write it, and each fault is named."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.kmetbench_format import IMPLICIT, ORIGINAL, read_items
from exambench.errors import DataError, Severity
from exambench.items import ENGLISH, EXPLICIT, ChoiceKey, Item

Write = Callable[[object], Path]


def entry(**changes: object) -> dict[str, Any]:
    """Return a sound item with some fields changed; a value of ``...`` removes the field."""
    item: dict[str, Any] = {
        "id": 1,
        "question": {"text": "기압의 단위는?", "image": ""},
        "choices": [{"text": text, "image": None} for text in ("hPa", "K", "m/s", "kg")],
        "answer": 1,
        "part": 2,
        "multimodal": False,
        "korean": False,
        "rationale": "",
    }
    item.update(changes)
    return {name: value for name, value in item.items() if value is not ...}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a data file and returns its path."""

    def _write(value: object) -> Path:
        path = tmp_path / "data.json"
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        return path

    return _write


def read_one(path: Path) -> Item:
    """Read a file that holds one sound item and nothing to remark on."""
    items, findings = read_items(path)
    assert findings == ()
    (item,) = items
    return item


def test_a_sound_item_is_read_whole(write: Write) -> None:
    """Stem, choices, key, facets, rationale and source come out as they went in."""
    item = read_one(write([entry(rationale="1 hPa = 100 Pa.", source="2022-03-05", source_id="7")]))
    assert item.id == "1"
    assert item.wording().question.text == "기압의 단위는?"
    assert [choice.text for choice in item.wording().choices] == ["hPa", "K", "m/s", "kg"]
    assert item.key == ChoiceKey(1)
    assert item.facets == {"part": 2, "korean": False, "modality": "text", "reasoning": True}
    assert item.rationale == "1 hPa = 100 Pa."
    assert item.source == "2022-03-05 7"


@pytest.mark.parametrize("answer", [2, "2", " 2 ", [2], ["2"]])
def test_a_key_may_be_a_number_its_digits_or_a_list_of_one(write: Write, answer: object) -> None:
    """The three ways in which copies of the data write the key mean the same."""
    assert read_one(write([entry(answer=answer)])).key == ChoiceKey(2)


@pytest.mark.parametrize("answer", [0, 5, -1, "5", 2.0, True, None, [], [1, 2], "②", "two", {}, "1e0", "9" * 9000])
def test_a_key_out_of_range_is_an_error(write: Write, answer: object) -> None:
    """A key that names no choice is never bent into one."""
    items, (finding,) = read_items(write([entry(answer=answer)]))
    assert items == ()
    assert (finding.item, finding.field, finding.allowed) == ("1", "answer", "1 to 4")


def test_a_missing_key_is_said_to_be_missing(write: Write) -> None:
    """An absent field and a wrong one are different faults."""
    _, (finding,) = read_items(write([entry(answer=...)]))
    assert finding.problem == "is missing"


@pytest.mark.parametrize(("written", "meant"), [(True, True), ("True", True), ("False", False), ("false", False)])
def test_the_word_false_is_false(write: Write, written: object, meant: object) -> None:
    """A truth value written as text means what it says, not that a text is not empty."""
    assert read_one(write([entry(korean=written)])).facets["korean"] is meant


@pytest.mark.parametrize("written", [0, 1, "yes", None, []])
def test_what_is_no_truth_value_is_an_error(write: Write, written: object) -> None:
    """Nothing but a truth value or its name is taken for one."""
    items, findings = read_items(write([entry(korean=written)]))
    assert items == ()
    assert findings[0].field == "korean"


@pytest.mark.parametrize("identifier", [845, "845"])
def test_an_identifier_may_be_a_number_or_text(write: Write, identifier: object) -> None:
    """Both ways of writing an identifier lead to the same item."""
    assert read_one(write([entry(id=identifier)])).id == "845"


@pytest.mark.parametrize("identifier", [True, None, "", "  ", 1.5, [1]])
def test_an_unusable_identifier_names_the_place_in_the_file(write: Write, identifier: object) -> None:
    """An item without an identifier is called by its position."""
    _, findings = read_items(write([entry(), entry(id=identifier)]))
    assert findings[0].item == "#2"


def test_the_same_identifier_as_number_and_as_text_is_a_duplicate(write: Write) -> None:
    """Identifiers are compared as they are used, not as they are written."""
    _, (finding,) = read_items(write([entry(id=1), entry(id="1")]))
    assert (finding.severity, finding.field, finding.item) == (Severity.ERROR, "id", "1")


@pytest.mark.parametrize("image", ["", None])
def test_no_picture_may_be_written_as_empty_or_null(write: Write, image: object) -> None:
    """Both ways of writing "no picture" give none."""
    assert read_one(write([entry(question={"text": "무엇인가?", "image": image})])).wording().images == ()


def test_a_choice_may_be_a_picture_without_text(write: Write) -> None:
    """A choice needs a text or a picture, not both."""
    choices = [{"text": "", "image": f"images/{n}.png"} for n in range(4)]
    item = read_one(write([entry(choices=choices, multimodal=True)]))
    assert [image.path for image in item.wording().images] == [f"images/{n}.png" for n in range(4)]
    assert item.facets["modality"] == "image"


def test_a_choice_with_neither_text_nor_picture_is_an_error(write: Write) -> None:
    """An empty choice cannot be chosen."""
    choices = [{"text": "가", "image": ""}, {"text": " ", "image": ""}]
    items, (finding,) = read_items(write([entry(choices=choices)]))
    assert items == ()
    assert finding.field == "choices[2]"


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_the_number_of_choices_is_never_assumed(write: Write, count: int) -> None:
    """The key ranges over as many choices as the item has."""
    choices = [{"text": str(n), "image": ""} for n in range(count)]
    assert read_one(write([entry(choices=choices, answer=count)])).key == ChoiceKey(count)


@pytest.mark.parametrize("choices", [[], [{"text": "가"}], None, "가나다라", {"text": "가"}, ...])
def test_fewer_than_two_choices_are_an_error(write: Write, choices: object) -> None:
    """What cannot be chosen from is not a question of this format."""
    items, findings = read_items(write([entry(choices=choices)]))
    assert items == ()
    assert findings[0].field == "choices"


def test_an_absent_implicit_wording_is_the_explicit_one(write: Write) -> None:
    """An item without a wording of its own is put explicitly under every condition."""
    item = read_one(write([entry()]))
    assert item.wording(IMPLICIT) == item.wording(EXPLICIT)


def test_an_implicit_wording_given_as_text_keeps_the_pictures(write: Write) -> None:
    """Text alone changes the words, not what the picture shows."""
    item = read_one(
        write(
            [
                entry(
                    question={"text": "대한민국의 장마는?", "image": "a.png"},
                    question_implicit="우리나라의 장마는?",
                    multimodal=True,
                )
            ]
        )
    )
    implicit = item.wording(IMPLICIT).question
    assert implicit.text == "우리나라의 장마는?"
    assert [image.path for image in implicit.images] == ["a.png"]


def test_a_translation_is_a_wording_of_its_own(write: Write) -> None:
    """Pictures and choices that are not translated stay; an item without one has no such wording."""
    item = read_one(write([entry(question_english="What is the unit of pressure?")]))
    assert item.wordings[ENGLISH].question.text == "What is the unit of pressure?"
    assert item.wordings[ENGLISH].choices == item.wording().choices
    assert ENGLISH not in read_one(write([entry()])).wordings


def test_translated_choices_alone_are_an_error(write: Write) -> None:
    """A Korean question with English choices is neither side of a pair."""
    _, findings = read_items(write([entry(choices_english=["hPa", "K", "m/s", "kg"])]))
    assert [(finding.severity, finding.field) for finding in findings] == [(Severity.ERROR, "question_english")]


@pytest.mark.parametrize("form", ["text", "object"])
def test_implicit_choices_may_be_texts_or_objects(write: Write, form: str) -> None:
    """Both ways of writing the implicit choices give the same wording, and the explicit one stays."""
    texts = ["동해안", "서해안", "남해안", "제주"]
    choices = texts if form == "text" else [{"text": text, "image": ""} for text in texts]
    item = read_one(write([entry(korean=True, choices_implicit=choices)]))
    assert [choice.text for choice in item.wording(IMPLICIT).choices] == texts
    assert item.wording(EXPLICIT).choices[0].text == "hPa"


@pytest.mark.parametrize("choices", [[], ["하나"], "가나다라"])
def test_an_empty_list_of_implicit_choices_is_an_error(write: Write, choices: object) -> None:
    """An empty list is a fault of the data, not an item without choices."""
    items, (finding,) = read_items(write([entry(choices_implicit=choices)]))
    assert items == ()
    assert finding.field == "choices_implicit"


def test_the_wording_of_the_exam_is_kept_apart(write: Write) -> None:
    """The original wording is a wording of its own."""
    assert read_one(write([entry(question_original="원문")])).wording(ORIGINAL).question.text == "원문"


def test_the_choices_of_the_exam_are_kept_apart(write: Write) -> None:
    """Where they are missing they are the explicit ones, and where the question is missing that is."""
    choices = ["국내", "나", "다", "라"]
    item = read_one(write([entry(choices_original=choices)]))
    assert [choice.text for choice in item.wording(ORIGINAL).choices] == choices
    assert item.wording(ORIGINAL).question == item.wording().question
    assert read_one(write([entry(question_original="원문")])).wording(ORIGINAL).choices == item.wording().choices


def test_a_flag_that_the_pictures_belie_is_a_warning(write: Write) -> None:
    """An item said to be multimodal that has no picture is usable, and remarked on."""
    items, (finding,) = read_items(write([entry(multimodal=True)]))
    assert len(items) == 1
    assert (finding.severity, finding.field) == (Severity.WARNING, "multimodal")


def test_a_passage_is_read_with_the_mark_that_it_is_needed(write: Write) -> None:
    """Both are optional; the mark is a facet only where it is true."""
    item = read_one(write([entry(passage="지문", needs_passage="True")]))
    assert (item.passage, item.facets["needs_passage"], item.needs_passage) == ("지문", True, True)
    item = read_one(write([entry(passage="지문", needs_passage=False)]))
    assert (item.passage, "needs_passage" in item.facets) == ("지문", False)
    assert read_one(write([entry()])).passage == ""


def test_a_passage_that_is_needed_and_missing_is_an_error(write: Write) -> None:
    """The item could not be asked at all."""
    (finding,) = read_items(write([entry(needs_passage=True)]))[1]
    assert (finding.severity, finding.field) == (Severity.ERROR, "passage")


def test_a_passage_is_composed_with_a_warning(write: Write) -> None:
    """As all text is."""
    items, (finding,) = read_items(write([entry(passage=unicodedata.normalize("NFD", "지문"))]))
    assert (items[0].passage, finding.field, finding.severity) == ("지문", "passage", Severity.WARNING)


def test_decomposed_hangul_is_composed_with_a_warning(write: Write) -> None:
    """Text in NFD reads the same as text in NFC, and has the same content hash."""
    composed = read_one(write([entry()]))
    decomposed = unicodedata.normalize("NFD", "기압의 단위는?")
    (item,), (finding,) = read_items(write([entry(question={"text": decomposed, "image": ""})]))
    assert finding.severity is Severity.WARNING
    assert item.content_hash == composed.content_hash


def test_half_of_a_surrogate_pair_is_an_error(tmp_path: Path) -> None:
    """Text that no file can hold is refused where it comes in."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([entry(question={"text": "\ud800", "image": ""})]), encoding="ascii")
    items, findings = read_items(path)
    assert items == ()
    assert findings[0].field == "question.text"


def test_an_unknown_field_is_a_warning_that_counts_its_items(write: Write) -> None:
    """A misspelt field is not silently ignored."""
    _, (finding,) = read_items(write([entry(rational="x"), entry(id=2, rational="y")]))
    assert finding.severity is Severity.WARNING
    assert "2 items" in finding.problem


def test_all_faults_of_a_file_are_told_at_once(write: Write) -> None:
    """One reading shows everything that must be mended, and the sound items are still read."""
    items, findings = read_items(write([entry(id=1, answer=9), entry(id=2, part=6, korean="?"), entry(id=3)]))
    assert [item.id for item in items] == ["3"]
    assert [(finding.item, finding.field) for finding in findings] == [("1", "answer"), ("2", "part"), ("2", "korean")]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "[1", "NaN", "[NaN]", '[{"id": 1, "id": 2}]', "[" * 100_000, "﻿", "\x00"],
)
def test_what_is_no_array_of_items_is_one_clear_error(tmp_path: Path, text: str) -> None:
    """A file of another kind is refused with its name and what was expected."""
    path = tmp_path / "data.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"data\.json"):
        read_items(path)


@pytest.mark.parametrize("identifier", ["\x1b[2J1", "a\nb", "\u202e1", "", " ", "x" * 201, True, None, 1.5])
def test_an_identifier_that_cannot_be_shown_is_refused(write: Write, identifier: object) -> None:
    """Items are called by their identifiers everywhere; the message calls this one by its place."""
    items, (finding,) = read_items(write([entry(id=identifier)]))
    assert items == ()
    assert (finding.item, finding.field, finding.severity) == ("#1", "id", Severity.ERROR)
    assert str(finding).isprintable()


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """Text in another encoding is not guessed at."""
    path = tmp_path / "data.json"
    path.write_bytes('[{"id": "기"}]'.encode("cp949"))
    with pytest.raises(DataError, match="UTF-8"):
        read_items(path)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """Editors that put a mark before the text do no harm."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([entry()]), encoding="utf-8-sig")
    assert len(read_items(path)[0]) == 1


def test_sizes_that_differ_from_the_release_are_warnings_with_both_numbers(write: Write) -> None:
    """A copy of another release is usable, and never passes for the published one."""
    benchmark, findings = read_benchmark(find_definition("kmetbench"), write([entry()]))
    assert len(benchmark.items) == 1
    overall = findings[0]
    assert (overall.severity, overall.value, overall.allowed) == (Severity.WARNING, "1", "1774")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(st.sampled_from(sorted(entry())), json_values, max_size=3))
def test_whatever_stands_in_a_field_is_read_or_reported(tmp_path: Path, changes: dict[str, Any]) -> None:
    """No value of any field makes the reader fail, and an item is left out only with an error that says why."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([entry(**changes)]), encoding="utf-8")
    items, findings = read_items(path)
    assert bool(items) != any(finding.severity is Severity.ERROR for finding in findings)
