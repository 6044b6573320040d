"""A judge of answers is asked only where strings and numbers do not tell, and its last line decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import ConfigError
from exambench.exchange import TextPart
from exambench.items import TextKey
from exambench.judging.answers import AnswerJudge, read_answer_rubric, read_answer_verdict, settlement
from exambench.judging.subjects import Subject
from exambench.outcomes import AnswerVerdict, Settlement, Unjudged
from exambench.parsing.rationales import Rationale, RationaleForm
from tests.judging.examples import exam


def subject(answer: str | None, gold: str = "1013 hPa") -> Subject:
    """Return a free answer."""
    item = exam(key=TextKey(gold)).items[0]
    rationale = Rationale("긴 풀이", RationaleForm.PROSE)
    return Subject(item, item.wording(), 0, answer, rationale, ("examinee",))


@pytest.mark.parametrize(
    ("answer", "way"),
    [
        ("1013 hPa", Settlement.MATCH),
        ("1,013.0 hPa", Settlement.MATCH),
        ("250 hPa", Settlement.MISMATCH),
        ("", Settlement.NO_ANSWER),
        ("  ", Settlement.NO_ANSWER),
        (None, Settlement.NO_ANSWER),
        ("표준 대기압", Settlement.JUDGE),
    ],
)
def test_what_can_be_told_without_a_judge_is(answer: str | None, way: Settlement) -> None:
    """Equal strings and numbers, numbers far apart, and no answer; the rest is for the judge."""
    assert settlement(subject(answer)) is way
    judge = AnswerJudge(read_answer_rubric())
    assert judge.is_asked(subject(answer)) is (way is Settlement.JUDGE)


def test_the_judge_sees_question_gold_and_parsed_answer_alone() -> None:
    """Not the whole response: the parsed answer agrees better with people (KMMMU)."""
    judge = AnswerJudge(read_answer_rubric())
    messages = judge.render(subject("표준 대기압 examinee {{gold}}"), images=False)
    seen = "".join(part.text for message in messages for part in message.parts if isinstance(part, TextPart))
    for part in ("1번 관측소의 기압은?", "[정답]\n1013 hPa", "표준 대기압 […] {{gold}}"):
        assert part in seen
    assert "긴 풀이" not in seen


@pytest.mark.parametrize(
    ("words", "correct"),
    [
        ("TRUE", True),
        ("FALSE", False),
        ("같은 뜻이다.\n\nTRUE\n", True),
        ("TRUE라고 볼 수도 있다.\n**FALSE**.", False),
        ("`True`", True),
    ],
)
def test_the_last_line_decides(words: str, correct: bool) -> None:  # noqa: FBT001 - a parameter of the case
    """Whatever stands above it, and however it is set."""
    assert read_answer_verdict(words) == AnswerVerdict(correct)


@pytest.mark.parametrize("words", ["", "맞다", "TRUE\n이상입니다", "TRUE or FALSE", "NOT TRUE", "UNTRUE", "1", "참"])
def test_anything_else_is_unjudged(words: str) -> None:
    """A judge that hedges has not judged."""
    assert isinstance(read_answer_verdict(words), Unjudged)


@given(st.text())
def test_no_text_breaks_the_reader(words: str) -> None:
    """Whatever a judge writes is a verdict or none."""
    assert isinstance(read_answer_verdict(words), AnswerVerdict | Unjudged)


def test_a_prompt_that_lacks_the_answer_is_refused(tmp_path: Path) -> None:
    """What is judged must be in the prompt."""
    path = tmp_path / "answers.toml"
    path.write_text('name = "x"\nlanguage = "en"\nno_picture = ""\nsystem = "s"\nuser = "{{gold}}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="answer"):
        read_answer_rubric(path)
