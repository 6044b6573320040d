"""The gap between judged reasoning and accuracy, with the judge that it rests on and the models that lack it."""

from __future__ import annotations

from dataclasses import dataclass

from exambench.analysis.gaps import AbsentGap, Gap


@dataclass(frozen=True, slots=True)
class Judge:
    """Whose verdicts a gap rests on; the same for all of its models.

    Attributes:
        name: What to call the judge.
        rubric: What to call the rubric.
        rubric_hash: Digest of the rubric, the judge's prompt included.
        sees_images: Whether the judge sees the pictures.
    """

    name: str
    rubric: str
    rubric_hash: str
    sees_images: bool


@dataclass(frozen=True, slots=True)
class JudgedModel:
    """How far the reasoning of one model is judged, on the items that the gap is about.

    Attributes:
        model: The model.
        run_id: The run whose rationales are judged.
        judging_id: The judging.
        asked: Number of verdicts that were asked for.
        judged: Those that were given.
        unjudged: Those that cannot be read, however often the judge was asked; they are in no mean.
    """

    model: str
    run_id: str
    judging_id: str
    asked: int
    judged: int
    unjudged: int

    @property
    def open(self) -> int:
        """Those that wait for a reply."""
        return self.asked - self.judged - self.unjudged


@dataclass(frozen=True, eq=False)
class ReasoningGap:
    """Normalised judged reasoning less accuracy, for the models of a table.

    Attributes:
        gap: The two sides; ``None`` where no model has the gap.
        judge: Whose verdicts these are; ``None`` without a gap.
        models: What is judged, for each model that has the gap.
        absent: Why the others do not have it.
    """

    gap: Gap | None
    judge: Judge | None
    models: tuple[JudgedModel, ...]
    absent: tuple[AbsentGap, ...]
