"""Probes: conditions that ask where a score comes from, each with what it tests and what a blind guess gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.protocols.condition import MOST_SHOTS, Condition

ONE_OF_K: Final = "one of the k choices: 1/k"
PERMUTATIONS: Final = 5
"""How many orders of its choices an item is reshuffled to, if no number is named."""
RESHUFFLE: Final = "reshuffle"
FEW_SHOT: Final = "few-shot"
_SIZES: Final = {RESHUFFLE: 100, FEW_SHOT: MOST_SHOTS}
"""The probes that may be named with a number, and the largest one."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe.

    Attributes:
        name: Identifier, as in ``no-question``.
        settings: The conditions that it asks besides the usual one: dimension and value of each.
        tests: What it tests, as a question.
        chance: What a blind guess gets under it.
        blind: Whether something that the answer needs is hidden, so that a score above chance tells something.
    """

    name: str
    settings: tuple[tuple[str, str], ...]
    tests: str
    chance: str = ONE_OF_K
    blind: bool = False


def _permutations(count: int) -> tuple[tuple[str, str], ...]:
    return tuple(("order", f"shuffled-{index}") for index in range(1, count + 1))


_PROBES: Final = (
    Probe("no-question", (("question", "hidden"),), "Do the choices alone give the answer away?", blind=True),
    Probe(
        "no-choices", (("choices", "hidden"),), "Is the place of the answer remembered, the choices unseen?", blind=True
    ),
    Probe(
        "all-gold",
        (("choices", "gold"),),
        "Is the form of the answer kept, where any choice is right?",
        "any choice is right: 1; what is lost is lost to the form",
    ),
    Probe("closed-book", (("passage", "hidden"),), "Is the answer known, the passage unread?", blind=True),
    Probe("no-image", (("images", "hidden"),), "Is the picture needed?", blind=True),
    Probe(
        "image-only",
        (("images", "only"),),
        "Does the picture alone give the answer away, its question unread?",
        blind=True,
    ),
    Probe(
        RESHUFFLE,
        _permutations(PERMUTATIONS),
        "Does the answer hang on the order of the choices, or on a place?",
    ),
    Probe(
        "relabel", (("labels", "letters"), ("labels", "jamo")), "Does the answer hang on what the choices are called?"
    ),
    Probe(
        "original-wording", (("wording", "original"),), "Is the exam's own wording solved better than its paraphrase?"
    ),
    Probe("english", (("wording", "english"),), "Is the same item solved alike in Korean and in English?"),
    Probe("chain-of-thought", (("cot", "on"),), "Does it help to think before answering?"),
    Probe(FEW_SHOT, (("shots", "5"),), "Do five examples help?"),
    Probe(
        "degraded-image",
        (("images", "grayscale"), ("images", "half"), ("images", "jpeg30")),
        "How much of the picture's quality is needed?",
    ),
)

PROBES: Final = {probe.name: probe for probe in _PROBES}
"""The probes by name."""


def probe(name: str) -> Probe:
    """Return the probe of that name.

    Raises:
        ConfigError: There is none; the message lists those that there are.
    """
    if name not in PROBES:
        raise ConfigError(
            Finding(
                "there is no such probe",
                field="--probe",
                value=show(name),
                allowed=", ".join(PROBES),
                remedy="Name one of these; see what each tests with: exambench probes",
            )
        )
    return PROBES[name]


def settings_of(word: str) -> tuple[tuple[str, str], ...]:
    """Return the conditions of a probe, as in ``no-question``, ``reshuffle=10``, ``few-shot=3``.

    Raises:
        ConfigError: There is no such probe, or it has no such size.
    """
    name, sign, size = word.partition("=")
    found = probe(name)
    if not sign:
        return found.settings
    most = _SIZES.get(name, 0)
    if not (size.isascii() and size.isdecimal() and len(size) <= len(str(most)) and 1 <= int(size) <= most):
        raise ConfigError(
            Finding(
                "the probe has no such size",
                field="--probe",
                value=show(word),
                allowed=", ".join(f"{each}=1 to {each}={highest}" for each, highest in _SIZES.items()),
                remedy="Name the probe without a size, or one of these",
            )
        )
    return _permutations(int(size)) if name == RESHUFFLE else (("shots", str(int(size))),)


def probe_of(condition: Condition) -> Probe | None:
    """Return the probe that a condition belongs to; ``None`` where more than one thing is unusual, or nothing is."""
    unusual = condition.unusual
    if len(unusual) != 1:
        return None
    ((dimension, value),) = unusual.items()
    return next((probe for probe in _PROBES if any(_is(dimension, value, *each) for each in probe.settings)), None)


def _is(dimension: str, value: str, name: str, text: str) -> bool:
    """Tell whether a value is that of a probe's setting; every permutation and number of examples is one probe's."""
    if dimension != name:
        return False
    match dimension:
        case "order":
            return value.startswith("shuffled-")
        case "shots":
            return True
    return value == text
