"""Which claims of the papers follow from their own figures, which do not, and which nobody outside can recompute."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from exambench.analysis.published import CLAIMS, CheckedClaim, Paper, Verdict, check_claims, count_verdicts
from exambench.benchmarks.published import Published, load_published
from exambench.errors import DataError

DOES_NOT_FOLLOW = {
    "kmetbench.size-in-thousands",
    "kmetbench.open-sizes",
    "kmetbench.reasoning-items-vision",
    "kmetbench.table13-rounding",
    "kmetbench.table13-flags",
    "kmetbench.table13-order",
    "kmetbench.pearson",
    "kmetbench.reasons-better-than-it-answers",
    "kmetbench.non-reasoning-model",
    "kmetbench.modality-gap-mean",
    "kmetbench.best-korean",
    "kmetbench.steady-families-intervals",
    "kmetbench.table14-reasoning",
    "kmetbench.table14-reasoning-swings",
    "kmetbench.table14-geo-cultural-nearest",
    "kmetbench.table14-reasoning-nearest",
    "kmetbench.geo-cultural-swing",
    "kmetbench.sign-flips",
    "kmetbench.amip",
    "kmmmu.local-share",
    "kmmmu.image-baseline",
    "scholarbench.category-units",
    "scholarbench.parallel-share-section-4",
    "scholarbench.parallel-categories",
    "scholarbench.parallel-types",
    "scholarbench.table1-scale",
    "scholarbench.checkpoints",
    "scholarbench.table2-selection",
    "scholarbench.table19-selection",
    "scholarbench.table21-selection",
    "scholarbench.above-052",
    "scholarbench.table21-english",
    "scholarbench.korean-open-book",
}
CANNOT_BE_RECOMPUTED = {
    "kmetbench.tau-redux",
    "kmetbench.tau-weather",
    "kmetbench.tau-redux-39",
    "kmetbench.judge-alpha",
    "kmetbench.judge-tau",
    "kmetbench.best-reasoning-interval",
    "kmmmu.retention",
    "kmmmu.divergence",
    "kmmmu.open-best",
    "kmmmu.local-gap-interval",
    "kmmmu.judge-agreement",
    "kmmmu.human-agreement",
    "kmmmu.solved-without-images",
    "scholarbench.kappa",
    "scholarbench.language-trend",
}


@pytest.fixture(scope="module")
def published() -> Published:
    """Return the figures that ship."""
    return load_published()


@pytest.fixture(scope="module")
def checked(published: Published) -> dict[str, CheckedClaim]:
    """Return all checked claims by their identifiers."""
    return {claim.claim_id: claim for claim in check_claims(published)}


def check_one(published: Published, claim_id: str) -> CheckedClaim:
    """Check one claim on other figures."""
    return next(claim for claim in CLAIMS if claim.claim_id == claim_id).check(published)


def test_identifiers_are_unique_and_name_their_paper() -> None:
    """An identifier is the paper's key, a dot, and words of lower case, and occurs once."""
    counts = Counter(claim.claim_id for claim in CLAIMS)
    assert max(counts.values()) == 1
    for claim in CLAIMS:
        assert re.fullmatch(rf"{claim.paper.value}\.[a-z0-9-]+", claim.claim_id)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim_id)
def test_each_claim_has_the_verdict_that_was_found_by_hand(
    checked: dict[str, CheckedClaim], claim: CheckedClaim
) -> None:
    """The two lists above name what does not follow and what cannot be recomputed; everything else follows."""
    expected = Verdict.FOLLOWS
    if claim.claim_id in DOES_NOT_FOLLOW:
        expected = Verdict.DOES_NOT_FOLLOW
    if claim.claim_id in CANNOT_BE_RECOMPUTED:
        expected = Verdict.CANNOT_BE_RECOMPUTED
    assert checked[claim.claim_id].verdict is expected


def test_the_lists_name_existing_claims(checked: dict[str, CheckedClaim]) -> None:
    """No name in the lists above is misspelt."""
    assert checked.keys() >= DOES_NOT_FOLLOW | CANNOT_BE_RECOMPUTED


