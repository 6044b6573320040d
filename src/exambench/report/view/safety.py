"""What stands before every page: who may ask, what may be asked, and what a browser may do with the reply."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'"
)
"""What a page may load; also stated in the page itself, where ``frame-ancestors`` means nothing."""
HEADERS: Final[tuple[Header, ...]] = (
    (b"content-security-policy", f"{POLICY}; frame-ancestors 'none'".encode("ascii")),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
METHODS: Final = frozenset({"GET", "HEAD"})
PARAMETER: Final = "token"
COOKIE_AGE: Final = 7 * 24 * 3600
LONGEST_QUERY: Final = 8_192
MOST_FIELDS: Final = 100


class Guard:
    """Lets through what may be asked by those who may ask, and adds the headers that keep a reply in its place.

    With a token, a reader shows it once in the address and has a cookie from then on; the page that sets the cookie
    leads on to the address without the token by itself, since a cookie of this kind does not go with a redirection
    that began on another site. Without a token the server is on a loopback address, and the name in the address must be
    that of this machine: a page of another site whose name was bent to this machine would ask by its own name.

    Args:
        app: What is guarded.
        token: What a reader must know; ``None`` for nothing.
        port: Port of the server: cookies of servers on other ports of a machine must not be mixed up.
    """

    def __init__(self, app: App, *, token: str | None, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"exambench_view_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope["headers"])
        query = scope.get("query_string", b"")
        if scope["method"] not in METHODS:
            await _refuse(send, 405, "Only GET and HEAD: nothing can be changed here.", (b"allow", b"GET, HEAD"))
        elif len(query) > LONGEST_QUERY or query.count(b"&") >= MOST_FIELDS:
            await _refuse(send, 414, "The address is too long.")
        elif self._token is None:
            if is_this_machine(headers.first("host")):
                await self._app(scope, receive, _with_headers(send))
            else:
                await _refuse(send, 421, "Ask for this server as localhost or 127.0.0.1.")
        elif (given := _given_token(query)) is not None and (self._is_known(headers) or self._is_right(given)):
            await self._lead_on(scope, query, send)
        elif given is None and self._is_known(headers):
            await self._app(scope, receive, _with_headers(send))
        else:
            await _refuse(send, 401, "This server wants its token: open the address that it printed when it started.")

    def _is_known(self, headers: Headers) -> bool:
        jar: SimpleCookie = SimpleCookie()
        try:
            for value in headers.all("cookie"):
                jar.load(value)
        except CookieError:
            return False
        morsel = jar.get(self._cookie)
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self._secret().encode())

    def _secret(self) -> str:
        """Return what the cookie holds: it is made from the token, and does not give it away."""
        return hmac.new(str(self._token).encode(), b"exambench view", hashlib.sha256).hexdigest()

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), str(self._token).encode())

    async def _lead_on(self, scope: Scope, query: bytes, send: Send) -> None:
        cookie = f"{self._cookie}={self._secret()}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_AGE}"
        way = _address_without_token(scope, query)
        page = (
            f'<!doctype html><html lang="en"><meta http-equiv="refresh" content="0; url={way}">'
            f'<title>exambench</title><p><a href="{way}">exambench</a></p></html>'
        )
        await _reply(send, 200, "text/html; charset=utf-8", page, (b"set-cookie", cookie.encode("ascii")))


class Headers:
    """The headers of a request."""

    def __init__(self, pairs: Iterable[Header]) -> None:
        self._pairs = [(name.lower(), value.decode("latin-1")) for name, value in pairs]

    def all(self, name: str) -> list[str]:
        """Return every value of a header."""
        return [value for found, value in self._pairs if found == name.encode("ascii")]

    def first(self, name: str) -> str:
        """Return the first value of a header; empty without one."""
        return next(iter(self.all(name)), "")


def is_loopback(host: str) -> bool:
    """Tell whether an address to listen on can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_this_machine(host: str) -> bool:
    """Tell whether a Host header names this machine by a name that nobody else can give it."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return name is not None and is_loopback(name)


def _given_token(query: bytes) -> str | None:
    pairs = parse_qsl(query.decode("ascii", "replace"), keep_blank_values=True)
    return dict(pairs).get(PARAMETER)


def _address_without_token(scope: Scope, query: bytes) -> str:
    """Return where a reader wanted to go, as it may stand in an attribute: letters, digits and percent signs."""
    pairs = parse_qsl(query.decode("ascii", "replace"), keep_blank_values=True)
    kept = urlencode([pair for pair in pairs if pair[0] != PARAMETER])
    path = "/" + "/".join(urlencode({"": part})[1:].replace("+", "%20") for part in scope["path"].split("/") if part)
    return f"{path}?{kept.replace('&', '&amp;')}" if kept else path


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS]
        await send(message)

    return sending


async def _refuse(send: Send, status: int, reason: str, *more: Header) -> None:
    await _reply(send, status, "text/plain; charset=utf-8", f"{reason}\n", *more)


async def _reply(send: Send, status: int, kind: str, text: str, *more: Header) -> None:
    body = text.encode()
    headers = [
        (b"content-type", kind.encode("ascii")),
        (b"content-length", str(len(body)).encode("ascii")),
        (b"cache-control", b"no-store"),
        *HEADERS,
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
