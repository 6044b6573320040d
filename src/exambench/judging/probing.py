"""A probe of a judge: the same sample of answers, as written and with one thing changed.

Both sides are judgings like any other, planned, asked and read in the same way, with a condition that keeps their
verdicts apart from the scores of the run. Requests of the side as written are those of an ordinary judging: what was
asked there is not asked again, and the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from exambench.errors import ConfigError, Finding
from exambench.items import digest
from exambench.judging.perturbations import AS_WRITTEN, Perturbation
from exambench.judging.planning import JudgePlan
from exambench.judging.subjects import Subject
from exambench.store import PERTURBATION


@dataclass(frozen=True)
class Probe:
    """What a judge is asked twice.

    Attributes:
        perturbation: What is changed.
        as_written: The sample as it is.
        changed: The same answers with one thing changed.
        pool: Answers that the sample was drawn from.
        left_out: Answers that the change cannot be applied to, by reason.
        seed: Seed of the draw.
    """

    perturbation: Perturbation
    as_written: JudgePlan
    changed: JudgePlan
    pool: int
    left_out: Mapping[str, int]
    seed: int

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """Item and trial of each answer in the sample."""
        return frozenset((subject.item.id, subject.trial) for subject in self.as_written.subjects)


def plan_probe(plan: JudgePlan, perturbation: Perturbation, size: int, seed: int) -> Probe:
    """Draw a sample of the answers of a plan, and return what to ask about it.

    A larger sample of the same seed holds every smaller one.

    Args:
        plan: An ordinary plan, of all answers.
        perturbation: What is changed.
        size: How many answers to draw; all where there are fewer.
        seed: Seed of the draw.

    Raises:
        ConfigError: The change can be applied to no answer.
    """
    obstacles = [(subject, perturbation.obstacle(subject)) for subject in plan.subjects]
    pool = [subject for subject, obstacle in obstacles if obstacle is None]
    left_out = Counter(obstacle for _, obstacle in obstacles if obstacle is not None)
    if not pool:
        reasons = "; ".join(f"{number} × {reason}" for reason, number in left_out.most_common())
        raise ConfigError(
            Finding(
                problem=f"the probe {perturbation.name} fits no answer of run {plan.record.run_id}: {reasons}",
                allowed="a run with rationales; for the order of choices, rationales that name none by its number",
                remedy="Probe the judge on another run",
            )
        )
    drawn = sorted(pool, key=lambda subject: _lot(subject, seed))[:size]
    chosen = {(subject.item.id, subject.trial) for subject in drawn}
    sample = tuple(subject for subject in pool if (subject.item.id, subject.trial) in chosen)
    return Probe(
        perturbation=perturbation,
        as_written=_under(plan, AS_WRITTEN, sample),
        changed=_under(plan, perturbation.tag, tuple(map(perturbation.apply, sample))),
        pool=len(pool),
        left_out=dict(left_out.most_common()),
        seed=seed,
    )


def _under(plan: JudgePlan, tag: str, subjects: tuple[Subject, ...]) -> JudgePlan:
    condition = {**plan.record.condition, PERTURBATION: tag}
    return replace(plan, record=replace(plan.record, condition=condition), subjects=subjects)


def _lot(subject: Subject, seed: int) -> str:
    return digest([seed, subject.item.id, subject.trial])
