"""GPU-hours for 100 questions, against the time that people have for as many.

References:
    [1] S. Kim et al., "K-MetBench" (2026), Figure 28: wall time × tensor parallelism × 100 / questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from exambench.analysis.cost import PER_QUESTIONS, RunCost
from exambench.errors import UndefinedStatisticError
from exambench.report.figures.figure import Chart, Figure, Row
from exambench.report.figures.labels import label, labels_of
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.names import FigureName
from exambench.report.figures.points import span_of

NAME: Final = FigureName.GPU_HOURS
WIDTH: Final = 440
ROW_HEIGHT: Final = 20
MINUTES: Final = 60
LONGEST: Final = 40

TITLE: Final = Phrase("GPU-hours for 100 questions", "100문항에 든 GPU 시간")
AXIS: Final = Phrase("GPU-hours", "GPU 시간")
MEASURE: Final = Phrase(
    "Wall time × GPUs × 100 / questions answered in it.", "실행 시간 × GPU 수 × 100 / 그동안 답한 문항 수."
)
LIMIT: Final = Phrase(
    "Dashed: what people have for 100 questions, {hours:g} h. Bars in its colour are beyond it.",
    "파선: 응시자에게 주어지는 100문항당 {hours:g}시간. 같은 색 막대는 이를 넘은 경우.",
)
NO_LIMIT: Final = Phrase("The examination has no declared time.", "시험 시간이 선언되지 않음.")
UNKNOWN: Final = Phrase(
    "Not shown: {count} runs whose GPUs or times are not known.", "GPU나 시간을 알 수 없는 실행 {count}개는 제외."
)
CUT: Final = Phrase("Not shown: the {count} fastest.", "가장 빠른 {count}개는 제외.")
WITHIN, BEYOND = "within", "beyond"


@dataclass(frozen=True, slots=True)
class GpuHours:
    """What one run took.

    Attributes:
        name: Model, and what tells its runs apart.
        hours: GPU-hours for 100 questions.
        gpu: What it ran on.
        gpus: How many at once.
        n: Questions answered in the time.
        run_id: The run; empty for a published figure.
    """

    name: str
    hours: float
    gpu: str = ""
    gpus: int | None = None
    n: int | None = None
    run_id: str = ""


@dataclass(frozen=True, eq=False)
class GpuHoursData:
    """What the figure shows.

    Attributes:
        source: Which examination.
        runs: What runs took, the fastest first.
        limit: Hours that people have for 100 questions; ``None`` where it is not known.
        unknown: Number of runs without GPU-hours.
    """

    source: str
    runs: tuple[GpuHours, ...]
    limit: float | None
    unknown: int


def gpu_hours_data(costs: Sequence[RunCost]) -> GpuHoursData:
    """Return what the figure shows of runs on one benchmark.

    Raises:
        UndefinedStatisticError: No run has GPU-hours.
    """
    known = [(cost, cost.gpu_hours_per_100) for cost in costs]
    runs = [
        GpuHours(
            f"{cost.model} · {cost.origin['protocol'].partition(' ')[0]}",
            hours,
            cost.gpu or "",
            cost.gpus,
            cost.received,
            cost.run_id,
        )
        for cost, hours in known
        if hours is not None
    ]
    if not runs:
        raise UndefinedStatisticError("no model file says on how many GPUs it runs ([serving] gpus)")
    first = costs[0]
    limit = (
        None
        if first.exam_minutes is None or not first.exam_items
        else first.exam_minutes / MINUTES * PER_QUESTIONS / first.exam_items
    )
    return GpuHoursData(
        first.benchmark, tuple(sorted(runs, key=lambda run: (run.hours, run.name))), limit, len(costs) - len(runs)
    )


def gpu_hours(data: GpuHoursData, language: Language = Language.EN) -> Figure:
    """Draw a bar for each run, and the time limit [1]."""
    shown = data.runs[-LONGEST:]
    names = labels_of([run.name for run in shown], 44)
    rows = [_row(run, name, data.limit) for run, name in zip(shown, names, strict=True)]
    return Figure(
        name=NAME,
        title=TITLE.text(language),
        subtitle=(f"{label(data.source, 200)}. {MEASURE.text(language)}", *_notes(data, language)),
        chart=_chart(rows, names, data.limit, language),
        datasets={"runs": rows, "limit": [] if data.limit is None else [{"hours": round(data.limit, 9)}]},
        records=[
            {
                "benchmark": data.source,
                "run": run.run_id,
                "model": run.name,
                "gpu": run.gpu,
                "gpus": run.gpus,
                "n": run.n,
                "gpu_hours_per_100": run.hours,
                "limit_hours": data.limit,
            }
            for run in data.runs
        ],
    )


def _notes(data: GpuHoursData, language: Language) -> Iterator[str]:
    yield NO_LIMIT.text(language) if data.limit is None else LIMIT.text(language, hours=data.limit)
    if len(data.runs) > LONGEST:
        yield CUT.text(language, count=len(data.runs) - LONGEST)
    if data.unknown:
        yield UNKNOWN.text(language, count=data.unknown)


def _row(run: GpuHours, name: str, limit: float | None) -> Row:
    return {
        "model": name,
        "hours": round(run.hours, 9),
        "text": f"{run.hours:.3g}" if run.n is None else f"{run.hours:.3g} · n = {run.n:,}",
        "side": BEYOND if limit is not None and run.hours > limit else WITHIN,
        "gpu": label(f"{run.gpus or '?'} × {run.gpu or '?'}"),
        "n": run.n,
    }


def _chart(rows: Sequence[Row], names: Sequence[str], limit: float | None, language: Language) -> Chart:
    most = max([float(str(row["hours"])) for row in rows] + ([] if limit is None else [limit]))
    span = span_of([0.0, most * 1.05], 0.0)
    scale = alt.Scale(domain=[0, span.high], nice=False)
    y = alt.Y("model:N", sort=list(names), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=340))
    x = alt.X("hours:Q", scale=scale, title=AXIS.text(language))
    base = alt.Chart(alt.NamedData("runs"))
    layers: list[alt.Chart] = [
        base.transform_filter(f"datum.side == '{side}'")
        .mark_bar(height=12, style=side)
        .encode(x=x, y=y, tooltip=["model:N", alt.Tooltip("hours:Q", format=".4f"), "gpu:N", "n:Q"])
        for side in (WITHIN, BEYOND)
    ]
    layers += [
        base.mark_text(align="left", dx=6, fontSize=10).encode(
            x=alt.XDatum(span.high, type="quantitative"), y=y, text="text:N"
        ),
    ]
    if limit is not None:
        layers.append(alt.Chart(alt.NamedData("limit")).mark_rule(style="limit").encode(x=x))
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW_HEIGHT))
