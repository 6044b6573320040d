"""The composition of a benchmark: what is counted, and in which order it is shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exambench.analysis.composition import compose
from exambench.analysis.counting import Count
from exambench.analysis.duplicates import DuplicateGroup, Likeness
from exambench.analysis.lengths import CHARACTERS, WORDS, LengthUnit, korean_morphemes
from exambench.items import (
    NEEDS_PASSAGE,
    Axis,
    Benchmark,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    FacetValue,
    Image,
    Item,
    Key,
    TextKey,
    Wording,
)


def item(
    name: str,
    stem: str = "",
    *,
    choices: tuple[str, ...] = ("가", "나", "다", "라"),
    key: Key | None = None,
    facets: Mapping[str, FacetValue] | None = None,
    picture: str = "",
    rationale: str = "",
) -> Item:
    """Return an item; its stem is its name unless another is given, its key the first choice."""
    question = Content(stem or name, (Image(picture),) if picture else ())
    return Item(
        id=name,
        wordings={"explicit": Wording(question, tuple(Content(choice) for choice in choices))},
        key=key or ChoiceKey(1),
        facets=facets or {},
        rationale=rationale,
    )


def exam(*items: Item) -> Benchmark:
    """Return a benchmark with one axis."""
    return Benchmark("exam", "Exam", items, (Axis("korean", {}, {"korean": (True,)}),))


def test_facets_are_counted_in_an_order_of_their_own() -> None:
    """Values come sorted (numbers by size, text by code point), items without the facet last, with their shares."""
    found = compose(
        exam(
            item("1", facets={"part": 10, "site": "하"}),
            item("2", facets={"part": 2, "site": "가"}),
            item("3", facets={"part": 2}),
            item("4", facets={"part": 1, "site": "A"}),
        )
    )
    part, site = found.facets
    assert part.counts == (Count(1, 1, 0.25), Count(2, 2, 0.5), Count(10, 1, 0.25))
    assert [count.value for count in site.counts] == ["A", "가", "하", None]


def test_true_and_one_are_different_values() -> None:
    """Each type of a facet is counted by itself."""
    found = compose(exam(item("1", facets={"x": 1}), item("2", facets={"x": True}), item("3", facets={"x": True})))
    assert [(count.value, count.n) for count in found.facets[0].counts] == [(True, 2), (1, 1)]


def test_a_facet_is_one_value_in_both_forms_of_unicode() -> None:
    """Composed and decomposed Hangul are the same value."""
    decomposed = unicodedata.normalize("NFD", "서울")
    found = compose(exam(item("1", facets={"site": "서울"}), item("2", facets={"site": decomposed})))
    assert found.facets[0].counts == (Count("서울", 2, 1.0),)


def test_every_pair_of_facets_is_crossed() -> None:
    """The facet with more values makes the rows; each cell counts items."""
    found = compose(
        exam(
            item("1", facets={"korean": True, "part": 1, "level": "hard"}),
            item("2", facets={"korean": False, "part": 2, "level": "hard"}),
            item("3", facets={"korean": False, "part": 3, "level": "easy"}),
        )
    )
    assert [(cross.rows, cross.columns) for cross in found.crosses] == [
        ("korean", "level"),
        ("part", "korean"),
        ("part", "level"),
    ]
    cross = found.crosses[1]
    assert (cross.row_values, cross.column_values) == ((1, 2, 3), (False, True))
    assert cross.counts == ((0, 1), (1, 0), (1, 0))


def test_a_facet_with_a_hundred_and_one_values_is_not_crossed() -> None:
    """It is counted, and named among those that were left out."""
    found = compose(exam(*(item(str(n), facets={"source": n, "part": n % 2}) for n in range(101))))
    assert found.uncrossed == ("source",)
    assert found.crosses == ()
    assert len(found.facets[1].counts) == 101


def test_axes_count_their_items() -> None:
    """An axis of the definition is counted by what it selects."""
    found = compose(exam(item("1", facets={"korean": True}), item("2", facets={"korean": False})))
    assert found.axes == (Count("korean", 1, 0.5),)


def test_lengths_name_their_unit() -> None:
    """Characters are composed code points with spaces, words stand between spaces; empty texts are no texts."""
    stem = unicodedata.normalize("NFD", "한국 기상")
    found = compose(exam(item("1", stem, choices=("ab", "", "abcd"), rationale="왜냐하면")))
    lengths = {(each.text, each.unit): each for each in found.lengths}
    assert lengths["stem", "characters"].total == 5
    assert lengths["stem", "words"].total == 2
    choices = lengths["choice", "characters"].summary
    assert choices is not None
    assert (choices.n, choices.mean, choices.maximum) == (2, 3.0, 4.0)
    assert lengths["rationale", "characters"].total == 4


def test_a_text_that_nobody_has_has_no_length() -> None:
    """Without rationales there is no mean of 0."""
    found = compose(exam(item("1")), [CHARACTERS])
    assert found.lengths[-1].summary is None
    assert (found.lengths[-1].text, found.lengths[-1].total) == ("rationale", 0)


def test_any_tokenizer_is_a_unit() -> None:
    """A unit is a name and a function; the name stands beside the figures."""
    vowels = LengthUnit("vowels", lambda texts: [sum(sign in "aeiou" for sign in text) for text in texts])
    found = compose(exam(item("1", "audio")), [WORDS, vowels])
    assert [(each.unit, each.total) for each in found.lengths[:2]] == [("words", 1), ("vowels", 4)]


def test_korean_morphemes_are_counted_by_kiwi() -> None:
    """학교/NNG 에/JKB 가/VV ㄴ다/EF ./SF is five morphemes, three more than its two words."""
    unit = korean_morphemes()
    assert unit.name.startswith("Kiwi ")
    assert unit.name.endswith(" morphemes")
    assert unit.count(["학교에 간다.", ""]) == [5, 0]


def test_key_positions_are_tested_against_equal_shares() -> None:
    """χ² of (5, 1, 1, 1) against two each is 9/2 + 3 · 1/2 = 6 on 3 degrees of freedom."""
    # scipy.stats.chisquare([5, 1, 1, 1]) → statistic=6.0, pvalue=0.11161022509471268
    keys = [1, 1, 1, 1, 1, 2, 3, 4]
    (found,) = compose(exam(*(item(str(n), key=ChoiceKey(key)) for n, key in enumerate(keys)))).keys
    assert (found.choices, found.counts, found.n, found.df) == (4, (5, 1, 1, 1), 8, 3)
    assert found.chi_square == pytest.approx(6.0)
    assert found.p_value == pytest.approx(0.11161022509471268)


def test_key_positions_are_apart_by_number_of_choices() -> None:
    """Five-choice items do not blur the positions of four-choice items; other kinds of key have no position."""
    five = ("a", "b", "c", "d", "e")
    found = compose(
        exam(
            item("1"),
            item("2", choices=five, key=ChoiceKey(5)),
            item("3", choices=five, key=ChoiceSetKey(frozenset({1, 2}))),
            item("4", choices=(), key=TextKey("x")),
            item("5", choices=(), key=BooleanKey(value=True)),
        )
    )
    assert [(keys.choices, keys.counts) for keys in found.keys] == [(4, (1, 0, 0, 0)), (5, (0, 0, 0, 0, 1))]
    assert [(count.value, count.n) for count in found.choices] == [(0, 2), (4, 1), (5, 2)]
    assert [count.value for count in found.key_kinds] == [
        "free text",
        "one choice",
        "several choices",
        "true or false",
    ]


def test_the_longest_choice_counts_where_there_is_one() -> None:
    """Ties and choices without text do not count; the expected share is that of a blind guess."""
    found = compose(
        exam(
            item("1", choices=("long", "b"), key=ChoiceKey(1)),
            item("2", choices=("a", "long", "c", "d"), key=ChoiceKey(3)),
            item("3", choices=("ab", "cd")),
            item("4", choices=("ab", "")),
        )
    ).longest
    assert (found.n, found.tied) == (2, 1)
    assert found.chance == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert found.key_is_longest is not None
    assert found.key_is_longest.estimate == 0.5


def test_no_longest_choice_is_no_share_of_zero() -> None:
    """Where no item counts there is no share."""
    found = compose(exam(item("1", choices=("ab", "cd")))).longest
    assert (found.n, found.key_is_longest, found.chance) == (0, None, None)


def test_wordings_tell_what_they_change() -> None:
    """A wording is counted with the items whose stem and whose choices it changes."""
    first = item("1", "한국의 수도는?")
    explicit = first.wording()
    other = Wording(Content("우리나라의 수도는?"), explicit.choices)
    found = compose(exam(replace(first, wordings={"implicit": other, "explicit": explicit}), item("2")))
    assert [(each.name, each.n, each.other_stem, each.other_choices) for each in found.wordings] == [
        ("explicit", 2, 0, 0),
        ("implicit", 1, 1, 0),
    ]


def test_the_same_stem_is_found_behind_white_space_and_unicode() -> None:
    """Folding finds the stem again; other choices make it no duplicate item."""
    found = compose(
        exam(
            item("1", "다음 중 옳은 것은?"),
            item("2", unicodedata.normalize("NFD", " 다음  중\n옳은 것은? "), choices=("x", "y"), key=ChoiceKey(2)),
            item("3", "다음 중 틀린 것은?"),
        )
    )
    assert found.duplicates == (DuplicateGroup(("1", "2"), Likeness.STEM, same_key=False),)


def test_the_same_stem_with_another_picture_is_another_stem() -> None:
    """What a chart shows belongs to the question."""
    found = compose(exam(item("1", "그림은?", picture="a.png"), item("2", "그림은?", picture="b.png")))
    assert found.duplicates == ()


@pytest.mark.parametrize(
    ("choices", "key", "likeness", "same_key"),
    [
        (("a", "b", "c"), 2, Likeness.WHOLE, True),
        (("a", "b", "c"), 3, Likeness.WHOLE, False),
        (("b ", "c", "a"), 1, Likeness.CHOICES_IN_ANOTHER_ORDER, True),
        (("c", "a", "b"), 1, Likeness.CHOICES_IN_ANOTHER_ORDER, False),
    ],
)
def test_an_item_is_found_with_its_choices_in_another_order(
    choices: tuple[str, ...], key: int, likeness: Likeness, *, same_key: bool
) -> None:
    """Stem and choices are compared, and whether the same content is right; a contradiction is a wrong key."""
    found = compose(
        exam(
            item("1", "?", choices=("a", "b", "c"), key=ChoiceKey(2)),
            item("2", "?", choices=choices, key=ChoiceKey(key)),
        )
    ).duplicates
    assert found[1] == DuplicateGroup(("1", "2"), likeness, same_key=same_key)


def test_an_empty_benchmark_has_no_composition() -> None:
    """There are no shares of nothing."""
    with pytest.raises(ValueError, match="exam has no item"):
        compose(exam())


@settings(max_examples=50)
@given(
    facets=st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", "c"]), st.one_of(st.booleans(), st.integers(0, 2), st.sampled_from("가나"))
        ),
        min_size=1,
        max_size=12,
    ),
    data=st.data(),
)
def test_counts_add_up_whatever_the_order(facets: list[dict[str, FacetValue]], data: st.DataObject) -> None:
    """Facets and cross-tables sum to the number of items, and the order of the items changes none of them."""
    items = [item(str(n), facets=each) for n, each in enumerate(facets)]
    found = compose(exam(*items), [CHARACTERS])
    assert all(sum(count.n for count in facet.counts) == len(items) for facet in found.facets)
    assert all(sum(map(sum, cross.counts)) == len(items) for cross in found.crosses)
    again = compose(exam(*data.draw(st.permutations(items))), [CHARACTERS])
    assert (again.facets, again.crosses, again.keys) == (found.facets, found.crosses, found.keys)


def test_passages_have_lengths_and_each_counts_once() -> None:
    """However many items share it; where there is none, nothing is said of passages."""
    shared = replace(item("1"), passage="abc de")
    found = compose(exam(shared, replace(item("2"), passage="abc de"), replace(item("3"), passage="f")), [CHARACTERS])
    lengths = found.lengths[-1]
    assert lengths.summary is not None
    assert (lengths.text, lengths.total, lengths.summary.n) == ("passage", 7, 2)
    assert {each.text for each in compose(exam(item("1"))).lengths} == {"stem", "choice", "rationale"}


def test_the_same_stem_about_another_passage_is_another_stem_where_it_needs_it() -> None:
    """As with pictures; a question that stands alone is the same one."""
    items = [replace(item(name, "같은 질문"), passage=f"지문 {name}") for name in "12"]
    assert len(compose(exam(*items)).duplicates) == 2
    assert compose(exam(*(replace(each, facets={NEEDS_PASSAGE: True}) for each in items))).duplicates == ()
