"""A verdict is read from what a judge writes, however it quotes; what is no verdict is never one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.exchange import Response
from exambench.judging.instrument import judgement_of
from exambench.judging.rationales import LONGEST_REPLY, read_verdict
from exambench.judging.rubric import Rubric
from exambench.outcomes import Judgement, Unjudged, Verdict
from tests.judging.examples import AXES, shipped_rubric, verdict_text

RUBRIC = shipped_rubric()
EXPECTED = {"정확성": 4, "논리적_완결성": 3, "추론의_깊이": 2, "표현의_명확성": 5}
PYTHON = (
    "{'사실_오류_목록': [], '평가_사유': '무난함', "
    "'정확성': 4, '논리적_완결성': 3, '추론의_깊이': 2, '표현의_명확성': 5}"
)


def read(words: str, rubric: Rubric = RUBRIC) -> Judgement:
    """Read with the shipped rubric."""
    return read_verdict(words, rubric)


@pytest.mark.parametrize(
    "words",
    [
        verdict_text(),
        PYTHON,
        f"검토를 마쳤습니다.\n```json\n{verdict_text()}\n```\n이상입니다.",
        PYTHON.replace("'정확성'", '"정확성"'),
        verdict_text()[:-1] + ",}",
        f"예시: {verdict_text((1, 1, 1, 1))}\n최종: {verdict_text()}",
        f'{{"판정": {verdict_text()}}}',
    ],
    ids=["json", "python", "fenced", "mixed quotes", "trailing comma", "the last one counts", "nested"],
)
def test_a_verdict_is_read_in_every_way_of_writing_it(words: str) -> None:
    """Both quoting styles, text around, a trailing comma; of several verdicts the last one counts."""
    assert read(words) == Verdict(EXPECTED, (), "무난함")


def test_the_total_is_the_sum_of_the_axes() -> None:
    """A total that the judge adds up itself is not taken over."""
    verdict = read(verdict_text(총점=20))
    assert isinstance(verdict, Verdict)
    assert verdict.total == 4 + 3 + 2 + 5


def test_backslashes_of_latex_and_raw_newlines_are_kept() -> None:
    """What a judge writes of formulas is no reason to throw its verdict away."""
    words = verdict_text(평가_사유="@", 사실_오류_목록=["#"])
    words = words.replace("@", "$\\frac{dp}{dz}=-\\rho g$\n둘째 줄").replace("#", "$\\theta$가 아니라 \\beta이다")
    verdict = read(words)
    assert verdict == Verdict(EXPECTED, ("$\\theta$가 아니라 \\beta이다",), "$\\frac{dp}{dz}=-\\rho g$\n둘째 줄")


def test_escapes_of_what_nobody_can_print_are_replaced() -> None:
    """A lone half of a character, or NUL, would break every form in which verdicts are shown."""
    words = verdict_text(평가_사유="@", 사실_오류_목록=["#"]).replace("@", "\\ud83d").replace("#", "a\\u0000b")
    verdict = read(words)
    assert isinstance(verdict, Verdict)
    assert (verdict.reason, verdict.errors) == ("\ufffd", ("a\ufffdb",))


def test_errors_are_listed_in_their_order() -> None:
    """Each factual error is one entry."""
    assert read(verdict_text(사실_오류_목록=["하나", "둘"])) == Verdict(EXPECTED, ("하나", "둘"), "무난함")


@pytest.mark.parametrize("score", [0, 6, -1, 4.0, 4.5, True, False, None, "4", "높음", [4], 10**9, {"점수": 4}])
def test_what_is_no_integer_within_the_scale_is_no_score(score: object) -> None:
    """Beyond 1 to 5, floats (4.0 too), truth values, strings: nothing is rounded, clipped or converted."""
    judgement = read(verdict_text((4, score, 2, 5)))
    assert judgement == Unjudged("the score on 논리적_완결성 is no integer from 1 to 5")


def test_a_missing_axis_is_no_verdict() -> None:
    """Three scores are not four, and no default is put in."""
    assert read(verdict_text(추론의_깊이=...)) == Unjudged("the axis 추론의_깊이 is missing")


def test_two_scores_on_one_axis_are_no_score() -> None:
    """Nobody can tell which of two different scores was meant."""
    words = verdict_text()[:-1] + ', "정확성": 1}'
    assert isinstance(read(words), Unjudged)


@pytest.mark.parametrize("errors", [..., "없음", None, [1], [{"오류": "x"}], 0])
def test_errors_that_are_no_list_of_strings_are_no_verdict(errors: object) -> None:
    """An absent list is not an empty one: factual errors are counted."""
    assert read(verdict_text(사실_오류_목록=errors)) == Unjudged("사실_오류_목록 is no list of strings")


def test_a_missing_reason_is_an_empty_one() -> None:
    """Nothing is computed from the reason."""
    assert read(verdict_text(평가_사유=...)) == Verdict(EXPECTED, (), "")


@pytest.mark.parametrize(
    "words",
    ["죄송하지만 평가할 수 없습니다.", "정확성: 4, 논리적_완결성: 3", verdict_text()[:-1], "{}", "[4, 3, 2, 5]"],
)
def test_prose_and_broken_literals_are_no_verdict(words: str) -> None:
    """A refusal, a list in words, a dict that is not closed."""
    assert read(words) == Unjudged("no closed dict with the axes of the rubric")


def test_what_the_judge_thought_does_not_count() -> None:
    """A verdict inside the judge's thinking is not its verdict."""
    response = Response(f"<think>{verdict_text((1, 1, 1, 1))}</think>{verdict_text()}")
    assert judgement_of(response, read) == Verdict(EXPECTED, (), "무난함")
    assert judgement_of(Response(f"<think>{verdict_text()}"), read) == Unjudged("the reply has no visible text")


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (Response(None), "the reply has no visible text"),
        (Response("", refusal="I can't"), "the judge refused"),
        (Response("", finish_reason="content_filter"), "the judge's content filter stopped the reply"),
        (
            Response('{"정확성": 4, ', finish_reason="length"),
            "the reply was cut at the token limit: no closed dict with the axes of the rubric",
        ),
    ],
)
def test_the_reason_says_why_there_is_no_verdict(response: Response, reason: str) -> None:
    """Nothing visible, refusals and cut replies are told apart."""
    assert judgement_of(response, read) == Unjudged(reason)


