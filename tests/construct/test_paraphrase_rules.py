"""What a rewriting of a stem must not touch."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.opposites import read_opposites
from exambench.construct.paraphrase_rules import Terms, edit_share, read_terms, violations
from exambench.items import Content, Wording

TERMS = read_terms()
OPPOSITES = read_opposites()


def found(before: str, after: str, *choices: str, terms: Terms = TERMS) -> tuple[str, ...]:
    """Return what a rewriting breaks."""
    return violations(Wording(Content(before), tuple(map(Content, choices))), after, terms, OPPOSITES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("다음 중 옳지 않은 것은?", "다음에서 틀린 것을 고르시오."),
        ("기온이 20 ℃일 때 상대습도는?", "상대습도는 기온이 20 ℃인 경우에 얼마인가?"),
        ("CAPE가 가장 큰 것은?", "다음 가운데 CAPE가 가장 큰 것을 고르면?"),
        ("<보기>에서 옳은 것을 모두 고르면?", "옳은 것을 <보기>에서 모두 고르시오."),
        ("고도 1,500 m에서의 기압은?", "1500 m 고도에서 기압은 얼마인가?"),
        ("기온이 -10 ℃일 때는?", "영하 10 ℃의 기온에서는?"),
        ("10-20 ℃에서 10 - 5의 값은?", "10 - 20 ℃에서 10-5는 얼마인가?"),
        ("LCL은?", "LCL은 무엇을 뜻하는가?"),
        ("파장 0.5 μm에서 값은?", "μm로 0.5 μm인 파장에서 값은?"),
    ],
)
def test_other_words_for_the_same_are_sound(before: str, after: str) -> None:
    """Order, endings, commas within numbers and the form of a negation are free."""
    assert found(before, after) == ()


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("다음 중 옳지 않은 것은?", "다음 중 옳은 것은?", "Negation or direction was changed: 않은."),
        ("다음 중 옳은 것은?", "다음 중 옳지 않은 것은?", "Negation or direction was changed: 않은."),
        ("기온이 높은 층은?", "기온이 낮은 층은?", "Negation or direction was changed: 높은 ↔ 낮은."),
        ("기온이 20 ℃일 때는?", "기온이 25 ℃일 때는?", "Numbers are missing: 20."),
        ("기온이 20 ℃일 때는?", "기온이 20도일 때는?", "Units are missing: ℃."),
        ("기온이 20일 때는?", "기온이 20 ℃일 때는?", "Units were added: ℃."),
        ("값이 일정할 때는?", "$x$가 일정할 때는?", "Formulas were added: $x$."),
        ("기온이 -10 ℃일 때는?", "기온이 10 ℃일 때는?", "Minus signs are missing: 10."),
        ("기온이 10 ℃일 때는?", "기온이 −10 ℃일 때는?", "Minus signs were added: 10."),
        ("농도는 10⁻³이다.", "농도는 10³이다.", "Marks were changed: ³, ⁻³."),
        ("$x^2$의 값은?", "$x^3$의 값은?", "Formulas were changed: $x^2$."),
        ("CAPE의 정의는?", "대류가용에너지의 정의는?", "Terms are missing: CAPE."),
        ("옳은 것을 모두 고르면?", "옳은 것을 고르면?", "A condition is missing: 모두."),
        ("습도가 큰 곳은?", "습도가 가장 큰 곳은?", "A condition was added: 가장."),
        ("습도가 80 % 이상인 곳은?", "습도가 80 % 초과인 곳은?", "A condition is missing: 이상."),
        ("그림의 (가)는 무엇인가?", "그림의 (나)는 무엇인가?", "Marks were changed: (가), (나)."),
        ("㉠에 들어갈 말은?", "빈칸에 들어갈 말은?", "Marks were changed: ㉠."),
        (
            "기압골의 축은?",
            "What is the axis of the trough?",
            "The language was changed: Korean letters became Latin ones.",
        ),
        ("기압골의 축은?", "기압골 (trough)의 축은?", "Words in Latin letters were added: trough."),
        ("CAPE가 큰 것은?", "CAPE가 큰 day는?", "Words in Latin letters were added: day."),
        ("기압골의 축은?", "气压골의 축은?", "Letters of another script were added: 气, 压."),
        ("기압골의 축은?", "气压槽的轴是什么?", "The language was changed: Korean letters became Chinese ones."),
        ("Which is the axis?", "축은 무엇인가?", "The language was changed: Latin letters became Korean ones."),
        ("무엇인가?", "", "The new stem is empty."),
        ("무엇인가?", "풀이: " + "물" * 100, "The new stem is much longer than the old one."),
    ],
)
def test_what_changes_the_question_is_seen(before: str, after: str, problem: str) -> None:
    """Said in one sentence that a model or a person can act on."""
    assert problem in found(before, after)


def test_what_stem_and_choices_share_is_a_term() -> None:
    """단열감률이 and 단열감률은 share four syllables; 나타나는 and 나타난다 share no term."""
    choices = ("건조단열감률은 일정하다", "습윤단열감률이 나타난다")
    assert found("습윤단열감률이 나타나는 까닭은?", "습윤단열감률이 생기는 까닭은?", *choices) == ()
    assert found("습윤단열감률이 나타나는 까닭은?", "포화감률이 나타나는 까닭은?", *choices) == (
        "Terms are missing: 습윤단열감률이.",
    )


def test_a_stem_may_use_what_stands_in_the_choices() -> None:
    """Latin words and scripts of a choice are the item's own."""
    assert found("옳은 것은?", "CAPE에 대하여 옳은 것은?", "CAPE는 에너지이다") == ()
    assert found("옳은 것은?", "옳은 것(雨)은?", "雨") == ()


def test_choices_do_not_go_into_the_stem() -> None:
    """Small models repeat all that they were shown; a word that stands in one choice may come in."""
    choices = ("서울", "대구", "제주", "울릉도")
    before, after = "강수량이 가장 많은 곳은?", "강수량이 가장 많은 지점은?"
    assert found(before, f"{after}\n서울\n대구\n제주\n울릉도", *choices) == (
        "Choices were put into the stem: 서울, 대구, 제주, 울릉도.",
    )
    assert found(before, f"서울과 견주어 {after}", *choices) == ()


def test_a_glossary_adds_terms() -> None:
    """A word that no choice shares may not be replaced once it is listed."""
    assert found("잠열의 정의는?", "숨은열의 정의는?") == ()
    assert found("잠열의 정의는?", "숨은열의 정의는?", terms=Terms(("잠열",)).over(TERMS)) == (
        "Terms are missing: 잠열.",
    )


def test_a_decomposed_stem_is_the_same_stem() -> None:
    """Hangul in separate jamo, as some files have it, says the same."""
    before = unicodedata.normalize("NFD", "습도가 가장 높은 층은?")
    assert found(before, "가장 습도가 높은 층은?") == ()


@given(st.text(alphabet="가나다 않은모두20℃CAPE$^(①)?", max_size=40).map(str.strip).filter(bool))
def test_a_stem_left_as_it_is_breaks_no_rule(stem: str) -> None:
    """Whatever it is."""
    assert found(stem, stem, "가나다") == ()


@pytest.mark.parametrize(
    ("before", "after", "share"), [("abcd", "abcd", 0.0), ("abcd", "wxyz", 1.0), ("ab", "abcd", 1 / 3)]
)
def test_the_edit_share_is_one_minus_the_ratio(before: str, after: str, share: float) -> None:
    """difflib: 2 M / T; two of six characters match twice, 1 - 4/6."""
    assert edit_share(before, after) == pytest.approx(share)
