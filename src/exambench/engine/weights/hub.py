"""Weights from a model hub, only where the user allows it, continued where a download broke off."""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote

from exambench.engine.weights.files import CHUNK_BYTES, require_room, sha256_of
from exambench.errors import ConfigError, Finding
from exambench.models import HubWeights

ALLOW: Final = "EXAMBENCH_ALLOW_HUB"
"""Nothing is downloaded unless this environment variable is ``1``."""

BASE: Final = "HF_ENDPOINT"
"""Environment variable with the address of another hub or a mirror."""

_ADDRESS: Final = re.compile(r"https?://[^\s?#@]+")

DEFAULT_BASE: Final = "https://huggingface.co"
TRIES: Final = 5
TIMEOUT_SECONDS: Final = 60.0


def download(source: HubWeights, sha256: str, target: Path) -> None:
    """Download a file into ``target``, which appears whole and verified or not at all.

    What has arrived stays beside ``target`` when the connection breaks, and the next try, or the next process,
    continues there. The caller holds the lock of the cache.

    Raises:
        ConfigError: The user has not allowed it, the hub cannot be reached or has no such file, the disk has too
            little room, or the bytes are not the ones with this digest.
    """
    url = _allowed_url(source)
    partial = target.with_suffix(".download")
    _fetch(url, partial)
    found = sha256_of(partial)
    if found != sha256:
        partial.unlink()
        raise ConfigError(
            Finding(
                f"{url} is another file than the model file names",
                field="sha256",
                value=found,
                allowed=sha256,
                remedy="Name the revision whose file has this digest, or correct sha256 if this file is meant",
            )
        )
    partial.replace(target)


def _allowed_url(source: HubWeights) -> str:
    base = os.environ.get(BASE) or DEFAULT_BASE
    if _ADDRESS.fullmatch(base) is None:
        raise ConfigError(
            Finding(
                f"{BASE} is not the address of a hub (it is not shown, since it may hold a password)",
                allowed="http://… or https://…, without a user, a password or a query",
                remedy=f"Correct {BASE}",
            )
        )
    path = f"{quote(source.repository)}/resolve/{quote(source.revision, safe='')}/{quote(source.file)}"
    url = f"{base.rstrip('/')}/{path}"
    if os.environ.get(ALLOW) != "1":
        raise ConfigError(
            Finding(
                f"downloading {url} is not allowed",
                field="weights",
                remedy=f"Set {ALLOW}=1 to allow downloads of weights",
            )
        )
    return url


def _fetch(url: str, partial: Path) -> None:
    """Bring the file to its full length, in a few tries."""
    last: OSError | http.client.HTTPException | None = None
    for _ in range(TRIES):
        try:
            _continue(url, partial)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise ConfigError(_unusable(url, f"HTTP {error.code}")) from error
            # There is nothing behind what we have: it is whole, or it is the beginning of something else.
            return
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            last = error
        else:
            return
    raise ConfigError(_unusable(url, str(last))) from last


def _unusable(url: str, why: str) -> Finding:
    return Finding(
        f"{url} cannot be downloaded: {why}",
        field="weights",
        remedy=f"Check repository, file and revision, the network, and {BASE}; then run the same command again",
    )


def _continue(url: str, partial: Path) -> None:
    """Ask for what is missing and append it.

    Raises:
        http.client.IncompleteRead: The connection ended early; what came has been kept.
    """
    have = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310 - scheme checked
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as reply:  # noqa: S310 - scheme checked
        rest = _Rest.of(reply, have)
        require_room(partial.parent, rest.length or 0)
        with partial.open("r+b" if rest.start else "wb") as out:
            out.seek(rest.start)
            got = _copy(reply, out)
    if rest.length is not None and got < rest.length:
        raise http.client.IncompleteRead(b"", rest.length - got)


@dataclass(frozen=True, slots=True)
class _Rest:
    """Where in the file a reply begins, and how many bytes it promises."""

    start: int
    length: int | None

    @classmethod
    def of(cls, reply: http.client.HTTPResponse, asked: int) -> _Rest:
        length = reply.headers.get("Content-Length")
        promised = int(length) if length is not None and length.isdigit() else None
        place = re.match(r"bytes (\d+)-", reply.headers.get("Content-Range", ""))
        if reply.status == http.HTTPStatus.PARTIAL_CONTENT and place is not None and int(place[1]) == asked:
            return cls(asked, promised)
        # The hub ignores ranges, or sends another one: a whole file starts at its beginning.
        if reply.status == http.HTTPStatus.PARTIAL_CONTENT:
            raise http.client.HTTPException(f"range from {asked} asked, {reply.headers.get('Content-Range')} sent")
        return cls(0, promised)


def _copy(reply: http.client.HTTPResponse, out: BinaryIO) -> int:
    got = 0
    while chunk := reply.read(CHUNK_BYTES):
        out.write(chunk)
        got += len(chunk)
    return got
