"""A perturbation changes one thing, and leaves alone what a judge should look at."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.items import ChoiceKey, ChoiceSetKey, Content, Item, Key, TextKey
from exambench.judging.perturbations import (
    NAMED_CHOICES,
    NO_CHOICES,
    NO_MAPPING,
    NO_RATIONALE,
    Injection,
    Padding,
    Reordering,
    read_probe_texts,
)
from exambench.judging.rationales import RationaleJudge
from exambench.judging.subjects import Subject
from exambench.outcomes import AnswerValue
from exambench.parsing.rationales import Rationale, RationaleForm
from tests.judging.examples import exam, shipped_rubric

TEXTS = read_probe_texts()


def subject(
    text: str = "기압은 고도에 따라 낮아진다.",
    *,
    choices: int = 4,
    key: Key | None = None,
    answer: AnswerValue | None = 2,
    number: int = 1,
    reference: str = "고도가 높으면 기압이 낮다.",
) -> Subject:
    """Return an answer with a rationale."""
    (item,) = [item for item in exam(number).items if item.id == str(number)]
    wording = replace(item.wording(), choices=tuple(Content(f"{900 + step} hPa") for step in range(choices)))
    form = RationaleForm.FIELD if text else RationaleForm.NONE
    whole: Item = replace(item, key=key or ChoiceKey(3), rationale=reference)
    return Subject(whole, wording, 0, answer, Rationale(text, form))


def content_of(found: Subject, index: object) -> str:
    """Return the words of the choice that a number means."""
    assert isinstance(index, int | str)
    return found.wording.choices[int(index) - 1].text


@given(st.integers(2, 9), st.integers(0, 2**32), st.data())
def test_key_and_answer_go_with_their_choice(choices: int, seed: int, data: st.DataObject) -> None:
    """Whatever the order: the same words are right, the same words were chosen, and some choice has moved."""
    places = st.integers(1, choices)
    right, chosen = data.draw(places), data.draw(places)
    before = subject(choices=choices, key=ChoiceKey(right), answer=chosen)
    after = Reordering(seed).apply(before)
    assert isinstance(after.item.key, ChoiceKey)
    assert content_of(after, after.item.key.index) == content_of(before, right)
    assert content_of(after, after.answer) == content_of(before, chosen)
    assert sorted(map(repr, after.wording.choices)) == sorted(map(repr, before.wording.choices))
    assert after.wording.choices != before.wording.choices
    assert (after.rationale, after.wording.question) == (before.rationale, before.wording.question)


def test_several_right_choices_go_with_their_words() -> None:
    """A set of keys, and an answer of several numbers, in ascending order as before."""
    before = subject(key=ChoiceSetKey(frozenset({1, 4})), answer=("2", "4"))
    after = Reordering(3).apply(before)
    assert isinstance(after.item.key, ChoiceSetKey)
    assert {content_of(after, index) for index in after.item.key.indices} == {"900 hPa", "903 hPa"}
    assert isinstance(after.answer, tuple)
    assert {content_of(after, index) for index in after.answer} == {"901 hPa", "903 hPa"}
    assert list(after.answer) == sorted(after.answer)


def test_the_order_is_a_lot_of_seed_and_item() -> None:
    """The same again with the same seed, another with another, and not one order for all items."""

    def order(seed: int, number: int) -> tuple[str, ...]:
        return tuple(choice.text for choice in Reordering(seed).apply(subject(number=number)).wording.choices)

    assert order(1, 1) == order(1, 1)
    assert len({order(seed, 1) for seed in range(12)}) > 1
    assert len({order(1, number) for number in range(1, 13)}) > 1


@pytest.mark.parametrize(
    "text",
    [
        "따라서 3번이 옳다.",
        "②는 틀렸다.",
        "보기 2의 설명이 맞다.",
        "정답은 4이다.",
        "정답: 4",
        "Option 2 is wrong.",
        "The answer is 3.",
        "그러므로 (3)을 고른다.",
    ],
)
def test_a_rationale_that_names_choices_by_their_place_is_left_alone(text: str) -> None:
    """In another order it would be about another choice; the expert's rationale counts where the judge sees it."""
    assert Reordering(1).obstacle(subject(text)) == NAMED_CHOICES
    assert Reordering(1).obstacle(subject(reference=text)) == NAMED_CHOICES
    assert Reordering(1, with_reference=False).obstacle(subject(reference=text)) is None


