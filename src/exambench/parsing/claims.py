"""What a stretch of a statement claims: which answers it mentions, and which of these it affirms or rejects.

Whoever negates, rejects, doubts, or names two has not stated an answer. Every rule here may fail to see an answer; none
may see one that was not given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exambench.outcomes import AnswerValue, Flag
from exambench.parsing.patterns import LazyPattern
from exambench.parsing.phrases import Connector
from exambench.parsing.vocabulary import CLOSERS, COPULA, JOINING, Mention, Vocabulary


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

JOINT: Final = LazyPattern(
    rf"""
    {CLOSERS}(?:\s*+번)?
    (?: \s*(?:[,/&|·+~]|{JOINING}|부터|에서|\band\b|\bor\b|\bnor\b)
        (?:\s*(?:{JOINING}|\band\b|\bor\b))?
      | (?<=\))\s*(?=\() | \s+(?=[0-9]) )
    [\s("'\[]*+ (?:보기|선택지|option|choice)?[\s("'\[]*+
    """,
    re.VERBOSE,
)

_DANGLING: Final = LazyPattern(rf"(?:{JOINT.pattern})(?!a\s)[A-Za-z0-9](?![A-Za-z0-9가-힣])", re.VERBOSE)

_CONTRAST: Final = LazyPattern(
    rf"""
    {CLOSERS}\s*+번?\s*+
    (?:(?:,\s*+)?(?:but|rather\ than|instead\ of|not)\b(?:\ (?:rather|instead))?|[이가]?\s*(?:아니라|아닌|아니고))
    \s+(?:보기|선택지|option|choice)?[\s("'\[]*+
    """,
    re.VERBOSE,
)

_NEGATION_FIRST: Final = LazyPattern(r"(?:not|neither)\s+(?:the\s+)?(?:option|choice)?[\s(\"'\[]*+")

_NOT_OF_OPTIONS: Final = LazyPattern(r"(?:그림|표|식|문제|문항|[Ff]igure|[Tt]able|[Qq]uestion|[Pp]roblem|[Ss]tep)\s*\Z")

NEGATIVE: Final = (
    r"(?:아니(?!면)|아닌|아님|않|(?<!틀림)없|못|틀(?:리|린|렸|림(?!없))"
    r"|제외|오답|잘못|부적|불가|배제|어렵|말고|빼고|대신)"
)
"""Korean words that deny or exclude."""

_REJECTING: Final = LazyPattern(
    rf"""
    {CLOSERS}\s*+번?{CLOSERS}
    (?: \s*[이가은는을를도만]?{NEGATIVE} | :?\s*\(?[X×](?![A-Za-z])
      | \s*(?:[이가은는을를도만에]|이?라고는?|으로|로)\s+(?:[가-힣]{{1,6}}\s+){{0,3}}[가-힣]{{0,4}}?{NEGATIVE}
      | \s*(?:인|일)\s(?:것|수)[^.,\n]{{0,12}}(?:않|없|아니)
      | \s*+(?:(?:,\s*+)?(?:which|that)\s+)?(?:is|was|are|can|could|would|should|does|seems)?\s*+
        (?:not\b|n't|cannot\b|never\b|wrong\b|incorrect\b|false\b|ruled\ out|excluded|eliminated)
    )
    """,
    re.VERBOSE,
)

REJECTED_BEFORE: Final = LazyPattern(
    r"(?:\bnot|n't|\bneither|\bnor|\bnever|\bexcept(?:\ for)?|\brather\ than|\binstead\ of|\bother\ than|\bcannot\ be)"
    r"(?:\s+(?:the|be|option|choice))*[\s(\"'\[]*\Z"
)

_AFFIRMING: Final = LazyPattern(rf"{CLOSERS}(?:\s*번째?)?{CLOSERS}(?:\Z|\s|[.,;:!…(\[<{{/|·—–-]|{COPULA})", re.VERBOSE)

_ONE_OF_TWO: Final = LazyPattern(r"둘 중|둘 다|셋 중|중 하나|\b[Ee]ither\b|\b[Bb]oth\b")

_NONE: Final = LazyPattern(
    r"(?:[가-힣]{1,4}\s+){0,2}(?:없|알 수 없|모르|불분명)|[Nn]one\b|[Uu]n(?:clear|known)|[Ii]mpossible"
)

_ALONE: Final = LazyPattern(rf"[)\]}}]|{CLOSERS}\s*(?:번|{COPULA}|\Z|[.):,<])", re.VERBOSE)

_ALTERNATIVE: Final = LazyPattern(r"또는|혹은|아니면|\bor\b|[/|~]|거나|이?든(?![가-힣])|(?<![그보하])이?나(?![가-힣])")


def claim_in(region: str, vocabulary: Vocabulary, connector: Connector) -> Claim:
    """Return what the words after a connector claim."""
    negation = _NEGATION_FIRST.match(region)
    head = vocabulary.expected.match(region, negation.end() if negation else 0)
    if connector in {Connector.SUBJECT, Connector.SPACE} and head is None:
        return Nothing()
    if connector is Connector.SPACE and head is not None and not _ALONE.match(region, head.end()):
        return Nothing()
    if _NONE.match(region):
        return Unclear("the statement names no option")
    if head is None and connector is Connector.MARK and region[:1].isdigit():
        return Unclear("the statement holds a number that is no option")
    groups = list(_groups(region, vocabulary, head))
    return _verdict(region, groups, connector)


def _groups(region: str, vocabulary: Vocabulary, head: re.Match[str] | None) -> Iterator[list[Mention]]:
    """Yield the answers that a stretch of text mentions, those that are joined together."""
    match = head or vocabulary.marked.search(region)
    while match is not None:
        group = [vocabulary.mention(match)]
        while (joint := JOINT.match(region, group[-1].end)) and (
            joined := vocabulary.expected.match(region, joint.end())
        ):
            group.append(vocabulary.mention(joined))
        if not _NOT_OF_OPTIONS.search(region, max(0, group[0].start - 12), group[0].start):
            yield group
        contrast = _CONTRAST.match(region, group[-1].end)
        contrasted = contrast and vocabulary.expected.match(region, contrast.end())
        match = contrasted or vocabulary.marked.search(region, group[-1].end)


def _verdict(region: str, groups: list[list[Mention]], connector: Connector) -> Claim:
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
        open_ended = offers_alternatives(region, affirmed[0]) or _DANGLING.match(region, affirmed[0][-1].end)
        return Unclear("alternatives") if open_ended else Stated(values)
    if rejected:
        return Rejected(tuple(mention.value for group in rejected for mention in group))
    unreadable = connector is Connector.MARK and region.strip()
    return Unclear("the statement names no option") if unreadable else Nothing()


def _is_rejected(region: str, group: list[Mention]) -> bool:
    start = group[0].start
    return bool(_REJECTING.match(region, group[-1].end) or REJECTED_BEFORE.search(region[max(0, start - 40) : start]))


def offers_alternatives(region: str, group: list[Mention]) -> bool:
    """Tell whether a word such as "or" stands between the answers of a group."""
    gaps = (region[left.end : right.start] for left, right in pairwise(group))
    return any(_ALTERNATIVE.search(gap) for gap in gaps)
