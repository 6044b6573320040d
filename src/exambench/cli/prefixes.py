"""What ``exambench contamination prefix`` does and prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.asking.tasks import TaskPlan
from exambench.cli.exit_codes import ExitCode
from exambench.cli.options import print_result
from exambench.cli.output import OutputForm
from exambench.cli.tasks import TaskTurn
from exambench.cli.turns import say, take_turns
from exambench.engine.responders import check_keys
from exambench.errors import ConfigError, Finding, show
from exambench.evaluation.model_files import named_model
from exambench.evaluation.opening import open_benchmark
from exambench.exchange import messages_as_json
from exambench.models import BaselineEndpoint, ModelConfig
from exambench.probing.comparisons import plan_comparisons
from exambench.probing.continuations import Arm, plan_continuations
from exambench.probing.prefix_measures import EXACT, JUDGED, continuations_in, measure
from exambench.probing.prefix_report import PrefixReport, PrefixResult, result_of
from exambench.probing.prompts import (
    SHIPPED_EXACTNESS,
    SHIPPED_PREFIX,
    ExactnessPrompt,
    PrefixPrompt,
    read_exactness_prompt,
    read_prefix_prompt,
)
from exambench.probing.stems import Stems, lengths_told, long_stems
from exambench.probing.tokens import Tokenization, Tokenizer, tokenizer
from exambench.report import prefix as rendering
from exambench.stats.resampling import Bootstrap
from exambench.store import Store, open_store

NO_CONTROL: Final = (
    "So there is no control; take shorter stems of it with --control-min-tokens, or name another one with --control."
)


@dataclass(frozen=True)
class PrefixOptions:
    """What to probe, as a person wrote it; see the options of the command."""

    benchmark: str
    models: tuple[str, ...]
    data: Path | None = None
    images: Path | None = None
    judge: str | None = None
    hint: bool = False
    min_tokens: int = 150
    share: float = 0.35
    tokenizer: str | None = None
    by: str = "source"
    control: str | None = "kmet-mini"
    control_data: Path | None = None
    control_images: Path | None = None
    control_min_tokens: int | None = None
    prompt: Path | None = None
    judge_prompt: Path | None = None
    vision: bool = False
    api_key_env: str | None = None


@dataclass(frozen=True)
class _Side:
    """One of the two benchmarks with the task of each model."""

    stems: Stems
    plans: tuple[TaskPlan, ...]


@dataclass(frozen=True)
class _Probe:
    """All that was named, read and planned."""

    models: tuple[ModelConfig, ...]
    judge: ModelConfig | None
    exactness: ExactnessPrompt
    sides: tuple[_Side, ...]
    notes: tuple[str, ...]


def probe_prefixes(
    options: PrefixOptions, location: str, concurrency: int | None, bootstrap: Bootstrap, form: OutputForm
) -> ExitCode:
    """Ask the models, then the judge, and print what came of it unless requests in flight were abandoned.

    Returns:
        The worst that happened; see :func:`~exambench.cli.turns.take_turns`.

    Raises:
        InputError: Something that was named cannot be used, and no model was asked.
        StoreError: The store cannot be used.
    """
    probe = _open(options)
    check_keys([*probe.models, *([probe.judge] if probe.judge else [])])
    with open_store(location) as store:
        turns = [TaskTurn(plan, store, concurrency) for side in probe.sides for plan in side.plans if plan.asks]
        code, begun = take_turns(turns)
        compared: dict[str, TaskPlan] = {}
        if probe.judge is not None and len(begun) == len(turns) and code is not ExitCode.INTERRUPTED:
            compared = _comparisons(probe, probe.judge, store)
            judged, _ = take_turns([TaskTurn(plan, store, concurrency) for plan in compared.values()])
            code = max(code, judged)
        if code is not ExitCode.INTERRUPTED:
            print_result(form, rendering, _report(options, probe, store, compared, bootstrap))
    return code


def show_prefix_plans(options: PrefixOptions) -> str:
    """Return what would be asked, as JSON: for each model the counts and the first request. Nothing is stored."""
    probe = _open(options)
    shown = []
    for side in probe.sides:
        for plan in side.plans:
            requests = [ask.request for ask in plan.asks if ask.request is not None]
            shown.append(
                {
                    "task": plan.record.task_id,
                    "model": plan.model.name,
                    "benchmark": plan.benchmark.name,
                    "requests": len(requests),
                    "not_asked": len(plan.asks) - len(requests),
                    "parameters": dict(plan.record.decoding),
                    "first": messages_as_json(requests[0].messages) if requests else None,
                }
            )
    return json.dumps({"notes": list(probe.notes), "tasks": shown}, ensure_ascii=False, indent=2) + "\n"


def _open(options: PrefixOptions) -> _Probe:
    models = tuple(named_model(name, vision=options.vision, api_key_env=options.api_key_env) for name in options.models)
    for model in models:
        refuse_baseline(model)
    judge = None
    if options.judge is not None:
        judge = named_model(options.judge, vision=False, api_key_env=options.api_key_env)
        refuse_baseline(judge)
    prompt = read_prefix_prompt(options.prompt or SHIPPED_PREFIX)
    exactness = read_exactness_prompt(options.judge_prompt or SHIPPED_EXACTNESS)
    cut = tokenizer(_tokenization(options.tokenizer))
    shortest = options.min_tokens
    stems = _stems(options, (options.benchmark, options.data, options.images), cut, more_than=shortest)
    notes = [lengths_told(stems, shortest)]
    if not stems.stems:
        raise ConfigError(
            Finding(
                problem=f"no stem is long enough. {notes[0]}",
                field="--min-tokens",
                value=str(options.min_tokens),
                allowed=f"less than {stems.longest}",
                remedy="Lower it, or name another benchmark",
            )
        )
    sides = [_side(stems, models, prompt, options)]
    if options.control == options.benchmark:
        notes.append("The benchmark is its own control: there is nothing to compare with.")
    elif options.control is not None:
        if options.control_min_tokens is not None:
            shortest = options.control_min_tokens
        control = _stems(
            options, (options.control, options.control_data, options.control_images), cut, more_than=shortest
        )
        told = f"Control, {lengths_told(control, shortest)}"
        notes.append(told if control.stems else f"{told} {NO_CONTROL}")
        sides += [_side(control, models, prompt, options)] if control.stems else []
    return _Probe(models, judge, exactness, tuple(sides), tuple(notes))


def refuse_baseline(model: ModelConfig) -> None:
    """See that a model can read.

    Raises:
        ConfigError: It is a baseline.
    """
    if isinstance(model.endpoint, BaselineEndpoint):
        raise ConfigError(
            Finding("a baseline cannot read a chat", field="model", value=show(model.name), remedy="Name a model")
        )


def _tokenization(name: str | None) -> Tokenization | None:
    if name is None or name in set(Tokenization):
        return None if name is None else Tokenization(name)
    raise ConfigError(
        Finding("there is no such tokenizer", field="--tokenizer", value=show(name), allowed=", ".join(Tokenization))
    )


def _stems(
    options: PrefixOptions, named: tuple[str, Path | None, Path | None], cut: Tokenizer, *, more_than: int
) -> Stems:
    """Cut the stems of a benchmark that is given by its name, its data file and its image folder."""
    opened = open_benchmark(*named)
    for finding in opened.findings:
        say(f"warning: {finding}")
    return long_stems(opened.benchmark, cut, more_than=more_than, share=options.share, by=options.by)


def _side(stems: Stems, models: tuple[ModelConfig, ...], prompt: PrefixPrompt, options: PrefixOptions) -> _Side:
    arms = (Arm.PLAIN, Arm.HINT) if options.hint else (Arm.PLAIN,)
    return _Side(stems, tuple(plan_continuations(stems, model, prompt, arms, share=options.share) for model in models))


def _comparisons(probe: _Probe, judge: ModelConfig, store: Store) -> dict[str, TaskPlan]:
    """Return the judge's task on each task of continuations, by the latter's identifier."""
    return {
        plan.record.task_id: plan_comparisons(
            plan, continuations_in(store, plan, side.stems), side.stems.stems, judge, probe.exactness
        )
        for side in probe.sides
        for plan in side.plans
    }


def _report(
    options: PrefixOptions, probe: _Probe, store: Store, compared: dict[str, TaskPlan], bootstrap: Bootstrap
) -> PrefixReport:
    measures = (*EXACT, *(JUDGED if probe.judge is not None else ()))
    main = probe.sides[0]
    control = probe.sides[1] if len(probe.sides) > 1 else None
    names = main.stems.benchmark.name, "" if control is None else control.stems.benchmark.name
    results: list[PrefixResult] = []
    for place, model in enumerate(probe.models):
        measured = [
            measure(
                store, side.plans[place], side.stems, compared.get(side.plans[place].record.task_id), probe.exactness
            )
            for side in probe.sides
        ]
        sides = measured[0], measured[1] if control is not None else ()
        results.append(result_of(model.name, main.plans[place], names, sides, measures=measures, bootstrap=bootstrap))
    return PrefixReport(
        benchmark=names[0],
        dataset_hash=main.stems.benchmark.content_hash,
        control=names[1] or None,
        judge=None if probe.judge is None else probe.judge.name,
        tokenizer=main.stems.tokenizer.name,
        min_tokens=options.min_tokens,
        share=options.share,
        notes=probe.notes,
        measures=measures,
        results=tuple(results),
        bootstrap=bootstrap,
    )
