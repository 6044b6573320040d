"""A drawn sample for the terminal: with the reason for each choice, or with the probabilities of the lot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from exambench.analysis.meta_random import RandomSample
from exambench.analysis.meta_study import StudySample
from exambench.report.formatting import plural
from exambench.report.grids import Grid, Section, cell

UNBLINDING: Final = (
    "Keep this from the people who score: it names the models. The key of the sheets stays in the store."
)


def sections(drawn: StudySample | RandomSample) -> Iterator[Section]:
    """Return what was drawn, and why."""
    return _random(drawn) if isinstance(drawn, RandomSample) else _stratified(drawn)


def _random(drawn: RandomSample) -> Iterator[Section]:
    """Return how many answers of each model were drawn, out of how many."""
    models = Grid(
        "Answers of each model",
        ("model", "drawn", "of", "probability"),
        tuple(
            (cell(each.name), cell(str(each.drawn)), cell(str(each.of)), cell(f"{each.probability:.3f}"))
            for each in drawn.models
        ),
    )
    yield Section(
        f"A random sample of {plural(len(drawn.trials), 'answer')} of {plural(len(drawn.models), 'model')}, "
        f"seed {drawn.seed}",
        (models,),
        (
            "Of each model so many of its answers with a rationale and a verdict, each as likely as any other.",
            *drawn.notes,
            UNBLINDING,
        ),
    )


def _stratified(drawn: StudySample) -> Iterator[Section]:
    """Return the models and the items of a sample, each with its tier, its score and why it is in."""
    names = {judged.run.run_id: judged.run.model_name for judged in drawn.runs}
    models = Grid(
        "Models",
        ("model", "tier", "why"),
        tuple((cell(names[each.candidate.id]), cell(each.tier), cell(each.why)) for each in drawn.models),
        labels=3,
    )
    items = Grid(
        "Items",
        ("item", "difficulty", "why", "mean"),
        tuple(
            (cell(each.candidate.id), cell(each.difficulty), cell(each.why), cell(f"{each.candidate.mean:.3f}"))
            for each in drawn.items.items
        ),
        labels=3,
        notes=tuple(
            f"{label}: no exchange within a tier covers it without losing another label"
            for label in drawn.items.uncovered
        ),
    )
    yield Section(
        f"A sample of {plural(len(drawn.models), 'model')} and {plural(len(drawn.items.items), 'item')}, "
        f"seed {drawn.seed}",
        (models, items),
        (
            "Models: three tiers by normalised reasoning score, drawn by lot within a tier.",
            (
                "Items: tiers of difficulty by mean score of these models, the highest spread between models first, "
                "exchanged where a kind, a part or the Korean-specific ones would be missing."
            ),
            *drawn.notes,
            UNBLINDING,
        ),
    )
