"""All claims, in the order of the papers, and their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from exambench.analysis.published import (
    kmetbench_gaps,
    kmetbench_leaderboard,
    kmetbench_models,
    kmetbench_robustness,
    kmetbench_sizes,
    kmmmu,
    scholarbench_fit,
    scholarbench_scores,
    scholarbench_sizes,
)
from exambench.analysis.published.claim import CheckedClaim, Claim, Verdict
from exambench.benchmarks.published import Published

CLAIMS: Final[tuple[Claim, ...]] = tuple(
    chain(
        kmetbench_sizes.CLAIMS,
        kmetbench_leaderboard.CLAIMS,
        kmetbench_models.CLAIMS,
        kmetbench_gaps.CLAIMS,
        kmetbench_robustness.CLAIMS,
        kmmmu.CLAIMS,
        scholarbench_sizes.CLAIMS,
        scholarbench_scores.CLAIMS,
        scholarbench_fit.CLAIMS,
    )
)


def check_claims(published: Published) -> tuple[CheckedClaim, ...]:
    """Recompute every claim from the published figures.

    Args:
        published: The figures.

    Raises:
        DataError: A figure that a claim rests on cannot be what it is said to be, such as a percentage that is no
            whole number of items.
    """
    return tuple(claim.check(published) for claim in CLAIMS)


def count_verdicts(checked: Iterable[CheckedClaim]) -> Mapping[Verdict, int]:
    """Return how many claims have each verdict; all three are keys."""
    found = Counter(claim.verdict for claim in checked)
    return {verdict: found[verdict] for verdict in Verdict}
