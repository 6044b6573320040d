"""The phrases that announce an answer, and what may stand between the phrase and the answer."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final


class Connector(Enum):
    """What stands between the phrase and the answer, by how much may follow it."""

    MARK = auto()  # a colon, an arrow: what follows is meant to be the answer
    TOPIC = auto()  # "is", 은/는: what follows says something of the answer
    SUBJECT = auto()  # 이/가: an answer must follow at once
    SPACE = auto()  # nothing: an answer must follow at once, and alone


_KOREAN_PHRASE: Final = r"(?:최종|모범)\s*(?:정답|답안|답)|(?<!비)정답|해답|답안|답변|(?<![가-힣])답"

_ENGLISH_PHRASE: Final = r"\b(?:[Aa]nswer|ANSWER|[Aa]ns\b\.?|(?:[Cc]orrect|[Rr]ight|[Bb]est)\ (?:option|choice|answer))"

_AROUND: Final = r"[\s\"'\])}>」』】]*+"

ENGLISH_VERB: Final = r"(?:is|was|remains|(?:seems|appears|has|would|should|must|will)(?:\ to)?\ be)"

_ADVERB: Final = r"(?:clearly|therefore|thus|definitely|probably|(?:most\ )?likely|indeed|then|actually|still|simply)"

_COUNT: Final = (
    r"(?:(?<![0-9])[0-9]{1,3}+|[한두세네]|다섯)\s*+(?:개|가지)"
    r"\s*+(?:의\s*+)?(?:보기|선택지)?\s*+(?:중에서|중에|중|가운데서?)"
)

_FITTING: Final = r"(?:적절|적합|알맞|옳|타당|올바)"

_MARKS: Final = r"(?:[:=→⇒➔➡▶►]|[-=]++>)"

PHRASE: Final = re.compile(
    rf"""
    (?: (?P<ko>{_KOREAN_PHRASE}) | (?P<en>{_ENGLISH_PHRASE})\b
      | (?P<among>{_COUNT})
        (?=\s*+(?:[0-9]{{1,9}}\s*+번|\([0-9]{{1,9}}\)|[A-E])[^.\n]{{0,30}}[이가]\s*+가장\s*+{_FITTING}) )
    (?:
        (?: {_AROUND}(?:번호|선택지|보기|문항|항목|choice|option|key|number|letter)(?![a-z]) )?+
        (?: \ (?:to|for)\ (?:this|the)\ (?:question|problem) )?+
        {_AROUND} (?: \((?!\s*(?:[0-9]+|[A-Ea-e])\s*\))[^()\n]{{0,20}}+\)\s*+ )?+
        (?:
            (?P<mark> (?:은|는|is)?\s*+(?:{_MARKS}|\?) | (?<=\s)[-–—](?=\s) )
          | (?P<topic> (?:은|는)(?![가-힣]) | {ENGLISH_VERB}(?:\ {_ADVERB})*+(?![a-z]) )
          | (?P<subject> [이가](?=\s|[0-9(A-E]) )
          | (?P<space> (?<=[\s\])}}>」』】]) (?=[0-9(\[A-Ea-e참거TtFfOX맞틀]|보기|선택지) )
        )
    )?+
    """,
    re.VERBOSE,
)
"""A phrase that announces an answer, with its connector when there is one."""

SENTENCE_END: Final = re.compile(r"[!?。\n;]|(?<![Nn]o)\.(?![0-9])(?=\s|\Z|[\"')\]}])")
"""The end of a sentence or of a line; not the point of a decimal."""

_OPENERS: Final = re.compile(
    rf"""
    (?: [\s"'(\[{{<:=\#▶→•「『【]
      | (?:(?<=\n)|(?<=\n\ )|(?<=\n\ \ )|(?<=\n\ \ \ ))[-*]\s
      | (?:보기|선택지|옵션)(?![가-힣]) | [Nn]o\. | (?:[Oo]ption|[Cc]hoice|[Nn]umber|[Ll]etter)\b
      | \bthe\b (?=\s+(?:option|choice|number)) | {_COUNT} | (?:다음|아래)[과와]\ 같(?:습니다|다|음)[.:]*
    )*+
    """,
    re.VERBOSE,
)

_EXPLANATION: Final = re.compile(
    r"\n[^\w\n]*+(?:설명|이유|해설|근거|왜냐하면|[Ee]xplanation|[Rr]eason(?:ing)?|[Rr]ationale|[Bb]ecause)\b"
)


def before_explanation(text: str) -> str:
    """Return the text up to a line that begins to explain, if there is one."""
    return _EXPLANATION.split(text, maxsplit=1)[0]


def without_leading_phrase(plain: str) -> str:
    """Return folded text without a phrase such as ``Answer:`` at its start."""
    phrase = PHRASE.match(plain)
    return plain[phrase.end() :].lstrip() if phrase and connector_of(phrase) else plain


def connector_of(phrase: re.Match[str]) -> Connector | None:
    """Return what connects a phrase with what follows it; ``None`` when nothing does."""
    groups = {
        "among": Connector.TOPIC,
        "mark": Connector.MARK,
        "topic": Connector.TOPIC,
        "subject": Connector.SUBJECT,
        "space": Connector.SPACE,
    }
    return next((connector for name, connector in groups.items() if phrase[name] is not None), None)


def start_of_answer(plain: str, start: int, stop: int) -> int:
    """Return where an answer may begin, after brackets, quotes, and words such as "option"."""
    openers = _OPENERS.match(plain, start, stop)
    return start if openers is None else openers.end()