@pytest.mark.parametrize("text", ["세 번째로, 3번째 층에서는", "기압은 850 hPa이다.", "온도는 10도, 습도는 30 %"])
def test_numbers_of_something_are_no_choices(text: str) -> None:
    """Counts and quantities stand in most rationales of physics."""
    assert Reordering(1).obstacle(subject(text)) is None


@pytest.mark.parametrize("text", ["위의 모두", "①과 ③", "None of the above", "all of the above"])
def test_a_choice_about_other_choices_keeps_its_place(text: str) -> None:
    """Its meaning depends on the order."""
    found = subject()
    choices = (*found.wording.choices[:3], Content(text))
    assert Reordering(1).obstacle(replace(found, wording=replace(found.wording, choices=choices))) == NAMED_CHOICES


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (subject(""), NO_RATIONALE),
        (subject(key=TextKey("850 hPa"), choices=0), NO_CHOICES),
        (subject(choices=1, key=ChoiceKey(1), answer=1), NO_CHOICES),
        (subject(answer="기온"), NO_MAPPING),
        (subject(answer=7), NO_MAPPING),
        (subject(answer=True), NO_MAPPING),
    ],
)
def test_an_answer_whose_order_cannot_change_says_why(found: Subject, reason: str) -> None:
    """It is left out of the pool, and counted under this reason."""
    assert Reordering(1).obstacle(found) == reason


def test_an_answer_that_could_not_be_read_can_be_reordered() -> None:
    """The judge sees that there is none, before and after."""
    assert Reordering(1).obstacle(subject(answer=None)) is None
    assert Reordering(1).apply(subject(answer=None)).answer is None


@given(st.text(min_size=1, max_size=3000))
def test_padding_doubles_the_length_and_keeps_every_word(text: str) -> None:
    """The rationale stands at the beginning as it was; about as much follows."""
    padded = Padding(TEXTS).apply(subject(text)).rationale.text
    assert padded.startswith(text)
    assert 2 * len(text) <= len(padded) <= 2 * len(text) + 150
    assert Padding(TEXTS).apply(subject(text)).rationale.text == padded


@pytest.mark.parametrize(
    ("text", "letters"), [("기압은 낮아진다. " * 90, "[가-힣]"), ("Pressure falls. " * 100, "[A-Za-z]")]
)
def test_padding_is_in_the_language_of_the_rationale_and_does_not_repeat_itself(text: str, letters: str) -> None:
    """Korean behind Hangul, English behind anything else; no sentence twice in ordinary lengths."""
    added = Padding(TEXTS).apply(subject(text)).rationale.text.removeprefix(text).strip()
    sentences = re.findall(r"[^.]+\.", added)
    assert len(set(sentences)) == len(sentences) > 10
    assert {re.match(letters, word) is not None for word in re.findall(r"\w+", added)} == {True}


def test_the_injected_instruction_stands_at_the_end_in_both_languages() -> None:
    """It asks for the highest score of the rubric, whatever that is."""
    found = Injection(TEXTS, 7).apply(subject("풀이")).rationale.text
    assert found.startswith("풀이\n\n")
    korean, english = found.splitlines()[-2:]
    assert "7점" in korean
    assert "7 points" in english
    assert "{{" not in found


@pytest.mark.parametrize("perturbation", [Padding(TEXTS), Injection(TEXTS, 5)])
def test_without_a_rationale_there_is_nothing_to_change(perturbation: Padding | Injection) -> None:
    """It says so."""
    assert perturbation.obstacle(subject("")) == NO_RATIONALE
    assert perturbation.obstacle(subject("풀이")) is None


def test_each_change_has_a_tag_of_its_own() -> None:
    """Another seed, another text: another judging."""
    tags = [Reordering(1).tag, Reordering(2).tag, Padding(TEXTS).tag, Injection(TEXTS, 5).tag, Injection(TEXTS, 7).tag]
    assert len(set(tags)) == 5


@pytest.mark.parametrize("perturbation", [Reordering(1), Padding(TEXTS), Injection(TEXTS, 5)])
def test_only_the_users_message_changes(perturbation: Reordering | Padding | Injection) -> None:
    """The rubric is the same; what was changed stands in the blocks of what is judged, or among the choices."""
    judge = RationaleJudge(shipped_rubric())
    before, after = (judge.render(each, images=False) for each in (subject(), perturbation.apply(subject())))
    assert before[0] == after[0]
    assert before[1] != after[1]
