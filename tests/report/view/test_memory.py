"""What was computed from a store is kept until the store changes, and no longer."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from exambench.report.view.memory import Memory, UnfinishedError


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


def test_a_value_is_computed_once_for_each_state_of_the_store() -> None:
    """Another stamp is another value."""
    memory, computed = Memory(Clock()), []
    for stamp in ("a", "a", "b", "b", "a"):
        memory.get("key", stamp, lambda stamp=stamp: computed.append(stamp))  # type: ignore[misc]  # the loop's own
    assert computed == ["a", "b", "a"]


def test_what_takes_long_is_shown_for_a_while_after_it_became_old() -> None:
    """Two seconds of work are kept for five times as long, whatever the store does."""
    clock = Clock()
    memory = Memory(clock)

    def work() -> float:
        clock.now += 2
        return clock.now

    assert memory.get("key", "a", work) == 2
    clock.now = 11.9
    assert memory.get("key", "b", work) == 2
    clock.now = 12
    assert memory.get("key", "c", work) == 14


def test_what_is_made_of_an_old_value_is_not_taken_for_new() -> None:
    """Nobody writes any more: whoever asks again has the last state, whoever else asked for parts of it meanwhile."""
    clock = Clock()
    parts, pages = Memory(clock), Memory(clock)

    def part(stamp: str) -> str:
        clock.now += 2
        return stamp

    def page(stamp: str) -> str:
        return pages.get("page", stamp, lambda: f"page of {parts.get('part', stamp, lambda: part(stamp))}")

    parts.get("part", "a", lambda: part("a"))
    assert page("b") == "page of a"
    clock.now = 12
    assert page("b") == "page of b"
    clock.now = 99
    assert pages.get("page", "b", lambda: "anew") == "page of b"


@dataclass
class Work:
    """Something that takes as long as a test wants it to."""

    go: threading.Event = field(default_factory=threading.Event)
    done: int = 0

    def __call__(self) -> int:
        """Wait, and count."""
        self.go.wait()
        self.done += 1
        if self.done == 3:
            raise ValueError("broken")
        return self.done


def test_who_asks_for_what_takes_long_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing yet; then there is the value, the one before while the next is made, and an error just once."""
    memory, work = Memory(), Work()
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 0.0)
    monkeypatch.setattr("exambench.report.view.memory.PATIENCE", 0.0)
    with pytest.raises(UnfinishedError):
        memory.soon("key", "a", work)
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 30.0)
    work.go.set()
    assert memory.soon("key", "a", work) == 1
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 0.0)
    work.go.clear()
    assert memory.soon("key", "b", work) == 1
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 30.0)
    work.go.set()
    assert memory.soon("key", "b", work) == 2
    with pytest.raises(ValueError, match="broken"):
        memory.soon("key", "c", work)
    assert memory.soon("key", "c", work) == 4


def test_a_page_with_a_value_that_is_being_replaced_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as the new one is there, though the store has not changed in between."""
    monkeypatch.setattr("exambench.report.view.memory.PATIENCE", 0.0)
    memory, pages, work = Memory(), Memory(), Work()

    def page(stamp: str) -> str:
        return pages.get("page", stamp, lambda: f"page {memory.soon('key', stamp, work)}")

    work.go.set()
    assert page("a") == "page 1"
    work.go.clear()
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 0.0)
    assert page("b") == "page 1"
    work.go.set()
    monkeypatch.setattr("exambench.report.view.memory.GRACE", 30.0)
    assert page("b") == "page 2"


def test_what_fails_is_not_kept() -> None:
    """The next one who asks tries again."""
    memory = Memory(Clock())

    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        memory.get("key", "a", fail)
    assert memory.get("key", "a", lambda: 1) == 1


def test_the_least_recently_used_are_forgotten() -> None:
    """Two are kept; the one that was asked for again is among them."""
    memory = Memory(Clock(), most=2)
    for key in ("a", "b", "a", "c"):
        memory.get(key, "s", lambda key=key: key)  # type: ignore[misc]  # the loop's own
    assert [memory.get(key, "s", lambda: "anew") for key in "acb"] == ["a", "c", "anew"]


def test_many_who_ask_at_once_wait_for_one() -> None:
    """A page that ten readers open is made once."""
    memory, count, start = Memory(), [], threading.Barrier(10)

    def ask() -> None:
        start.wait()
        memory.get("key", "a", lambda: count.append(1))

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == [1]
