"""A claim of a paper, what follows from the paper's own figures, and the verdict.

Two kinds exist. A :class:`NumberClaim` prints numbers, which are computed anew and compared within half a unit of
the last printed digit. A :class:`RowsClaim` says something of every row; it follows if no row contradicts it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from exambench.benchmarks.published import Published

ROUNDING: Final = 1e-9
ULPS: Final = 4
SMALLEST_FIXED_EXPONENT: Final = -5


class Paper(StrEnum):
    """The three papers; the value is the name of the folder of figures."""

    KMETBENCH = "kmetbench"
    KMMMU = "kmmmu"
    SCHOLARBENCH = "scholarbench"

    @property
    def benchmark(self) -> str:
        """The benchmark's name as its authors write it."""
        return {"kmetbench": "K-MetBench", "kmmmu": "KMMMU", "scholarbench": "ScholarBench"}[self.value]


class Verdict(StrEnum):
    """What became of a claim."""

    FOLLOWS = "follows"
    DOES_NOT_FOLLOW = "does not follow"
    CANNOT_BE_RECOMPUTED = "cannot be recomputed"


class Relation(StrEnum):
    """How a claim relates the quantity to the printed number."""

    EQUAL = "="
    BELOW = "<"
    ABOVE = ">"


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers as a paper prints them.

    Attributes:
        numbers: Their digits; how many there are says how precisely the number is known.
        relation: Whether the quantity is said to equal the number or to lie on one side of it.
        unit: Unit, shown after the number.
    """

    numbers: tuple[str, ...]
    relation: Relation = Relation.EQUAL
    unit: str = ""

    def __str__(self) -> str:
        sign = "" if self.relation is Relation.EQUAL else f"{self.relation.value} "
        return f"{sign}{', '.join(self.numbers)}{_spaced(self.unit)}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers computed anew.

    Attributes:
        values: One per printed number, in its unit.
        n: On how many models, items or cells they rest.
        note: What a reader should know beside the number.
        uncertainty: How far each value may be off because it was computed from rounded figures.
        shown: What to show instead of the values.
    """

    values: tuple[float, ...]
    n: int
    note: str = ""
    uncertainty: float = 0.0
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a look at every row gave.

    Attributes:
        n: How many rows, cells or models were looked at.
        exceptions: Those that contradict the claim, each in a few words.
        note: What a reader should know beside them.
        summary: What to show instead of a long list of exceptions.
    """

    n: int
    exceptions: tuple[str, ...] = ()
    note: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The figures that the claim rests on are not published.

    Attributes:
        reason: What is missing, and what can be said all the same.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim with its verdict, ready to be shown.

    Attributes:
        claim_id: Stable identifier.
        paper: The paper.
        where: Section and table.
        statement: What is claimed, in our words.
        claimed: The printed figure, or what is said of every row.
        recomputed: What was computed anew, as text; empty if nothing could be.
        values: The same in full precision; the number of rows that hold for a claim about rows.
        n: On how many models, items or cells that rests; None if nothing could be computed.
        verdict: Whether the claim follows.
        note: Reasons, exceptions and neighbouring numbers.
    """

    claim_id: str
    paper: Paper
    where: str
    statement: str
    claimed: str
    recomputed: str
    values: tuple[float, ...]
    n: int | None
    verdict: Verdict
    note: str


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A claim that prints numbers.

    Attributes:
        claim_id: Stable identifier, ``paper.topic``.
        paper: The paper.
        where: Section and table.
        statement: What is claimed, in our words.
        printed: The printed numbers.
        recompute: Computes them anew from the published figures.
    """

    claim_id: str
    paper: Paper
    where: str
    statement: str
    printed: Printed
    recompute: Callable[[Published], Numbers | Unavailable]

    def check(self, published: Published) -> CheckedClaim:
        """Compute the numbers anew and compare them with the printed ones."""
        found = self.recompute(published)
        if isinstance(found, Unavailable):
            return _open(self, str(self.printed), found)
        pairs = list(zip(self.printed.numbers, found.values, strict=True))
        agrees = all(agree(number, value, self.printed.relation, found.uncertainty) for number, value in pairs)
        shown = found.shown or ", ".join(one_digit_more(number, value) for number, value in pairs)
        return CheckedClaim(
            claim_id=self.claim_id,
            paper=self.paper,
            where=self.where,
            statement=self.statement,
            claimed=str(self.printed),
            recomputed=shown + _spaced(self.printed.unit),
            values=found.values,
            n=found.n,
            verdict=Verdict.FOLLOWS if agrees else Verdict.DOES_NOT_FOLLOW,
            note=found.note,
        )


@dataclass(frozen=True, slots=True)
class RowsClaim:
    """A claim about every row.

    Attributes:
        claim_id: Stable identifier, ``paper.topic``.
        paper: The paper.
        where: Section and table.
        statement: What is claimed, in our words.
        look: Looks at every row.
    """

    claim_id: str
    paper: Paper
    where: str
    statement: str
    look: Callable[[Published], Rows | Unavailable]

    def check(self, published: Published) -> CheckedClaim:
        """Look at every row and name those that contradict the claim."""
        found = self.look(published)
        if isinstance(found, Unavailable):
            return _open(self, "all", found)
        held = found.n - len(found.exceptions)
        return CheckedClaim(
            claim_id=self.claim_id,
            paper=self.paper,
            where=self.where,
            statement=self.statement,
            claimed="all",
            recomputed=f"{held} of {found.n}",
            values=(held,),
            n=found.n,
            verdict=Verdict.DOES_NOT_FOLLOW if found.exceptions else Verdict.FOLLOWS,
            note="; ".join(part for part in (found.summary or "; ".join(found.exceptions), found.note) if part),
        )


Claim = NumberClaim | RowsClaim


def last_place(number: str) -> float:
    """Return one unit in the last digit of a printed number: 0.01 for ``"-18.55"``, 1e-07 for ``"1.43e-5"``."""
    return float(10.0 ** _exponent(number))


def agree(number: str, value: float, relation: Relation = Relation.EQUAL, uncertainty: float = 0.0) -> bool:
    """Return whether a value fits a printed number.

    Args:
        number: The printed number.
        value: The value computed anew.
        relation: For ``EQUAL`` the value must round to the number: it may differ by half a unit of the last printed
            digit. For ``BELOW`` and ``ABOVE`` it must lie strictly on that side.
        uncertainty: How far the value may be off; it is enough that one value within that distance fits.
    """
    target = float(number)
    if relation is Relation.BELOW:
        return value - uncertainty < target
    if relation is Relation.ABOVE:
        return value + uncertainty > target
    tolerance = last_place(number) / 2 + uncertainty
    slack = ROUNDING * tolerance + ULPS * math.ulp(max(abs(value), abs(target)))
    return abs(value - target) <= tolerance + slack


def one_digit_more(number: str, value: float) -> str:
    """Return a value with one digit more than the printed number that it is compared with."""
    exponent = _exponent(number)
    if exponent < SMALLEST_FIXED_EXPONENT:
        return f"{value:.{len(Decimal(number).as_tuple().digits)}e}"
    if exponent == 0 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.{1 - exponent}f}"


def _exponent(number: str) -> int:
    """Return the power of ten of the last printed digit."""
    exponent = Decimal(number).as_tuple().exponent
    if isinstance(exponent, int):
        return exponent
    raise ValueError(f"{number!r} is not a finite number")


def _open(claim: Claim, claimed: str, found: Unavailable) -> CheckedClaim:
    return CheckedClaim(
        claim_id=claim.claim_id,
        paper=claim.paper,
        where=claim.where,
        statement=claim.statement,
        claimed=claimed,
        recomputed="",
        values=(),
        n=None,
        verdict=Verdict.CANNOT_BE_RECOMPUTED,
        note=found.reason,
    )


def _spaced(unit: str) -> str:
    return f" {unit}" if unit else ""
