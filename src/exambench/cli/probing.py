"""What the probes of ``exambench trust`` do: ask a judge twice, and compare."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.analysis.trust.probes import ProbeReport, Sample, probe_report
from exambench.analysis.verdicts import load_verdicts
from exambench.cli.exit_codes import ExitCode
from exambench.cli.judging import JudgeOptions, JudgingTurn, judge_plans, show_judge_plan
from exambench.cli.turns import take_turns
from exambench.engine.responders import check_keys
from exambench.judging.perturbations import Injection, Padding, Perturbation, Reordering, read_probe_texts
from exambench.judging.planning import JudgePlan
from exambench.judging.probing import Probe, plan_probe
from exambench.judging.rubric import rubric_from_json
from exambench.stats.resampling import Bootstrap
from exambench.store import Store, open_existing_store


class ProbeKind(StrEnum):
    """What is changed in the answers."""

    ORDER = "order"
    PADDING = "padding"
    INJECTION = "injection"


CHANGES: Final = {
    ProbeKind.ORDER: "with the choices in another order",
    ProbeKind.PADDING: "with the rationale padded to twice its length",
    ProbeKind.INJECTION: "with an instruction at the end to give full marks",
}


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What to probe.

    Attributes:
        kind: What is changed.
        judging: The run and the judge, as for ``exambench judge``.
        sample: How many answers to draw.
        seed: Seed of the draw, and of the order of the choices.
        concurrency: Requests in flight at once; the judge's own when ``None``.
    """

    kind: ProbeKind
    judging: JudgeOptions
    sample: int
    seed: int
    concurrency: int | None = None


def probe_judge(options: ProbeOptions, location: str, bootstrap: Bootstrap) -> tuple[ExitCode, ProbeReport | None]:
    """Ask the judge what it has not replied to, and return what the change does to its scores.

    Returns:
        The worst that happened (see :func:`~exambench.cli.turns.take_turns`), and the report; no report where requests
        in flight were abandoned.

    Raises:
        InputError: Something that was named cannot be used, and the judge was not asked.
        StoreError: The store cannot be used.
    """
    with open_existing_store(location) as store:
        probe = _probe(options, store)
        check_keys([probe.as_written.judge])
        width = options.concurrency or probe.as_written.judge.concurrency
        code, _ = take_turns(
            [
                JudgingTurn(probe.as_written, store, width, ", as written"),
                JudgingTurn(probe.changed, store, width, f", {probe.perturbation.name}"),
            ]
        )
        if code is ExitCode.INTERRUPTED:
            return code, None
        return code, _report(options, probe, store, bootstrap)


def show_probe(options: ProbeOptions, location: str) -> None:
    """Print what would be asked, first as written and then after the change. No request is stored.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    with open_existing_store(location) as store:
        probe = _probe(options, store)
        show_judge_plan(probe.as_written)
        show_judge_plan(probe.changed)


def _probe(options: ProbeOptions, store: Store) -> Probe:
    (plan,) = judge_plans(options.judging, store)
    return plan_probe(plan, _perturbation(options, plan), options.sample, options.seed)


def _perturbation(options: ProbeOptions, plan: JudgePlan) -> Perturbation:
    match options.kind:
        case ProbeKind.ORDER:
            return Reordering(options.seed, with_reference=plan.record.with_reference)
        case ProbeKind.PADDING:
            return Padding(read_probe_texts())
        case ProbeKind.INJECTION:
            return Injection(read_probe_texts(), rubric_from_json(plan.record.rubric).high)


def _report(options: ProbeOptions, probe: Probe, store: Store, bootstrap: Bootstrap) -> ProbeReport:
    sample = Sample(
        probe=str(options.kind),
        change=CHANGES[options.kind],
        places=probe.places,
        trials=options.judging.trials,
        pool=probe.pool,
        left_out=probe.left_out,
        seed=probe.seed,
    )
    as_written, changed = (load_verdicts(store, plan.record) for plan in (probe.as_written, probe.changed))
    return probe_report(as_written, changed, sample, bootstrap)
