"""A client of the chat-completions protocol: one request in, one response out, whatever the network does.

What counts as a try: every reply and every fault of the network. A rejected parameter is negotiated and asked
again without using up a try, since the endpoint has done no work and each negotiation can happen only once.

Proxies, netrc files and cookies are not used (aiohttp's ``trust_env`` stays off): requests go to the address
in the model file and nowhere else. Redirects are not followed, because they could carry a key to another host.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

import aiohttp
from yarl import URL

from exambench import __version__
from exambench.engine.credentials import Credentials
from exambench.engine.limits import RateLimiter
from exambench.engine.negotiation import Adjustment, adjust, learn, permitted, read_complaint
from exambench.engine.ports import RequestFailed, RequestWithdrawn
from exambench.engine.replies import decode, read_error
from exambench.engine.requests import PreparedImage, text_length
from exambench.engine.retries import RetryPolicy, is_transient, read_retry_after
from exambench.engine.waiting import Sleep, pause
from exambench.engine.wire import CHAT, Wire
from exambench.errors import EndpointError, Finding, ImageError, ReplyError, StatusError, TransportError
from exambench.exchange import Attempt, Failure, Request, Response
from exambench.items import Image
from exambench.models import ModelConfig, OpenAIEndpoint
from exambench.text import storable

LARGEST_REPLY: Final = 32 * 1024 * 1024
LARGEST_ERROR: Final = 64 * 1024
LONGEST_MESSAGE: Final = 400
CONNECT_TIMEOUT: Final = 30.0
KEEP_ALIVE: Final = 30.0
BYTES_PER_TOKEN: Final = 3
"""For estimates alone: about right for Korean and on the safe side for English."""

TOKENS_PER_IMAGE: Final = 1000

_SUCCESS: Final = range(200, 300)

ImageSource = Callable[[Image], PreparedImage]


@dataclass(frozen=True, slots=True)
class _Reply:
    """What came over the wire; ``payload`` is cut after the limit."""

    status: int
    payload: bytes
    retry_after: float | None = None


class _RejectedError(StatusError):
    """The endpoint does not take some of the parameters."""

    def __init__(self, status: int, message: str, adjustments: Sequence[Adjustment]) -> None:
        super().__init__(status, message)
        self.adjustments = adjustments


class ChatClient:
    """Answers requests by asking an OpenAI-compatible endpoint; an asynchronous context manager.

    What an endpoint has rejected is remembered for as long as the client lives.

    Args:
        config: The model. Its limits bound connections, rates, times and tries.
        base_url: Address of the server, for a model that this machine serves itself; otherwise the model file's.
        credentials: Keys, and how to keep them out of messages.
        image_source: Gives the pictures of requests; may block, as it is called in a thread.
        concurrency: Connections at most; the model file's when ``None``.
        policy: When to try again; by default the usual waits with the model file's number of tries.
        limiter: Keeps the limits per minute, for clients that share them; by default one of the model's own.
        rng: Source of the jitter.
        sleep: Waits between tries.
        stop: When it is set, what is on the wire is finished, and nothing waits for a further try.
        wire: The protocol of the endpoint.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        base_url: str | None = None,
        credentials: Credentials | None = None,
        image_source: ImageSource | None = None,
        concurrency: int | None = None,
        policy: RetryPolicy | None = None,
        limiter: RateLimiter | None = None,
        rng: random.Random | None = None,
        sleep: Sleep = asyncio.sleep,
        stop: asyncio.Event | None = None,
        wire: Wire = CHAT,
    ) -> None:
        if base_url is None:
            if not isinstance(config.endpoint, OpenAIEndpoint):
                raise ValueError("only a model file with an OpenAI-compatible endpoint has an address of its own")
            base_url = config.endpoint.base_url
        limits = config.limits
        self._model = config.served_name
        self._wire = wire
        self._url = URL(f"{base_url.rstrip('/')}/{wire.path}")
        self._credentials = credentials or Credentials()
        self._image_source = image_source
        self._concurrency = concurrency or limits.concurrency
        self._timeout = aiohttp.ClientTimeout(
            total=limits.total_timeout, sock_read=limits.read_timeout, sock_connect=CONNECT_TIMEOUT
        )
        self._policy = policy or RetryPolicy(max_attempts=limits.max_attempts)
        self._stop = stop or asyncio.Event()
        self._limiter = limiter or RateLimiter(limits.requests_per_minute, limits.tokens_per_minute, stop=self._stop)
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret
        self._sleep = sleep
        self._adjustments: tuple[Adjustment, ...] = ()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._concurrency, keepalive_timeout=KEEP_ALIVE),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            headers={
                "Content-Type": "application/json",
                "Accept": "application/json",
                "User-Agent": f"exambench/{__version__}",
                **self._credentials.headers,
            },
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def respond(self, request: Request) -> Response:
        """Ask until there is a response, within the model's number of tries.

        Raises:
            RequestFailed: There is none.
            RequestWithdrawn: The run was stopped while this request waited to be sent, or to be sent again.
            ImageError: A picture of the request is missing, broken, or not the one that was planned.
        """
        body = await self._body(request)
        prompt_tokens, output_limit = self._estimate(request)
        attempts: list[Attempt] = []
        faults = 0
        while True:
            sent, applied = adjust(body, permitted(self._adjustments, request.optional))
            reserved = await self._limiter.reserve(prompt_tokens, output_limit)
            started_at, start = _now(), time.perf_counter()
            status: int | None = None
            try:
                reply = await self._post(sent)
                status = reply.status
                response = self._judge(reply, sent, request.optional)
            except EndpointError as error:
                attempts.append(Attempt(started_at, time.perf_counter() - start, self._tell(error), status))
                if self._can_adjust(error, sent, body, request.optional):
                    continue
                faults += 1
                await self._pause_or_fail(error, faults, attempts)
                continue
            seconds = time.perf_counter() - start
            self._limiter.settle(reserved, response.usage.input_tokens, response.usage.output_tokens)
            attempts.append(Attempt(started_at, seconds, None, status))
            return self._masked(response, seconds, attempts, applied)

    async def _body(self, request: Request) -> Mapping[str, object]:
        wanted = request.images
        if not wanted:
            return self._wire.body(request, self._model, ())
        if self._image_source is None:
            raise ValueError("a request has pictures, but the client was given no source of pictures")
        images = [await asyncio.to_thread(self._image_source, image) for image in wanted]
        planned = request.image_digests
        for image, prepared, digest in zip(wanted, images, planned, strict=True):
            if prepared.sha256 != digest:
                raise ImageError(
                    Finding(
                        "the picture is not the one that this run was planned with",
                        file=image.path,
                        value=prepared.sha256,
                        allowed=digest,
                        remedy="Start the command again, and leave the image root alone while it runs",
                    )
                )
        return self._wire.body(request, self._model, images)

    def _estimate(self, request: Request) -> tuple[int, int | None]:
        """Return a guess of the prompt's tokens, and the request's own limit of its answer."""
        if not self._limiter.counts_tokens:
            return 0, None
        tokens = text_length(request) // BYTES_PER_TOKEN + TOKENS_PER_IMAGE * len(request.images)
        limit = request.parameters.get("max_tokens", request.parameters.get("max_completion_tokens"))
        return tokens, limit if isinstance(limit, int) else None

    async def _post(self, body: Mapping[str, object]) -> _Reply:
        """Send a body and read the reply, at most one byte beyond its limit.

        Raises:
            TransportError: The network failed, or the time was up.
        """
        if self._session is None:
            raise RuntimeError("the client is used outside of its context")
        try:
            async with self._session.post(
                self._url, data=json.dumps(body, separators=(",", ":")).encode("ascii"), allow_redirects=False
            ) as reply:
                if reply.status in _SUCCESS:
                    return _Reply(reply.status, await _read(reply.content, LARGEST_REPLY))
                wait = read_retry_after(reply.headers, datetime.now(UTC))
                return _Reply(reply.status, await _read(reply.content, LARGEST_ERROR), wait)
        except TimeoutError as error:
            raise TransportError(f"time-out: {str(error) or 'the reply was not complete in time'}") from None
        except (aiohttp.ClientError, OSError) as error:
            raise TransportError(f"{type(error).__name__}: {error}") from None

    def _judge(self, reply: _Reply, sent: Mapping[str, object], optional: Collection[str]) -> Response:
        """Return the response in a reply.

        Raises:
            StatusError: The status is not success.
            ReplyError: It is, but the body is no chat completion.
        """
        if reply.status in _SUCCESS:
            if len(reply.payload) > LARGEST_REPLY:
                raise ReplyError(f"the reply is longer than {LARGEST_REPLY} bytes")
            try:
                return self._wire.read(reply.payload)
            except ReplyError as error:
                begins = self._short(decode(reply.payload[:LARGEST_ERROR]))
                raise ReplyError(f"{self._short(str(error))}; it begins: {begins}") from None
        said = read_error(reply.payload)
        message = self._short(said.message)
        adjustments = read_complaint(reply.status, said, sent, optional)
        if adjustments:
            raise _RejectedError(reply.status, message, adjustments)
        raise StatusError(reply.status, message, reply.retry_after)

    def _can_adjust(
        self, error: EndpointError, sent: Mapping[str, object], body: Mapping[str, object], optional: Collection[str]
    ) -> bool:
        """Learn from a rejection; tell whether the body would now be another than the one that was sent."""
        if not isinstance(error, _RejectedError):
            return False
        self._adjustments = learn(self._adjustments, error.adjustments)
        return adjust(body, permitted(self._adjustments, optional))[0] != sent

    async def _pause_or_fail(self, error: EndpointError, faults: int, attempts: Sequence[Attempt]) -> None:
        """Wait for the next try.

        Raises:
            RequestFailed: There will be none.
            RequestWithdrawn: The run was stopped.
        """
        final = isinstance(error, StatusError) and not is_transient(error.status)
        if final or faults >= self._policy.max_attempts:
            tries = "" if len(attempts) == 1 else f" ({len(attempts)} attempts)"
            raise RequestFailed(Failure(f"{self._tell(error)}{tries}", tuple(attempts))) from None
        wanted = error.retry_after if isinstance(error, StatusError) else None
        await pause(self._policy.delay(faults, wanted, self._rng), self._sleep, self._stop)
        if self._stop.is_set():
            raise RequestWithdrawn(f"stopped before a further try: {self._tell(error)}")

    def _masked(
        self, response: Response, seconds: float, attempts: Sequence[Attempt], applied: Sequence[Adjustment]
    ) -> Response:
        """Complete a response; a server that echoes our key does not get it into the store."""
        mask = self._credentials.mask
        return replace(
            response,
            text=response.text and mask(response.text),
            reasoning=response.reasoning and mask(response.reasoning),
            finish_reason=response.finish_reason and mask(response.finish_reason),
            refusal=response.refusal and mask(response.refusal),
            served_model=response.served_model and mask(response.served_model),
            seconds=seconds,
            attempts=tuple(attempts),
            adjustments=tuple(map(str, applied)),
        )

    def _tell(self, error: EndpointError) -> str:
        return self._short(str(error))

    def _short(self, text: str) -> str:
        """Return text in one line, without secrets, fit to be stored; secrets go first, or a part of one might stay."""
        line = " ".join(self._credentials.redact(storable(text)).split())
        return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


async def _read(stream: aiohttp.StreamReader, limit: int) -> bytes:
    """Read to the end, or until more than ``limit`` bytes are there."""
    chunks: list[bytes] = []
    length = 0
    async for chunk in stream.iter_any():
        chunks.append(chunk)
        length += len(chunk)
        if length > limit:
            break
    return b"".join(chunks)


def _now() -> str:
    return datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
