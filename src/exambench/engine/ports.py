"""What the run loop speaks to: something that answers, and something that remembers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from exambench.errors import EndpointError
from exambench.exchange import Claim, Failure, Request, Response


class RequestFailed(EndpointError):  # noqa: N818 - it names an outcome of the ledger, and the cause is in the failure
    """No response could be had for a request in this run; the next run asks again.

    Args:
        failure: Why, with every try.
    """

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.reason)


class RequestWithdrawn(EndpointError):  # noqa: N818 - nothing went wrong: the run was stopped
    """The run was stopped while the request waited to be sent, or to be sent again; it is as if never asked."""


class Responder(Protocol):
    """Whatever answers requests: a client of an endpoint, a baseline."""

    async def respond(self, request: Request) -> Response:
        """Return the response.

        Raises:
            RequestFailed: There is none, and trying further is of no use in this run.
            RequestWithdrawn: The run was stopped before the request was out.
        """
        ...


class Ledger(Protocol):
    """Whatever keeps responses, shared by all processes that work on one run.

    Every method raises :class:`exambench.errors.StoreError` when the ledger cannot be read or written.
    """

    async def claim(self, keys: Sequence[str]) -> Claim:
        """Try to reserve requests for this process."""
        ...

    async def record(self, key: str, response: Response) -> None:
        """Keep a response and give up the claim; returns once the response would survive a crash."""
        ...

    async def record_failure(self, key: str, failure: Failure) -> None:
        """Keep a failure and give up the claim; returns once the failure would survive a crash."""
        ...

    async def release(self, keys: Collection[str]) -> None:
        """Give up claims on requests that were not asked."""
        ...
