"""How numbers stand in tables."""

from __future__ import annotations

import json

import pytest

from exambench.report.formatting import (
    csv_text,
    cut,
    json_text,
    number,
    p_value,
    percent,
    percent_range,
    plural,
    points,
    points_range,
    rank_text,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (percent(0.1234), "12.3"),
        (percent(NAN), "–"),
        (percent(None), "–"),
        (percent_range(0.1, 0.256, 0), "10–26"),
        (percent_range(NAN, NAN), "–"),
        (points(0.05), "+5.0"),
        (points(-0.0228, 2), "−2.28"),
        (points(-0.0001), "0.0"),
        (points(NAN), "–"),
        (points_range(-0.05, 0.1), "−5.0 to +10.0"),
        (points_range(NAN, NAN), "–"),
        (p_value(0.0004), "<0.001"),
        (p_value(0.0456), "0.046"),
        (p_value(None), "–"),
        (rank_text(3.0), "3"),
        (rank_text(2.5), "2.5"),
        (rank_text(7.4875), "7.5"),
        (plural(1, "item"), "1 item"),
        (plural(1234, "item"), "1,234 items"),
    ],
)
def test_numbers_as_text(shown: str, expected: str) -> None:
    """A missing number is a dash, a negative one has a minus sign, and nothing is −0.0."""
    assert shown == expected


def test_a_cut_table_counts_what_it_hides() -> None:
    """Short tables and uncut ones have no note."""
    assert cut([1, 2, 3], 2, "items") == ([1, 2], ("Not shown: 1 of 3 items; --csv and --json have all.",))
    assert cut([1, 2, 3], 3, "items") == ([1, 2, 3], ())
    assert cut([1, 2, 3], None, "items") == ([1, 2, 3], ())


def test_records_of_several_kinds_share_a_header() -> None:
    """A column for each name in order of first appearance; blank where a record lacks it."""
    assert csv_text([{"a": 1, "b": 2}, {"a": 3, "c": "x,y"}]) == 'a,b,c\n1,2,\n3,,"x,y"\n'


def test_json_has_no_nan() -> None:
    """What is not a number is null, and Hangul stays Hangul."""
    assert json.loads(json_text({"문항": [number(NAN), number(float("inf")), number(0.5)]})) == {
        "문항": [None, None, 0.5]
    }
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text([NAN])


def test_text_that_a_spreadsheet_would_evaluate_begins_with_an_apostrophe() -> None:
    """Text cells only: numbers, negative ones too, stay what they are, also where they are text."""
    rows = csv_text(
        [{"a": "=cmd()", "b": "@x", "c": -0.5, "d": "-2.5e-3", "e": "-1 -2.5", "f": "-1+2", "g": "a=b"}]
    ).splitlines()
    assert rows[1] == "'=cmd(),'@x,-0.5,-2.5e-3,-1 -2.5,'-1+2,a=b"


@pytest.mark.parametrize(
    "sign", [*"\x07\x1b\x7f\x9b\u2028\u202e\u2066\ufeff\ud800"], ids=lambda sign: f"U+{ord(sign):04X}"
)
def test_no_sign_in_csv_and_json_steers_a_terminal(sign: str) -> None:
    """CSV shows a replacement; JSON an escape, from which the sign comes back."""
    assert csv_text([{"a": f"x{sign}y"}]) == "a\nx\ufffdy\n"
    text = json_text({"a": f"x{sign}y"})
    assert sign not in text
    assert json.loads(text) == {"a": f"x{sign}y"}
