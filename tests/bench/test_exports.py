"""The server of the exports suite answers as planned, and a harness that finds otherwise is seen."""

from __future__ import annotations

import base64
from collections import Counter
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from bench.exports import Found, compare
from bench.known_answers import KnownAnswers, NotAnItemError, Planned, plan, serving
from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.loading import image_path
from exambench.items import ChoiceKey, Item

MINI: Final = find_definition("kmet-mini")
ITEMS: Final = read_benchmark(MINI)[0].items


@pytest.fixture(scope="module")
def answers() -> KnownAnswers:
    """Return the answers to kmet-mini."""
    return KnownAnswers(ITEMS, images())


def images() -> Path:
    """Return the folder of its pictures."""
    found = image_path(MINI)
    assert found is not None
    return found


def asked(item: Item, pictures: int | None = None) -> dict[str, Any]:
    """Return a request about an item with its first pictures, or with all of them."""
    wording = item.wording()
    text = "\n".join(part.text for part in (wording.question, *wording.choices))
    urls = [
        f"data:image/png;base64,{base64.b64encode((images() / image.path).read_bytes()).decode()}"
        for image in wording.images[:pictures]
    ]
    content = [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]
    return {"messages": [{"role": "user", "content": content}]}


def test_half_of_the_items_are_answered_correctly() -> None:
    """30 of 60; of the other 30, one of five is not answered."""
    assert Counter(plan(ITEMS).values()) == {Planned.RIGHT: 30, Planned.WRONG: 24, Planned.UNREADABLE: 6}


@pytest.mark.parametrize(
    ("program", "form"),
    [("exambench", '{{"정답": {number}}}'), ("inspect", "ANSWER: {letter}"), ("lm-eval", "정답: {letter}")],
)
def test_each_program_gets_the_answer_in_its_form(answers: KnownAnswers, program: str, form: str) -> None:
    """The right choice where it is planned, another one or none where it is not."""
    for item in ITEMS:
        assert isinstance(item.key, ChoiceKey)
        right = form.format(number=item.key.index, letter="ABCDE"[item.key.index - 1])
        said = answers.reply(program, asked(item))
        assert (right in said) is (answers.planned[item.id] is Planned.RIGHT)


def test_an_item_without_its_pictures_is_not_answered(answers: KnownAnswers) -> None:
    """Nor are texts that belong to no item."""
    pictured = next(item for item in ITEMS if item.wording().images)
    with pytest.raises(NotAnItemError, match="and not these"):
        answers.reply("inspect", asked(pictured, pictures=0))
    with pytest.raises(NotAnItemError, match="no item"):
        answers.reply("inspect", {"messages": [{"role": "user", "content": "무엇인가?"}]})


def test_the_server_speaks_the_protocol(answers: KnownAnswers) -> None:
    """A chat is answered, and what is about no item gets an error that says so."""
    item = ITEMS[4]
    with serving(answers) as server, httpx.Client() as client:
        said = client.post(f"{server}/inspect/v1/chat/completions", json=asked(item))
        refused = client.post(f"{server}/inspect/v1/chat/completions", json={"messages": []})
        missing = client.post(f"{server}/other/v1/chat/completions", json=asked(item))
    assert said.json()["choices"][0]["message"]["content"] == answers.reply("inspect", asked(item))
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, "no item has these texts")
    assert missing.status_code == 404


OURS: Final = {"1": 1.0, "2": 0.0, "3": 1.0}


@pytest.mark.parametrize(
    ("found", "differ", "agrees"),
    [
        (Found("all", 2 / 3, OURS), (), True),
        (Found("text", 0.5, {"1": 1.0, "2": 0.0}), (), True),
        (Found("swapped", 2 / 3, {"1": 1.0, "2": 1.0, "3": 0.0}), ("2", "3"), False),
        (Found("unknown", 1.0, {"9": 1.0}), ("9",), False),
        (Found("other mean", 0.5, OURS), (), False),
        (Found("nothing", 0.0, {}), (), False),
    ],
)
def test_agreement_is_item_by_item(found: Found, differ: tuple[str, ...], agrees: bool) -> None:  # noqa: FBT001 - a column of the table
    """The same mean from other items is no agreement, nor is the same items with another mean, nor nothing at all."""
    result = compare(OURS, found)
    assert (result.differ, result.agrees) == (differ, agrees)
