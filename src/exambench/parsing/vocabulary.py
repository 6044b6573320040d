"""How an answer is written inside a sentence: option numbers and letters, letters alone, truth values.

A :class:`Vocabulary` knows two ways to meet an answer. Where one is expected (after "the answer is") the bare form will
do; anywhere else it must be marked as an option, because prose is full of digits and of the letter A.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exambench.items import Wording
from exambench.outcomes import AnswerValue
from exambench.parsing.options import (
    LETTERS,
    comparable,
    has_korean_labels,
    index_from_digits,
    index_from_label,
    index_from_letter,
)
from exambench.parsing.patterns import LazyPattern
from exambench.parsing.unicode import ENCLOSED, normal_form, without_invisible


@dataclass(frozen=True, slots=True)
class Mention:
    """An answer that is mentioned; its value is ``None`` when it names nothing that may be chosen."""

    value: AnswerValue | None
    start: int
    end: int


@dataclass(frozen=True)
class Vocabulary:
    """The ways in which one family of answers is written in folded text.

    Attributes:
        expected: Matches an answer where one is expected; the group that takes part holds the answer.
        marked: Matches an answer anywhere.
        subject: Matches an answer that is said to be the answer ("B is the answer").
        value: What a matched group stands for.
    """

    expected: LazyPattern
    marked: LazyPattern
    subject: LazyPattern
    value: Callable[[str], AnswerValue | None]

    def mention(self, match: re.Match[str]) -> Mention:
        """Return the mention that one of the patterns matched."""
        written = next(group for group in match.groups() if group is not None)
        return Mention(self.value(written), match.start(), match.end())


_BOLD: Final = re.compile(r"\*{2,3}|__|(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)|[`$]|\\[()\[\]]|</?(?:b|i|u|em|strong|mark)>")
_SPACES: Final = re.compile(r"\\[,;!~ ]|\\q?quad\b|[^\S\n]")
_WRAPPER: Final = re.compile(
    r"\\(?:boxed|fbox|underline|bm|text(?:bf|it|rm)?|math(?:bf|it|rm|sf))\s*+\{([^{}]*+)\}",
)
_WRAPPER_DEPTH: Final = 3
_QUOTES: Final = str.maketrans("“”„‟«»「」『』〈〉《》【】‘’‚‛", 16 * '"' + 4 * "'")


def folded(text: str) -> str:
    """Return the text with one way to write each thing: widths, quotes, enclosed numbers; bold and boxes removed."""
    plain = normal_form("NFKC", without_invisible(text).translate(ENCLOSED)).translate(_QUOTES)
    plain = _SPACES.sub(" ", _BOLD.sub("", plain))
    for _ in range(_WRAPPER_DEPTH):
        plain = _WRAPPER.sub(r"\1", plain)
    return plain


CLOSERS: Final = r"[)\]}\"'>]*+"
"""What may close around an answer."""

_POSITIVE: Final = r"(?:맞|옳|적절|적합|가장|정답|답|된|됩|되|올바|알맞|타당|확실|분명|유력|될|틀림없)"

COPULA: Final = rf"""(?:
    이(?=\s*{_POSITIVE}) | 가(?=\s*{_POSITIVE}) | [을를]\s*(?:선택|고르|고른|택|정답으로)
  | 이?(?:입니다|다(?![가-힣])|며|고(?![가-힣])|므로|라고|라는|라(?![가-힣])|에요|예요|지만|겠|니까|었다|었습)
  | 이?(?:네요|지요|죠)
  | 임이?(?![가-힣]) | 에\ ?해당 | 이기\ 때문 | 인데 | 인\ 것 | 일\ 것 | 으?로(?![가-힣]) | 뿐 | 됩니다 | 된다 | 되겠
)"""
"""Korean endings that make what stands before them the answer; none of doubt or condition (이라면, 일까, 인지)."""

JOINING: Final = r"(?:와|과|나|이나|및|또는|혹은|그리고|아니면|이랑|랑|하고|이?거나|이?든)"
"""Korean words that join two answers, attached or apart."""

_UNITS: Final = (
    r"(?:[kcm]?m|[hk]?Pa|mb(?:ar)?|K|C|F|kts?|knots?|k?g|J|W|N|s|h|hours?|hrs?|min|sec(?:onds)?|degrees?|percent"
    r"|m/s|km/h|ppm|options|choices|types|kinds|times|of)(?![A-Za-z])"
)
_KOREAN_UNITS: Final = (
    r"(?:개|가지|명|시간|월|년|배|미터|퍼센트|종류|단계"
    r"|헥토파스칼|킬로|센티|밀리|노트|라디안|(?:도|초|분|일)(?![가-힣]))"
)
_ATTACHED: Final = rf"(?:{COPULA}|{JOINING}|번|[이가]\s*아[니닌])"
_AFTER_ANSWER: Final = rf"(?={CLOSERS}(?:\Z|\s|[.,;:!…(\[<{{}}/|·&—–-]|{_ATTACHED}))"
_NO_UNIT: Final = r"(?:correct|right|only|definitely|clearly|above|below|here|is|was|as|because|since)\b"
_LONE_WORD: Final = rf"\s+(?!{_NO_UNIT})[a-zμ][\w/²³·]*\s*(?:[.,;!\n]|\Z)"
"""One small word after a number, to the end of the sentence, is what the number counts or measures."""

_NUMBER_END: Final = rf"""
    (?![0-9A-Za-z_]) (?!-[A-Za-z]) (?!\s*x\s*10) (?!{_LONE_WORD})
    (?!\s*(?:[%°℃^×÷+=*]|[-~]\s*[0-9]|\.[0-9]|,[0-9]{{3}}|[/:]\s*[0-9]|{_UNITS}))
    (?!\s*{_KOREAN_UNITS}) {_AFTER_ANSWER}
