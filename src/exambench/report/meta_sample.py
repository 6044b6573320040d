"""A drawn sample with the reason for each choice, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from exambench.analysis.meta_study import StudySample
from exambench.report.formatting import plural
from exambench.report.grids import Grid, Section, cell


def sections(drawn: StudySample) -> Iterator[Section]:
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
            "Keep this from the people who score: it names the models. The key of the sheets stays in the store.",
        ),
    )
