"""A choice stands in the address, and an address is a choice."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from exambench.report.view.filters import FURTHEST_PAGE, LONGEST_SEARCH, Contrast, Filters, number_in, read_filters
from exambench.store.answer_records import AnswerOrder, AnswerState
from exambench.text import is_storable

CHOICES = st.builds(
    Filters,
    states=st.sets(st.sampled_from(AnswerState)).map(
        lambda chosen: tuple(each for each in AnswerState if each in chosen)
    ),
    axis=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    contrast=st.none() | st.sampled_from(Contrast),
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20).map(str.strip),
    order=st.sampled_from(AnswerOrder),
    page=st.integers(1, FURTHEST_PAGE),
)


@given(CHOICES)
def test_a_choice_comes_back_from_its_address(filters: Filters) -> None:
    """Whatever was searched for."""
    assert read_filters(parse_qsl(filters.query)) == filters


@given(st.lists(st.tuples(st.sampled_from(["outcome", "axis", "show", "q", "order", "page", "x"]), st.text())))
def test_any_address_is_a_choice(pairs: list[tuple[str, str]]) -> None:
    """What is not known counts as not chosen; what is searched for is bounded and can be asked of a database."""
    found = read_filters(pairs)
    assert len(found.text) <= LONGEST_SEARCH
    assert is_storable(found.text + found.axis)
    assert 1 <= found.page <= FURTHEST_PAGE


def test_a_choice_of_everything_has_no_address_of_its_own() -> None:
    """The page of a run is the list of all its answers."""
    assert Filters().query == ""
    assert not Filters().narrows
    assert not Filters(order=AnswerOrder.NEWEST, page=3).narrows


def test_numbers_are_read_within_bounds() -> None:
    """No sign, no other digits than ours, no number that is too long to be meant."""
    assert [number_in(text, 1, 50) for text in ("7", "0", "99", "-1", "７", "1e3", "", "9" * 5000)] == [
        7, 1, 50, 1, 1, 1, 1, 1,
    ]  # fmt: skip
