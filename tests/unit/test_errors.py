"""Errors tell a person where, what, what else, and what to do."""

from typing import Any

import pytest

from exambench.errors import DataError, Finding, listed, show


def test_a_finding_names_place_value_allowed_and_remedy() -> None:
    """A finding is one sentence with everything that a person needs to mend it."""
    finding = Finding(
        problem="the key is out of range",
        file="data.json",
        item="845",
        field="answer",
        value="5",
        allowed="1 to 4",
        remedy="Correct the key",
    )
    assert str(finding) == (
        "data.json, item 845, field answer: the key is out of range (found 5); allowed: 1 to 4. Correct the key."
    )


def test_an_error_counts_what_it_does_not_show() -> None:
    """An error with very many findings shows the first twenty and the number of the rest."""
    error = DataError(*(Finding(problem=f"problem {n}") for n in range(25)))
    assert str(error).endswith("… and 5 more.")
    assert "problem 19." in str(error)
    assert "problem 20." not in str(error)


def test_a_shown_value_is_bounded_and_encodable() -> None:
    """A hostile value neither floods the terminal nor breaks its encoding."""
    assert len(show("x" * 10_000)) < 200
    show("\ud800").encode("utf-8")


def test_a_shown_address_keeps_its_secrets() -> None:
    """A password or a key in an address never reaches a terminal or a log."""
    assert show("m@https://user:secret@host/v1?key=secret") == "'m@https://…@host/v1?…'"


def test_a_long_value_is_shown_at_once_with_its_length() -> None:
    """Secrets are looked for in the beginning only, so that megabytes of hostile text cost nothing."""
    assert show("://" * 1_000_000).endswith("… (3000002 characters)")


@pytest.mark.parametrize("field", ["problem", "file", "item", "field", "value", "allowed", "remedy"])
def test_no_part_of_a_finding_commands_the_terminal(field: str) -> None:
    """Whatever an input has for a name, a message stays one line of printable text."""
    parts: dict[str, Any] = {"problem": "p", field: "\x1b[2J\n기압"}
    finding = Finding(**parts)
    assert str(finding).isprintable()
    assert r"\x1b[2J\n기압" in str(finding)


def test_a_row_of_names_is_as_long_as_a_person_reads() -> None:
    """Twenty names, and the number of the others."""
    names = [f"n{number}" for number in range(300)]
    assert listed(names[:3]) == "n0, n1, n2"
    assert listed(names[:20]) == ", ".join(names[:20])
    assert listed(names) == ", ".join(names[:20]) + " and 280 more"
