"""One stratified item resample serves all models and axes, and depends on nothing but the seed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from exambench.stats import resampling
from exambench.stats.draws import design_items, resample_counts
from exambench.stats.intervals import binomial_quantile_interval
from exambench.stats.matrix import FloatArray, axes_of
from exambench.stats.resampling import Bootstrap, MeanTable, bootstrap_means, resampled_means

NAN = np.nan
DRAW = Bootstrap(resamples=200, seed=42)


def example(seed: int = 0, models: int = 4, items: int = 60, missing: float = 0.2) -> FloatArray:
    """Return scores 0 and 1 with holes."""
    rng = np.random.default_rng(seed)
    scores = (rng.random((models, items)) < 0.6).astype(float)
    scores[rng.random(scores.shape) < missing] = NAN
    return scores


def numbers(table: MeanTable) -> FloatArray:
    """Return all numbers of a table in one array."""
    return np.stack([table.estimate, table.low, table.high, table.standard_error, table.n, table.undefined])


def test_intervals_are_those_of_scipy_within_the_noise_of_the_draw() -> None:
    """For one model without holes: scipy.stats.bootstrap, method percentile, with 20 000 resamples."""
    scores = np.random.default_rng(3).random(150)
    ours = bootstrap_means({"all": scores[None, :]}, Bootstrap(20_000, seed=1)).interval(0, "all")
    theirs = stats.bootstrap((scores,), np.mean, n_resamples=20_000, method="percentile", rng=2)
    np.testing.assert_allclose([ours.low, ours.high], tuple(theirs.confidence_interval), atol=1.5e-3)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.02)
    assert (ours.n, ours.level, ours.resamples, ours.seed) == (150, 0.95, 20_000, 1)


def test_a_drawn_interval_is_the_binomial_one_up_to_one_item() -> None:
    """62 of 82 (K-MetBench, appendix H.1): the drawn bounds lie within 1/n of [.659, .841]."""
    scores = np.repeat([1.0, 0.0], [62, 20])[None, :]
    drawn = bootstrap_means({"multimodal": scores}, Bootstrap(1000, seed=42)).interval(0, "multimodal")
    exact = binomial_quantile_interval(62, 82)
    np.testing.assert_allclose([drawn.low, drawn.high], [exact.low, exact.high], atol=1 / 82)


def test_each_replicate_is_the_mean_of_the_drawn_scores() -> None:
    """By brute force: repeat every item as often as it was drawn and take the mean without the missing scores."""
    scores = example(models=3, items=12)
    mask = np.arange(12) < 7
    strata = np.array(["b", "a"] * 6)
    design = design_items(list(axes_of(scores, {"some": mask, "all": mask | True}).values()), strata)
    replicates = resampled_means(design, Bootstrap(50, seed=7))
    order = np.argsort(strata, kind="stable")
    for draw, counts in enumerate(np.concatenate(list(resample_counts([6, 6], 50, 7)))):
        items = np.repeat(order, counts.astype(int))
        for model in range(3):
            for axis, kept in enumerate([items[mask[items]], items]):
                drawn = scores[model, kept]
                expected = np.nanmean(drawn) if (~np.isnan(drawn)).any() else NAN
                assert replicates[model, axis, draw] == pytest.approx(expected, nan_ok=True)


@settings(max_examples=25)
@given(st.permutations(range(20)), st.integers(0, 5))
def test_permuting_the_items_with_their_ids_changes_nothing(order: list[int], seed: int) -> None:
    """With item ids, the order of the columns changes no bit of the result."""
    scores, ids = example(seed, items=20), np.array([f"item-{n}" for n in range(20)])
    strata, mask = np.arange(20) % 3, np.arange(20) % 2 == 0

    def table(columns: list[int]) -> MeanTable:
        axes = axes_of(scores[:, columns], {"even": mask[columns], "all": np.ones(20, dtype=bool)})
        return bootstrap_means(axes, DRAW, strata=strata[columns], item_ids=ids[columns])

    np.testing.assert_array_equal(numbers(table(order)), numbers(table(list(range(20)))))


@settings(max_examples=25)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=4))
def test_items_without_any_score_change_nothing(places: list[int]) -> None:
    """Columns of NaN are not drawn, so that no number moves."""
    scores = example(items=20)
    padded = np.insert(scores, sorted(places), NAN, axis=1)
    np.testing.assert_array_equal(
        numbers(bootstrap_means({"all": padded}, DRAW)), numbers(bootstrap_means({"all": scores}, DRAW))
    )


def test_a_model_sees_the_same_resample_with_and_without_others() -> None:
    """The draw does not depend on how many models there are."""
    scores = example(missing=0.0)
    alone = bootstrap_means({"all": scores[2:3]}, DRAW)
    together = bootstrap_means({"all": scores}, DRAW)
    np.testing.assert_array_equal(numbers(alone)[:, 0], numbers(together)[:, 2])


def test_models_taken_in_several_passes_have_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory limit decides how many models are drawn at a time, not what is drawn."""
    axes = axes_of(example(models=7), {"all": np.ones(60, dtype=bool), "half": np.arange(60) < 30})
    whole = bootstrap_means(axes, DRAW)
    monkeypatch.setattr(resampling, "REPLICATE_BYTES", 2 * 8 * 2 * DRAW.resamples)
    np.testing.assert_array_equal(numbers(bootstrap_means(axes, DRAW)), numbers(whole))


