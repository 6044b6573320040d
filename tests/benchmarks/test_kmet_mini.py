"""kmet-mini is a whole examination: composed as promised, well formed, no hints from the form of its choices."""

import json
import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

FOLDER = Path(str(files("exambench.benchmarks") / "kmet_mini"))
TEXT = (FOLDER / "kmet-mini.json").read_text(encoding="utf-8")
ITEMS: list[dict[str, Any]] = json.loads(TEXT)
IMAGES = FOLDER / "images"
FIELDS = (
    "id",
    "question",
    "choices",
    "answer",
    "part",
    "multimodal",
    "korean",
    "rationale",
    "question_implicit",
    "choices_implicit",
    "question_original",
    "source",
    "source_id",
)
PARTS = range(1, 6)


def pictures(item: dict[str, Any]) -> list[str]:
    """Return the picture names of an item, the stem's first."""
    return [content["image"] for content in (item["question"], *item["choices"]) if content["image"]]


def choice_texts(item: dict[str, Any]) -> list[str]:
    """Return the texts of the choices, none when the pictures are the choices."""
    return [choice["text"] for choice in item["choices"] if choice["text"]]


def test_each_part_has_at_least_nine_of_at_least_48_items() -> None:
    """The parts are alike in size, as in the examination."""
    assert len(ITEMS) >= 48
    counts = Counter(item["part"] for item in ITEMS)
    assert set(counts) == set(PARTS)
    assert min(counts.values()) >= 9


def test_there_are_enough_picture_items_and_each_part_has_some() -> None:
    """At least ten items need a chart, and at least two have pictures as choices."""
    assert sum(item["multimodal"] for item in ITEMS) >= 10
    assert {item["part"] for item in ITEMS if item["multimodal"]} == set(PARTS)
    assert sum(all(choice["image"] for choice in item["choices"]) for item in ITEMS) >= 2


def test_korean_items_cover_forecasting_climate_and_physics() -> None:
    """At least eight items turn on Korea, in P1, P4 and P5."""
    korean = [item for item in ITEMS if item["korean"]]
    assert len(korean) >= 8
    assert {1, 4, 5} <= {item["part"] for item in korean}


def test_rationales_cover_all_parts_pictures_and_korea() -> None:
    """At least 14 items have a rationale: all parts, three with pictures, two about Korea."""
    reasoned = [item for item in ITEMS if item["rationale"]]
    assert len(reasoned) >= 14
    assert {item["part"] for item in reasoned} == set(PARTS)
    assert sum(item["multimodal"] for item in reasoned) >= 3
    assert sum(item["korean"] for item in reasoned) >= 2


def test_a_rationale_has_60_to_200_words() -> None:
    """Long enough to reason, short enough to compare with."""
    lengths = {item["source_id"]: len(item["rationale"].split()) for item in ITEMS if item["rationale"]}
    assert {name: length for name, length in lengths.items() if not 60 <= length <= 200} == {}


def test_no_character_is_a_compatibility_form() -> None:
    """Units are plain letters ("μm", not a square glyph), so that every face and every tokenizer sees the same text."""
    assert unicodedata.is_normalized("NFKC", TEXT)


def test_the_file_is_written_as_the_format_says() -> None:
    """UTF-8 in NFC, two spaces of indent, no escapes, one final line break."""
    assert unicodedata.is_normalized("NFC", TEXT)
    assert json.dumps(ITEMS, ensure_ascii=False, indent=2) + "\n" == TEXT


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["source_id"])
def test_an_item_has_the_fields_of_the_format_in_order(item: dict[str, Any]) -> None:
    """No field is unknown, missing or out of place; only the implicit ones may be absent."""
    assert tuple(item) == tuple(name for name in FIELDS if name in item)
    assert set(FIELDS) - set(item) <= {"question_implicit", "choices_implicit"}
    assert 1 <= item["answer"] <= len(item["choices"]) == 4
    assert item["source"] == "kmet-mini 1.0"
    assert item["multimodal"] == bool(pictures(item))


def test_ids_are_unique_and_follow_the_order() -> None:
    """Items are numbered from one; session codes count within the part."""
    assert [item["id"] for item in ITEMS] == list(range(1, len(ITEMS) + 1))
    seen: Counter[int] = Counter()
    for item in ITEMS:
        seen[item["part"]] += 1
        assert item["source_id"] == f"P{item['part']}-{seen[item['part']]:02d}"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["source_id"])
