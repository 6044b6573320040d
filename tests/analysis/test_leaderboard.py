"""Rankings, by tables counted by hand: each sign of a run is what became of one item, see ``tests.support.runs``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.analysis.leaderboard import Place, Ranking, Row, ranking_on_common_items, rankings
from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError
from exambench.items import BooleanKey, ChoiceSetKey, Key, TextKey
from exambench.outcomes import OutcomeKind
from exambench.stats.resampling import Bootstrap
from tests.support.runs import exam, item, run

DRAW = Bootstrap(resamples=200, seed=42)
FOUR = exam(item(1), item(2), item(3), item(4, picture=True))
FIVE = exam(*(item(number) for number in range(1, 6)), pass_mark=0.6)
CHANGED = exam(item(1), item(2, stem="고친 질문"), item(3), item(4, picture=True))


def only(*runs: RunScores) -> Ranking:
    """Return the one ranking of runs on the same items."""
    (ranking,) = rankings(runs, DRAW)
    return ranking


def common(*runs: RunScores) -> Ranking:
    """Return the one ranking of runs on common items."""
    (ranking,) = ranking_on_common_items(runs, DRAW)
    return ranking


def by_name(ranking: Ranking) -> dict[str, Row]:
    """Return the rows by the names of their runs."""
    return {row.name: row for row in ranking.rows}


def ranks(ranking: Ranking) -> dict[str, float | None]:
    """Return the rank of each run, in the order of the rows."""
    return {row.name: None if row.place is None else row.place.rank for row in ranking.rows}


def accuracies(row: Row) -> dict[str, object]:
    """Return n and accuracy of a row on each axis."""
    return {name: None if found is None else (found.n, found.estimate) for name, found in row.cells.items()}


def repeated(*solved: int) -> tuple[str, ...]:
    """Return three trials in which each item is solved so many times."""
    return tuple("".join("+" if trial < count else "-" for count in solved) for trial in range(3))


def test_accuracy_on_each_axis() -> None:
    """Three of four items are right, and one of the two Korean ones, 2 and 4; the axis of all items comes first."""
    (row,) = only(run(FOUR, "+-++")).rows
    assert accuracies(row) == {"accuracy": (4, 0.75), "korean": (2, 0.5)}


def test_an_axis_without_items_has_no_accuracy() -> None:
    """It stays a column, without a number and without a chance level."""
    ranking = only(run(exam(item(1), item(3)), "+-"))
    assert ranking.rows[0].cells["korean"] is None
    assert ranking.chance["korean"] is None


def test_ties_share_the_mean_of_their_places() -> None:
    """Places 2 and 3 are 2.5 each; rows of one place stand in the order of their names."""
    ranking = only(run(FOUR, "--++", model="b"), run(FOUR, "++--", model="a"), run(FOUR, "+++-", model="best"))
    assert ranks(ranking) == {"best": 1.0, "a": 2.5, "b": 2.5}


def test_means_that_differ_by_rounding_alone_are_ties() -> None:
    """Nine of fifteen either way; summed in floating point the thirds of the one are 0.5999999999999999."""
    ranking = only(run(FIVE, *repeated(0, 1, 3, 3, 2), model="a"), run(FIVE, *repeated(0, 0, 3, 3, 3), model="b"))
    assert ranks(ranking) == {"a": 1.5, "b": 1.5}
    assert [row.passed for row in ranking.rows] == [True, True]


def test_ranks_have_intervals_from_two_models_on() -> None:
    """A model that is right wherever the other is wrong leads in every resample; alone there is nothing to resample."""
    ranking = only(run(FOUR, "++++", model="a"), run(FOUR, "----", model="b"))
    assert [row.place for row in ranking.rows] == [Place(1.0, 1.0, 1.0), Place(2.0, 2.0, 2.0)]
    assert only(run(FOUR, "+---")).rows[0].place == Place(1.0)


@pytest.mark.parametrize(
    "begun", [("+++x",), ("+++.",), ("+++",), ("++++", "+++x"), ("++++", "....", "...."), ("xxxx",), ()]
)
def test_an_incomplete_run_takes_no_place(begun: tuple[str, ...]) -> None:
    """Whether a request failed or waits, in one trial or in all, or an item was never asked; the others are ranked."""
    ranking = only(run(FOUR, *begun, model="begun"), run(FOUR, "+---", model="whole"))
    assert ranks(ranking) == {"whole": 1.0, "begun": None}
    assert any(note.startswith("begun has scores for") for note in ranking.table.notes)


def test_a_note_says_what_is_missing() -> None:
    """Of six items four times over 15 of 24 requests failed; one item has all its trials."""
    six = exam(*(item(number) for number in range(1, 7)))
    ranking = only(run(six, "+++xxx", "++xxxx", "++xxxx", "+xxxx+"))
    assert ranking.table.notes == (
        (
            "model has scores for 1 of 6 items in every trial; 15 of 24 requests failed; it takes no place. "
            "Run the same command again to complete it."
        ),
    )
    assert accuracies(ranking.rows[0])["accuracy"] == (4, 1.0)


def test_runs_with_other_numbers_of_trials_are_named() -> None:
    """They stand in one ranking, and a note says who has how many."""
    once, thrice = run(FOUR, "++++", model="a"), run(FOUR, "++++", "+---", "+---", model="b")
    ranking = only(once, thrice, run(FOUR, "----", model="c"))
    assert ranking.group.trials_differ
    assert ranking.table.notes == (
        (
            "The runs differ in their number of trials (1 trial: a, c; 3 trials: b). "
            "An item's score is the mean over its trials."
        ),
    )
    assert not only(once).group.trials_differ
    assert not only(thrice).group.trials_differ


def test_spread_over_trials() -> None:
    """Two of four, then three: 0.5 and 0.75, whose standard deviation (n − 1) is 0.25/√2; one trial has none."""
    ranking = only(run(FOUR, "++--", "+++-", model="a"), run(FOUR, "++--", model="b"))
    spread = by_name(ranking)["a"].spread
    assert spread is not None
    assert spread.mean == pytest.approx(0.625)
    assert spread.sd == pytest.approx(0.25 / 2**0.5)
    assert by_name(ranking)["b"].spread is None


def test_spread_is_over_items_that_all_trials_have() -> None:
    """Item 4 failed once: 1/3 and 2/3 of three items, and one left out."""
    (row,) = only(run(FOUR, "+--x", "+-++")).rows
    assert row.spread is not None
    assert row.spread.means.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert (row.spread.n_items, row.spread.n_left_out) == (3, 1)


def test_lenient_accuracy_beside_the_strict_one() -> None:
    """Item 2 is right in another form, item 3 has no answer in any: 1/4 strictly, 2/4 leniently."""
    (row,) = only(run(FOUR, "+~?-")).rows
    assert (accuracies(row)["accuracy"], row.lenient) == ((4, 0.25), 0.5)
    assert only(run(FOUR, "xxxx")).rows[0].lenient is None


def test_outcomes_are_counted_by_their_kinds() -> None:
    """Format violations, truncated and refused responses, failures and what is open are different things."""
    (row,) = only(run(FOUR, "+~/!", "?-x.")).rows
    assert row.outcomes == {
        OutcomeKind.ANSWERED: 2,
        OutcomeKind.UNPARSED: 2,
        OutcomeKind.TRUNCATED: 1,
        OutcomeKind.REFUSED: 1,
        OutcomeKind.FAILED: 1,
    }
    assert row.planned == 8


def test_on_common_items_everything_is_about_these() -> None:
    """Text-only models sat items 1 to 3: what became of item 4 counts neither in accuracies nor in outcomes."""
    ranking = common(run(FOUR, "+-~~", "+--?", model="seer"), run(FOUR, "++-", model="reader", images=False))
    assert [each.id for each in ranking.items] == ["1", "2", "3"]
    seer = by_name(ranking)["seer"]
    assert accuracies(seer) == {"accuracy": (3, pytest.approx(1 / 3)), "korean": (1, 0.0)}
    assert seer.lenient == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert seer.outcomes == {OutcomeKind.ANSWERED: 5, OutcomeKind.UNPARSED: 1}
    assert seer.planned == 6
    assert seer.run.coverage.planned == 8


def test_an_item_is_common_when_every_run_has_it_in_every_trial() -> None:
    """Item 2 failed in one of two trials; the run has its place on the other items, and a note says what is missing."""
    ranking = common(run(FOUR, "++--", "+x--", model="a"), run(FOUR, "-+--", model="b"))
    assert [each.id for each in ranking.items] == ["1", "3", "4"]
    assert ranks(ranking) == {"a": 1.0, "b": 2.0}
    assert "1 of 8 requests failed; its place is on these items alone" in ranking.table.notes[0]


def test_a_run_without_any_item_is_left_aside() -> None:
    """It does not take the items from the others, whatever the order of the runs."""
    ranking = common(run(FOUR, "xxx", model="dead", images=False), run(FOUR, "+-+-", model="a"))
    assert (len(ranking.items), ranks(ranking)) == (4, {"a": 1.0, "dead": None})


def test_without_common_items_there_is_no_ranking() -> None:
    """That is said, not shown as an empty table."""
    with pytest.raises(ConfigError, match="none on items in common"):
        ranking_on_common_items([run(FOUR, "+", model="a"), run(FOUR, " +", model="b")], DRAW)


def test_runs_without_scores_have_a_ranking_without_places() -> None:
    """All requests failed: that is seen in the table, too."""
    ranking = only(run(FOUR, "xxxx"))
    assert ranks(ranking) == {"model": None}
    assert accuracies(ranking.rows[0]) == {"accuracy": None, "korean": None}
    assert ranking.chance["accuracy"] == 0.5


def test_the_blind_guess_with_different_numbers_of_choices() -> None:
    """Of 2, 3, 4 and 5 choices: (1/2 + 1/3 + 1/4 + 1/5)/4 on all, and (1/3 + 1/5)/2 on the Korean items, 2 and 4."""
    ranking = only(run(exam(*(item(number, choices=number + 1) for number in range(1, 5))), "++++"))
    assert ranking.chance == {
        "accuracy": pytest.approx((1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4),
        "korean": pytest.approx((1 / 3 + 1 / 5) / 2),
    }


@pytest.mark.parametrize(
    ("key", "chance"),
    [
        (ChoiceSetKey(frozenset({1, 3})), 1 / 7),  # three choices have seven sets that are not empty
        (BooleanKey(value=True), 1 / 2),
        (TextKey("기압"), None),  # free answers cannot be guessed at a known rate
    ],
)
def test_the_blind_guess_by_the_kind_of_the_key(key: Key, chance: float | None) -> None:
    """An axis with an item whose chance is not known has none."""
    asked = replace(item(2, choices=3), key=key)
    assert only(run(exam(asked), "+")).chance["accuracy"] == chance
    mixed = only(run(exam(asked, item(3)), "++")).chance["accuracy"]
    assert mixed == (None if chance is None else pytest.approx((chance + 1 / 2) / 2))


def test_the_pass_mark_is_reached_or_not() -> None:
    """Of five items three reach 60 percent, two don't; an incomplete run is not judged, nor is one on some items."""
    ranking = only(run(FIVE, "+++--", model="a"), run(FIVE, "++---", model="b"), run(FIVE, "++++", model="begun"))
    assert {row.name: row.passed for row in ranking.rows} == {"a": True, "b": False, "begun": None}
    assert [row.passed for row in common(run(FIVE, "+++--", model="a"), run(FIVE, "+++x", model="c")).rows] == [
        None
    ] * 2
    assert only(run(FOUR, "++++")).rows[0].passed is None


