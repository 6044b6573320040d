"""A study with known truth: a judge that is generous and noisy, and people who are right on average."""

from __future__ import annotations

import numpy as np

from exambench.analysis.corrected_means import ModelAnswers
from exambench.analysis.meta_random import draw_answers
from exambench.stats.matrix import FloatArray

AXES = ("정확성", "추론의_깊이")
TRUE_MEAN = 3.0
"""Of every axis: merits are 2, 3 or 4, each as likely."""
BIAS = 0.6
"""By how much the judge's mean is higher, on every axis."""


def simulated_model(rng: np.random.Generator, seed: str, *, answers: int = 141, sample: int = 15) -> ModelAnswers:
    """Return a model's answers with a judge's scores of all and two people's mean on a sample drawn at random.

    The axes of an answer share half of their merit. The judge adds a point with probability 0.6. Each person is a point
    below or above with probability 1/4 each. All scores lie in 1 to 5.

    Args:
        rng: Draws merits, and the noise of judge and people.
        seed: Seed of the sample.
        answers: Answers with a verdict.
        sample: How many of these people score.
    """
    items = tuple(f"{number:03d}" for number in range(answers))
    drawn = set(draw_answers(items, sample, seed))
    outside = np.array([item not in drawn for item in items])
    shared = rng.integers(2, 5, answers)
    judge, people = {}, {}
    for axis in AXES:
        merit = np.where(rng.random(answers) < 0.5, shared, rng.integers(2, 5, answers)).astype(np.float64)
        judge[axis] = merit + (rng.random(answers) < BIAS)
        people[axis] = merit + _noise(rng, answers)
        people[axis][outside] = np.nan
    return ModelAnswers(seed, seed, items, judge, people)


def _noise(rng: np.random.Generator, answers: int) -> FloatArray:
    """Return the mean of what two people are off by."""
    noise: FloatArray = rng.choice([-1.0, 0.0, 0.0, 1.0], (2, answers)).mean(axis=0)
    return noise
