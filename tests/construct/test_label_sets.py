"""Labels: what counts as one, how those of two models become one, and which become fewer."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from exambench.construct.label_sets import (
    Combine,
    any_phrase,
    combined,
    fixed,
    folded,
    read_consolidation,
    read_outline,
)
from exambench.errors import ConfigError


@pytest.mark.parametrize("text", ["대기과학", " 대기 과학 ", "'대기과학'.", unicodedata.normalize("NFD", "대기과학")])
def test_spellings_of_a_label_are_that_label(text: str) -> None:
    """Spaces, quotes, a full stop and separate jamo do not matter."""
    assert fixed({"대기과학": "", "해양학": ""}).find(text) == "대기과학"


def test_what_is_no_label_is_said_with_the_allowed_ones() -> None:
    """So that the model can do better."""
    assert fixed({"A": "", "B": ""}).problems("C") == ("'C' is none of the labels A, B.",)


@pytest.mark.parametrize("text", ["", "   ", "가" * 61])
def test_an_open_label_is_a_short_phrase(text: str) -> None:
    """Not nothing, and not a sentence without end."""
    assert any_phrase().problems(text)


@pytest.mark.parametrize(
    ("labels", "first", "agree", "union"),
    [
        (("yes", "no"), "yes", None, "yes"),
        (("no", "yes"), "no", None, "yes"),
        (("no", "no"), "no", "no", "no"),
        ((None, "yes"), "yes", None, "yes"),
        ((None, "no"), "no", None, None),
        ((None, None), None, None, None),
        (("no",), "no", "no", "no"),
    ],
)
def test_labels_of_two_models_become_one(
    labels: tuple[str | None, ...], first: str | None, agree: str | None, union: str | None
) -> None:
    """A union with one label unknown is known only where the other says yes."""
    assert [combined(labels, how) for how in (Combine.FIRST, Combine.AGREE, Combine.UNION)] == [first, agree, union]


def test_the_leaves_of_an_outline_are_labels(tmp_path: Path) -> None:
    """A topic with topics below it is none; 1.10 is not below 1.1."""
    path = tmp_path / "outline.toml"
    path.write_text('[topics]\n1 = "대기"\n"1.1" = "열역학"\n"1.10" = "복사"\n2 = "법규"\n', encoding="utf-8")
    outline = read_outline(path)
    assert outline.allowed == ("1.1", "1.10", "2")
    assert outline.listing.splitlines()[1] == "  - 1.1 열역학"


def test_a_phrase_becomes_one_label(tmp_path: Path) -> None:
    """Under two it is an error that names both."""
    path = tmp_path / "map.toml"
    path.write_text('[labels]\n"과학" = ["대기 과학", "물리"]\n"법" = ["법규"]\n', encoding="utf-8")
    assert read_consolidation(path)[folded("대기과학")] == "과학"
    assert read_consolidation(path)[folded("과학")] == "과학"
    path.write_text('[labels]\n"과학" = ["법규"]\n"법" = ["법 규"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="a phrase becomes two labels, 과학 and 법"):
        read_consolidation(path)
