"""Keys: where they come from, and how they are kept out of everything that is written.

A key is read from the process's environment, or else from a ``.env`` file, which is parsed but never exported:
processes that we start do not inherit it. A key shows in no ``repr``, error, log, attempt or response.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from dotenv import dotenv_values

from exambench.errors import ConfigError, Finding
from exambench.models import OpenAIEndpoint

REDACTED: Final = "[redacted]"

SHORTEST_IN_TEXT: Final = 8
"""A shorter value is a placeholder such as ``EMPTY``, and may be a word of the model's answer."""

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_LOOKS_SECRET: Final = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=*-]{8,}"), rf"\1 {REDACTED}"),
    (
        re.compile(
            r"""(?i)((?:authorization|api[-_ ]?key)(?:["']|\\")?\s*[:=]\s*(?:["']|\\")?)(?!bearer|basic)[^\s"',}\\]+"""
        ),
        rf"\1{REDACTED}",
    ),
    (re.compile(r"\bsk-[\w*.-]{4,}"), REDACTED),
)


class Credentials:
    """Headers that prove who asks, and the means to keep their values secret.

    Args:
        headers: Header names with their values.
        secrets: The values that must never be written, apart from any prefix such as ``Bearer``.
    """

    def __init__(self, headers: Mapping[str, str] = MappingProxyType({}), secrets: Iterable[str] = ()) -> None:
        self.headers = MappingProxyType(dict(headers))
        secrets = tuple(secrets)
        self._beginnings = tuple(
            re.compile(re.escape(secret[:SHORTEST_IN_TEXT]) + r"[\w*.…-]*", re.IGNORECASE)
            for secret in secrets
            if len(secret) > SHORTEST_IN_TEXT
        )
        spelled = {spelling for secret in secrets for spelling in _spellings(secret)}
        self._spellings = tuple(sorted(spelled, key=lambda spelling: (-len(spelling), spelling)))
        self._long_spellings = tuple(text for text in self._spellings if len(text) >= SHORTEST_IN_TEXT)

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self.headers) or 'none'})"

    def redact(self, message: str) -> str:
        """Return a message without our secrets, nor anything else in it that looks like one."""
        for spelling in self._spellings:
            message = message.replace(spelling, REDACTED)
        for beginning in self._beginnings:
            message = beginning.sub(REDACTED, message)
        for pattern, replacement in _LOOKS_SECRET:
            message = pattern.sub(replacement, message)
        return message

    def mask(self, text: str) -> str:
        """Return a model's text without our secrets, and otherwise as it is."""
        for spelling in self._long_spellings:
            if spelling in text:
                text = text.replace(spelling, REDACTED)
        return text


def read_credentials(endpoint: OpenAIEndpoint, environ: Mapping[str, str], dotenv: Path | None = None) -> Credentials:
    """Return the credentials that a model file names.

    Args:
        endpoint: Names the variables.
        environ: The environment, which comes first.
        dotenv: A ``.env`` file to look into for what the environment lacks; it need not exist.

    Raises:
        ConfigError: A variable is missing, or its value cannot be a header; the value is not shown.
    """
    variables = _Variables(environ, dotenv)
    headers: dict[str, str] = {}
    secrets: list[str] = []
    if endpoint.api_key_env is not None:
        key = variables.read(endpoint.api_key_env, field="endpoint.api_key_env")
        headers["Authorization"] = f"Bearer {key}"
        secrets.append(key)
    for name, variable in endpoint.headers.items():
        if _HEADER_NAME.fullmatch(name) is None:
            raise ConfigError(
                Finding(
                    "this is not the name of a header", field="endpoint.headers", value=name, allowed="RFC 9110 token"
                )
            )
        value = variables.read(variable, field=f"endpoint.headers.{name}")
        headers[name] = value
        secrets += {value, value.rpartition(" ")[2]}
    return Credentials(headers, secrets)


class _Variables:
    """Looks variables up in the environment, then in the file, which is read when first needed."""

    def __init__(self, environ: Mapping[str, str], dotenv: Path | None) -> None:
        self._environ = environ
        self._dotenv = dotenv
        self._from_file: Mapping[str, str | None] | None = None

    def read(self, name: str, *, field: str) -> str:
        value = (self._environ.get(name) or self._file().get(name) or "").strip()
        if not value:
            raise ConfigError(
                Finding(
                    "the key that the model file names is not set",
                    field=field,
                    value=name,
                    remedy=f"Set the environment variable {name}, or write a line {name}=… into .env",
                )
            )
        if _HEADER_VALUE.fullmatch(value) is None:
            raise ConfigError(
                Finding(
                    f"the value of {name} cannot stand in an HTTP header (it is not shown)",
                    field=field,
                    allowed="printable ASCII in one line",
                    remedy=f"Copy the key into {name} again",
                )
            )
        return value

    def _file(self) -> Mapping[str, str | None]:
        if self._from_file is None:
            self._from_file = _read_dotenv(self._dotenv)
        return self._from_file


def _read_dotenv(path: Path | None) -> Mapping[str, str | None]:
    if path is None or not path.is_file():
        return {}
    try:
        return dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            Finding(f"the file cannot be read ({type(error).__name__})", file=str(path), allowed="UTF-8 text")
        ) from None


def _spellings(secret: str) -> set[str]:
    """Return the ways in which an endpoint may echo a secret."""
    as_json = json.dumps(secret)[1:-1]
    spellings = {secret, as_json, repr(secret)[1:-1], html.escape(secret), quote(secret, safe="")}
    spellings |= {spelling.replace("/", "\\/") for spelling in spellings}
    encoded = {base64.b64encode(text.encode()).decode() for text in (secret, f"Bearer {secret}")}
    return (spellings | encoded) - {""}
