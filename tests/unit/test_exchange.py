"""One key, one response: what is asked again on purpose has a key of its own."""

from __future__ import annotations

from exambench.exchange import Message, Request, Role, TextPart

MESSAGES = (Message(Role.USER, (TextPart("질문"),)),)


def test_a_further_attempt_is_another_request() -> None:
    """A judge's second try is not answered by its first reply, even where the seed is dropped."""
    keys = {Request("m", MESSAGES, trial=trial, attempt=attempt).key() for trial in (0, 1) for attempt in (0, 1, 2)}
    assert len(keys) == 6


def test_what_may_be_left_out_is_no_part_of_the_question() -> None:
    """Naming a parameter as optional changes nothing that reaches the model."""
    parameters = {"response_format": {"type": "json_object"}}
    plain = Request("m", MESSAGES, parameters)
    assert Request("m", MESSAGES, parameters, optional=frozenset({"response_format"})).key() == plain.key()
