"""What a condition is made of, how it is written, read, stored and told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.errors import ConfigError
from exambench.protocols import Condition, condition_from, condition_text
from exambench.protocols.condition import DIMENSIONS, USUAL, Choices, Images, Passage, Question
from exambench.protocols.labels import Labels
from exambench.protocols.probes import PROBES, probe_of
from tests.protocols.test_rendering import PROTOCOL

VALUES = {
    "wording": ["explicit", "implicit", "original", "english"],
    "passage": [*map(str, Passage)],
    "question": [*map(str, Question)],
    "choices": [*map(str, Choices)],
    "images": [*map(str, Images)],
    "order": ["original", "reversed", "shuffled-1@42", "shuffled-7@1"],
    "labels": [*map(str, Labels)],
    "cot": ["off", "on"],
    "shots": ["0", "5@42", "3@1"],
}


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in VALUES.items()}))
def test_a_condition_is_read_back_from_what_is_stored(settings: dict[str, str]) -> None:
    """What is stored is the wording and all that is not as usual."""
    condition = Condition()
    for name, value in settings.items():
        condition = condition.having(name, value)
    assert {name: condition.value(name) for name in VALUES} == settings
    assert condition_from(condition.as_json()) == condition
    assert set(condition.as_json()) == {"wording"} | {name for name in VALUES if settings[name] != USUAL[name]}


def test_every_dimension_is_tried_here() -> None:
    """The list above is the list of the dimensions."""
    assert list(VALUES) == list(DIMENSIONS) == list(USUAL)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("images", "blurred", "shown, hidden, only, grayscale, half, jpeg30"),
        ("shots", "33", "0 to 32"),
        ("shots", "-1", "0 to 32"),
        ("labels", "roman", "numbers, letters, jamo"),
        ("colour", "red", "question=shown, hidden"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(name: str, value: str, allowed: str) -> None:
    """One error lists the dimensions, or the values of one."""
    with pytest.raises(ConfigError) as error:
        Condition().having(name, value)
    assert allowed in str(error.value)


def test_conditions_are_told_in_words() -> None:
    """Headings of reports say what was shown."""
    assert condition_text({"wording": "implicit"}) == "wording implicit"
    hidden = {"wording": "explicit", "question": "hidden", "order": "shuffled-2@42", "shots": "5@42"}
    assert condition_text(hidden) == (
        "wording explicit, no question, choices shuffled, order 2 of seed 42, 5 examples of seed 42"
    )


def test_what_a_condition_makes_a_protocol_say_is_part_of_its_digest_then_alone() -> None:
    """Runs under the usual condition keep their identifiers, whatever the protocol could say under others."""
    bare = PROTOCOL
    able = replace(bare, suffixes={"cot": "먼저 풀이를 쓰십시오.", "labels": "{{labels}}"}, labelled='"{{answer}}"')
    thinking, labelled = Condition().having("cot", "on"), Condition().having("labels", "jamo")
    assert able.hash_under(Condition()) == able.hash == bare.hash
    assert len({able.hash, able.hash_under(thinking), able.hash_under(labelled)}) == 3
    assert able.hash_under(thinking) != replace(able, suffixes={"cot": "Think."}).hash_under(thinking)
    with pytest.raises(ConfigError, match=r"suffixes\.cot"):
        bare.hash_under(thinking)


def test_every_probe_is_found_again_from_its_conditions() -> None:
    """A stored run is known for the probe that it is; a usual one, or one with two things changed, is none."""
    for probe in PROBES.values():
        for name, value in probe.settings:
            assert probe_of(Condition().having(name, value)) is probe
    assert probe_of(Condition()) is None
    assert probe_of(Condition().having("order", "reversed")) is None
    assert probe_of(Condition().having("question", "hidden").having("cot", "on")) is None


def test_only_what_hides_something_asks_whether_it_is_above_chance() -> None:
    """Examples or other labels leave all there that the answer needs."""
    blind = {name for name, probe in PROBES.items() if probe.blind}
    assert blind == {"no-question", "no-choices", "closed-book", "no-image", "image-only"}
