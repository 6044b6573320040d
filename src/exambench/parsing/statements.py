"""The last explicit statement of an answer in prose, Korean or English.

A statement puts an answer after a phrase ("정답은 2번이다", "Answer: B") or before it ("2번이 정답이다", "B is the
answer").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exambench.outcomes import AnswerValue, Flag
from exambench.parsing.claims import (
    JOINT,
    NEGATIVE,
    REJECTED_BEFORE,
    Claim,
    Nothing,
    Rejected,
    Stated,
    Unclear,
    claim_in,
    offers_alternatives,
)
from exambench.parsing.patterns import LazyPattern
from exambench.parsing.phrases import ENGLISH_VERB, PHRASE, SENTENCE_END, Connector, connector_of, start_of_answer
from exambench.parsing.vocabulary import CLOSERS, JOINING, Mention, Vocabulary, folded


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
    start = start_of_answer(plain, 0, len(plain))
    claim = claim_in(plain[start : start + _STATEMENT_LENGTH], vocabulary, Connector.MARK)
    return claim if isinstance(claim, Stated) else Unclear("the answer field does not hold one answer")


def only_an_option(text: str, vocabulary: Vocabulary) -> AnswerValue | None:
    """Return the one answer that is all that the text says, else ``None``."""
    plain = folded(text).strip()
    start = start_of_answer(plain, 0, len(plain))
    match = vocabulary.expected.match(plain[start:])
    if match is None:
        return None
    rest = plain[start + match.end() :]
    return vocabulary.mention(match).value if _NOTHING_MORE.fullmatch(rest) else None


_LABEL_BEFORE: Final = LazyPattern(r"(?:[0-9]\ *번?|\b[A-E])[.):]?\ *\Z")
_JOINED_BEFORE: Final = LazyPattern(
    rf"(?:\b[A-Z]\b|[0-9]){CLOSERS}\s*번?\s*(?:[,/&]|{JOINING}|\bor\b|\band\b|\bnor\b)\s*(?:or\b|and\b)?[\s(\"']*\Z"
)
_MORE_AFTER: Final = LazyPattern(
    r"[\s.,;]*+(?:또는|혹은|아니면|or\b)"
    r"|;\s*+[(\"']*+(?:[0-9]++|[A-E])[)\"'.]*+\s*+번?\s*+(?:\n|\Z)"
    r"|[^\S\n]*+\n\s*+(?:[-•*]\s*+)?[(\"']*+(?:[0-9]++\s*+번|[0-9]\)|[A-E])[)\"'.]*+[^\S\n]*+(?:\n|\Z)"
    r"|[^\S\n]*+\n\s*+[-•*]\s*+[(\"']*+(?:[0-9]++|[A-Ea-e])(?:[)\"'.]|[^\S\n]*+(?:\n|\Z))"
    r"|[^\S\n]*+\n\s*+\(?[a-z]\)"
)
_NOTHING_MORE: Final = LazyPattern(rf"{CLOSERS}\s*+번?{CLOSERS}\s*+(?:입니다|이다|임|이에요|예요)?[.!\s]*+")
_DOUBTFUL_BEFORE: Final = LazyPattern(
    r"(?:\b(?:if|whether|suppose|supposing|assum\w+|unless)\b[^.,;:]{0,40}"
    r"|(?:틀린|잘못된|그른|아닌)\s*|(?:\b(?:wrong|incorrect|not|never|doubt|no)|n't)\b[^.,;:]{0,30})\Z",
    re.IGNORECASE,
)
_BEFORE_LENGTH: Final = 120
_STATEMENT_LENGTH: Final = 600


def _claims_from_the_end(plain: str, vocabulary: Vocabulary) -> Iterator[Claim]:
    """Yield what each phrase claims, the last phrase first; the stretches between phrases are read once."""
    following = len(plain)
    phrases = list(PHRASE.finditer(plain))
    for position in range(len(phrases) - 1, -1, -1):
        phrase = phrases[position]
        previous = phrases[position - 1].end() if position else 0
        before = plain[max(previous, phrase.start() - _BEFORE_LENGTH) : phrase.start()]
        yield _claim_of(plain, phrase, _last_sentence(before), following, vocabulary)
        following = phrase.start()


def _last_sentence(text: str) -> str:
    end = 0
    for mark in SENTENCE_END.finditer(text):
        end = mark.end()
    return text[end:]


def _claim_of(plain: str, phrase: re.Match[str], before: str, following: int, vocabulary: Vocabulary) -> Claim:
    """Return what one phrase claims, from what stands before and after it."""
    ahead = _claim_ahead(plain, phrase, following, vocabulary)
    behind = _claim_behind(plain, phrase, before, vocabulary)
    if isinstance(ahead, Stated | Rejected) and _DOUBTFUL_BEFORE.search(before):
        ahead = Nothing()
    if _is_not_meant(plain, phrase, before, following):
        return Unclear("the statement is somebody else's, a mistake, or taken back") if _says(ahead, behind) else ahead
    if isinstance(ahead, Nothing):
        return behind
    if isinstance(behind, Stated) and isinstance(ahead, Stated) and set(ahead.values) != set(behind.values):
        return Unclear("two answers in one statement")
    return ahead


def _says(*claims: Claim) -> bool:
    return any(isinstance(claim, Stated) for claim in claims)


_MISTAKEN: Final = LazyPattern(
    r"오해|착각|함정|헷갈|이외|외의|쉽(?:다|지만|습|고|기)|[라다]고\s*(?:했|말했|주장|답했|골랐|적었)"
    r"|\bsee\s+(?:option|choice)|\b(?:but|and|yet)\s+(?:it|that|this|they)\s+(?:is|are|was|were)\s+(?:wrong|incorrect|not)"
)
"""Said after a phrase: the answer there is a mistake, or what somebody else answered."""

_SOMEBODY: Final = LazyPattern(
    r"\b(?:might|may|could|would|many|most|some|people|students?|one)\b[^.;\n]{0,40}"
    r"\b(?:think|say|says|said|guess|assume|believe|choose|pick|argue|give|answered)\b",
    re.IGNORECASE,
)

_TAKEN_BACK: Final = LazyPattern(
    r"(?:\.{2,}|…|[,;.—–-]|\n)\s*(?:아니(?:다|야|요|,|\s)|정정|no\s*,|no\s+wait|wait\b|actually\b|sorry\b)"
    r"[^\n]{0,40}?(?<![A-Za-z0-9])(?:[0-9]|[A-E])(?![A-Za-z0-9])",
    re.IGNORECASE,
)
"""A correction of oneself that names another answer."""

_SAID_WRONG: Final = LazyPattern(
    r"[.!\n]\s*(?:그러나|하지만|그런데|but|however)?,?\s*(?:(?:they|it|that|this)\s+(?:is|are|was|were)\s+)?(?:wrong|incorrect|틀)",
    re.IGNORECASE,
)
_TAIL_LENGTH: Final = 160


def _is_not_meant(plain: str, phrase: re.Match[str], before: str, following: int) -> bool:
    """Tell whether what is said around a phrase shows that its answer is not the one that is given."""
    tail = plain[phrase.end() : min(following, phrase.end() + _TAIL_LENGTH)]
    end = SENTENCE_END.search(tail)
    sentence = tail[: end.start()] if end else tail
    others = _SOMEBODY.search(before) or _SOMEBODY.search(sentence)
    return bool(others or _MISTAKEN.search(sentence) or _TAKEN_BACK.search(tail) or _SAID_WRONG.search(tail))


def _claim_ahead(plain: str, phrase: re.Match[str], following: int, vocabulary: Vocabulary) -> Claim:
    """Read the answer after the phrase, up to the end of the sentence."""
    connector = connector_of(phrase)
    if connector is None or (connector is Connector.SPACE and _labels_an_option(plain, phrase)):
        return Nothing()
    start = start_of_answer(plain, phrase.end(), following)
    limit = min(following, start + _STATEMENT_LENGTH)
    end = SENTENCE_END.search(plain, start, limit)
    stop = end.start() if end else limit
    if end and end.group() == "?":
        return Nothing()
    claim = claim_in(plain[start:stop], vocabulary, connector)
    if isinstance(claim, Stated) and _MORE_AFTER.match(plain, stop):
        return Unclear("further answers follow")
    return claim


def _labels_an_option(plain: str, phrase: re.Match[str]) -> bool:
    """Tell whether the phrase is what is said of an option, as in ``1. 오답 2. 정답 3. 오답``."""
    return _LABEL_BEFORE.search(plain, max(0, phrase.start() - 8), phrase.start()) is not None


_KOREAN_GAP: Final = LazyPattern(
    rf"{CLOSERS}\s*+(?:\([^()]*+\)\s*+)?(?:이|가|만이|만|은|는)\s*+"
    r"(?:(?:바로|가장|유일한|최종|적절한|올바른|옳은|맞는|적합한|이|문제의)\s+)*"
)
_KOREAN_IS: Final = LazyPattern(
    r"입니다|이다|다(?![가-힣])|임(?![가-힣])|이에요|예요|이며|이고|이므로|이라고|이라(?!면)|으로|이\s*(?:된|됩|되|맞|확실|분명)"
    r"|일 것|인 것|[.,;!)\"'}\]]|\s*\Z|\s*\n|\s(?=[^\s가-힣])"
)
_KOREAN_IS_NOT: Final = LazyPattern(
    rf"(?:(?:이|은|으로|이라고는?|이라|일)\s+(?:[가-힣]{{1,4}}\s+){{0,3}}|[이은]?){NEGATIVE}"
)
_ENGLISH_GAP: Final = LazyPattern(
    rf"{CLOSERS}\s*+(?:\([^()]*+\)\s*+)?(?:{ENGLISH_VERB})\s+(?:the|my|our)?\s*"
    r"(?:(?:most|single|only|correct|right|best|final|likely|accurate|appropriate)\s+)*",
    re.VERBOSE,
)
_ENGLISH_NOT_GAP: Final = LazyPattern(
    rf"{CLOSERS}\s*+(?:{ENGLISH_VERB}\s+not|isn't|wasn't|(?:would|should|can|could)(?:\s+not|n't)\s+be|cannot\s+be|can't\s+be)"
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
        negated = _ENGLISH_NOT_GAP.fullmatch(gap) or REJECTED_BEFORE.search(before[: group[0].start])
        affirmed = _ENGLISH_GAP.fullmatch(gap)
    if negated:
        return Rejected(values)
    if not affirmed or _DOUBTFUL_BEFORE.search(before[: group[0].start]) or _asks(plain, end):
        return Nothing()
    known = tuple(value for value in values if value is not None)
    joined = _JOINED_BEFORE.search(before[: group[0].start])
    if joined or len(known) < len(values) or offers_alternatives(before, group):
        return Unclear("no one option is named")
    return Stated(known)


def _joined_to_last(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return the last mention with those before it that are joined to it."""
    group = [mentions[-1]]
    for mention in reversed(mentions[:-1]):
        if not JOINT.fullmatch(text, mention.end, group[0].start):
            break
        group.insert(0, mention)
    return group


def _asks(plain: str, position: int) -> bool:
    end = SENTENCE_END.search(plain, position, position + _BEFORE_LENGTH)
    return end is not None and end.group() == "?"
