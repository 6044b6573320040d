"""Self-preference is found to the point where it is planted, and families are declared, never guessed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from exambench.errors import ExambenchError
from tests.support.chat_server import Call, Script, serve
from tests.support.judges import (
    FAMILIES,
    RUBRIC,
    Shelf,
    exambench,
    place_of,
    scores,
)


def kin(own: int, bonus: int) -> Script:
    """Judge by item, with some points more on each axis for one model."""

    def value(call: Call) -> float:
        model, item = place_of(call)
        return 2 + item % 2 + (bonus if model == own else 0)

    return scores(value)


@pytest.fixture(scope="module")
def kinship(unjudged: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The first judge gives 알파 two points more on each of four axes, the fourth 베타; the others are fair."""
    shelf = Shelf(Path(shutil.copy(unjudged.store, tmp_path_factory.mktemp("kin") / "r.db")), unjudged.runs)
    for name, script in (("하나", kin(0, 2)), ("둘", kin(0, 0)), ("셋", kin(0, 0)), ("넷", kin(1, 2))):
        shelf.judge(script, name=name)
    return shelf


@pytest.fixture(scope="module")
def alone(unjudged: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """One run that one judge looked at; for tests that only look."""
    shelf = Shelf(Path(shutil.copy(unjudged.store, tmp_path_factory.mktemp("alone") / "r.db")), unjudged.runs[:1])
    shelf.judge(kin(0, 0), name="하나")
    return shelf


def judges_of(shelf: Shelf, *families: str) -> dict[str, Any]:
    """Return what is said of the preference of each judge by name."""
    (panel,) = shelf.shown("self-preference", *families)["panels"]
    return {judge["judge"]: judge for judge in panel["judges"]}


def test_the_planted_preference_is_found_to_the_point(kinship: Shelf) -> None:
    """Eight points in total, whatever the models and other judges are like; who has no family takes no part."""
    found = judges_of(kinship, *FAMILIES)
    for quantity in ("preference", "preference_neutral"):
        figures = found["하나"]["dimensions"][-1][quantity]
        assert [figures["estimate"], figures["low"], figures["high"]] == pytest.approx([8.0, 8.0, 8.0])
    assert found["하나"]["dimensions"][-1]["answers_own_family"] == 14
    assert found["하나"]["dimensions"][-1]["answers_other_families"] == 14  # those of 감마 have no family
    assert found["하나"]["others"] == ["둘", "셋"]  # nor has 넷
    assert "8.00 points more" in found["하나"]["summary"]
    assert found["둘"]["dimensions"][-1]["preference"]["reason"].startswith("no model of the judge's own family")


def test_every_family_is_told_with_how_it_is_known(kinship: Shelf) -> None:
    """Judges and models, in JSON and in the terminal."""
    (panel,) = kinship.shown("self-preference", *FAMILIES)["panels"]
    assert {each["name"]: (each["family"], each["source"]) for each in panel["models"]} == {
        "알파": ("A", "--family"),
        "베타": ("D", "--family"),
        "감마": (None, "not declared"),
    }
    shown = exambench("trust", "self-preference", *FAMILIES, "--store", kinship.store).stdout
    assert re.search(r"넷 +judge +– +not declared", shown)
    assert re.search(r"베타 +model +D +--family", shown)


def test_another_judges_preference_does_not_pass_for_ones_own(kinship: Shelf) -> None:
    """A fair judge held against one that favours its kin seems to favour its own; against neutrals it does not."""
    families = ("둘=A", "넷=B", "셋=C", "알파=A", "베타=B")
    found = judges_of(kinship, *(word for each in families for word in ("--family", each)))
    fair, partial = (found[name]["dimensions"][-1] for name in ("둘", "넷"))
    # On 베타 the fair judge is held against (넷 + 셋)/2, which is 4 too high there: 0 − (−4).
    assert fair["preference"]["estimate"] == pytest.approx(4.0)
    assert fair["preference_neutral"]["estimate"] == pytest.approx(0.0)
    assert partial["preference_neutral"]["estimate"] == pytest.approx(8.0)


def test_how_strict_the_other_judges_are_does_not_pass_for_preference(shelf: Shelf) -> None:
    """A strict judge is no neutral on its own kin, and has not judged all runs; nobody favours anybody."""

    def strict(call: Call) -> float:
        return 1 + place_of(call)[1] % 2

    two = shelf.only(2)
    for name, script in (("하나", kin(0, 0)), ("둘", scores(strict)), ("셋", kin(0, 0))):
        two.judge(script, name=name)
    shelf.only(1).judge(scores(strict), name="넷")
    families = ("하나=A", "둘=B", "셋=C", "넷=D", "알파=A", "베타=B")
    found = judges_of(shelf, *(word for each in families for word in ("--family", each)))
    total = found["하나"]["dimensions"][-1]
    # Each judge of the others, held against 하나, differs by as much on 알파 as on the rest: 0 each.
    assert total["preference"]["estimate"] == total["preference_neutral"]["estimate"] == 0.0
    assert (total["preference"]["low"], total["preference_neutral"]["high"]) == (0.0, 0.0)
    assert found["하나"]["others"] == ["둘", "셋"]  # 넷 has judged 알파 alone, so it can be held against nothing


def test_two_judges_of_two_families_leave_no_neutral(kinship: Shelf) -> None:
    """Then the figure holds both preferences, and the sentence says so."""
    families = ("하나=A", "넷=B", "알파=A", "베타=B")
    found = judges_of(kinship, *(word for each in families for word in ("--family", each)))["하나"]
    # (하나 − 넷) is +8 on 알파 and −8 on 베타.
    assert found["dimensions"][-1]["preference"]["estimate"] == pytest.approx(16.0)
    assert found["dimensions"][-1]["preference_neutral"]["reason"].startswith("no judge that is kin neither")
    assert "whose own preferences are part of it" in found["summary"]


def test_without_families_nothing_is_guessed(kinship: Shelf) -> None:
    """No figure for anybody, and the reason."""
    found = judges_of(kinship)
    assert {judge["family"]["source"] for judge in found.values()} == {"not declared"}
    assert all(judge["dimensions"][-1]["preference"]["estimate"] is None for judge in found.values())
    assert "no family is declared for this judge" in found["하나"]["summary"]


def test_a_family_in_the_model_file_counts_and_an_option_counts_before_it(shelf: Shelf, tmp_path: Path) -> None:
    """It is stored with the judging, and does not change what the judging is."""
    file = tmp_path / "judge.toml"
    with serve(kin(0, 2)) as server:
        plain = f'name = "하나"\n[endpoint]\nbase_url = "{server.base_url}"\n'
        for text in (plain, f'family = "A"\n{plain}'):
            file.write_text(text, encoding="utf-8")
            options = ["--judge", file, "--rubric", RUBRIC, "--store", shelf.store]
            assert exambench("judge", *shelf.runs[:2], *options).exit_code == 0
        assert len(server.calls) == 28
        exambench("judge", *shelf.runs[:2], *shelf.options(server, "둘"))
    declared = (*FAMILIES[2:4], *FAMILIES[6:])
    expected = {"name": "하나", "family": "A", "source": "model file"}
    assert judges_of(shelf, *declared)["하나"]["family"] == expected
    overruled = judges_of(shelf, *declared, "--family", "하나=D")["하나"]["family"]
    assert overruled == {"name": "하나", "family": "D", "source": "--family"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "needs two judges of the same runs.*found: 하나"),
        (("--family", "하나"), "this declares no family"),
        (("--family", "=A"), "this declares no family"),
        (("--family", "하나=A", "--family", "하나=B"), "two families for one name"),
        (("--family", "아무개=A"), "no model and no judge here has this name.*하나, 알파"),
        (("--json", "--csv"), "more than one form"),
        (("--level", "2"), "not a level"),
    ],
)
def test_what_cannot_be_used_is_said(alone: Shelf, more: tuple[str, ...], told: str) -> None:
    """One judge alone, families that are none, names that nobody has."""
    with pytest.raises(ExambenchError, match=told):
        exambench("trust", "self-preference", *more, "--store", alone.store)