def test_a_whole_verdict_at_the_token_limit_counts() -> None:
    """What follows the verdict was cut, not the verdict."""
    assert judgement_of(Response(verdict_text(), finish_reason="length"), read) == Verdict(EXPECTED, (), "무난함")


def test_an_endless_reply_is_no_verdict() -> None:
    """Ten megabytes of open brackets would be read for minutes, again and again."""
    assert read(verdict_text(평가_사유="가" * LONGEST_REPLY)) == Unjudged("the reply has more than 200,000 characters")


@given(st.text())
def test_no_text_breaks_the_reader(words: str) -> None:
    """Whatever a judge writes is a verdict or a reason why it is none."""
    assert isinstance(read(words), Verdict | Unjudged)


# Without control characters, whose escapes (\b, \f, \n before a letter) are left alone as the beginnings of LaTeX.
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]))


@given(
    scores=st.lists(st.integers(1, 5), min_size=4, max_size=4),
    errors=st.lists(TEXTS),
    reason=TEXTS,
    before=st.text(st.characters(codec="utf-8", exclude_characters="{}[]()\"'<>")),
)
def test_every_verdict_in_json_is_read_back(scores: list[int], errors: list[str], reason: str, before: str) -> None:
    """JSON with every character escaped is read back as what was written, whatever stands before it."""
    value = {"사실_오류_목록": errors, "평가_사유": reason, **dict(zip(AXES, scores, strict=True))}
    verdict = read(before + json.dumps(value, ensure_ascii=True))
    assert verdict == Verdict(dict(zip(AXES, scores, strict=True)), tuple(errors), reason)


@given(scores=st.lists(st.integers(-3, 9) | st.floats(0, 6) | st.booleans() | st.none(), min_size=4, max_size=4))
def test_a_verdict_has_integers_within_the_scale_or_there_is_none(scores: list[object]) -> None:
    """The property that the means rest on."""
    sound = all(type(score) is int and 1 <= score <= 5 for score in scores)
    verdict = read(verdict_text(scores))
    assert isinstance(verdict, Verdict) == sound
    if isinstance(verdict, Verdict):
        assert list(verdict.scores.values()) == scores
