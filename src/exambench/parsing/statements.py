"""The last explicit statement of an answer in prose, Korean or English.

A statement puts an answer after a phrase ("정답은 2번이다", "Answer: B") or before it ("2번이 정답이다", "B is the
answer"). Whoever negates, rejects, doubts, or names two has not stated one. Every rule here may fail to see an answer;
none may see one that was not given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from exambench.outcomes import AnswerValue, Flag
from exambench.parsing.vocabulary import CLOSERS, COPULA, JOINING, Mention, Vocabulary, folded


@dataclass(frozen=True, slots=True)
class Stated:
    """One answer, or one set of answers, was stated."""

    values: tuple[AnswerValue, ...]
    flags: frozenset[Flag] = frozenset()


@dataclass(frozen=True, slots=True)
class Rejected:
    """These were said not to be the answer."""

    values: tuple[AnswerValue | None, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """An answer was stated in a way that leaves open which."""

    reason: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """No answer was stated."""


Claim = Stated | Rejected | Unclear | Nothing


def last_statement(text: str, vocabulary: Vocabulary) -> Stated | Unclear | Nothing:
    """Return what the last statement in the text says, given what is rejected after it."""
    plain = folded(text)
    rejected: set[AnswerValue | None] = set()
    last: Stated | None = None
    for claim in _claims_from_the_end(plain, vocabulary):
        match claim:
            case Rejected(values):
                rejected.update(values if last is None else ())
            case Stated(values) if last is not None and set(values) != set(last.values):
                return Stated(last.values, frozenset({Flag.EARLIER_ANSWER}))
            case Stated(values) if rejected.intersection(values):
                return Unclear("the stated answer is taken back")
            case Stated():
                last = last or claim
            case Unclear() if last is None:
                return claim
    return last or Nothing()


def answer_in_value(text: str, vocabulary: Vocabulary) -> Stated | Unclear:
    """Return the answer that the value of an answer field holds, such as ``2번`` or ``{4}``."""
    plain = folded(text)
    claim = _claim_in(plain[_start_of_answer(plain, 0, len(plain)) :], vocabulary, _Connector.MARK)
    return claim if isinstance(claim, Stated) else Unclear("the answer field does not hold one answer")


def only_an_option(text: str, vocabulary: Vocabulary) -> AnswerValue | None:
    """Return the one answer that is all that the text says, else ``None``."""
    plain = folded(text).strip()
    start = _start_of_answer(plain, 0, len(plain))
    match = vocabulary.expected.match(plain[start:])
    if match is None:
        return None
    rest = plain[start + match.end() :]
    return vocabulary.mention(match).value if _NOTHING_MORE.fullmatch(rest) else None


def before_explanation(text: str) -> str:
    """Return the text up to a line that begins to explain, if there is one."""
    return _EXPLANATION.split(text, maxsplit=1)[0]


def without_leading_phrase(plain: str) -> str:
    """Return folded text without a phrase such as ``Answer:`` at its start."""
    phrase = _PHRASE.match(plain)
    return plain[phrase.end() :].lstrip() if phrase and _connector(phrase) else plain


class _Connector(Enum):
    """What stands between the phrase and the answer, by how much may follow it."""

    MARK = auto()  # a colon, an arrow: what follows is meant to be the answer
    TOPIC = auto()  # "is", 은/는: what follows says something of the answer
    SUBJECT = auto()  # 이/가: an answer must follow at once
    SPACE = auto()  # nothing: an answer must follow at once, and alone


_KOREAN_PHRASE: Final = r"(?:최종|모범)\s*(?:정답|답안|답)|정답|해답|답안|답변|(?<![가-힣])답"
_ENGLISH_PHRASE: Final = r"\b(?:[Aa]nswer|ANSWER|[Aa]ns\b\.?|(?:[Cc]orrect|[Rr]ight|[Bb]est)\ (?:option|choice|answer))"
_AROUND: Final = r"[\s\"'\])}>」』】]*+"
_LABEL_BEFORE: Final = re.compile(r"(?:[0-9]\s*번?|\b[A-E])[.):]?\s*\Z")
_ENGLISH_VERB: Final = r"(?:is|was|remains|(?:seems|appears|has|would|should|must|will)(?:\ to)?\ be)"
_ADVERB: Final = r"(?:clearly|therefore|thus|definitely|probably|(?:most\ )?likely|indeed|then|actually|still|simply)"
_COUNT: Final = r"(?:[0-9]++|[한두세네]|다섯)\s*(?:개|가지)\s*(?:의\s*)?(?:보기|선택지)?\s*(?:중에서|중에|중|가운데서?)"
_FITTING: Final = r"(?:적절|적합|알맞|옳|타당|올바)"
_MARKS: Final = r"(?:[:=→⇒➔➡▶►]|[-=]++>)"
_PHRASE: Final = re.compile(
    rf"""
    (?: (?P<ko>{_KOREAN_PHRASE}) | (?P<en>{_ENGLISH_PHRASE})\b
      | (?P<among>{_COUNT}) (?=\s*(?:[0-9]{{1,9}}\s*번|\([0-9]{{1,9}}\)|[A-E])[^.\n]{{0,30}}[이가]\s*가장\s*{_FITTING}) )
    (?:
        (?: {_AROUND}(?:번호|선택지|보기|문항|항목|choice|option|key|number|letter)(?![a-z]) )?+
        (?: \ (?:to|for)\ (?:this|the)\ (?:question|problem) )?+
        {_AROUND} (?: \((?!\s*(?:[0-9]+|[A-Ea-e])\s*\))[^()\n]{{0,20}}+\)\s*+ )?+
        (?:
            (?P<mark> (?:은|는|is)?\s*+(?:{_MARKS}|\?) | (?<=\s)[-–—](?=\s) )
          | (?P<topic> (?:은|는)(?![가-힣]) | {_ENGLISH_VERB}(?:\ {_ADVERB})*+(?![a-z]) )
          | (?P<subject> [이가](?=\s|[0-9(A-E]) )
          | (?P<space> (?<=[\s\])}}>」』】]) (?=[0-9(\[A-Ea-e참거TtFfOX맞틀]|보기|선택지) )
        )
    )?+
    """,
    re.VERBOSE,
)
_SENTENCE_END: Final = re.compile(r"[!?。\n;]|(?<![Nn]o)\.(?![0-9])(?=\s|\Z|[\"')\]}])")
_OPENERS: Final = re.compile(
    rf"""
    (?: [\s"'(\[{{<:=\#▶→•「『【]
      | (?<=\n)\ *[-*]\s | (?:보기|선택지|옵션)(?![가-힣]) | [Nn]o\. | (?:[Oo]ption|[Cc]hoice|[Nn]umber|[Ll]etter)\b
      | \bthe\b (?=\s+(?:option|choice|number)) | {_COUNT} | (?:다음|아래)[과와]\ 같(?:습니다|다|음)[.:]*
    )*+
    """,
    re.VERBOSE,
)
_JOINT: Final = re.compile(
    rf"""
    {CLOSERS}\s*+(?:번)?
    (?: \s*(?:[,/&|·+~]|{JOINING}|부터|에서|\band\b|\bor\b|\bnor\b)
        (?:\s*(?:{JOINING}|\band\b|\bor\b))?
      | (?<=\))\s*(?=\() | \s+(?=[0-9]) )
    [\s("'\[]*+ (?:보기|선택지|option|choice)?[\s("'\[]*+
    """,
    re.VERBOSE,
)
_DANGLING: Final = re.compile(rf"(?:{_JOINT.pattern})(?!a\s)[A-Za-z0-9](?![A-Za-z0-9가-힣])", re.VERBOSE)
_CONTRAST: Final = re.compile(
    rf"""{CLOSERS}\s*번?\s*(?:,?\s*(?:but|rather\ than|instead\ of|not)\b(?:\ (?:rather|instead))?|[이가]?\s*(?:아니라|아닌|아니고))
    \s+(?:보기|선택지|option|choice)?[\s("'\[]*+""",
    re.VERBOSE,
)
_NEGATION_FIRST: Final = re.compile(r"(?:not|neither)\s+(?:the\s+)?(?:option|choice)?[\s(\"'\[]*+")
_JOINED_BEFORE: Final = re.compile(
    rf"(?:\b[A-Z]\b|[0-9]){CLOSERS}\s*번?\s*(?:[,/&]|{JOINING}|\bor\b|\band\b|\bnor\b)\s*(?:or\b|and\b)?[\s(\"']*\Z"
)
_NOT_OF_OPTIONS: Final = re.compile(r"(?:그림|표|식|문제|문항|[Ff]igure|[Tt]able|[Qq]uestion|[Pp]roblem|[Ss]tep)\s*\Z")
_NEGATIVE: Final = r"(?:아니(?!면)|아닌|아님|않|(?<!틀림)없|못|틀(?:리|린|렸|림(?!없))|제외|오답|잘못|부적|불가|배제|어렵|말고|빼고|대신)"
_REJECTING: Final = re.compile(
    rf"""
    {CLOSERS}\s*+(?:번)?{CLOSERS}
    (?: \s*[이가은는을를도만]?{_NEGATIVE} | :?\s*\(?[X×](?![A-Za-z])
      | \s*(?:[이가은는을를도만에]|이?라고는?|으로|로)\s+(?:[가-힣]{{1,6}}\s+){{0,3}}[가-힣]{{0,4}}?{_NEGATIVE}
      | \s*(?:인|일)\s(?:것|수)[^.,\n]{{0,12}}(?:않|없|아니)
      | \s*(?:,?\s*(?:which|that)\s+)?(?:is|was|are|can|could|would|should|does|seems)?\s*
        (?:not\b|n't|cannot\b|never\b|wrong\b|incorrect\b|false\b|ruled\ out|excluded|eliminated)
    )
    """,
    re.VERBOSE,
)
_REJECTED_BEFORE: Final = re.compile(
    r"(?:\bnot|n't|\bneither|\bnor|\bnever|\bexcept(?:\ for)?|\brather\ than|\binstead\ of|\bother\ than|\bcannot\ be)"
    r"(?:\s+(?:the|be|option|choice))*[\s(\"'\[]*\Z"
)
_AFFIRMING: Final = re.compile(rf"{CLOSERS}(?:\s*번째?)?{CLOSERS}(?:\Z|\s|[.,;:!…(\[<{{/|·—–-]|{COPULA})", re.VERBOSE)
_ONE_OF_TWO: Final = re.compile(r"둘 중|둘 다|셋 중|중 하나|\b[Ee]ither\b|\b[Bb]oth\b")
_NONE: Final = re.compile(
    r"(?:[가-힣]{1,4}\s+){0,2}(?:없|알 수 없|모르|불분명)|[Nn]one\b|[Uu]n(?:clear|known)|[Ii]mpossible"
)
_MORE_AFTER: Final = re.compile(
    r"[\s.,;]*(?:또는|혹은|아니면|or\b)|\s*\n\s*(?:[-•*]\s*)?[(\"']*(?:[0-9]+\s*번|\([0-9A-Ea-e]\)|[A-E])[)\"'.]*\s*(?:\n|\Z)"
    r"|\s*\n\s*[-•*]\s*[(\"']*(?:[0-9]+|[A-Ea-e])(?:[)\"'.]|\s*(?:\n|\Z))"
    r"|\s*\n\s*\(?[a-z]\)"
)
_NOTHING_MORE: Final = re.compile(rf"{CLOSERS}\s*번?{CLOSERS}(?:입니다|이다|임|이에요|예요)?[.!\s]*", re.VERBOSE)
_ALONE: Final = re.compile(rf"[)\]}}]|{CLOSERS}\s*(?:번|{COPULA}|\Z|[.):,<])", re.VERBOSE)
_EXPLANATION: Final = re.compile(
    r"\n\W*(?:설명|이유|해설|근거|왜냐하면|[Ee]xplanation|[Rr]eason(?:ing)?|[Rr]ationale|[Bb]ecause)\b"
)
_DOUBTFUL_BEFORE: Final = re.compile(
    r"(?:\b(?:if|whether|suppose|supposing|assum\w+|unless)\b[^.,;:]{0,40}"
    r"|(?:틀린|잘못된|그른|아닌)\s*|(?:\b(?:wrong|incorrect|not|never|doubt|no)|n't)\b[^.,;:]{0,30})\Z",
    re.IGNORECASE,
)
_BEFORE_LENGTH: Final = 120
_STATEMENT_LENGTH: Final = 600


def _claims_from_the_end(plain: str, vocabulary: Vocabulary) -> Iterator[Claim]:
    """Yield what each phrase claims, the last phrase first; the stretches between phrases are read once."""
    following = len(plain)
    phrases = list(_PHRASE.finditer(plain))
    for position in range(len(phrases) - 1, -1, -1):
        phrase = phrases[position]
        previous = phrases[position - 1].end() if position else 0
        before = plain[max(previous, phrase.start() - _BEFORE_LENGTH) : phrase.start()]
        yield _claim_of(plain, phrase, _last_sentence(before), following, vocabulary)
        following = phrase.start()


def _last_sentence(text: str) -> str:
    end = 0
    for mark in _SENTENCE_END.finditer(text):
        end = mark.end()
    return text[end:]


def _claim_of(plain: str, phrase: re.Match[str], before: str, following: int, vocabulary: Vocabulary) -> Claim:
    """Return what one phrase claims, from what stands before and after it."""
    ahead = _claim_ahead(plain, phrase, following, vocabulary)
    behind = _claim_behind(plain, phrase, before, vocabulary)
    if isinstance(ahead, Stated | Rejected) and _DOUBTFUL_BEFORE.search(before):
        ahead = Nothing()
    if isinstance(ahead, Nothing):
        return behind
    if isinstance(behind, Stated) and isinstance(ahead, Stated) and set(ahead.values) != set(behind.values):
        return Unclear("two answers in one statement")
    return ahead


def _claim_ahead(plain: str, phrase: re.Match[str], following: int, vocabulary: Vocabulary) -> Claim:
    """Read the answer after the phrase, up to the end of the sentence."""
    connector = _connector(phrase)
    if connector is None or (connector is _Connector.SPACE and _labels_an_option(plain, phrase)):
        return Nothing()
    start = _start_of_answer(plain, phrase.end(), following)
    limit = min(following, start + _STATEMENT_LENGTH)
    end = _SENTENCE_END.search(plain, start, limit)
    stop = end.start() if end else limit
    if end and end.group() == "?":
        return Nothing()
    claim = _claim_in(plain[start:stop], vocabulary, connector)
    if isinstance(claim, Stated) and _MORE_AFTER.match(plain, stop):
        return Unclear("further answers follow")
    return claim


def _labels_an_option(plain: str, phrase: re.Match[str]) -> bool:
    """Tell whether the phrase is what is said of an option, as in ``1. 오답 2. 정답 3. 오답``."""
    return _LABEL_BEFORE.search(plain, max(0, phrase.start() - 8), phrase.start()) is not None


def _connector(phrase: re.Match[str]) -> _Connector | None:
    groups = {
        "among": _Connector.TOPIC,
        "mark": _Connector.MARK,
        "topic": _Connector.TOPIC,
        "subject": _Connector.SUBJECT,
        "space": _Connector.SPACE,
    }
    return next((connector for name, connector in groups.items() if phrase[name] is not None), None)


def _start_of_answer(plain: str, start: int, stop: int) -> int:
    openers = _OPENERS.match(plain, start, stop)
    return start if openers is None else openers.end()


def _claim_in(region: str, vocabulary: Vocabulary, connector: _Connector) -> Claim:
    """Return what the words after a connector claim."""
    negation = _NEGATION_FIRST.match(region)
    head = vocabulary.expected.match(region, negation.end() if negation else 0)
    if connector in {_Connector.SUBJECT, _Connector.SPACE} and head is None:
        return Nothing()
    if connector is _Connector.SPACE and head is not None and not _ALONE.match(region, head.end()):
        return Nothing()
    if _NONE.match(region):
        return Unclear("the statement names no option")
    if head is None and connector is _Connector.MARK and region[:1].isdigit():
        return Unclear("the statement holds a number that is no option")
    groups = list(_groups(region, vocabulary, head))
    return _verdict(region, groups, connector)


def _groups(region: str, vocabulary: Vocabulary, head: re.Match[str] | None) -> Iterator[list[Mention]]:
    """Yield the answers that a stretch of text mentions, those that are joined together."""
    match = head or vocabulary.marked.search(region)
    while match is not None:
        group = [vocabulary.mention(match)]
        while (joint := _JOINT.match(region, group[-1].end)) and (
            joined := vocabulary.expected.match(region, joint.end())
        ):
            group.append(vocabulary.mention(joined))
        if not _NOT_OF_OPTIONS.search(region, max(0, group[0].start - 12), group[0].start):
            yield group
        contrast = _CONTRAST.match(region, group[-1].end)
        contrasted = contrast and vocabulary.expected.match(region, contrast.end())
        match = contrasted or vocabulary.marked.search(region, group[-1].end)


def _verdict(region: str, groups: list[list[Mention]], connector: _Connector) -> Claim:
    """Weigh the answers that a statement mentions."""
    rejected: list[list[Mention]] = []
    affirmed: list[list[Mention]] = []
    for group in groups:
        if _is_rejected(region, group):
            rejected.append(group)
        elif _AFFIRMING.match(region, group[-1].end):
            affirmed.append(group)
    if affirmed:
        sets = {frozenset(mention.value for mention in group) for group in affirmed}
        values = tuple(dict.fromkeys(mention.value for mention in affirmed[0] if mention.value is not None))
        if len(sets) > 1 or _ONE_OF_TWO.search(region):
            return Unclear("several answers")
        if None in next(iter(sets)):
            return Unclear("no such option")
        open_ended = _offers_alternatives(region, affirmed[0]) or _DANGLING.match(region, affirmed[0][-1].end)
        return Unclear("alternatives") if open_ended else Stated(values)
    if rejected:
        return Rejected(tuple(mention.value for group in rejected for mention in group))
    unreadable = connector is _Connector.MARK and region.strip()
    return Unclear("the statement names no option") if unreadable else Nothing()


def _is_rejected(region: str, group: list[Mention]) -> bool:
    start = group[0].start
    return bool(_REJECTING.match(region, group[-1].end) or _REJECTED_BEFORE.search(region[max(0, start - 40) : start]))


_ALTERNATIVE: Final = re.compile(r"또는|혹은|아니면|\bor\b|[/|~]|거나|이?든(?![가-힣])|(?<![그보하])이?나(?![가-힣])")


def _offers_alternatives(region: str, group: list[Mention]) -> bool:
    gaps = (region[left.end : right.start] for left, right in zip(group, group[1:], strict=False))
    return any(_ALTERNATIVE.search(gap) for gap in gaps)


_KOREAN_GAP: Final = re.compile(
    rf"{CLOSERS}\s*+(?:\([^()]*+\)\s*+)?(?:이|가|만이|만|은|는)\s*+"
    r"(?:(?:바로|가장|유일한|최종|적절한|올바른|옳은|맞는|적합한|이|문제의)\s+)*"
)
_KOREAN_IS: Final = re.compile(
    r"입니다|이다|다(?![가-힣])|임(?![가-힣])|이에요|예요|이며|이고|이므로|이라고|이라(?!면)|으로|이\s*(?:된|됩|되|맞|확실|분명)"
    r"|일 것|인 것|[.,;!)\"'}\]]|\s*\Z|\s*\n|\s(?=[^\s가-힣])"
)
_KOREAN_IS_NOT: Final = re.compile(
    rf"(?:(?:이|은|으로|이라고는?|이라|일)\s+(?:[가-힣]{{1,4}}\s+){{0,3}}|[이은]?){_NEGATIVE}"
)
_ENGLISH_GAP: Final = re.compile(
    rf"{CLOSERS}\s*+(?:\([^()]*+\)\s*+)?(?:{_ENGLISH_VERB})\s+(?:the|my|our)?\s*"
    r"(?:(?:most|single|only|correct|right|best|final|likely|accurate|appropriate)\s+)*",
    re.VERBOSE,
)
_ENGLISH_NOT_GAP: Final = re.compile(
    rf"{CLOSERS}\s*+(?:{_ENGLISH_VERB}\s+not|isn't|wasn't|(?:would|should|can|could)(?:\s+not|n't)\s+be|cannot\s+be|can't\s+be)"
    r"\s+(?:\w+\s+){0,3}",
    re.VERBOSE,
)


def _claim_behind(plain: str, phrase: re.Match[str], before: str, vocabulary: Vocabulary) -> Claim:
    """Read the answer before the phrase: ``2번이 정답이다``, ``B is the answer``."""
    mentions = [vocabulary.mention(match) for match in vocabulary.subject.finditer(before)]
    if not mentions or phrase["among"] is not None:
        return Nothing()
    last = mentions[-1]
    gap = before[last.end :]
    group = _joined_to_last(before, mentions)
    values = tuple(dict.fromkeys(mention.value for mention in group))
    end = phrase.end("ko") if phrase["ko"] is not None else phrase.end("en")
    if phrase["ko"] is not None:
        stated = _KOREAN_GAP.fullmatch(gap)
        negated = stated and _KOREAN_IS_NOT.match(plain, end)
        affirmed = stated and _KOREAN_IS.match(plain, end)
    else:
        negated = _ENGLISH_NOT_GAP.fullmatch(gap) or _REJECTED_BEFORE.search(before[: group[0].start])
        affirmed = _ENGLISH_GAP.fullmatch(gap)
    if negated:
        return Rejected(values)
    if not affirmed or _DOUBTFUL_BEFORE.search(before[: group[0].start]) or _asks(plain, end):
        return Nothing()
    known = tuple(value for value in values if value is not None)
    joined = _JOINED_BEFORE.search(before[: group[0].start])
    if joined or len(known) < len(values) or _offers_alternatives(before, group):
        return Unclear("no one option is named")
    return Stated(known)


def _joined_to_last(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return the last mention with those before it that are joined to it."""
    group = [mentions[-1]]
    for mention in reversed(mentions[:-1]):
        if not _JOINT.fullmatch(text, mention.end, group[0].start):
            break
        group.insert(0, mention)
    return group


def _asks(plain: str, position: int) -> bool:
    end = _SENTENCE_END.search(plain, position, position + _BEFORE_LENGTH)
    return end is not None and end.group() == "?"
