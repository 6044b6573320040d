"""The web server's routes: everything is looked at, nothing is changed."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request, Response
from starlette.middleware.gzip import GZipMiddleware

from exambench.errors import ExambenchError, StoreError
from exambench.report.view.answering import raw_text
from exambench.report.view.live import Looking
from exambench.report.view.memory import UnfinishedError
from exambench.report.view.pages import (
    KINDS,
    Pairs,
    Written,
    asset,
    error_page,
    page_at,
    place_in,
    site_file,
    split_language,
)
from exambench.report.view.pictures import Gallery
from exambench.report.view.safety import App, Guard
from exambench.text import storable

SMALLEST_TO_PACK = 2_000
_log = logging.getLogger(__name__)


def create_app(looking: Looking, gallery: Gallery, *, token: str | None, port: int) -> App:
    """Return the server.

    Args:
        looking: The store.
        gallery: The pictures.
        token: What a reader must know; ``None`` on a loopback address.
        port: Where it will listen.
    """
    app = FastAPI(title="exambench view", docs_url=None, redoc_url=None, openapi_url=None)

    def picture(request: Request) -> Response:
        with looking.moment() as moment:
            found = gallery.find(moment, request.path_params["digest"].partition(".")[0])
        if found is None:
            return _text("There is no such picture.", 404)
        return Response(found.content, media_type=found.kind, headers={"cache-control": "private, max-age=31536000"})

    def raw(request: Request) -> Response:
        pairs = _pairs(request)
        with looking.moment() as moment:
            run = moment.run(request.path_params["run_id"])
            found = None if run is None else raw_text(moment, run, place_in(pairs), dict(pairs).get("part", ""))
        return _text("There is no such text.", 404) if found is None else _text(found, 200)

    def static(request: Request) -> Response:
        name = request.path_params["name"]
        content = asset(name)
        if content is None:
            return _text("There is no such file.", 404)
        return _unless_known(request, content, _etag(content), _kind(name))

    def data(request: Request) -> Response:
        path = request.url.path.lstrip("/")
        with looking.moment() as moment:
            content = site_file(moment, path)
        if content is None:
            return _text("There is no such file.", 404)
        return _unless_known(request, content, _etag(content), _kind(path))

    def page(request: Request) -> Response:
        language, path = split_language(request.path_params["path"])
        pairs = _pairs(request)
        with looking.moment() as moment:
            key = ("page", language, path, tuple(pairs))
            written = moment.pages.get(key, moment.stamp, lambda: page_at(moment, gallery, language, path, pairs))
        return _sent(request, written)

    for path, endpoint in (
        ("/picture/{digest}", picture),
        ("/items/pictures/{digest}", picture),
        ("/raw/{run_id}", raw),
        ("/assets/data/{name}", data),
        ("/downloads/{name}", data),
        ("/assets/{name}", static),
        ("/{path:path}", page),
    ):
        app.add_route(path, _guarded(endpoint), methods=["GET"])
    return Guard(GZipMiddleware(app, minimum_size=SMALLEST_TO_PACK), token=token, port=port)


def _guarded(endpoint: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Return an endpoint whose errors are pages: the server lives on, whatever became of the store."""

    def answering(request: Request) -> Response:
        language, _ = split_language(request.url.path.lstrip("/"))
        try:
            return endpoint(request)
        except UnfinishedError:
            return _sent(request, error_page(language, "view_computing", 202))
        except StoreError as error:
            return _sent(request, error_page(language, "view_store_trouble", 503, str(error)))
        except ExambenchError as error:
            return _sent(request, error_page(language, "view_trouble", 500, str(error)))
        except Exception:  # noqa: BLE001 - whatever it is, it is logged, and the next page may well be made
            _log.exception("a page could not be made")
            return _sent(request, error_page(language, "view_trouble", 500))

    return answering


def _pairs(request: Request) -> Pairs:
    query = request.scope["query_string"].decode("ascii", "replace")
    return [(name, storable(value)) for name, value in parse_qsl(query)]


def _sent(request: Request, written: Written) -> Response:
    if written.status == 200:  # noqa: PLR2004 - success
        return _unless_known(request, written.body, written.etag, KINDS["html"])
    headers = {"cache-control": "no-store", "content-type": KINDS["html"]}
    return Response(written.body, status_code=written.status, headers=headers)


def _unless_known(request: Request, body: bytes, etag: str, kind: str) -> Response:
    headers = {"cache-control": "private, no-cache", "etag": etag}
    known = {each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")}
    if etag in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers | {"content-type": kind})


def _text(text: str, status: int) -> Response:
    headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "private, no-cache"}
    return Response(storable(text).encode(), status_code=status, headers=headers)


def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def _kind(name: str) -> str:
    return KINDS.get(name.rpartition(".")[2], "application/octet-stream")
