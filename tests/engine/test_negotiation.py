"""Endpoints say in many ways that they don't take a parameter; only that is ever negotiated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.engine.negotiation import (
    DROPPABLE,
    Adjustment,
    Dropped,
    Renamed,
    adjust,
    learn,
    permitted,
    read_complaint,
)
from exambench.engine.replies import ServerError

SENT = (
    "model",
    "messages",
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "seed",
    "reasoning_effort",
    "response_format",
)
# Two of pydantic's complaints, as vLLM puts a list of them into its message.
EXTRA = {"type": "extra_forbidden", "msg": "Extra inputs are not permitted", "input": 1}
TOO_LARGE = {"type": "less_than", "msg": "Input should be less than 2", "input": 9}
RENAME = Renamed("max_tokens", "max_completion_tokens")


def complaint(message: str, param: str | None = None, code: str | None = None, status: int = 400) -> set[Adjustment]:
    """Return what a complaint changes in a request with every parameter."""
    return set(read_complaint(status, ServerError(message, param, code), SENT))


@pytest.mark.parametrize(
    ("message", "adjustments"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
            {RENAME},
        ),
        (
            "Unsupported value: 'temperature' does not support 0.1. Only the default (1) value is supported.",
            {Dropped("temperature")},
        ),
        (
            str([EXTRA | {"loc": ("body", "top_k")}, EXTRA | {"loc": ("body", "seed")}]),
            {Dropped("top_k"), Dropped("seed")},
        ),
        (
            str([EXTRA | {"loc": ("body", "top_k")}, TOO_LARGE | {"loc": ("body", "temperature")}]),
            {Dropped("top_k")},
        ),
        ('Invalid JSON payload received. Unknown name "seed": Cannot find field.', {Dropped("seed")}),
        ("top_k: Extra inputs are not permitted", {Dropped("top_k")}),
        ("`temperature` and `top_p` cannot both be specified for this model. Please use only one.", {Dropped("top_p")}),
        ("`temperature` is deprecated for this model.", {Dropped("temperature")}),
        ("Unrecognized request arguments supplied: seed, top_k", {Dropped("seed"), Dropped("top_k")}),
        ("property 'reasoning_effort' is unsupported", {Dropped("reasoning_effort")}),
        ("Model grok does not support parameter reasoningEffort.", {Dropped("reasoning_effort")}),
        ("Argument not supported on this model: topK", {Dropped("top_k")}),
        ("Unsupported parameter: 'top_k'. Supported parameters: temperature, top_p, seed", {Dropped("top_k")}),
        ("top_p is not supported when temperature is 0", {Dropped("top_p")}),
        ("create() got an unexpected keyword argument 'top_k'", {Dropped("top_k")}),
    ],
)
def test_a_complaint_is_understood(message: str, adjustments: set[Adjustment]) -> None:
    """What is named as not taken is dropped or renamed, and nothing else that the message names."""
    assert complaint(message) == adjustments


@pytest.mark.parametrize(
    "message",
    [
        "temperature must be between 0 and 1",
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "Invalid type for 'seed': expected an integer",
        "Unsupported parameter: 'response_format' is not supported with this model.",
        "messages[0].content: image input is not supported",
        "Unsupported value: 'reasoning_effort' does not support 'hihg'. Supported values are: 'low', 'high'.",
        "unsupported",
        "",
    ],
)
def test_another_complaint_is_left_alone(message: str) -> None:
    """Values out of range, lengths, messages and formats are for a person to mend."""
    assert complaint(message) == set()


def test_the_named_field_decides() -> None:
    """Where the endpoint names the field, the words around it do not matter."""
    assert complaint("seed and top_k: not supported", param="seed") == {Dropped("seed")}
    assert complaint("no", param="seed", code="unsupported_parameter") == {Dropped("seed")}


def test_only_rejections_of_the_request_are_read() -> None:
    """The same words under 429 or 500 are something else."""
    assert complaint("'seed' is not supported", status=422) == {Dropped("seed")}
    assert complaint("'seed' is not supported", status=500) == set()


def test_what_was_not_sent_is_not_negotiated() -> None:
    """A complaint about a parameter that was not in the body changes nothing."""
    assert read_complaint(400, ServerError("'seed' is not supported"), ["temperature"]) == ()


def test_adjusting_keeps_order_and_tells_what_it_did() -> None:
    """Only adjustments that make a difference are told."""
    body, applied = adjust({"a": 1, "max_tokens": 5, "seed": 2, "z": 3}, [Dropped("seed"), Dropped("top_k"), RENAME])
    assert list(body.items()) == [("a", 1), ("max_completion_tokens", 5), ("z", 3)]
    assert [str(adjustment) for adjustment in applied] == [
        "dropped:seed",
        "renamed:max_tokens:max_completion_tokens",
    ]


def test_a_new_name_that_is_sent_already_keeps_its_value() -> None:
    """The user's own value under the new name is not overwritten."""
    body, _ = adjust({"max_completion_tokens": 7, "max_tokens": 5}, [RENAME])
    assert body == {"max_completion_tokens": 7}


