"""What ``exambench contamination order`` does and prints."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.analysis.scores import find_runs
from exambench.cli.exit_codes import ExitCode
from exambench.cli.options import print_result
from exambench.cli.output import OutputForm
from exambench.cli.prefixes import refuse_baseline
from exambench.cli.reading import read_scores
from exambench.cli.sitting import Sitting
from exambench.cli.tasks import TaskTurn
from exambench.cli.turns import say, take_turns
from exambench.engine.responders import check_keys
from exambench.errors import ConfigError, Finding, show
from exambench.evaluation.model_files import named_model
from exambench.evaluation.opening import open_benchmark
from exambench.evaluation.planning import RunPlan, plan_run
from exambench.evaluation.setup import named_protocol
from exambench.items import Item
from exambench.probing.likelihoods import LikelihoodFrom, likelihood_report, plan_likelihoods
from exambench.probing.orders import is_sorted, order_report, other_orders
from exambench.protocols import Condition
from exambench.protocols.ordering import Order, OrderKind
from exambench.report import likelihoods as likelihood_rendering
from exambench.report import orders as rendering
from exambench.stats.resampling import Bootstrap
from exambench.store import RunRecord, Store, open_existing_store, open_store

SAMPLE_SEED: Final = 42


@dataclass(frozen=True)
class OrderOptions:
    """What to compare, as a person wrote it; see the options of the command."""

    runs: tuple[str, ...]
    benchmark: str | None
    models: tuple[str, ...]
    data: Path | None
    images: Path | None
    protocol: str | None
    permutations: int
    order_seed: int
    sorted_too: bool
    sample: int | None
    vision: bool
    api_key_env: str | None


def probe_orders(
    options: OrderOptions, location: str, concurrency: int | None, bootstrap: Bootstrap, form: OutputForm
) -> ExitCode:
    """Ask the models in all orders, if any are named, and compare the published order with the others.

    Returns:
        The worst that happened; see :func:`~exambench.cli.turns.take_turns`.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    if bool(options.runs) == bool(options.models) or bool(options.benchmark) != bool(options.models):
        raise _either_or(options)
    if not options.models:
        with open_existing_store(location) as store:
            _print(store, find_runs(store, options.runs), options, bootstrap, form)
        return ExitCode.COMPLETE
    plans = list(_plans(options))
    check_keys(plan.model for plan in plans)
    with open_store(location) as store:
        code, begun = take_turns([Sitting(plan, store, concurrency or plan.model.concurrency) for plan in plans])
        if code is not ExitCode.INTERRUPTED:
            published = [each.plan.record for each in begun if "order" not in each.plan.record.condition]
            _print(store, published, options, bootstrap, form)
    return code


def probe_likelihoods(
    options: OrderOptions, source: str, location: str, concurrency: int | None, form: OutputForm
) -> ExitCode:
    """Ask the models how likely the choices are in all orders, and rank the published one.

    Returns:
        The worst that happened; see :func:`~exambench.cli.turns.take_turns`.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    if options.runs or options.benchmark is None or not options.models:
        raise _either_or(options)
    if source not in set(LikelihoodFrom):
        raise ConfigError(
            Finding(
                "likelihoods do not come from there",
                field="--likelihood",
                value=show(source),
                allowed=", ".join(LikelihoodFrom),
            )
        )
    models = [named_model(name, vision=False, api_key_env=options.api_key_env) for name in options.models]
    for model in models:
        refuse_baseline(model)
    benchmark = open_benchmark(options.benchmark, options.data, options.images).benchmark
    orders, seed = options.permutations, options.order_seed
    items = _sample(benchmark.items, options.sample)
    plans = [
        plan_likelihoods(
            benchmark,
            items,
            model,
            LikelihoodFrom(source),
            orders=orders,
            seed=seed,
            sorted_too=options.sorted_too,
        )
        for model in models
    ]
    left_out = len(items) - len({ask.item_id for ask in plans[0].asks})
    check_keys(models)
    with open_store(location) as store:
        code, begun = take_turns([TaskTurn(plan, store, concurrency) for plan in plans])
        if code is not ExitCode.INTERRUPTED:
            asked = [turn.plan for turn in begun]
            report = likelihood_report(store, asked, orders=orders, seed=seed, left_out=left_out)
            print_result(form, likelihood_rendering, report)
    return code


def _sample(items: Sequence[Item], size: int | None) -> Sequence[Item]:
    """Return a simple random sample of items, in their order; all where no size is given."""
    if size is None or size >= len(items):
        return items
    drawn = random.Random(SAMPLE_SEED).sample(range(len(items)), size)  # noqa: S311 - a sample of items
    return [items[place] for place in sorted(drawn)]


def _plans(options: OrderOptions) -> Iterator[RunPlan]:
    """Yield for each model the run in the published order, then those in the others."""
    models = [named_model(name, vision=options.vision, api_key_env=options.api_key_env) for name in options.models]
    opened = open_benchmark(options.benchmark or "", options.data, options.images)
    for finding in opened.findings:
        say(f"warning: {finding}")
    protocol = named_protocol(opened.definition, options.protocol)
    items = _sample([item for item in opened.benchmark.items if protocol.selects(item)], options.sample)
    movable = [item for item in items if options.sorted_too or not is_sorted(item)]
    orders = [Order(OrderKind.SHUFFLED, index, options.order_seed) for index in range(1, options.permutations + 1)]
    for model in models:
        yield plan_run(opened.benchmark, model, protocol, Condition(), items=items)
        for order in orders:
            yield plan_run(opened.benchmark, model, protocol, Condition(order=order), items=movable)


def _print(
    store: Store, published: Sequence[RunRecord], options: OrderOptions, bootstrap: Bootstrap, form: OutputForm
) -> None:
    known = [summary.run for summary in store.runs()]
    wanted = [run for run in published if "order" not in run.condition] or list(published)
    pairs = []
    for run in wanted:
        scores = read_scores(store, [run, *other_orders(run, known, options.order_seed)])
        pairs.append((scores[0], scores[1:]))
    print_result(form, rendering, order_report(pairs, bootstrap, sorted_too=options.sorted_too))


def _either_or(options: OrderOptions) -> ConfigError:
    return ConfigError(
        Finding(
            problem="name runs of the store, or a benchmark and models to ask",
            value=show(" ".join((*options.runs, *options.models))),
            allowed="RUN…, or --benchmark NAME --model MODEL (the latter alone with --likelihood)",
        )
    )
