"""Waits grow with each try, are drawn from all of their range, and follow what the endpoint asks."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.engine.retries import RetryPolicy, is_transient, read_retry_after

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 502, 503, 504, 529, 599])
def test_what_may_pass_is_tried_again(code: int) -> None:
    """Time-outs, conflicts, rate limits and every server error are transient."""
    assert is_transient(code)


@pytest.mark.parametrize("code", [200, 301, 400, 401, 403, 404, 413, 422, 600])
def test_what_will_not_pass_is_not(code: int) -> None:
    """Everything else stays as it is."""
    assert not is_transient(code)


@pytest.mark.parametrize(("attempt", "bound"), [(1, 0.5), (2, 1.0), (3, 2.0), (7, 30.0), (5000, 30.0)])
def test_the_bound_doubles_up_to_the_ceiling(attempt: int, bound: float) -> None:
    """Full jitter: uniform between 0 and min(ceiling, base * 2 ** (attempt - 1)); seen over 2,000 draws."""
    rng = random.Random(1)
    waits = [RetryPolicy().delay(attempt, None, rng) for _ in range(2000)]
    assert max(waits) <= bound
    assert max(waits) > 0.98 * bound
    assert min(waits) < 0.02 * bound


@given(st.floats(min_value=0, max_value=1e9), st.integers(1, 100), st.integers())
def test_a_wish_is_met_and_bounded(wish: float, attempt: int, seed: int) -> None:
    """The wait is never shorter than the endpoint asked, unless that is beyond the longest wait."""
    policy = RetryPolicy()
    wait = policy.delay(attempt, wish, random.Random(seed))
    assert min(wish, policy.longest_wait) <= wait <= policy.longest_wait + policy.base


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "5"}, 5.0),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "Thu, 01 Jan 2026 12:01:30 GMT"}, 90.0),
        ({"Retry-After": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "x", "Retry-After": "2"}, 2.0),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "tomorrow"}, None),
        ({"Retry-After": ""}, None),
        ({}, None),
    ],
)
def test_a_wish_is_read_in_each_of_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds and dates are read; what is none of them is as good as not said."""
    assert read_retry_after(headers, NOW) == seconds


@given(st.text())
def test_any_text_is_read_or_left(text: str) -> None:
    """No header makes the reading fail, and none gives a negative wait."""
    wait = read_retry_after({"Retry-After": text}, NOW)
    assert wait is None or wait >= 0
