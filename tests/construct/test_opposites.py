"""Stems that ask the reverse of each other are told apart from those that ask the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.construct.opposites import Opposites, read_opposites
from exambench.errors import ConfigError

SHIPPED = read_opposites()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("기온이 가장 높은 층은?", "기온이 가장 낮은 층은?"),
        ("다음 설명 중 옳은 것은?", "다음 설명 중 옳지 않은 것은?"),
        ("포화 공기의 감률은?", "불포화 공기의 감률은?"),
        ("안정한 대기의 특징은?", "불안정한 대기의 특징은?"),
        ("저기압에서 부는 바람은?", "고기압에서 부는 바람은?"),
        ("Which statement is correct?", "Which statement is NOT correct?"),
        ("Where is the highest pressure?", "Where is the lowest pressure?"),
    ],
)
def test_a_reversed_condition_is_seen_both_ways(a: str, b: str) -> None:
    """Which of the two stems comes first does not matter."""
    assert SHIPPED.reversal(a, b)
    assert SHIPPED.reversal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("다음 중 옳은 것은?", "다음 중 맞는 것은?"),
        ("높은 곳과 낮은 곳의 차는?", "낮은 곳과 높은 곳의 차는?"),
        ("옳지 않은 것은?", "틀린 것은?"),
        ("What is nothing?", "What is a knot?"),
        ("", ""),
    ],
)
def test_the_same_question_is_not_reversed(a: str, b: str) -> None:
    """Both sides in both stems, two negations, and letters inside other words say nothing."""
    assert SHIPPED.reversal(a, b) is None


def test_the_word_that_decides_is_named() -> None:
    """A record says in which word two items differ."""
    assert SHIPPED.reversal("최대 풍속은?", "최소 풍속은?") == "최대 ↔ 최소"


def test_a_project_may_have_a_lexicon_of_its_own(tmp_path: Path) -> None:
    """What stands in the file counts, and nothing else."""
    (tmp_path / "own.toml").write_text('antonyms = [[["동맥"], ["정맥"]]]\n', encoding="utf-8")
    own = read_opposites(tmp_path / "own.toml")
    assert own.reversal("동맥혈은?", "정맥혈은?") == "동맥 ↔ 정맥"
    assert own.reversal("높은?", "낮은?") is None


def test_an_empty_lexicon_reverses_nothing() -> None:
    """No term is no pattern, not one that matches everywhere."""
    assert Opposites((), ()).reversal("높은", "낮은") is None


def test_a_pair_of_three_sides_is_refused(tmp_path: Path) -> None:
    """A term has one opposite side; the fault names file and field."""
    (tmp_path / "own.toml").write_text('antonyms = [[["a"], ["b"], ["c"]]]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"own\.toml, field antonyms\[1\]"):
        read_opposites(tmp_path / "own.toml")
