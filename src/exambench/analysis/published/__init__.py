"""What the papers claim, recomputed from their own published figures."""

from exambench.analysis.published.check import CLAIMS, check_claims, count_verdicts
from exambench.analysis.published.claim import (
    CheckedClaim,
    Claim,
    NumberClaim,
    Numbers,
    Paper,
    Printed,
    Relation,
    Rows,
    RowsClaim,
    Unavailable,
    Verdict,
)

__all__ = [
    "CLAIMS",
    "CheckedClaim",
    "Claim",
    "NumberClaim",
    "Numbers",
    "Paper",
    "Printed",
    "Relation",
    "Rows",
    "RowsClaim",
    "Unavailable",
    "Verdict",
    "check_claims",
    "count_verdicts",
]
