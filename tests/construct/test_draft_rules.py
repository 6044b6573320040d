"""Drafts as a model writes them: what is read of a reply, and by which rule a draft falls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.draft_rules import Rules, right_choices
from exambench.construct.mentions import read_wordbook
from exambench.construct.rounds import Round, read_prompts
from exambench.construct.topics import Topics
from exambench.construct.written_drafts import Drafted, Task, letter_of, read_drafts

KO = (
    "해풍 전선이 머무른 날의 고온은 하강 기류로 설명된다. "
    "되돌아 나가는 공기는 바다 위에서 가라앉으며 단열 압축으로 데워지고, 그 아래의 혼합층을 얕게 만든다. "
    "혼합층이 얕아지면 같은 양의 열이 더 적은 공기를 데우므로 기온이 빨리 오른다."
)
EN = (
    "A weir was closed upstream in the third year. It held back sand but hardly any clay, so the sediment in the creek "
    "became finer. On the inner platform nothing changed for two years, because only the finest grains had reached it."
)
TOPICS = Topics({}, {"Coasts": {"Sediment": "what is carried", "Tides": ""}})
ANY = Topics({}, {})
SOUND: dict[str, Any] = {
    "question": "해풍이 늦어질 때 해안의 기온이 오르는 까닭을 설명하는 과정은?",
    "topic": "기온",
    "reasoning": "가라앉은 공기가 데워지고 혼합층이 얕아진다.",
}
CHOICES = ("혼합층이 두꺼워진다", "공기가 단열 압축된다", "바다가 차가워진다", "구름이 두꺼워진다")


def rules(passage: str = KO, language: str = "ko", *, with_reasoning: bool = True, topics: Topics = ANY) -> Rules:
    """Return rules for a paragraph."""
    return Rules(passage, "Coasts", language, topics, read_wordbook(), with_reasoning=with_reasoning)


def problems(task: Task, **changes: object) -> str:
    """Return what is wrong with a draft about the Korean paragraph, in one text."""
    return " ".join(rules().problems(Drafted(task, **{**SOUND, **changes})))


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        (Task.SHORT_ANSWER, {"answer": ("단열 압축",)}),
        (Task.SHORT_ANSWER, {"answer": ("단열압축",)}),
        (Task.MULTIPLE_CHOICE, {"choices": CHOICES, "answer": ("b",)}),
        (Task.MULTIPLE_SELECT, {"choices": CHOICES, "answer": ("a", "b", "d")}),
        (Task.MULTIPLE_SELECT, {"choices": CHOICES, "answer": ("a, b",)}),
        (Task.TRUE_FALSE, {"question": "혼합층이 얕을수록 기온이 천천히 오른다.", "answer": ("false",)}),
        (Task.SUMMARIZATION, {"answer": ("가라앉는 공기가 데워지고 혼합층이 얕아져 해안이 더워진다.",)}),
    ],
)
def test_a_sound_draft_has_no_problems(task: Task, fields: dict[str, object]) -> None:
    """Each task in the form that the prompt asks for."""
    assert not problems(task, **fields)


@pytest.mark.parametrize(
    ("task", "fields", "problem"),
    [
        (Task.SHORT_ANSWER, {"answer": ("복사 냉각",)}, "does not stand in the paragraph: 복사 냉각"),
        (Task.SHORT_ANSWER, {"answer": ("압축으로 데",)}, "but as part of other words"),
        (Task.SHORT_ANSWER, {"answer": ("하강 기류", "단열 압축")}, "no single text"),
        (Task.SHORT_ANSWER, {"answer": ()}, "no single text"),
        (Task.SHORT_ANSWER, {"answer": ("기온",)}, "The question names its answer: 기온"),
        (Task.SHORT_ANSWER, {"answer": ("단열 압축",), "reasoning": ""}, "The reasoning is missing"),
        (Task.SHORT_ANSWER, {"answer": ("단열 압축",), "topic": ""}, "The topic is missing"),
        (Task.SHORT_ANSWER, {"answer": ("단열 압축",), "question": "본 연구에서 밝힌 과정은?"}, "refers to the text"),
        (Task.SHORT_ANSWER, {"answer": ("단열 압축",), "question": "Which process is it?"}, "not in the language"),
        (Task.SHORT_ANSWER, {"question": ""}, "The question is empty"),
        (Task.MULTIPLE_CHOICE, {"choices": CHOICES[:3], "answer": ("b",)}, "not 4 choices"),
        (Task.MULTIPLE_CHOICE, {"choices": (*CHOICES, "비가 온다"), "answer": ("b",)}, "not 4 choices"),
        (Task.MULTIPLE_CHOICE, {"choices": CHOICES, "answer": ("e",)}, "names no choices by the letters"),
        (Task.MULTIPLE_CHOICE, {"choices": CHOICES, "answer": ("b", "c")}, "not exactly one letter"),
        (Task.MULTIPLE_CHOICE, {"choices": CHOICES, "answer": ()}, "names no choices by the letters"),
        (Task.MULTIPLE_CHOICE, {"choices": (*CHOICES[:3], "혼합층이  두꺼워진다."), "answer": ("b",)}, "the same"),
        (Task.MULTIPLE_CHOICE, {"choices": (*CHOICES[:3], "위의 모두"), "answer": ("b",)}, "speaks of other choices"),
        (Task.MULTIPLE_CHOICE, {"choices": (*CHOICES[:3], "저자의 견해"), "answer": ("b",)}, "The choice refers"),
        (
            Task.MULTIPLE_CHOICE,
            {"choices": ("해안의 기온", *CHOICES[:3]), "answer": ("a",)},
            "The question names its answer: 해안의 기온",
        ),
        (Task.MULTIPLE_SELECT, {"choices": CHOICES, "answer": ("b",)}, "not from 2 to 3"),
        (Task.MULTIPLE_SELECT, {"choices": CHOICES, "answer": ("a", "b", "c", "d")}, "not from 2 to 3"),
        (Task.MULTIPLE_SELECT, {"choices": CHOICES, "answer": ("a", "a", "b")}, "names a letter twice"),
        (Task.TRUE_FALSE, {"answer": ("true",)}, "It asks, instead of stating"),
        (Task.TRUE_FALSE, {"question": "기온이 오른다.", "answer": ("아마도",)}, "neither"),
        (Task.SUMMARIZATION, {"answer": ()}, "There is no summary"),
        (Task.SUMMARIZATION, {"answer": (KO[:-1] + " 그렇다.",)}, "longer than 50%"),
        (Task.SUMMARIZATION, {"answer": ("되돌아 나가는 공기는 바다 위에서 가라앉으며",)}, "or nothing else"),
        (Task.SUMMARIZATION, {"answer": ("Sinking air is warmed.",)}, "not in the language"),
    ],
)
def test_each_rule_says_what_it_finds(task: Task, fields: dict[str, object], problem: str) -> None:
    """The complaint names the rule, and the words that break it."""
    assert problem in problems(task, **fields)


def test_an_english_draft_is_held_against_its_paragraph() -> None:
    """Ten words in a row are a copy; Korean is another language; a question may offer its answer among others."""
    english = rules(EN, "en", topics=TOPICS)
    copied = Drafted(Task.SUMMARIZATION, answer=("It held back sand but hardly any clay, so the sediment in it.",))
    assert "10 words or more in a row" in english.problems(copied)[0]
    korean = Drafted(Task.SHORT_ANSWER, "무엇이 달라졌는가?", answer=("clay",), topic="Sediment", reasoning="x")
    assert "not in the language of the paragraph, en" in english.problems(korean)[0]
    offered = Drafted(
        Task.MULTIPLE_CHOICE,
        "Was it sand or clay that the weir let through?",
        ("Sand", "Clay", "Peat", "Gravel"),
        ("b",),
        topic="Sediment",
        reasoning="x",
    )
    assert not english.problems(offered)


@pytest.mark.parametrize(
    ("question", "is_korean"),
    [
        ("DNA methyltransferase DNMT3A와 TET2의 기능은?", True),
        ("CRISPR-Cas9 knockout mouse에서 관찰된 phenotype은?", True),
        ("What is 보웬비 used for?", False),
        ("Which plants need less water than lawns do?", False),
    ],
)
def test_words_tell_the_language_of_a_question(question: str, *, is_korean: bool) -> None:
    """Names in Latin letters make no Korean question English, nor does one Korean term an English one Korean."""
    found = problems(Task.SHORT_ANSWER, question=question, answer=("단열 압축",))
    assert ("not in the language" in found) is not is_korean


def test_a_topic_has_to_be_on_the_list_of_its_category() -> None:
    """In any case; with other topics allowed, or without a list, any short one will do."""
    assert TOPICS.find("Coasts", "sediment") == "Sediment"
    assert TOPICS.find("Coasts", "Weather") is None
    assert Topics({}, TOPICS.covers, others=True).find("Coasts", " Weather ") == "Weather"
    assert TOPICS.find("Money", "Anything") == "Anything"
    assert TOPICS.find("Money", "x" * 61) is None
    assert TOPICS.listing("Coasts", "en") == "- Sediment: what is carried\n- Tides"
    assert TOPICS.listing("Money", "en") == "–"


@pytest.mark.parametrize(
    "reply",
    [
        '{"task": "short_answer", "question": "Q", "answer": "clay", "topic": "T"}',
        'Here you are:\n```json\n{"task": "short_answer", "question": "Q", "answer": "clay", "topic": "T"}\n```\nDone.',
        "{'task': 'short_answer', 'question': 'Q', 'answer': 'clay', 'topic': 'T',}",
        '{"items": [{"task": "short_answer", "question": "Q", "answer": "clay", "topic": "T"}]}',
        '[{"task": "short_answer", "question": "Q", "answer": "clay", "topic": "T"}, {"task": "true_fal',
        '{"task": "short_answer"} {"task": "short_answer", "question": "Q", "answer": "clay", "topic": "T"}',
    ],
)
def test_drafts_are_found_in_whatever_stands_around_them(reply: str) -> None:
    """Prose, fences, Python's quotes, a list, an object cut short after it, and an earlier version of the same."""
    assert read_drafts(reply) == {Task.SHORT_ANSWER: Drafted(Task.SHORT_ANSWER, "Q", answer=("clay",), topic="T")}


