"""Who may ask, what may be asked, and what a browser may do with the reply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from exambench.errors import ConfigError
from exambench.report.view.safety import is_loopback, is_this_machine
from exambench.report.view.serving import ServerOptions, address_of, listening, token_for
from exambench.store import open_store
from tests.support import stored_runs as made
from tests.support.viewing import client

TOKEN = "correct-horse-battery"  # noqa: S105 - of this test


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of one answer."""
    path = tmp_path_factory.mktemp("store") / "a.db"
    with open_store(str(path)) as opened:
        made.add_run(opened, made.exam(made.item(0)), "model", {"문항 0": [made.answer(1)]})
    return path


@pytest.fixture(scope="module")
def local(store: Path) -> Iterator[httpx.Client]:
    """A reader on this machine, without a token."""
    with client(store) as asking:
        yield asking


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[httpx.Client]:
    """A server with a token."""
    with client(store, token=TOKEN) as asking:
        yield asking


@pytest.fixture
def guarded(server: httpx.Client) -> httpx.Client:
    """A reader of that server who has no cookie yet."""
    server.cookies.clear()
    return server


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
def test_nothing_but_reading_is_allowed(local: httpx.Client, method: str) -> None:
    """405 with the methods that are."""
    refused = local.request(method, "/runs.html")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


def test_head_is_a_get_without_its_body(local: httpx.Client) -> None:
    """The same headers."""
    got, head = local.get("/runs.html"), local.head("/runs.html")
    assert (head.status_code, head.headers["etag"]) == (200, got.headers["etag"])


@pytest.mark.parametrize("path", ["/runs.html", "/", "/nothing", "/assets/site.css", "/picture/x", "/raw/x", "/docs"])
def test_every_reply_is_kept_in_its_place(local: httpx.Client, path: str) -> None:
    """Own scripts only, no sniffing, no referrer, in no frame; also what is not there."""
    headers = local.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8000", "", "[::1"])
def test_a_name_that_was_bent_to_this_machine_is_refused(local: httpx.Client, host: str) -> None:
    """Another site whose name leads here asks by its own name."""
    assert local.get("/runs.html", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "LOCALHOST:9", "[::1]:8000", "127.0.0.2"])
def test_this_machine_may_be_asked_by_its_own_names(local: httpx.Client, host: str) -> None:
    """On any port, for it may be forwarded."""
    assert is_this_machine(host)
    assert local.get("/runs.html", headers={"host": host}).status_code == 200


def test_without_the_token_there_is_nothing(guarded: httpx.Client) -> None:
    """Not even the style sheet; and the reply does not say what the token is."""
    for path in ("/", "/assets/site.css", "/runs.html?token=", f"/runs.html?token={TOKEN}x", "/?token=%FF%00"):
        refused = guarded.get(path)
        assert refused.status_code == 401
        assert TOKEN not in refused.text
        assert "set-cookie" not in refused.headers


def test_the_token_is_shown_once(guarded: httpx.Client) -> None:
    """It becomes a cookie that scripts cannot read and other sites cannot send, and leaves the address."""
    shown = guarded.get(f"/runs.html?a=1&token={TOKEN}&b=%22")
    cookie = shown.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert TOKEN not in shown.text
    assert 'url=/runs.html?a=1&amp;b=%22"' in shown.text
    page = guarded.get("/runs.html?a=1&b=%22")
    assert page.status_code == 200
    assert TOKEN not in page.text


def test_a_known_reader_who_shows_the_token_again_is_led_on(guarded: httpx.Client) -> None:
    """No page stands at an address with a token in it."""
    guarded.get(f"/?token={TOKEN}")
    assert "url=/runs.html" in guarded.get(f"/runs.html?token={TOKEN}").text


@pytest.mark.parametrize("path", ["//evil.example/", "/%22%3E%3Cscript%3E", "/\\evil.example"])
def test_the_way_on_leads_nowhere_else(guarded: httpx.Client, path: str) -> None:
    """Whatever address the token came with, one leads on within this server, and nothing ends the attribute."""
    request = guarded.build_request("GET", f"/?token={TOKEN}")
    request.url = request.url.copy_with(raw_path=f"{path}?token={TOKEN}".encode())
    text = guarded.send(request).text
    (way,) = {part.partition('"')[0] for part in text.split('href="')[1:]}
    assert way.startswith("/")
    assert not way.startswith(("//", "/\\"))
    assert "<script" not in text


def test_a_forged_cookie_is_no_token(guarded: httpx.Client) -> None:
    """Nor is the token itself, nor what is no cookie at all."""
    name = f"exambench_view_{guarded.base_url.port}"
    for value in (f"{name}={TOKEN}", f"{name}=", f"{name}=é", "{;}=,"):
        assert guarded.get("/runs.html", headers=[(b"cookie", value.encode("utf-8"))]).status_code == 401


def test_an_address_without_end_is_refused(local: httpx.Client) -> None:
    """Before anything looks at it."""
    assert local.get("/runs.html?q=" + "x" * 10_000).status_code == 414


def test_other_machines_need_a_token() -> None:
    """One is made up where none is given; on this machine none is needed."""
    assert token_for(ServerOptions("a.db")) is None
    made_up = [token_for(ServerOptions("a.db", host=host)) for host in ("0.0.0.0", "::", "192.0.2.1", "host")]  # noqa: S104 - not listened on
    assert all(token is not None and len(token) >= 32 for token in made_up)
    assert len(set(made_up)) == 4
    assert token_for(ServerOptions("a.db", token=TOKEN)) == TOKEN


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "비밀비밀비밀비밀비밀비밀비밀비밀", "x" * 20 + "\n"])
def test_a_token_that_is_easily_guessed_is_refused(token: str) -> None:
    """The error does not repeat it."""
    with pytest.raises(ConfigError, match="16 printable") as refused:
        token_for(ServerOptions("a.db", token=token))
    assert not token or token not in str(refused.value)


def test_loopback_addresses() -> None:
    """By number, or by the one name that is always this machine's."""
    assert all(map(is_loopback, ("127.0.0.1", "127.8.9.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "192.0.2.1", "localhost.example", "example")))  # noqa: S104 - not listened on


def test_a_port_in_use_is_one_clear_error() -> None:
    """With the port, and what to do."""
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"127\.0\.0\.1 port {port}.*Name another port"):
            listening("127.0.0.1", port)
    with pytest.raises(ConfigError, match="cannot be listened on"):
        listening("no.such.host.invalid", 0)


def test_the_address_that_is_printed_can_be_opened() -> None:
    """An address that stands for all is shown as this machine's; version 6 in brackets."""
    assert address_of("127.0.0.1", 80, None) == "http://127.0.0.1:80/"
    assert address_of("::1", 80, None) == "http://[::1]:80/"
    assert address_of("0.0.0.0", 80, TOKEN) == f"http://127.0.0.1:80/?token={TOKEN}"  # noqa: S104 - not listened on
