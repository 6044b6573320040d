"""Terms in a text: as words of their own, whatever particles follow; and how a text speaks of itself."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from exambench.construct.mentions import read_wordbook
from exambench.errors import ConfigError

WORDS = read_wordbook()


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("해풍 전선", "이것을 해풍 전선이라고 부른다."),
        ("해풍전선", "이것을 해풍 전선이라고 부른다."),
        ("해풍 전선", "해풍전선에서는 기온이 내려간다."),
        ("사회민주주의를", "그 모형은 사회민주주의이다."),
        ("메탄 생성균", "그 뒤에야 메탄 생성균이 활발하다."),
        ("CO2", "대기 중 CO2는 늘었다."),
        ("co₂", "대기 중 CO₂의 농도."),
        ("CO2", "대기 중 CO₂의 농도."),
        ("β-카로틴", "당근에는 β-카로틴이 많다."),
        ("T-세포", "T 세포는 가슴샘에서 자란다."),
        ("Earth's crust", "in the Earth’s crust"),
        ("3∼5 %", "배출이 3~5 % 적었다."),
        ("-3 ℃", "기온은 −3 ℃였다."),
        ("46 %", "배출이 46 % 적었다."),
        ("3.4 ℃", "차이는 평균 3.4 ℃였다."),
        ("clay", "It held back hardly any Clay."),
        ("weir", "Two weirs were closed."),
        ("sea-level rise", "because of sea level rise"),
        ("“sand”", "sand decides about the banks"),
    ],
)
def test_a_term_stands_in_a_text_as_words_of_its_own(term: str, text: str) -> None:
    """Spaces of Korean words, particles, case, plurals and quotation marks do not matter."""
    assert WORDS.holds(text, term)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("수소", "탄화수소가 생긴다."),
        ("대기과학", "대기과학자가 모였다."),
        ("기온", "기온감률이 크다."),
        ("3.4", "값은 13.4이다."),
        ("5", "값은 0.5이다."),
        ("102", "값은 10²이다."),
        ("clay", "a clayey layer"),
        ("art", "the start of it"),
        ("", "아무 글"),
        ("…", "아무 글"),
    ],
)
def test_a_part_of_another_word_is_no_mention(term: str, text: str) -> None:
    """수소 is not 탄화수소, 3.4 is not 13.4, and nothing is nowhere."""
    assert not WORDS.holds(text, term)


def test_decomposed_hangul_is_the_same() -> None:
    """A term in NFD stands in a text in NFC."""
    assert WORDS.holds("해풍 전선이 지나간다.", unicodedata.normalize("NFD", "해풍 전선"))


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("본 연구에서 밝힌 원인은?", "본 연구"),
        ("본연구의 한계는?", "본 연구"),
        ("저자들은 무엇을 주장하는가?", "저자"),
        ("위 글에 따르면 옳은 것은?", "위 글"),
        ("위의 글에서 알 수 있는 것은?", "위의 글"),
        ("본 연구자들은 무엇을 주장하는가?", "본 연구자"),
        ("What do the authors conclude?", "the author"),
        ("Which result of THIS STUDY matters?", "this study"),
    ],
)
def test_a_question_that_refers_to_its_text_is_seen(text: str, reference: str) -> None:
    """With and without spaces, particles and capitals."""
    assert WORDS.reference_in(text) == reference


@pytest.mark.parametrize(
    "text", ["일본 연구소의 위치는?", "이 글로벌 기업은?", "해풍이 늦어지는 까닭은?", "Which author-date style?"]
)
def test_a_question_that_only_looks_like_it_is_not(text: str) -> None:
    """일본 연구소 has 본 연구 in it, and says nothing of itself."""
    assert WORDS.reference_in(text) is None


def test_the_words_can_be_others(tmp_path: Path) -> None:
    """A file of one's own takes the place of the one that ships; anything else in it is refused."""
    path = tmp_path / "words.toml"
    path.write_text('references = ["the notes"]\nendings = []\n', encoding="utf-8")
    words = read_wordbook(path)
    assert words.reference_in("What do the notes say?") == "the notes"
    assert words.reference_in("What does this study say?") is None
    path.write_text('reference = ["the notes"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="reference"):
        read_wordbook(path)