def test_verdicts_are_counted(checked: dict[str, CheckedClaim]) -> None:
    """The counts of the three verdicts add up to all claims."""
    counts = count_verdicts(checked.values())
    assert counts[Verdict.DOES_NOT_FOLLOW] == len(DOES_NOT_FOLLOW)
    assert counts[Verdict.CANNOT_BE_RECOMPUTED] == len(CANNOT_BE_RECOMPUTED)
    assert sum(counts.values()) == len(CLAIMS)


def test_no_verdicts_are_counted_as_none() -> None:
    """Each verdict is a key even where no claim has it."""
    assert count_verdicts([]) == dict.fromkeys(Verdict, 0)


def test_every_finding_says_why(checked: dict[str, CheckedClaim]) -> None:
    """What does not follow, or cannot be recomputed, carries a reason; what was recomputed carries its n."""
    for claim in checked.values():
        assert claim.note or claim.verdict is Verdict.FOLLOWS
        assert (claim.n is None) == (claim.verdict is Verdict.CANNOT_BE_RECOMPUTED)


@pytest.mark.parametrize(
    ("claim_id", "values", "n"),
    [
        # Counts of the leaderboard file: rows; rows with is_proprietary_model False.
        ("kmetbench.models", (55, 52), 55),
        # scipy.stats.kendalltau and pearsonr on the two columns of the leaderboard file.
        ("kmetbench.tau", (0.7777777777777779,), 55),
        ("kmetbench.pearson", (0.9210672064677765,), 55),
        # Column means of multimodal_pct − text_pct over the 25 open vision models, in a spreadsheet.
        ("kmetbench.modality-gap-mean", (-19.146456783716772,), 25),
        ("kmetbench.modality-gap-range", (-37.389724961079395, -2.283341982355992), 25),
        ("kmetbench.modality-gap-intervals", (19, 25), 25),
        # scipy.stats.binom.ppf([.025, .975], n, k/n)/n for 62 of 82 and 56 of 71.
        ("kmetbench.best-multimodal", (62 / 82, 0.65853659, 0.84146341), 82),
        ("kmetbench.local-korean", (56 / 71, 0.69014085, 0.87323944), 71),
        # (18.014388489208635 − 4)/16
        ("kmetbench.best-reasoning", (0.8758992805755397,), 55),
        # 5 of 82 right (VARCO-Vision-2.0-1.7B): 77/(82 · 81); 3 of 71 right (Llama-3.2-1B-Instruct): 68/(71 · 70).
        ("kmetbench.modality-swing", (100 * 77 / (82 * 81),), 25),
        ("kmetbench.geo-cultural-swing", (100 * 68 / (71 * 70),), 55),
        # 56 right against 53 − 0, 1 or 2 on the 71 common items: lead 3 to 5, one more turns it.
        ("kmetbench.amip", (6,), 71),
        # 941/10,340
        ("scholarbench.parallel-share-section-4", (9.100580270793036,), 10340),
    ],
)
def test_values_are_those_of_outside_oracles(
    checked: dict[str, CheckedClaim], claim_id: str, values: tuple[float, ...], n: int
) -> None:
    """The recomputed values at full precision."""
    assert checked[claim_id].values == pytest.approx(values, abs=5e-9)
    assert checked[claim_id].n == n


def test_mcnemar_is_the_binomial_test(checked: dict[str, CheckedClaim]) -> None:
    """33 against 6 and 38 against 2, as scipy's exact binomial test has it."""
    expected = [stats.binomtest(6, 39).pvalue, stats.binomtest(2, 40).pvalue]
    assert checked["kmmmu.mcnemar"].values == pytest.approx(expected, rel=1e-9)


def test_the_interval_count_agrees_with_a_drawn_bootstrap(published: Published) -> None:
    """The nearest interval that excludes zero (Qwen2.5-VL-3B-Instruct, upper end −0.50 points) is drawn by scipy."""
    rng = np.random.default_rng(42)
    image, text = np.repeat([1.0, 0.0], [25, 57]), np.repeat([1.0, 0.0], [701, 991])
    drawn = stats.bootstrap(
        (image, text), lambda x, y, axis: x.mean(axis) - y.mean(axis), n_resamples=20_000, method="percentile", rng=rng
    )
    assert drawn.confidence_interval.high == pytest.approx(-0.0050, abs=0.004)
    row = next(row for row in published.kmetbench.leaderboard if row.display_model_name == "Qwen2.5-VL-3B-Instruct")
    assert [row.multimodal_pct, row.text_pct] == pytest.approx([100 * 25 / 82, 100 * 701 / 1692])


