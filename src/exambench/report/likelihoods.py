"""The published order beside others, by likelihood: terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.probing.likelihoods import LikelihoodReport, LikelihoodResult
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, p_value, percent, plural
from exambench.report.grids import Grid, Section, cell

NULL = (
    "Null hypothesis: the published order is as likely to a model as any other of the same item. Under it the rank of "
    "the published order among an item's orders is uniform."
)


def terminal(report: LikelihoodReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: LikelihoodReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: LikelihoodReport) -> str:
    """Return one line for each model, in full precision."""
    return csv_text(
        {"benchmark": report.benchmark, "dataset": report.dataset_hash, **_summary(result)} for result in report.results
    )


def as_json(report: LikelihoodReport) -> str:
    """Return the report as a JSON document with every item's likelihoods, in full precision."""
    return json_text(
        {
            "benchmark": report.benchmark,
            "dataset": report.dataset_hash,
            "orders": report.orders,
            "seed": report.seed,
            "left_out": report.left_out,
            "null_hypothesis": NULL,
            "models": [
                {
                    **_summary(result),
                    "ranks": [
                        {
                            "item": item.item_id,
                            "log_likelihood": item.published,
                            "others": list(item.others),
                            "rank": item.rank,
                        }
                        for item in result.items
                    ],
                }
                for result in report.results
            ],
        }
    )


def _sections(report: LikelihoodReport) -> Iterator[Section]:
    rows = tuple(
        (
            cell(result.model),
            cell(f"{len(result.items)}"),
            cell(f"{result.most_likely}", f"of {len(result.items)}"),
            cell(f"{result.expected_most_likely:.1f}"),
            cell(percent(result.mean_percentile)),
            cell(p_value(result.test.p_value)),
            cell(p_value(result.p_adjusted)),
        )
        for result in report.results
    )
    grid = Grid(
        "Rank of the published order by log-likelihood",
        ("Model", "items", "most\nlikely", "by\nchance", "mean\npercentile", "exact p", "p, Holm"),
        rows,
        notes=(
            NULL,
            "exact p: one-sided, on the sum of the ranks, by convolution over items; nothing is drawn.",
            "mean percentile: share of the other orders that are less likely, ties by half; 50 by chance.",
            (
                f"Up to {plural(report.orders, 'other order')} an item, drawn with the seed {report.seed}. Left out: "
                f"{plural(report.left_out, 'item')} with pictures, with sorted numbers, or with choices that "
                "cannot change places."
            ),
        ),
    )
    said = tuple(f"{result.model}: {_said(result)}." for result in report.results)
    yield Section(f"Likelihood of the published order · {report.benchmark}", (grid,), said)


def _said(result: LikelihoodResult) -> str:
    return str(result.conclusion).replace("better in", "more likely in").replace("no better", "no more likely")


def _summary(result: LikelihoodResult) -> dict[str, Any]:
    return {
        "model": result.model,
        "asked": result.asked,
        "items": len(result.items),
        "most_likely": result.most_likely,
        "expected_most_likely": result.expected_most_likely,
        "mean_percentile": result.mean_percentile,
        "test": result.test.method,
        "p": result.test.p_value,
        "p_holm": result.p_adjusted,
        "conclusion": _said(result),
    }