def test_datasets_of_other_content_are_named_and_their_items_left_out() -> None:
    """Item 2 was changed between the two: three items are common, and both hashes are there."""
    ranking = common(run(FOUR, "++++", model="a"), run(CHANGED, "+++-", model="b"))
    assert [each.id for each in ranking.items] == ["1", "3", "4"]
    assert ranking.group.datasets == tuple(sorted({FOUR.content_hash, CHANGED.content_hash}))
    assert ranking.group.other_content == 1
    first, second = (dataset[:8] for dataset in ranking.group.datasets)
    assert ranking.table.notes == (
        (
            f"The runs sat 2 versions of the data, {first}, {second}: "
            "1 item left out, for not all of them have the same content there."
        ),
    )
    assert accuracies(by_name(ranking)["b"])["accuracy"] == (3, pytest.approx(2 / 3))


def test_an_item_that_was_taken_away_is_of_other_content() -> None:
    """Item 3 is in one dataset only."""
    ranking = common(run(FOUR, "++++", model="a"), run(exam(*FOUR.items[:2], FOUR.items[3]), "++-", model="b"))
    assert ([each.id for each in ranking.items], ranking.group.other_content) == (["1", "2", "4"], 1)


def test_datasets_that_agree_on_what_was_asked_make_one_ranking() -> None:
    """Text-only models don't see the picture that was changed; both hashes are named all the same."""
    repainted = exam(*FOUR.items[:3], item(4, stem="다른 그림", picture=True))
    ranking = only(run(FOUR, "+++", model="a", images=False), run(repainted, "++-", model="b", images=False))
    assert ranks(ranking) == {"a": 1.0, "b": 2.0}
    assert len(ranking.group.datasets) == 2
    assert "these items have the same content in all of them" in ranking.table.notes[0]


def test_what_does_not_compare_is_never_in_one_ranking() -> None:
    """Other items, other content, another protocol, another version of the parsers: each a ranking of its own."""
    runs = [
        run(FOUR, "++++", model="a"),
        run(FOUR, "+++", model="b", images=False),
        run(CHANGED, "++++", model="c"),
        run(FOUR, "++++", model="d", protocol="standard"),
        run(FOUR, "++++", model="e", versions=("0",)),
    ]
    assert sorted(row.name for ranking in rankings(runs, DRAW) for row in ranking.rows) == list("abcde")
    assert len(rankings(runs, DRAW)) == 5
    assert len(ranking_on_common_items(runs, DRAW)) == 3


def test_an_older_version_of_the_parsers_is_named() -> None:
    """What the outcomes were read by counts, not what this program has; the remedy is to read them again."""
    ranking = only(run(FOUR, "++++", versions=("0",)))
    assert ranking.table.origin["parser"] == "dict-strict 0"
    assert ranking.table.title.endswith("· parser dict-strict 0")
    assert "exambench rescore" in ranking.table.notes[0]