def test_a_model_without_any_score_may_be_alone_in_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has n = 0 and NaN, and the others keep their numbers."""
    axes = {"all": np.vstack([example(models=2), np.full(60, NAN)])}
    whole = bootstrap_means(axes, DRAW)
    monkeypatch.setattr(resampling, "REPLICATE_BYTES", 1)
    np.testing.assert_array_equal(numbers(bootstrap_means(axes, DRAW)), numbers(whole))
    assert whole.n.tolist() == [[np.count_nonzero(~np.isnan(row))] for row in axes["all"]]


@given(st.integers(0, 2**16), st.integers(2, 40), st.floats(0.01, 0.99), st.sampled_from([0.0, 0.5, 0.95]))
def test_bounds_are_numpys_quantiles_of_the_defined_resamples(seed: int, b: int, level: float, missing: float) -> None:
    """numpy.nanquantile and numpy.nanstd, row by row; with fewer than two values there is nothing to say."""
    rng = np.random.default_rng(seed)
    replicates = np.where(rng.random((2, 3, b)) < missing, NAN, rng.integers(0, 9, (2, 3, b)) / 8)
    low, high, error, undefined = resampling.percentile_bounds(replicates, level)
    for cell in np.ndindex(2, 3):
        row = replicates[cell][~np.isnan(replicates[cell])]
        assert undefined[cell] == b - len(row)
        expected = [*np.quantile(row, [(1 - level) / 2, (1 + level) / 2]), row.std(ddof=1)] if len(row) > 1 else NAN
        np.testing.assert_allclose([low[cell], high[cell], error[cell]], expected, atol=1e-12)


def test_the_seed_reproduces_and_another_seed_does_not() -> None:
    """The same seed gives the same bits."""
    axes: Mapping[str, FloatArray] = {"all": example()}
    first = numbers(bootstrap_means(axes, DRAW))
    np.testing.assert_array_equal(numbers(bootstrap_means(axes, DRAW)), first)
    assert (numbers(bootstrap_means(axes, Bootstrap(200, seed=43))) != first).any()


def test_a_model_without_scores_on_an_axis_has_no_number_there() -> None:
    """It shows n = 0 and NaN, never 0 %."""
    scores = example(models=2, missing=0.0)
    scores[0, :10] = NAN
    table = bootstrap_means(axes_of(scores, {"first": np.arange(60) < 10}), DRAW)
    assert table.n.tolist() == [[0], [10]]
    assert np.isnan([table.estimate[0], table.low[0], table.high[0], table.standard_error[0]]).all()


def test_resamples_that_miss_an_axis_are_counted() -> None:
    """An axis of one item is missing from about (1 − 1/n)ⁿ ≈ 37 % of resamples; they are left out, and said."""
    scores = np.ones((1, 40))
    axes = axes_of(scores, {"one": np.arange(40) == 3, "all": np.ones(40, dtype=bool)})
    cell = bootstrap_means(axes, Bootstrap(2000, seed=1)).interval(0, "one")
    assert (cell.estimate, cell.low, cell.high, cell.n) == (1.0, 1.0, 1.0, 1)
    assert cell.undefined_resamples / 2000 == pytest.approx((1 - 1 / 40) ** 40, abs=0.04)


def test_many_resamples_never_build_resamples_times_items() -> None:
    """8 000 resamples of 3 466 items peak far below the 222 MB that the counts alone would take."""
    scores = (np.random.default_rng(0).random((2, 3466)) < 0.4).astype(float)
    tracemalloc.start()
    bootstrap_means({"all": scores}, Bootstrap(8_000, seed=0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": {}}, "at least one axis"),
        ({"axes": {"a": [[1.0]], "b": [[1.0, 0.0]]}}, "one shape"),
        ({"axes": {"a": [[NAN, NAN]]}}, "no item has a score"),
        ({"item_ids": ["x", "x"]}, "unique"),
        ({"strata": ["x"]}, "one label for each of 2 items"),
    ],
)
def test_a_design_that_cannot_be_drawn_is_refused(change: dict[str, object], message: str) -> None:
    """The message says what is wrong with it."""
    arguments: dict[str, object] = {"axes": {"a": [[1.0, 0.0]]}, "bootstrap": DRAW} | change
    with pytest.raises(ValueError, match=message):
        bootstrap_means(**arguments)  # type: ignore[arg-type]  # deliberately wrong arguments


@pytest.mark.parametrize(("resamples", "seed", "level"), [(1, 0, 0.95), (10, -1, 0.95), (10, 0, 95.0)])
def test_an_impossible_bootstrap_is_refused(resamples: int, seed: int, level: float) -> None:
    """B, seed and level have ranges."""
    with pytest.raises(ValueError, match=r"found (1|-1|95\.0)$"):
        Bootstrap(resamples, seed, level)
