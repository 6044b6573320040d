"""Keys come from the environment or .env, and are in nothing that is written."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.engine.credentials import REDACTED, Credentials, read_credentials
from exambench.errors import ConfigError
from exambench.models import OpenAIEndpoint

KEY = "key/with+odd\"chars'=="
ENDPOINT = OpenAIEndpoint(base_url="http://127.0.0.1/v1", api_key_env="EXAM_KEY")


def test_the_environment_comes_first(tmp_path: Path) -> None:
    """A key in the environment is used, whatever the file says."""
    dotenv = tmp_path / ".env"
    dotenv.write_text("EXAM_KEY=from-file\n")
    credentials = read_credentials(ENDPOINT, {"EXAM_KEY": " from-environment\n"}, dotenv)
    assert credentials.headers == {"Authorization": "Bearer from-environment"}


@pytest.mark.parametrize("environ", [{}, {"EXAM_KEY": ""}])
def test_the_file_fills_in_and_is_not_exported(tmp_path: Path, environ: dict[str, str]) -> None:
    """What the environment lacks is read from .env as it stands, and child processes do not get it."""
    dotenv = tmp_path / ".env"
    dotenv.write_text('# keys\nexport EXAM_KEY="a$HOME${X}b"\n')
    credentials = read_credentials(ENDPOINT, environ, dotenv)
    assert credentials.headers["Authorization"] == "Bearer a$HOME${X}b"
    assert "EXAM_KEY" not in os.environ


@pytest.mark.parametrize("environ", [{}, {"EXAM_KEY": "  "}])
def test_a_missing_key_is_named(tmp_path: Path, environ: dict[str, str]) -> None:
    """The error names the variable, the field of the model file, and both ways to set it."""
    with pytest.raises(ConfigError, match=r"endpoint\.api_key_env.*EXAM_KEY.*\.env"):
        read_credentials(ENDPOINT, environ, tmp_path / ".env")


@pytest.mark.parametrize("value", ["two\nlines-of-key", "schlüssel-key", "nul\x00-key"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(value: str) -> None:
    """A key with a line break, control or non-ASCII characters is refused, and the error does not show it."""
    with pytest.raises(ConfigError) as refused:
        read_credentials(ENDPOINT, {"EXAM_KEY": value})
    assert "key" not in str(refused.value).replace("api_key_env", "").replace("the key", "").lower().replace(
        "exam_key", ""
    )


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """A .env that is no UTF-8 is an error that names it."""
    dotenv = tmp_path / ".env"
    dotenv.write_bytes(b"EXAM_KEY=\xff\xfe\n")
    with pytest.raises(ConfigError, match=r"\.env"):
        read_credentials(ENDPOINT, {}, dotenv)


def test_no_key_is_asked_for_when_none_is_named() -> None:
    """A local server needs no key."""
    assert read_credentials(OpenAIEndpoint(base_url="http://127.0.0.1/v1"), {}).headers == {}


def test_further_headers_come_from_variables_too() -> None:
    """Headers by variable are sent, and their values are as secret as a key."""
    endpoint = OpenAIEndpoint(base_url="http://127.0.0.1/v1", headers={"api-key": "AZURE"})
    credentials = read_credentials(endpoint, {"AZURE": "azure-secret"})
    assert credentials.headers == {"api-key": "azure-secret"}
    assert "azure-secret" not in credentials.redact("it was azure-secret")


def test_a_header_name_must_be_one() -> None:
    """A name that would break the header block is refused."""
    endpoint = OpenAIEndpoint(base_url="http://127.0.0.1/v1", headers={"a: b\r\nc": "V"})
    with pytest.raises(ConfigError, match="name of a header"):
        read_credentials(endpoint, {"V": "v"})


@pytest.mark.parametrize(
    "echo",
    [KEY, json.dumps(KEY), repr(KEY), KEY.replace("/", "\\/"), base64.b64encode(KEY.encode()).decode()],
)
def test_a_key_is_redacted_in_every_spelling(echo: str) -> None:
    """As it is, as JSON, as Python shows it, and in base64."""
    said = Credentials({}, [KEY]).redact(f"<< {echo} >>")
    assert "odd" not in said
    assert base64.b64encode(KEY.encode()).decode() not in said


@pytest.mark.parametrize(
    ("message", "secret"),
    [
        ("Authorization: Bearer abcdefgh12345", "abcdefgh12345"),
        ('{"authorization": "Token abc123"}', "Token"),
        ("Incorrect API key provided: sk-abc*****wxyz.", "wxyz"),
        ("api_key=topsecret&x=1", "topsecret"),
    ],
)
def test_what_looks_like_a_key_is_redacted_too(message: str, secret: str) -> None:
    """Keys of others, or our own in a form we don't know, don't pass either."""
    said = Credentials().redact(message)
    assert secret not in said
    assert REDACTED in said


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=8), st.text(), st.text())
def test_no_key_survives_redaction(key: str, before: str, after: str) -> None:
    """Whatever stands around a key, it is not in the message any more (unless the mark itself holds it)."""
    credentials = Credentials({}, [key])
    assert key not in credentials.redact(before + key + after).replace(REDACTED, "\x00")
    assert key not in credentials.mask(before + key + after).replace(REDACTED, "\x00")


def test_a_placeholder_key_does_not_alter_answers() -> None:
    """Local servers are given keys such as EMPTY; the word stays in a model's text."""
    credentials = Credentials({}, ["EMPTY"])
    assert credentials.mask("the set is EMPTY") == "the set is EMPTY"
    assert credentials.redact("key EMPTY") == f"key {REDACTED}"


def test_credentials_do_not_show_themselves() -> None:
    """Their repr names the headers, not the values."""
    assert KEY not in repr(Credentials({"Authorization": f"Bearer {KEY}"}, [KEY]))


@pytest.mark.parametrize(
    "echo",
    [
        "kq9zSECRETKEY77xyz",
        "kq9zSECRETKEY77***",
        "KQ9ZSECRETKEY77XYZ",
        "kq9zsecr...",
        base64.b64encode(b"Bearer kq9zSECRETKEY77xyz").decode(),
    ],
)
def test_a_key_that_is_echoed_cut_or_in_other_letters_is_redacted(echo: str) -> None:
    """Endpoints show a key whole, shortened, in another case, or as the header that carried it."""
    shown = Credentials({}, ["kq9zSECRETKEY77xyz"]).redact(f"Incorrect API key provided: {echo}.")
    assert echo not in shown
    assert "secr" not in shown.lower()
