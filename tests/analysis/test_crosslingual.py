"""Korean and English on the same items, held against the published table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.analysis.crosslingual import crosslingual, pair_runs
from exambench.analysis.scores import RunScores
from exambench.errors import ConfigError
from exambench.items import ENGLISH, EXPLICIT, Benchmark, ReviewState
from exambench.stats.resampling import Bootstrap
from tests.support.runs import exam, item, run

BOOTSTRAP = Bootstrap(50, 42)


def translated(size: int, *, checked: int) -> Benchmark:
    """Return an exam with an English side to every item, the first of them checked."""
    items = []
    for number in range(size):
        plain = item(number)
        state = ReviewState.CHECKED if number < checked else ReviewState.DRAFT
        wordings = {**plain.wordings, ENGLISH: plain.wordings[EXPLICIT]}
        items.append(replace(plain, wordings=wordings, facets={**plain.facets, "translation": str(state)}))
    return exam(*items)


def in_english(scores: RunScores) -> RunScores:
    """Return a run as one in English."""
    return replace(scores, record=replace(scores.record, condition={"wording": ENGLISH}))


def pair(benchmark: Benchmark, both: int, korean: int, english: int, model: str) -> tuple[RunScores, RunScores]:
    """Return two runs by how many items are right in both languages, in Korean alone, in English alone."""
    neither = len(benchmark.items) - both - korean - english
    first = "+" * (both + korean) + "-" * (english + neither)
    second = "+" * both + "-" * korean + "+" * english + "-" * neither
    return run(benchmark, first, model=model), in_english(run(benchmark, second, model=model))


def test_the_published_table_follows_from_its_counts() -> None:
    """KMMMU, tables 6 and 16: 200 items; GPT-5 33 Ko-only, 6 En-only; Gemini-3-Flash 38 and 2."""
    benchmark = translated(200, checked=200)
    report = crosslingual(
        [pair(benchmark, 52, 33, 6, "GPT-5"), pair(benchmark, 78, 38, 2, "Gemini-3-Flash")], BOOTSTRAP
    )
    gpt, gemini = report.pairs
    assert [gpt.korean.estimate, gpt.english.estimate] == pytest.approx([0.425, 0.29])
    assert [gemini.korean.estimate, gemini.english.estimate] == pytest.approx([0.58, 0.40])
    assert (f"{gpt.test.p_value:.2e}", f"{gemini.test.p_value:.2e}") == ("1.43e-05", "1.49e-09")
    assert gpt.difference.estimate == pytest.approx(0.135)
    assert gpt.outcomes is not None
    assert (gpt.outcomes.both, gpt.outcomes.neither, gpt.difference.n) == (52, 109, 200)
    assert len(gpt.only_korean) == 33
    # Holm over two models: the larger p-value stays, the smaller one doubles.
    assert [gpt.p_adjusted, gemini.p_adjusted] == pytest.approx([gpt.test.p_value, 2 * gemini.test.p_value])


def test_only_checked_translations_are_used_unless_told() -> None:
    """Drafts are counted, and used when asked for."""
    benchmark = translated(20, checked=12)
    runs = [pair(benchmark, 20, 0, 0, "m")]
    report = crosslingual(runs, BOOTSTRAP)
    assert (report.pairs[0].difference.n, report.translated) == (12, {"draft": 8, "checked": 12})
    with_drafts = crosslingual(runs, BOOTSTRAP, states=tuple(ReviewState))
    assert with_drafts.pairs[0].difference.n == 20


def test_without_checked_items_there_is_no_number() -> None:
    """It is said how many drafts wait, and how to use them."""
    benchmark = translated(3, checked=0)
    with pytest.raises(ConfigError, match=r"3 draft, 0 checked.*--drafts"):
        crosslingual([pair(benchmark, 3, 0, 0, "m")], BOOTSTRAP)


def test_an_axis_narrows_the_items() -> None:
    """The axis korean holds the even numbers."""
    benchmark = translated(20, checked=20)
    report = crosslingual([pair(benchmark, 20, 0, 0, "m")], BOOTSTRAP, axis="korean")
    assert report.pairs[0].difference.n == 10
    with pytest.raises(ConfigError, match="no such axis"):
        crosslingual([pair(benchmark, 20, 0, 0, "m")], BOOTSTRAP, axis="colour")


def test_graded_scores_have_a_sign_test_and_no_counts() -> None:
    """Two trials: scores are 0, a half, 1."""
    benchmark = translated(4, checked=4)
    korean = run(benchmark, "++++", "+++-", model="m")
    english = in_english(run(benchmark, "+---", "+---", model="m"))
    (found,) = crosslingual([(korean, english)], BOOTSTRAP).pairs
    assert found.outcomes is None
    assert (found.test.only_a, found.test.only_b, found.test.p_value) == (3, 0, 0.25)  # 2 · (1/2)³


def test_items_without_a_score_in_both_are_left_out_and_counted() -> None:
    """A failed request is no wrong answer."""
    benchmark = translated(4, checked=4)
    (found,) = crosslingual([(run(benchmark, "++++", model="m"), in_english(run(benchmark, "+x-+", model="m")))],
                            BOOTSTRAP).pairs  # fmt: skip
    assert (found.difference.n, found.left_out) == (3, 1)


def test_runs_are_paired_when_they_differ_in_the_language_alone() -> None:
    """Not with another model's, nor under another protocol."""
    benchmark = translated(2, checked=2)
    korean, english = pair(benchmark, 2, 0, 0, "a")
    other = in_english(run(benchmark, "++", model="b"))
    under_another = in_english(run(benchmark, "++", model="a", protocol="standard"))
    records = [each.record for each in (korean, other, under_another, english)]
    assert pair_runs(records) == [(korean.record, english.record)]
    with pytest.raises(ConfigError, match="no model has a run in Korean and one in English"):
        pair_runs([korean.record, other.record])
