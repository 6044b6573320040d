"""One piece of statistical work, done one way, in a process of its own: ``python -m bench.statistics_work WORK``.

It prints one JSON object: the seconds and the processor seconds of the work alone, imports and the making of the
scores apart.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

MODELS: Final = 60
ITEMS: Final = 1774
RESAMPLES: Final = 1000
SEED: Final = 42
IMAGES: Final = 82
KOREAN: Final = 73
PARTS: Final = 5
LARGE_ITEMS: Final = 3466
LARGE_RESAMPLES: Final = 100_000
LARGE_MODELS: Final = 10
LARGE_GROUPS: Final = 9
LARGE_SUBSET: Final = 300

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def make_scores(models: int, items: int) -> FloatArray:
    """Return scores 0 and 1 of models of rising skill."""
    rng = np.random.default_rng(SEED)
    skill = np.linspace(0.3, 0.9, models)[:, None]
    return (rng.random((models, items)) < skill).astype(np.float64)


def make_subsets(items: int) -> dict[str, BoolArray]:
    """Return the axes of K-MetBench: all, Korean, the rest, text, pictures, five parts."""
    place = np.arange(items)
    korean, image = place % (items // KOREAN) == 0, place >= items - IMAGES
    subsets = {"all": place >= 0, "korean": korean, "not korean": ~korean, "text": ~image, "image": image}
    return subsets | {f"P{part + 1}": place % PARTS == part for part in range(PARTS)}


def ours() -> None:
    """Intervals of all axes and gaps, rank intervals, leave-one-out, and every pair's AMIP minimum, by this library."""
    from exambench.stats.amip import exact_minima  # noqa: PLC0415 - each process imports what it measures
    from exambench.stats.influence import leave_one_out  # noqa: PLC0415
    from exambench.stats.joint import bootstrap_axes  # noqa: PLC0415
    from exambench.stats.matrix import axes_of  # noqa: PLC0415
    from exambench.stats.resampling import Bootstrap  # noqa: PLC0415

    scores, subsets = make_scores(MODELS, ITEMS), make_subsets(ITEMS)

    def work() -> None:
        axes = axes_of(scores, subsets)
        gaps = {"modality": ("image", "text"), "korean": ("korean", "not korean")}
        bootstrap_axes(axes, gaps, Bootstrap(RESAMPLES, SEED), strata=subsets["image"])
        for first, second in gaps.values():
            leave_one_out(axes[first], axes[second])
        exact_minima(scores)

    measure(work)


def scipy_model_by_model() -> None:
    """Do the same work with ``scipy.stats.bootstrap`` and plain loops, one model after the other.

    Per axis, model and gap there are as many resamples, per gap and model as many items left out, and as many pairs
    of models, as in :func:`ours`. What a single call cannot share, one draw for all models and axes, is drawn anew.
    """
    from scipy.stats import bootstrap, rankdata  # noqa: PLC0415 - each process imports what it measures

    scores, subsets = make_scores(MODELS, ITEMS), make_subsets(ITEMS)
    gaps = (("image", "text"), ("korean", "not korean"))

    def difference(first: FloatArray, second: FloatArray, axis: int) -> FloatArray:
        return np.asarray(np.mean(first, axis=axis) - np.mean(second, axis=axis))

    def interval(*samples: FloatArray, statistic: Callable[..., FloatArray]) -> FloatArray:
        found = bootstrap(samples, statistic, n_resamples=RESAMPLES, method="percentile", rng=SEED, vectorized=True)
        drawn: FloatArray = np.asarray(found.bootstrap_distribution, dtype=np.float64)
        return drawn

    def work() -> None:
        for mask in subsets.values():
            drawn = [interval(scores[model, mask], statistic=np.mean) for model in range(MODELS)]
            np.percentile(rankdata(-np.stack(drawn), axis=0), [2.5, 97.5], axis=1)
        for first, second in gaps:
            for model in range(MODELS):
                one, other = scores[model, subsets[first]], scores[model, subsets[second]]
                interval(one, other, statistic=difference)
                [np.delete(one, item).mean() - other.mean() for item in range(len(one))]
        for a in range(MODELS):
            for b in range(a):
                int(np.sum(scores[a] > scores[b])) - int(np.sum(scores[a] < scores[b]))

    measure(work)


def many_resamples() -> None:
    """Draw KMMMU's 100,000 resamples of 3,466 items for a gap controlled for nine disciplines."""
    from exambench.stats.gaps import controlled_gaps  # noqa: PLC0415 - each process imports what it measures
    from exambench.stats.resampling import Bootstrap  # noqa: PLC0415

    scores = make_scores(LARGE_MODELS, LARGE_ITEMS)
    place = np.arange(LARGE_ITEMS)
    subset = place % (LARGE_ITEMS // LARGE_SUBSET) == 0
    measure(lambda: controlled_gaps(scores, subset, place % LARGE_GROUPS, Bootstrap(LARGE_RESAMPLES, SEED)))


def measure(work: Callable[[], object]) -> None:
    """Do the work once and print what it took."""
    start, cpu = time.perf_counter(), time.process_time()
    work()
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}))


WORKS: Final[dict[str, Callable[[], None]]] = {
    "ours": ours,
    "scipy": scipy_model_by_model,
    "many-resamples": many_resamples,
}

if __name__ == "__main__":
    WORKS[sys.argv[1]]()
