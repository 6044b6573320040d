"""Parameters that an endpoint does not take: read its complaint, and say what to send instead.

Only parameters that shape the drawing of tokens are ever given up, and ``max_tokens`` is only renamed: a limit
on the length must stay. What decides *what* is measured (the messages, ``chat_template_kwargs``, a response
format, fields of the user's own) is never given up; the request fails with the endpoint's words. A request may name
further parameters that it can do without (a judge its response format): of these the name in a complaint suffices,
or else what they are for, since endpoints decline a format in as many words as there are servers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.engine.replies import ServerError

DROPPABLE: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "reasoning_effort",
)
RENAMED: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
NEGOTIABLE_STATUSES: Final = frozenset({400, 422})
DECLINING_STATUSES: Final = NEGOTIABLE_STATUSES | {404, 415, 501}
"""Statuses with which endpoints decline what a request can do without."""

_COMPLAINT: Final = re.compile(
    r"unsupported|not (?:currently )?support|n't support|not permitted|not allowed|not accept|extra_forbidden"
    r"|unrecogni[sz]ed|unknown|unexpected|cannot find field|cannot be specified|deprecated",
    re.IGNORECASE,
)
_ONE_OF_TWO: Final = re.compile(
    r"cannot (?:both|be (?:both|used|specified) (?:together|at the same time))", re.IGNORECASE
)
_MEANT: Final = {
    "response_format": re.compile(
        r"json[\s_-]?(?:schema|mode|object)|structured[\s_-]?(?:output|generation|response)"
        r"|guided[\s_-]?(?:decoding|json|grammar|generation)|\b(?:grammar|schema)\b",
        re.IGNORECASE,
    )
}
"""Words for a parameter that an endpoint does not name."""
_UNSUPPORTED_VALUE: Final = re.compile(r"unsupported[_ ]value|supported values|should be one of", re.IGNORECASE)
_CLAUSE_ENDS: Final = re.compile(
    r"[.;\n](?:\s|$)"  # a sentence
    r"|\}\s*,\s*\{"  # one of several errors in a list
    r"|\b(?:when|if|unless|because)\b"  # what follows is the circumstance
    r"|(?<!not )\bsupported (?:parameters|arguments|fields|values|are)\b",  # what follows is what it does take
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A parameter is left out."""

    name: str

    def __str__(self) -> str:
        return f"dropped:{self.name}"


@dataclass(frozen=True, slots=True)
class Renamed:
    """A parameter is sent under another name."""

    old: str
    new: str

    def __str__(self) -> str:
        return f"renamed:{self.old}:{self.new}"


Adjustment = Dropped | Renamed


def read_complaint(
    status: int, error: ServerError, sent: Collection[str], optional: Collection[str] = ()
) -> tuple[Adjustment, ...]:
    """Return what to change so that the endpoint takes the request; nothing when the complaint is another.

    Args:
        status: HTTP status.
        error: What the endpoint said.
        sent: Names of the parameters that were sent.
        optional: Names of parameters that this request can do without.
    """
    dispensable = [name for name in sorted(optional) if name in sent] if status in DECLINING_STATUSES else []
    return (
        _declined(error, dispensable)
        or (_unsupported(error, sent) if status in NEGOTIABLE_STATUSES else ())
        or tuple(Dropped(name) for name in dispensable if name in _MEANT and _MEANT[name].search(error.message))
    )


def permitted(adjustments: Sequence[Adjustment], optional: Collection[str]) -> tuple[Adjustment, ...]:
    """Return the adjustments that may be made to a request which can do without these parameters."""
    return tuple(
        adjustment
        for adjustment in adjustments
        if not isinstance(adjustment, Dropped) or adjustment.name in DROPPABLE or adjustment.name in optional
    )


def learn(known: Sequence[Adjustment], found: Sequence[Adjustment]) -> tuple[Adjustment, ...]:
    """Return the adjustments with new ones added; a renaming that would undo an earlier one is not learnt."""
    learnt = list(known)
    for adjustment in found:
        undone = isinstance(adjustment, Renamed) and Renamed(adjustment.new, adjustment.old) in learnt
        if adjustment not in learnt and not undone:
            learnt.append(adjustment)
    return tuple(learnt)


def adjust(
    body: Mapping[str, object], adjustments: Sequence[Adjustment]
) -> tuple[Mapping[str, object], tuple[Adjustment, ...]]:
    """Return the body to send and those of the adjustments that made a difference."""
    applied = tuple(adjustment for adjustment in adjustments if _name_before(adjustment) in body)
    if not applied:
        return body, ()
    new_names = {_name_before(adjustment): adjustment for adjustment in applied}
    adjusted: dict[str, object] = {}
    for name, value in body.items():
        match new_names.get(name):
            case None:
                adjusted[name] = value
            case Renamed(new=new) if new not in body:
                adjusted[new] = value
            case _:
                continue
    return adjusted, applied


def _unsupported(error: ServerError, sent: Collection[str]) -> tuple[Adjustment, ...]:
    """Return what to do about parameters of the drawing of tokens that an endpoint does not take."""
    candidates = [name for name in (*DROPPABLE, *RENAMED) if name in sent]
    if _ONE_OF_TWO.search(error.message):
        return _give_up_one({"temperature", "top_p"} & _named(error.message, candidates))
    if _COMPLAINT.search(error.message) is None and _COMPLAINT.search(error.code or "") is None:
        return ()
    named = {error.param} & set(candidates) or _named_in_complaints(error.message, candidates)
    if _UNSUPPORTED_VALUE.search(f"{error.code} {error.message}"):
        named.discard("reasoning_effort")  # a level that does not exist is a mistake in the model file
    return tuple(
        Renamed(name, RENAMED[name]) if name in RENAMED else Dropped(name) for name in candidates if name in named
    )


def _declined(error: ServerError, optional: Sequence[str]) -> tuple[Adjustment, ...]:
    """Return the optional parameters that a complaint names, one of their fields included."""
    field = (error.param or "").partition(".")[0]
    named = {field} & set(optional) or _named(error.message, optional)
    return tuple(Dropped(name) for name in optional if name in named)


def _name_before(adjustment: Adjustment) -> str:
    return adjustment.old if isinstance(adjustment, Renamed) else adjustment.name


def _give_up_one(pair: set[str]) -> tuple[Adjustment, ...]:
    """Of temperature and top-p, the temperature stays: it is what protocols differ in."""
    return (Dropped("top_p"),) if pair == {"temperature", "top_p"} else ()


def _named_in_complaints(message: str, candidates: Collection[str]) -> set[str]:
    """Return the parameters that stand in one clause with a complaint.

    A message may name others too: those that are supported, or the circumstance.
    """
    clauses = [clause for clause in _CLAUSE_ENDS.split(message) if _COMPLAINT.search(clause)]
    return {name for clause in clauses for name in _named(clause, candidates)}


def _named(text: str, candidates: Collection[str]) -> set[str]:
    return {name for name in candidates if re.search(rf"(?<!\w)(?:{name}|{_camel_case(name)})(?!\w)", text)}


def _camel_case(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
