"""Text that models might write, made to upset a parser."""

from __future__ import annotations

from hypothesis import strategies as st

from exambench.items import Content, Wording

FRAGMENTS = [
    *"{}[]()\"'`*$\\:,.;=|<>/-~_ \n\t",
    *"0123456789abcdeABCDEoxOX",
    *"①②③④⑤２Ｂⓒ○×“”‘’「」｛｝：，",
    "정답", "답", "은 ", "는 ", "이 ", "가 ", "번", "입니다", "이다", "아니다", "아니라", "또는 ", "와 ", "과 ", "중 ",
    "보기 ", "선택지 ", "개 중 ", "없음", "틀리다", "라면", "일까?", "참", "거짓", "맞음", "틀림", "시베리아 고기압",
    '"정답": ', "'정답': ", '{"정답": 2}', "{'정답': '3'}", "{'정답': '{4}'}", '{"정답": [', "정답: ", "정답은 ",
    "The answer is ", "Answer: ", " is the answer", "not ", "option ", " or ", " and ", "either ", "n't ", "because ",
    "\\boxed{", "\\text{", "\\mathbf{", "\\frac{1}{2}", "\\{", "\\}", "**", "```json\n", "```", "<think>", "</think>",
    "<scratchpad>", "</scratchpad>", "a) ", "c) ", '["a", "c"]', "a, c", "true", "None", "True", "False", "2.5", "-1",
    "\ud800", "\udc00", "\u200b", "\ufeff", "\u202e", "\u0301", "\u0323", "\u1112", "\u1161", "\u11ab", "\x00",
    "\ufdfa",
]  # fmt: skip

texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=30).map("".join)
prose = st.text(st.characters(exclude_characters="{}", exclude_categories=["Cs"]), max_size=40).filter(
    lambda text: "<" not in text
)


def wording(*texts: str) -> Wording:
    """Return a wording with these options."""
    return Wording(Content("?"), tuple(Content(text) for text in texts))


FOUR = wording("", "", "", "")
NAMED = wording("시베리아 고기압", "북태평양 고기압", "오호츠크해 고기압", "양쯔강 고기압")
UNKNOWN = wording()

wordings = st.sampled_from([FOUR, NAMED, UNKNOWN, wording("a", "b"), wording("2", "1", "4", "3", "5")])
finish_reasons = st.sampled_from(["stop", "length", None, "tool_calls"])
