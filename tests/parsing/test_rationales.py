"""The rationale is what a model gives as its reasons, and nothing that it thought to itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.parsing.rationales import Rationale, RationaleForm, read_rationale

FIELD, PROSE, NONE = RationaleForm.FIELD, RationaleForm.PROSE, RationaleForm.NONE


@pytest.mark.parametrize(
    ("text", "rationale"),
    [
        ('<scratchpad>메모</scratchpad>{"생성된_추론_근거": "근거", "정답": 2}', Rationale("근거", FIELD)),
        ("{'생성된_추론_근거': '근거', '정답': 2}", Rationale("근거", FIELD)),
        ('{"생성된_추론_근거": "$\\frac{a}{b}$\n둘째 줄"}', Rationale("$\\frac{a}{b}$\n둘째 줄", FIELD)),
        ('{"생성된_추론_근거": ["하나", "둘"]}', Rationale("하나\n둘", FIELD)),
        ('{"생성된_추론_근거": "처음"} 다시: {"생성된_추론_근거": "나중"}', Rationale("나중", FIELD)),
        ('{"생성된_추론_근거": "", "정답": 2}', Rationale("", NONE)),
        ('{"생성된_추론_근거": null, "정답": 2}', Rationale("", NONE)),
        ('{"생성된_추론_근거": "\\u003cthink\\u003e몰래\\u003c/think\\u003e근거"}', Rationale("근거", FIELD)),
        ('{"생성된_추론_근거": "반쪽 \\ud83d, 널 \\u0000"}', Rationale("반쪽 \ufffd, 널 \ufffd", FIELD)),
        ('{"정답": 2}', Rationale("", NONE)),
        ('근거는 이렇다.\n```json\n{"정답": 2, "비고": "{"}\n```', Rationale("근거는 이렇다.", PROSE)),
        ('{"생성된_추론_근거": "잘린 글', Rationale('{"생성된_추론_근거": "잘린 글', PROSE)),
        ("<think>몰래</think>", Rationale("", NONE)),
        ("<scratchpad>끝나지 않는 메모", Rationale("", NONE)),
        (None, Rationale("", NONE)),
    ],
)
def test_the_rationale_is_read(text: str | None, rationale: Rationale) -> None:
    """From its key in both quoting styles, else from the words around the answer; else there is none."""
    assert read_rationale(text) == rationale


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    """A rationale is marked as missing exactly when it is empty."""
    rationale = read_rationale(text)
    assert (rationale.form is NONE) == (not rationale.text)


@given(st.text(), st.text())
def test_thinking_is_never_in_the_rationale(thought: str, reason: str) -> None:
    """Whatever stands before the end of the thinking is gone."""
    assert "비밀" not in read_rationale(f"<think>비밀{thought}비밀</think>{reason.replace('비밀', '')}").text
