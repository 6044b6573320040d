"""A stage ``distort``: how the pool and what is left of it are spread over each dimension."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from exambench.construct.records import StageRecord
from exambench.errors import DataError, Finding
from exambench.report.figures.figure import Chart, Figure, Row
from exambench.report.figures.labels import label
from exambench.report.figures.language import Language, Phrase
from exambench.report.figures.style import DASHES

NAME: Final = "densities"
DECIMALS: Final = 9
"""Far more than shows, and few enough that rounding errors reach no bytes."""

TITLE: Final = Phrase("Items before {before}, and as they are now", "{before} 이전과 지금의 문항 분포")
SOURCE: Final = Phrase("Encoder: {encoder}. Dimensions: {how}.", "임베딩: {encoder}. 차원: {how}.")
POOL: Final = Phrase("pool (n = {n:,})", "전체(n = {n:,})")
KEPT: Final = Phrase("kept (n = {n:,})", "남은 문항(n = {n:,})")
DIMENSION: Final = Phrase("Dimension {dimension}: KL {kl:.3f}", "차원 {dimension}: KL {kl:.3f}")
CHANCE: Final = Phrase("; chance {chance:.3f}", "; 우연 {chance:.3f}")
KL: Final = Phrase(
    "KL(pool ‖ kept) in nats, {bins} bins on shared edges, 1 added to each count.",
    "KL(전체 ‖ 남은 문항), 단위 nat, 같은 경계의 구간 {bins}개, 각 도수에 1을 더함.",
)
BY_CHANCE: Final = Phrase(
    "Chance: 95th percentile of random subsets of the same size.",
    "우연: 같은 크기의 무작위 부분집합에서 95번째 백분위수.",
)
PLACE: Final = Phrase("Coordinate", "좌표")
DENSITY: Final = Phrase("Density", "밀도")
WHICH: Final = Phrase("Items", "문항")


@dataclass(frozen=True)
class _Panel:
    """One dimension.

    Attributes:
        kl: The row of the record's table.
        edges: Of the histograms.
        pool: Their counts.
        kept: Likewise.
    """

    kl: Mapping[str, Any]
    edges: list[float]
    pool: list[int]
    kept: list[int]

    def title(self, language: Language) -> str:
        text = DIMENSION.text(language, dimension=self.kl["dimension"], kl=self.kl["kl"])
        return text + (CHANCE.text(language, chance=self.kl["chance_95"]) if "chance_95" in self.kl else "")


def densities(record: StageRecord, language: Language = Language.EN) -> Figure:
    """Draw the histograms of a record as densities, a panel for each dimension.

    Raises:
        DataError: The record is of another kind of stage, or has no densities.
    """
    facts = record.facts
    if "densities" not in facts:
        raise DataError(
            Finding(
                problem=f"the stage {record.name} has no densities to draw",
                value=str(facts.get("divergence", record.use)),
                allowed="a stage of the kind distort that found texts on both sides",
                remedy="Name such a stage",
            )
        )
    of_dimension = {row["dimension"]: row for row in facts["divergence_by_dimension"]}
    panels = [_Panel(of_dimension[name], **found) for name, found in facts["densities"].items()]
    sizes = sum(panels[0].pool), sum(panels[0].kept)
    names = [phrase.text(language, n=n) for phrase, n in zip((POOL, KEPT), sizes, strict=True)]
    notes = [KL.text(language, bins=len(panels[0].pool)), *([BY_CHANCE.text(language)] if "chance" in facts else [])]
    source = SOURCE.text(language, encoder=facts["encoder"], how=facts["projection"])
    return Figure(
        name=NAME,
        title=TITLE.text(language, before=label(facts["before"], 60)),
        subtitle=(label(source, 400), *notes),
        chart=_chart([panel.title(language) for panel in panels], names, language),
        datasets={"densities": [row for panel in panels for row in _rows(panel, names, language)]},
        records=[row for panel in panels for row in _records(panel)],
    )


def _rows(panel: _Panel, names: list[str], language: Language) -> Iterator[Row]:
    """Yield the corners of the steps; the last one closes the last bin."""
    for name, counts in zip(names, (panel.pool, panel.kept), strict=True):
        heights = _heights(panel.edges, counts)
        for edge, height in zip(panel.edges, [*heights, heights[-1]], strict=True):
            yield {
                "dimension": panel.title(language),
                "set": name,
                "edge": round(edge, DECIMALS),
                "density": round(height, DECIMALS),
            }


def _heights(edges: list[float], counts: list[int]) -> list[float]:
    total = sum(counts)
    return [count / total / (right - left) for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True)]


def _records(panel: _Panel) -> Iterator[dict[str, object]]:
    heights = [_heights(panel.edges, counts) for counts in (panel.pool, panel.kept)]
    for at, (left, right) in enumerate(zip(panel.edges[:-1], panel.edges[1:], strict=True)):
        yield {
            "dimension": panel.kl["dimension"],
            "from": left,
            "to": right,
            "pool": panel.pool[at],
            "kept": panel.kept[at],
            "density_pool": heights[0][at],
            "density_kept": heights[1][at],
            "kl": panel.kl["kl"],
            "chance_95": panel.kl.get("chance_95"),
            "p": panel.kl.get("p"),
        }


def _chart(titles: list[str], names: list[str], language: Language) -> Chart:
    legend = alt.Legend(orient="top", title=WHICH.text(language))
    panels: Chart = (
        alt.Chart(alt.NamedData("densities"))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("edge:Q", title=PLACE.text(language), scale=alt.Scale(zero=False)),
            y=alt.Y("density:Q", title=DENSITY.text(language)),
            color=alt.Color("set:N", scale=alt.Scale(domain=names), legend=legend),
            strokeDash=alt.StrokeDash(
                "set:N", scale=alt.Scale(domain=names, range=[list(dash) for dash in DASHES[:2]]), legend=legend
            ),
        )
        .properties(width=260, height=200)
        .facet(
            facet=alt.Facet("dimension:N", sort=titles, title=None, header=alt.Header(labelAnchor="start")), columns=3
        )
        .resolve_scale(x="independent", y="independent")
    )
    return panels