"""
_CLAUSE_WORDS: Final = (
    r"(?:because|since|as|due|based|for|so|and|or|nor|but|not|which|with|while|where|rather|instead)\b"
)
_CAPITAL_END: Final = rf"""
    (?![A-Za-z0-9]|[-.][A-Za-z])
    (?={CLOSERS}(?:\s*\Z|[.,;:!…]|\s*[(\[/&|·—–-]|\s+{_CLAUSE_WORDS}|\s*{JOINING}|{_ATTACHED})|[)\]}}\"'>])
"""
_SMALL_END: Final = rf"""
    (?![A-Za-z0-9-]|'[A-Za-z]) (?=[)\]}}\"'>]|\s*+\.?\s*+\Z|\.\s|\s*[,/&]|\s*{JOINING}|\s+(?:and|or|but)\s|{_ATTACHED})
"""
_NUMBERED: Final = (
    r"([0-9]++)\s*+[)\]}\"'>]*+\s*+번(?=째|[^가-힣]|\Z|[이은는가을를과와도만의입으임다보또부까에라인및혹처])"
)


def options_of(wording: Wording) -> Vocabulary:
    """Return the vocabulary of the options of one wording: numbers, and letters where they can't be mistaken.

    Options that have labels are called by these alone.
    """
    if has_korean_labels(wording):
        return Vocabulary(_JAMO_EXPECTED, _JAMO_MARKED, _JAMO_SUBJECT, lambda jamo: index_from_label(jamo, wording))
    texts = {comparable(choice.text): index for index, choice in enumerate(wording.choices, 1)}

    def value(written: str) -> int | None:
        if written.isdecimal():
            return index_from_digits(written, wording)
        index = index_from_letter(written, wording)
        # An option whose text is the letter of another option makes the letter ambiguous.
        return index if texts.get(written.lower(), index) == index else None

    return Vocabulary(_OPTION_EXPECTED, _OPTION_MARKED, _OPTION_SUBJECT, value)


_BEFORE_VERB: Final = (
    rf"(?={CLOSERS}\s*(?:[이가은는만]|is\b|isn't|was\b|seems|appears|would|should|must|cannot|can't|can\ not|has\ to))"
)
_OPTION_EXPECTED: Final = LazyPattern(
    rf"{_NUMBERED} | ([0-9]++){_NUMBER_END} | ([A-Z]){_CAPITAL_END} | ([a-z]){_SMALL_END}", re.VERBOSE
)
_OPTION_MARKED: Final = LazyPattern(
    rf"""
      (?<![0-9.]){_NUMBERED} | \(\s*([0-9]{{1,2}})\s*\) | (?<![\w.,(])([0-9]{{1,2}})\)
    | (?:보기|선택지|\b[Oo]ptions?|\b[Cc]hoices?)\s*+[\#("'\[]*+\s*+
      ([0-9]++|[A-Z](?![A-Za-z]))(?!\.?[0-9]|\s*(?:개|가지))
    | \(\s*([A-E])\s*\)
    """,
    re.VERBOSE,
)
_OPTION_SUBJECT: Final = LazyPattern(
    rf"{_OPTION_MARKED.pattern} | (?<![\w.,])([0-9]++|[A-E])(?![0-9A-Za-z]){_BEFORE_VERB}", re.VERBOSE
)


_JAMO: Final = r"(?<![가-힣\u1100-\u1112])([\u1100-\u1112])(?![\u1100-\u1112])"
"""A Korean consonant by itself, in the form that compatibility folding gives it."""

_JAMO_EXPECTED: Final = LazyPattern(rf"{_JAMO}(?={CLOSERS}(?:\Z|\s|[.,;:!…(\[<{{}}/|·&—–-]|{_ATTACHED}))", re.VERBOSE)
_JAMO_MARKED: Final = LazyPattern(
    rf"""
      \(\s*([\u1100-\u1112])\s*\) | {_JAMO}\s*번
    | (?:보기|선택지)\s*+[\#("'\[]*+\s*+([\u1100-\u1112])(?![\u1100-\u1112])
    """,
    re.VERBOSE,
)
_JAMO_SUBJECT: Final = LazyPattern(rf"{_JAMO_MARKED.pattern} | {_JAMO}{_BEFORE_VERB}", re.VERBOSE)


def letters_of(wording: Wording) -> Vocabulary:
    """Return the vocabulary of the letters of one wording's options; the values are small letters."""
    known = LETTERS[: len(wording.choices) or len(LETTERS)]

    def value(written: str) -> str | None:
        return written.lower() if written.lower() in known else None

    return Vocabulary(_LETTER_EXPECTED, _LETTER_MARKED, _LETTER_SUBJECT, value)


_LETTER_EXPECTED: Final = LazyPattern(rf"([A-Z]){_CAPITAL_END} | ([a-z]){_SMALL_END}", re.VERBOSE)
_LETTER_MARKED: Final = LazyPattern(
    r"""
      \(\s*([A-Za-z])\s*\) | (?<![\w'])([A-Za-z])\)
    | (?:보기|선택지|\b[Oo]ptions?|\b[Cc]hoices?)\s*+[("'\[]*+\s*+([A-Za-z])(?![A-Za-z'])
    """,
    re.VERBOSE,
)
_LETTER_SUBJECT: Final = LazyPattern(
    rf"{_LETTER_MARKED.pattern} | (?<![\w.,'])([A-Z]|[b-z])(?![A-Za-z]){_BEFORE_VERB}", re.VERBOSE
)

TRUTH_VALUES: Final = {
    "1": True,
    "참": True,
    "true": True,
    "o": True,
    "○": True,
    "맞음": True,
    "0": False,
    "거짓": False,
    "false": False,
    "x": False,
    "×": False,
    "틀림": False,
}
"""The words for true and false, in small letters."""

_TRUTH_WORDS: Final = r"(참|거짓|[Tt]rue|TRUE|[Ff]alse|FALSE|맞음|틀림)"
_TRUTH_EXPECTED: Final = LazyPattern(
    rf"(?:{_TRUTH_WORDS} | ([OXox○×])(?![A-Za-z]))(?![A-Za-z]){_AFTER_ANSWER} | ([01])(?!\s*번){_NUMBER_END}",
    re.VERBOSE,
)
_TRUTH_MARKED: Final = LazyPattern(rf"(?<![가-힣A-Za-z]){_TRUTH_WORDS}(?![A-Za-z]){_AFTER_ANSWER}", re.VERBOSE)
_TRUTH_SUBJECT: Final = LazyPattern(rf"(?<![가-힣A-Za-z]){_TRUTH_WORDS}{_BEFORE_VERB}", re.VERBOSE)

TRUTH: Final = Vocabulary(
    _TRUTH_EXPECTED, _TRUTH_MARKED, _TRUTH_SUBJECT, lambda written: TRUTH_VALUES.get(written.lower())
)
"""The vocabulary of statements that are true or false."""
