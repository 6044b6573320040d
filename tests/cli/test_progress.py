"""The line that says how far a run has come."""

import pytest

from exambench.cli.progress import describe_rate


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(None, "–/s"), (0.0, "–/s"), (0.1, "10.0 s each"), (0.99, "1.0 s each"), (1.0, "1.0/s"), (65.4, "65.4/s")],
)
def test_a_slow_rate_is_told_in_seconds_for_each_request(rate: float | None, shown: str) -> None:
    """Below one a second, seconds for each request say more than a fraction that rounds to nothing."""
    assert describe_rate(rate) == shown
