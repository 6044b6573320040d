"""What is read of a model's reply where one text was asked for, however the model dresses it."""

from __future__ import annotations

import pytest

from exambench.construct.drafting import is_right, read_draft, read_draft_prompt
from exambench.construct.texts import LONGEST, read_text
from exambench.exchange import Response
from tests.construct.items import item

DRAFT = read_draft_prompt()


def response(text: str | None, finish_reason: str = "stop") -> Response:
    """Return a reply."""
    return Response(text=text, finish_reason=finish_reason)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"question": "기압은?"}', "기압은?"),
        ('```json\n{\n  "question": "기압은?"\n}\n```', "기압은?"),
        ('네, 다음과 같이 고쳤습니다.\n\n{"question": "기압은?"}\n\n도움이 되었기를 바랍니다!', "기압은?"),
        ('{"question": "첫째는?"}\n{"question": "둘째는?"}', "둘째는?"),
        ("{'question': '기압은?',}", "기압은?"),
        ('<think>{"question": "생각"}</think>{"question": "기압은?"}', "기압은?"),
        ('{"question": ""}', ""),
    ],
)
def test_a_text_is_found_within_what_stands_around_it(reply: str, found: str) -> None:
    """Fences, chatter, Python's quotes, several objects, thoughts."""
    assert read_text(response(reply), "question") == found


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "기압은?",
        '{"question": "기압은',
        '{"발문": "기압은?"}',
        '{"question": 3}',
        '{"question": ["기압은?"]}',
        '{"question": "…"}',
        '{"question": " ... "}',
        '{"question": "' + "가" * (LONGEST + 1) + '"}',
    ],
)
def test_what_holds_no_text_is_none(reply: str | None) -> None:
    """No object, one that was cut off, another key or type, the dots of the prompt's own form, an endless text."""
    assert read_text(response(reply, "length"), "question") is None


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"rationale": "기압이 낮다.", "answer": "2"}', ("기압이 낮다.", "2")),
        ('{"rationale": "…", "answer": "2"}', None),
        ('{"rationale": "기압이 낮다.", "answer": "…"}', None),
        ('{"rationale": "기압이 낮다."}', None),
    ],
)
def test_a_draft_is_reasons_and_an_answer(reply: str, found: tuple[str, str] | None) -> None:
    """The form of the prompt, given back as it stands there, is neither."""
    assert read_draft(response(reply), DRAFT) == found


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("4", True),
        ("4. 라면", True),
        ("④", True),
        ("4번", True),
        ("보기 4", True),
        ("3. 다리", False),
        ("3, 4", False),
        ("4 또는 3", False),
        ("모두", False),
    ],
)
def test_a_draft_may_name_its_choice_as_models_do(answer: str, right: bool) -> None:  # noqa: FBT001 - a column of the table
    """With the text of the choice behind its number, too; two answers are none."""
    assert is_right(answer, item("1", "무엇인가?", ("가을", "나비", "다리", "라면"), key=4)) is right