@pytest.mark.parametrize("which", list(Round))
def test_the_form_of_a_prompt_given_back_is_no_item(which: Round) -> None:
    """Its dots are no texts: in both languages each of its five objects breaks a rule."""
    for language, prompt in read_prompts(which).items():
        drafts = read_drafts(prompt.system.replace("{{key}}", prompt.key))
        held = rules(language=language, with_reasoning=which is Round.SECOND)
        assert drafts.keys() == set(Task)
        assert [task for task, draft in drafts.items() if not held.problems(draft)] == []


def test_an_object_that_is_cut_short_is_no_draft() -> None:
    """What is not closed may be anything."""
    assert read_drafts('{"task": "short_answer", "question": "Q", "answer": "cl') == {}


@pytest.mark.parametrize("value", ["true", '"true"', "True", '"TRUE"'])
def test_a_bare_truth_value_is_read(value: str) -> None:
    """Models write it with and without quotes."""
    (draft,) = read_drafts(f'{{"task": "true_false", "question": "It is.", "answer": {value}}}').values()
    assert draft.text.lower() == "true"


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (["a) one", "b) two", "c) three", "d) four"], ("one", "two", "three", "four")),
        (["A. one", "B. two", "C. three", "D. four"], ("one", "two", "three", "four")),
        (["① one", "② two", "③ three", "④ four"], ("one", "two", "three", "four")),
        (["one", "two", "three", "four"], ("one", "two", "three", "four")),
        (["a) one", "two", "c) three", "d) four"], ("a) one", "two", "c) three", "d) four")),
        ("a) one", ()),
    ],
)
def test_letters_before_choices_are_left_out_where_all_have_theirs(choices: object, expected: tuple[str, ...]) -> None:
    """A choice that begins as if it had a letter keeps it."""
    reply = json.dumps(
        {"task": "multiple_choice", "question": "Q", "choices": choices, "answer": "a"}, ensure_ascii=False
    )
    assert read_drafts(reply)[Task.MULTIPLE_CHOICE].choices == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("c", (3, "")),
        ("C", (3, "")),
        (" c) the third", (3, "the third")),
        ("(c)", (3, "")),
        ("c.", (3, "")),
        ("e", None),
        ("a storm", None),
        ("", None),
        ("3", None),
    ],
)
def test_a_letter_is_read_only_where_it_is_one(text: str, place: tuple[int, str] | None) -> None:
    """The article of "a storm" names no choice."""
    assert letter_of(text) == place


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (("c) Oxygen",), (3,)),
        (("a) Argon, neon",), (1,)),
        (("a, c",), (1, 3)),
        (("c) oxygen.", "b) Nitrogen"), (3, 2)),
        (("b) Oxygen",), None),
        (("b) Nitrogen c) Oxygen",), None),
        (("b) or c)",), None),
    ],
)
def test_a_letter_with_words_names_its_own_choice(answer: tuple[str, ...], right: tuple[int, ...] | None) -> None:
    """A choice may have a comma; a letter before the words of another choice, or of two, names none."""
    draft = Drafted(Task.MULTIPLE_CHOICE, "Q", ("Argon, neon", "Nitrogen", "Oxygen"), answer)
    assert right_choices(draft) == right


def test_what_a_task_has_no_place_for_is_left_out() -> None:
    """A summary has no question, a short answer no choices."""
    more = {"question": "Q", "choices": CHOICES, "answer": "clay", "topic": "T", "reasoning": "R"}
    reply = "\n".join(json.dumps({"task": task, **more}) for task in ("summarization", "short_answer"))
    assert read_drafts(reply) == {
        Task.SUMMARIZATION: Drafted(Task.SUMMARIZATION, answer=("clay",)),
        Task.SHORT_ANSWER: Drafted(Task.SHORT_ANSWER, "Q", answer=("clay",), topic="T", reasoning="R"),
    }


@given(st.text(max_size=300))
def test_any_reply_can_be_read(reply: str) -> None:
    """Nothing that a model says is an error; what is no draft is none."""
    for draft in read_drafts(reply).values():
        rules().problems(draft)
        right_choices(draft)