def test_formulas_are_closed(item: dict[str, Any]) -> None:
    """Dollar signs come in pairs in every text."""
    texts = [item["question"]["text"], item["rationale"], *choice_texts(item)]
    assert [text for text in texts if text.count("$") % 2] == []


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["source_id"])
def test_implicit_wording_stands_exactly_where_korea_matters(item: dict[str, Any]) -> None:
    """The speaker's "our country" is in the implicit wording alone, and the explicit one names Korea."""
    explicit = item["question"]["text"] + " ".join(choice_texts(item))
    assert "대한민국" not in TEXT
    assert ("question_implicit" in item) == item["korean"]
    assert "우리나라" not in explicit
    if item["korean"]:
        assert "한국" in item["question"]["text"]
        assert "우리나라" in item["question_implicit"]
        assert "한국" not in item["question_implicit"]
    if "choices_implicit" in item:
        assert item["korean"]
        assert len(item["choices_implicit"]) == len(item["choices"])
        assert all("우리나라" in choice for choice in item["choices_implicit"])


def test_every_picture_is_used_and_every_used_picture_is_there() -> None:
    """The folder holds the pictures of the items and nothing else."""
    used = [name for item in ITEMS for name in pictures(item)]
    assert len(used) == len(set(used))
    assert set(used) == {path.name for path in IMAGES.iterdir()}


@pytest.mark.parametrize("path", sorted(IMAGES.iterdir()), ids=lambda path: path.stem)
def test_a_picture_is_a_small_png_without_metadata(path: Path) -> None:
    """At most 1000 px wide, below 120 kB, and nothing in it that could give the answer away."""
    assert path.stat().st_size < 120_000
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        assert max(picture.size) <= 1000
        assert picture.info.keys() <= {"transparency"}


def test_keys_are_balanced_over_the_positions() -> None:
    """Each position is right for 20 to 30 % of the items."""
    counts = Counter(item["answer"] for item in ITEMS)
    assert set(counts) == {1, 2, 3, 4}
    assert min(counts.values()) >= 0.2 * len(ITEMS)
    assert max(counts.values()) <= 0.3 * len(ITEMS)


def test_the_longest_choice_is_not_the_answer_to_guess() -> None:
    """Where one choice is longer than all others, it is the key in at most 30 % of the items."""
    longest, right = 0, 0
    for item in ITEMS:
        lengths = [len(text) for text in choice_texts(item)]
        if lengths and lengths.count(max(lengths)) == 1:
            longest += 1
            right += lengths.index(max(lengths)) + 1 == item["answer"]
    assert longest > 0
    assert right / longest <= 0.3


def features(text: str) -> list[str]:
    """Split a choice such as "997.8 hPa, 남동풍 25 kt" into the values that it combines."""
    return re.findall(r"[\d.]+ (?:hPa|kt|%)|\S+풍(?= \d)|\S+쪽(?=,)", text)


@pytest.mark.parametrize("source_id", ["P2-01", "P2-03"])
def test_values_that_choices_combine_give_no_majority(source_id: str) -> None:
    """Where choices combine readings, the key's values are no more frequent than those of any other choice."""
    item = next(item for item in ITEMS if item["source_id"] == source_id)
    combined = [features(text) for text in choice_texts(item)]
    assert {len(values) for values in combined} == {len(combined[0])}
    counts = Counter(value for values in combined for value in values)
    frequency = [sum(counts[value] for value in values) for values in combined]
    assert len(combined[0]) > 1
    assert set(frequency) == {frequency[item["answer"] - 1]}


def test_choices_differ_and_do_not_point_at_each_other() -> None:
    """No choice appears twice in an item; none says "all of the above"."""
    for item in ITEMS:
        texts = choice_texts(item)
        assert len(texts) == len(set(texts))
        assert not any("모두 맞" in text or "모두 옳" in text or "정답 없음" in text for text in texts)


def test_no_two_stems_are_near_duplicates() -> None:
    """Every pair of stems stays under 0.6, the threshold of K-MetBench's own deduplication."""
    stems = [(item["source_id"], item["question"]["text"]) for item in ITEMS]
    close = [
        (first, second)
        for (first, one), (second, other) in combinations(stems, 2)
        if SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.6
    ]
    assert close == []
