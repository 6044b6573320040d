"""Which answers people score when their scores are to correct a judge: drawn at random, with known probabilities.

The stratified sample of :mod:`exambench.analysis.meta_sampling` shows a judge over its whole range. It takes items for
their difficulty and for the spread of their scores, so most items can never be in it, and no weighting can make means
over it into means over all answers. This sample can be taken for all answers: each of a model's is as likely as any.

References:
    [1] W. Cochran, "Sampling Techniques" (1977), chapters 2 and 5: simple random and stratified random sampling.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from exambench.analysis.meta_study import JudgedModels, first_trials
from exambench.analysis.sampling import Sampling
from exambench.analysis.verdicts import JudgedRun
from exambench.errors import ConfigError, Finding
from exambench.stats.corrected import SAMPLE

SAMPLING: Final = "sampling"
"""Key of a stored sample under which the way of its drawing stands; a sample without it is stratified."""
DEFAULT_PER_MODEL: Final = 10


@dataclass(frozen=True, slots=True)
class ModelShare:
    """How many of a model's answers are in a sample.

    Attributes:
        run_id: The run.
        name: The model's name.
        drawn: Answers in the sample.
        of: Answers that each were as likely to be drawn.
    """

    run_id: str
    name: str
    drawn: int
    of: int

    @property
    def probability(self) -> float:
        """Probability of each answer to be in the sample."""
        return self.drawn / self.of


@dataclass(frozen=True)
class RandomSample:
    """Answers that people are to score: of each model a simple random sample without replacement [1].

    Attributes:
        runs: The judged runs, one a model.
        models: How many answers of each, in the same order.
        trials: By run id and item id, the trial whose rationale is scored: the first one with a verdict.
        per_model: How many answers of each model were asked for.
        seed: Seed of the lot.
        notes: What else a person should know about the draw.
    """

    runs: tuple[JudgedRun, ...]
    models: tuple[ModelShare, ...]
    trials: Mapping[tuple[str, str], int]
    per_model: int
    seed: int
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the sample with its probabilities as JSON values for the store."""
        return {
            SAMPLING: str(Sampling.RANDOM),
            "seed": self.seed,
            "per_model": self.per_model,
            "models": [
                {
                    "run": each.run_id,
                    "model": each.name,
                    "drawn": each.drawn,
                    "of": each.of,
                    "probability": each.probability,
                }
                for each in self.models
            ],
            "notes": list(self.notes),
        }


def draw_random(judged: JudgedModels, per_model: int = DEFAULT_PER_MODEL, seed: int = 42) -> RandomSample:
    """Draw as many answers of each model, or all where it has fewer, from those with a rationale and a verdict.

    Args:
        judged: What the judge says of the models.
        per_model: How many of each.
        seed: Seed of the lot; a model's draw depends on it and on its run alone.

    Raises:
        ConfigError: Fewer than three answers of each are asked for, or no model has any to draw from.
    """
    if per_model < SAMPLE:
        raise ConfigError(
            Finding(
                problem="so few answers of a model cannot correct its mean",
                field="--per-model",
                value=str(per_model),
                allowed=f"{SAMPLE} or more",
                remedy="Ask for more: an interval from 10 answers is a third as wide as one from 4",
            )
        )
    places: dict[tuple[str, str], int] = {}
    runs, models, notes = [], [], []
    for run in judged.runs:
        trials = first_trials(run)
        if not trials:
            notes.append(f"{run.run.model_name} has no rationale with a verdict, and is left out.")
            continue
        drawn = draw_answers(trials, per_model, f"{seed}:{run.run.run_id}")
        places |= {(run.run.run_id, item_id): trials[item_id] for item_id in drawn}
        runs.append(run)
        models.append(ModelShare(run.run.run_id, run.run.model_name, len(drawn), len(trials)))
    if not runs:
        raise ConfigError(
            Finding(
                problem="no model has a rationale with a verdict",
                field="--judge",
                remedy="Judge some runs with: exambench judge",
            )
        )
    return RandomSample(tuple(runs), tuple(models), places, per_model, seed, (*notes, *judged.notes))


def draw_answers(item_ids: Collection[str], count: int, seed: str) -> list[str]:
    """Return a simple random sample without replacement, sorted; all of them where there are no more.

    Args:
        item_ids: What to draw from, whatever the order.
        count: How many.
        seed: Seed of the lot.
    """
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    return sorted(rng.sample(sorted(item_ids), min(count, len(item_ids))))
