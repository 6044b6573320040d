"""Choices that speak of others keep their places; nothing else is held."""

from __future__ import annotations

import pytest

from exambench.protocols.references import freedom_of

ALL = ((0, 1, 2, 3),)


def blocks(*choices: str, stem: str = "옳은 것은?") -> tuple[tuple[int, ...], ...]:
    """Return the blocks of places within which choices may move."""
    return freedom_of(stem, choices).blocks


@pytest.mark.parametrize(
    "choices",
    [
        ("적운", "층운", "권운", "고적운"),
        ("3 hPa", "2 hPa", "1 hPa", "4 hPa"),
        ("11 m/s 이상", "17 m/s 이상", "25 m/s 이상", "33 m/s 이상"),
        ("ㄱ, ㄴ", "ㄱ, ㄷ", "ㄴ, ㄷ", "ㄱ, ㄴ, ㄷ"),
        ("지점 가", "지점 나", "지점 다", "지점 라"),
        ("구름은 모두 얼음으로 이루어진다", "비가 온다", "눈이 온다", "안개가 낀다"),
        ("지표 위의 공기", "바다 위의 공기", "산 위의 공기", "구름 위의 공기"),
        ("4", "3", "2", "1"),
        ("an A-type star", "a B-type star", "a G-type star", "an M-type star"),
    ],
)
def test_choices_that_speak_of_the_subject_are_free(choices: tuple[str, ...]) -> None:
    """Numbers, limits, marks of statements and points, and words such as 모두 inside a sentence are no references."""
    assert blocks(*choices) == ALL


@pytest.mark.parametrize(
    "last",
    [
        "위의 모두",
        "위 보기 모두",
        "이상 모두",
        "모두 옳다",
        "모두 해당된다",
        "모두",
        "정답 없음",
        "해당 사항 없음",
        "어느 것도 아니다",
        "all of the above",
        "None of the above.",
        "None of these",
        "All the above",
        "상기 모두",
        "상기 항목 모두",
        "both of them",
        "all of them",
    ],
)
def test_a_choice_about_all_others_stays_last(last: str) -> None:
    """The three others change places, it does not."""
    assert blocks("적운", "층운", "권운", last) == ((0, 1, 2),)


def test_what_stands_above_stays_above() -> None:
    """A third of five choices that says "all of the above" means the first two, in whatever order these stand."""
    assert blocks("가", "나", "위의 모두", "라", "마") == ((0, 1), (3, 4))


def test_two_above_are_the_two_that_stand_there() -> None:
    """The choice "both of the above" names its neighbours: nothing above may move."""
    assert blocks("가", "나", "both of the above", "라") == ()


@pytest.mark.parametrize(
    ("last", "free"),
    [
        ("①, ③", ()),
        ("①과 ②", ()),
        ("1번과 3번", ()),
        ("1, 2", ()),
        ("both A and B", ()),
        ("A와 C", ()),
        ("only B", ((0, 2),)),
        ("(b)", ((0, 2),)),
        ("보기 2", ((0, 2),)),
        ("1, 2 둘 다 맞다", ()),
        ("1, 3 모두 옳다", ()),
        ("neither 1 nor 2", ()),
    ],
)
def test_a_choice_that_names_others_stays_with_those_that_it_names(
    last: str, free: tuple[tuple[int, ...], ...]
) -> None:
    """Of four choices one or none is left where two are named; two where one is."""
    assert blocks("적운", "층운", "권운", last) == free
    assert freedom_of("옳은 것은?", ("적운", "층운", "권운", last)).naming == (3,)


@pytest.mark.parametrize("named", ["①~③ 모두", "① - ③", "1~3번", "1번부터 3번까지", "A~C 모두", "A to C"])
def test_a_range_names_all_that_stand_within(named: str) -> None:
    """Of five choices the fifth has none to change places with: the three of the range stay, the naming one too."""
    assert blocks("적운", "층운", "권운", named, "난운") == ()
    assert freedom_of("옳은 것은?", ("적운", "층운", "권운", named, "난운")).naming == (3,)


@pytest.mark.parametrize("text", ["1~3 km", "2 - 4 hPa", "-1~2 ℃"])
def test_a_range_of_quantities_names_nothing(text: str) -> None:
    """It is a choice like another."""
    assert blocks("적운", "층운", "권운", text) == ALL


def test_marks_of_the_stem_are_the_stem_s() -> None:
    """A choice "①, ③" after a stem that numbers its statements speaks of these: the choices are free."""
    stem = "다음 설명 중 옳은 것은? ① 기압은 높이에 따라 준다. ② 기온은 는다. ③ 바람은 세진다."
    assert blocks("①, ②", "②, ③", "①, ③", "①, ②, ③", stem=stem) == ALL
    assert blocks("A와 B", "B와 C", "A와 C", "B", stem="기단 A, 기단 B, 기단 C 가운데 찬 것은?") == ALL


def test_marks_that_every_choice_names_are_marks_of_something_else() -> None:
    """Four pairs of regions of a figure do not speak of each other."""
    assert blocks("A와 B", "A와 D", "B와 C", "C와 D") == ALL
    assert freedom_of("?", ("①, ②", "②, ③", "①, ④", "③, ④")).naming == ()


def test_choices_that_are_only_numbers_in_order_are_pictured_elsewhere() -> None:
    """Choices "1", "2", "3", "4" may be the labels of drawings in the stem's picture."""
    assert blocks("①", "②", "③", "④") == ()
    assert blocks("1", "2", "3", "4") == ()
