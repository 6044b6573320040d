"""A canary goes into every record, and is found whole or by its beginning."""

from __future__ import annotations

import csv
import io
import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.probing.canary import (
    SHORTEST,
    NotMarkableError,
    canary_of,
    guid_in,
    marked,
    marked_bytes,
    new_guid,
    trace,
)

GUID = "0f6c1c52-8a3b-4d7e-9c11-2b7a5e0d9f43"
CANARY = canary_of(GUID)


def test_a_seed_makes_the_same_guid_and_none_a_new_one() -> None:
    """Both are GUIDs of version 4."""
    assert new_guid(7) == new_guid(7) != new_guid(8)
    assert new_guid(None) != new_guid(None)
    assert {uuid.UUID(new_guid(7)).version, uuid.UUID(new_guid(None)).version} == {4}


@pytest.mark.parametrize(
    ("suffix", "text", "records"),
    [
        (".json", '[{"id": 1, "q": "기압"}, {"id": 2}]', json.loads),
        (".json", '{"id": 1}', lambda text: [json.loads(text)]),
        (".jsonl", '{"id": 1}\n\n{"id": 2}\n', lambda text: [json.loads(line) for line in text.splitlines()]),
        (".csv", 'id,q\n1,"a, b"\n2\n', lambda text: list(csv.DictReader(io.StringIO(text)))),
    ],
)
def test_every_record_carries_it_and_keeps_the_rest(suffix: str, text: str, records: object) -> None:
    """JSON arrays and objects, JSON lines, CSV with a short row."""
    assert callable(records)
    found = records(marked(text, suffix, CANARY))
    assert {record["canary"] for record in found} == {CANARY}
    assert [str(record["id"]) for record in found] == ["1", "2"][: len(found)]


@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_prose_carries_it_at_the_end(suffix: str) -> None:
    """It can be read back from the file."""
    assert guid_in(marked("# 시험\n", suffix, CANARY)) == GUID


@pytest.mark.parametrize(
    ("suffix", "text", "told"),
    [
        (".json", "[1]", "no object"),
        (".json", "[]", "no record"),
        (".json", "{", "not JSON"),
        (".jsonl", '{"canary": "x"}', "has a field 'canary' already"),
        (".csv", "", "no header"),
        (".csv", "id,canary\n", "already"),
        (".csv", f"id\n{'x' * 200_000}\n", "not CSV: field larger"),
        (".csv", 'id\n"a"b\n', "not CSV"),
        (".json", '{"a": 1, "a": 2}', "one name twice"),
        (".json", '{"a": NaN}', "NaN is no number"),
        (".json", '{"a": 1e999}', "would change"),
        (".json", '{"a": 0.12345678901234567890123}', "would change"),
        (".xlsx", "", "cannot be marked"),
        (".txt", CANARY, "a canary already"),
    ],
)
def test_what_cannot_be_marked_is_refused(suffix: str, text: str, told: str) -> None:
    """Nothing is guessed, and nothing is marked twice."""
    with pytest.raises(NotMarkableError, match=told):
        marked(text, suffix, CANARY)


def test_half_a_character_stays_escaped() -> None:
    """UTF-8 has no lone surrogates: such a record is written as ASCII, and says the same."""
    text = marked('{"q": "기압 \\ud800"}', ".json", CANARY)
    assert text.isascii()
    assert json.loads(text)["q"] == "기압 \ud800"


@pytest.mark.parametrize(
    ("suffix", "data", "expected"),
    [
        (".csv", '\ufeffid,q\r\n1,"a\r\nb"\r\n', f'\ufeffid,q,canary\r\n1,"a\r\nb","{CANARY}"\r\n'),
        (".csv", 'id,q\n1,"a\r\nb"\n', f'id,q,canary\n1,"a\r\nb","{CANARY}"\n'),
        (".jsonl", '{"id": 1}\r\n', f'{{"id": 1, "canary": "{CANARY}"}}\r\n'),
        (".md", "\ufeff# 시험\r\n", f"\ufeff# 시험\r\n\r\n<!-- {CANARY} -->\r\n"),
    ],
)
def test_byte_order_mark_and_line_ends_stay(suffix: str, data: str, expected: str) -> None:
    """A spreadsheet that reads Korean by its mark still does."""
    assert marked_bytes(data.encode(), suffix, CANARY) == expected


def test_what_is_not_utf_8_is_refused() -> None:
    """Text in CP949 is not guessed at."""
    with pytest.raises(NotMarkableError, match="not UTF-8"):
        marked_bytes("기상".encode("cp949"), ".txt", CANARY)


@given(st.integers(0, 32), st.booleans(), st.booleans())
def test_the_longest_beginning_is_found(digits: int, upper: bool, plain: bool) -> None:  # noqa: FBT001 - drawn
    """In any case, with hyphens or without; fewer than eight digits are nothing."""
    kept, count = "", 0
    for sign in GUID:
        if count == digits:
            break
        kept += sign
        count += sign != "-"
    text = kept.replace("-", "") if plain else kept
    written = f"그 문자열은 {text.upper() if upper else text}z 입니다"
    assert trace(GUID, written, "").digits == (digits if digits >= SHORTEST else 0)


def test_what_stands_in_the_prompt_proves_nothing() -> None:
    """Unless more of it is written than was shown."""
    assert trace(GUID, GUID, f"{CANARY}을 되풀이하라").asked
    assert trace(GUID, GUID, "").whole
    beyond = trace(GUID, GUID, f"이어서 쓰라: {GUID[:8]}")
    assert (beyond.asked, beyond.whole) == (False, True)
