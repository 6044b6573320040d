"""When to try again, and after how long: exponential backoff with full jitter.

The jitter is "full" in the sense of M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015:
the wait is uniform between zero and the bound ``min(ceiling, base * 2 ** n)``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

RETRIED_CLIENT_ERRORS: Final = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
)
LARGEST_EXPONENT: Final = 30


def is_transient(status: int) -> bool:
    """Tell whether a later try may succeed after this HTTP status: 408, 409, 425, 429 and every 5xx."""
    return status in RETRIED_CLIENT_ERRORS or 500 <= status <= 599  # noqa: PLR2004 - the class of server errors


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently one request is tried.

    Attributes:
        max_attempts: Tries in all, the first one included.
        base: Upper bound in seconds of the wait after the first try; it doubles with each further one.
        ceiling: Seconds that the bound never exceeds.
        longest_wait: Seconds beyond which an endpoint's own wish for a wait is not followed.
    """

    max_attempts: int = 6
    base: float = 0.5
    ceiling: float = 30.0
    longest_wait: float = 120.0

    def delay(self, attempt: int, retry_after: float | None, rng: random.Random) -> float:
        """Return the seconds to wait after a failed try.

        Args:
            attempt: Which try has failed, counted from 1.
            retry_after: Seconds that the endpoint asked for, if it did. The wait is then never shorter, and
                at most ``base`` longer, so that those who were sent away together don't come back together.
            rng: Source of the jitter.
        """
        if retry_after is not None:
            return min(retry_after, self.longest_wait) + rng.uniform(0.0, self.base)
        exponent = min(attempt - 1, LARGEST_EXPONENT)
        return rng.uniform(0.0, min(self.ceiling, self.base * 2.0**exponent))


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that an endpoint asks to wait, from ``retry-after-ms`` or ``Retry-After``.

    ``Retry-After`` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3); a date that has passed
    means now. What cannot be read is as good as not said.

    Args:
        headers: Response headers, looked up without regard to case.
        now: The present moment, with its time zone.
    """
    milliseconds = _non_negative(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000.0
    said = headers.get("Retry-After")
    seconds = _non_negative(said)
    if seconds is not None or said is None:
        return seconds
    moment = _http_date(said)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def _non_negative(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
