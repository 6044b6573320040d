"""The published order beside others, by answers: terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from exambench.probing.orders import OrderReport, OrderResult
from exambench.report import grids
from exambench.report.formatting import (
    csv_text,
    json_text,
    p_value,
    percent,
    percent_range,
    plural,
    points,
    points_range,
)
from exambench.report.grids import Cell, Grid, Section, cell, no_value
from exambench.report.prefix import interval_as_json
from exambench.report.provenance import drawn, interval_note
from exambench.stats.intervals import Interval

NO_PLACE = "no order has a key at the same place as the published one"
NULL = (
    "Null hypothesis: an item is answered as well in any order. The published order is as good as drawn, so each of an "
    "item's scores is as likely to be the one of the published order."
)


def terminal(report: OrderReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: OrderReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: OrderReport) -> str:
    """Return one line for each model, in full precision."""
    return csv_text(_records(report))


def as_json(report: OrderReport) -> str:
    """Return the report as a JSON document with every item's scores, in full precision."""
    return json_text(
        {
            "benchmark": report.benchmark,
            "dataset": report.dataset_hash,
            "protocol": report.protocol,
            "null_hypothesis": NULL,
            "left_out": report.left_out,
            **drawn(report.bootstrap),
            "models": [_result_as_json(result) for result in report.results],
        }
    )


def _sections(report: OrderReport) -> Iterator[Section]:
    rows = tuple(
        (
            cell(result.model),
            cell(f"{len(result.items)}", f"× {result.orders}"),
            _mean(result.published),
            _mean(result.others),
            _difference(result.difference),
            no_value(NO_PLACE) if result.adjusted is None else _difference(result.adjusted),
            cell(p_value(result.test.p_value)),
            cell(p_value(result.p_adjusted)),
        )
        for result in report.results
    )
    grid = Grid(
        "Accuracy in percent, differences in percentage points",
        (
            "Model",
            "items\n× orders",
            "published\norder",
            "other\norders",
            "difference",
            "same place\nof the key",
            "exact p",
            "p, Holm",
        ),
        rows,
        notes=(
            NULL,
            "exact p: one-sided, by convolution over items; nothing is drawn.",
            (
                "same place of the key: published scores less those of other items in orders with the key at that "
                "place, so that a preference for places does not pass for memory."
            ),
            *(
                [f"Left out: {plural(report.left_out, 'item')} with sorted numbers (--sorted)."]
                if report.left_out
                else []
            ),
            interval_note(report.bootstrap),
        ),
    )
    said = tuple(f"{result.model}: {result.conclusion}." for result in report.results)
    yield Section(f"Published order and others · {report.benchmark} · {report.protocol}", (grid,), said)


def _mean(found: Interval) -> Cell:
    return cell(percent(found.estimate), percent_range(found.low, found.high, 0))


def _difference(found: Interval) -> Cell:
    return cell(points(found.estimate), points_range(found.low, found.high), f"n={found.n}")


def _records(report: OrderReport) -> Iterator[dict[str, object]]:
    for result in report.results:
        record: dict[str, object] = {
            "benchmark": report.benchmark,
            "dataset": report.dataset_hash,
            "protocol": report.protocol,
            "model": result.model,
            "run": result.run_id,
            "orders": result.orders,
            "items": len(result.items),
        }
        for name, found in _intervals(result):
            record |= {f"{name}_{part}": value for part, value in interval_as_json(found).items()}
        yield record | _test(result) | {"conclusion": str(result.conclusion)}


def _result_as_json(result: OrderResult) -> dict[str, Any]:
    return {
        "model": result.model,
        "run": result.run_id,
        "orders": result.orders,
        "items": len(result.items),
        **{name: interval_as_json(found) for name, found in _intervals(result)},
        **_test(result),
        "conclusion": str(result.conclusion),
        "scores": [
            {
                "item": item.item_id,
                "published": item.published,
                "others": list(item.others),
                "key_at": item.place,
                "key_at_in_others": list(item.places),
            }
            for item in result.items
        ],
    }


def _intervals(result: OrderResult) -> tuple[tuple[str, Interval | None], ...]:
    return (
        ("published", result.published),
        ("others", result.others),
        ("difference", result.difference),
        ("same_place", result.adjusted),
    )


def _test(result: OrderResult) -> dict[str, object]:
    return {
        "test": result.test.method,
        "observed": result.test.observed / result.unit,
        "expected": result.test.expected / result.unit,
        "informative": result.test.informative,
        "p": result.test.p_value,
        "p_holm": result.p_adjusted,
    }