def test_a_renaming_is_not_undone() -> None:
    """Else two names that are both rejected would be tried in turn for ever."""
    assert learn([RENAME], [Renamed("max_completion_tokens", "max_tokens"), Dropped("seed")]) == (
        RENAME,
        Dropped("seed"),
    )


@given(st.text(), st.sampled_from(DROPPABLE))
def test_any_message_is_read(message: str, name: str) -> None:
    """No message makes the reading fail, and nothing is adjusted that was not sent."""
    found = read_complaint(400, ServerError(f"{message} {name} not supported", param=None), [name])
    assert set(found) <= {Dropped(name)}


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Unsupported parameter: 'response_format' is not supported with this model.", "response_format"),
        ("This response_format type is unavailable now", None),
        ("Invalid schema for response_format 'verdict'", None),
        ("'json_schema' is not one of the supported types", "response_format.type"),
        (str([EXTRA | {"loc": ("body", "response_format")}]), None),
        ("Model does not support responseFormat", None),
    ],
)
def test_a_parameter_that_a_request_can_do_without_is_dropped_when_it_is_named(message: str, param: str | None) -> None:
    """A complaint that names it suffices, in whatever words; only for requests that say so."""
    error = ServerError(message, param, None)
    assert read_complaint(400, error, SENT, {"response_format"}) == (Dropped("response_format"),)
    assert Dropped("response_format") not in read_complaint(400, error, SENT)
    assert read_complaint(500, error, SENT, {"response_format"}) == ()
    assert read_complaint(400, error, ("model", "messages"), {"response_format"}) == ()


def test_a_complaint_about_something_else_keeps_what_is_optional() -> None:
    """What an endpoint does not complain of is sent again."""
    error = ServerError("Unsupported parameter: 'top_k' is not supported", "top_k", None)
    assert read_complaint(400, error, SENT, {"response_format"}) == (Dropped("top_k"),)


def test_a_named_parameter_comes_before_one_that_may_be_meant() -> None:
    """A word that could stand for the response format is no reason to give it up where another is named."""
    error = ServerError("temperature is not supported by the schema of this model", None, None)
    assert read_complaint(400, error, {*SENT, "response_format"}, {"response_format"}) == (Dropped("temperature"),)


def test_a_status_that_may_pass_takes_nothing_away() -> None:
    """A server that has crashed over a schema is asked again as it was."""
    error = ServerError("response_format: internal error", None, None)
    assert read_complaint(500, error, {*SENT, "response_format"}, {"response_format"}) == ()


def test_what_one_request_could_do_without_is_not_taken_from_another() -> None:
    """An endpoint that declined the form of a judge's verdict still gets the format that a model file asks for."""
    learnt = (Dropped("seed"), Dropped("response_format"), RENAME)
    assert permitted(learnt, {"response_format"}) == learnt
    assert permitted(learnt, ()) == (Dropped("seed"), RENAME)