def test_three_models_change_the_sign_of_their_gap(checked: dict[str, CheckedClaim]) -> None:
    """EXAONE-4.0-32B flips on each of 29 wrong items, the two others on each right one."""
    note = checked["kmetbench.sign-flips"].note
    assert re.findall(r"([\w.-]+) \(geo-cultural ([+-][\d.]+), (\d+) of 71 items\)", note) == [
        ("EXAONE-4.0-32B", "-0.75", "29"),
        ("HyperCLOVAX-SEED-Text-Instruct-0.5B", "+0.94", "10"),
        ("Llama-3.2-1B-Instruct", "+0.71", "3"),
    ]


def test_exceptions_are_named(checked: dict[str, CheckedClaim]) -> None:
    """The rows that contradict a claim stand in its note."""
    assert checked["scholarbench.table2-selection"].note == "Qwen-32b-reasoning: 0.539 0.640 0.423"
    assert checked["scholarbench.table19-selection"].note == "Exaone-32b: 0.463 0.611 0.583"
    assert checked["scholarbench.above-052"].note == "Gemma2-9b at 0.496"
    assert checked["kmetbench.table13-rounding"].note == "Qwen3-VL-32B-Thinking, reasoning: 16.17, not 16.194"


def test_the_mean_gap_over_all_vision_models_is_given_too(checked: dict[str, CheckedClaim]) -> None:
    """−21.00 over all 28, from the same columns of the leaderboard file."""
    assert "-21.00 over all 28" in checked["kmetbench.modality-gap-mean"].note


def test_the_korean_part_leaves_no_share_for_english(published: Published) -> None:
    """o3-mini on multiple choice: .886 in Table 19, .720 in Table 22, so English (.886·2058 − .720·1010)/1048 > 1."""
    assert pytest.approx(1.046, abs=0.001) == (0.886 * 2058 - 0.720 * 1010) / 1048
    assert check_one(published, "scholarbench.korean-open-book").verdict is Verdict.DOES_NOT_FOLLOW


def test_a_claim_depends_on_the_figures(published: Published) -> None:
    """With one category changed the sum no longer follows, and with the A-3 of Table 2 mended the order does."""
    data = published.scholarbench
    longer = replace(data.table06[0], ko=data.table06[0].ko + 1)
    changed = replace(published, scholarbench=replace(data, table06=(longer, *data.table06[1:])))
    assert check_one(changed, "scholarbench.table6-sums").note == "ko: 1016"
    rows = tuple(replace(row, a3=row.a2) if row.a3 > row.a2 else row for row in data.table02)
    mended = replace(published, scholarbench=replace(data, table02=rows))
    assert check_one(mended, "scholarbench.table2-selection").verdict is Verdict.FOLLOWS
    assert check_one(mended, "scholarbench.table2-averages").verdict is Verdict.DOES_NOT_FOLLOW


def test_a_percentage_that_is_no_count_shows(published: Published) -> None:
    """A rounded percentage in the leaderboard is found as such, and what rests on counts refuses it."""
    data = published.kmetbench
    rounded = replace(data.leaderboard[0], korean_pct=78.9)
    changed = replace(published, kmetbench=replace(data, leaderboard=(rounded, *data.leaderboard[1:])))
    found = check_one(changed, "kmetbench.whole-counts")
    assert (found.recomputed, found.verdict) == ("467 of 468", Verdict.DOES_NOT_FOLLOW)
    with pytest.raises(DataError, match=r"A\.X-4\.0, field korean_pct"):
        check_claims(changed)


def test_papers_have_their_authors_names() -> None:
    """The benchmarks are written as in the papers."""
    assert [paper.benchmark for paper in Paper] == ["K-MetBench", "KMMMU", "ScholarBench"]
