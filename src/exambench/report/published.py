"""Published claims and their sources as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from exambench.analysis.published import CheckedClaim, Paper, Verdict, count_verdicts
from exambench.benchmarks.published import Published

NOTHING: Final = "–"
ORDER: Final = (Verdict.DOES_NOT_FOLLOW, Verdict.CANNOT_BE_RECOMPUTED, Verdict.FOLLOWS)
STYLES: Final = {
    Verdict.FOLLOWS: "green",
    Verdict.DOES_NOT_FOLLOW: "bold red",
    Verdict.CANNOT_BE_RECOMPUTED: "yellow",
}
COUNTED: Final = {
    Verdict.FOLLOWS: ("follows", "follow"),
    Verdict.DOES_NOT_FOLLOW: ("does not follow", "do not follow"),
    Verdict.CANNOT_BE_RECOMPUTED: ("cannot be recomputed", "cannot be recomputed"),
}


def summary(checked: Sequence[CheckedClaim]) -> str:
    """Return one line: how many claims there are, and how many have each verdict."""
    counts = count_verdicts(checked)
    parts = ", ".join(f"{counts[verdict]} {COUNTED[verdict][counts[verdict] != 1]}" for verdict in Verdict)
    return f"{len(checked)} {'claim' if len(checked) == 1 else 'claims'}: {parts}"


def terminal(checked: Sequence[CheckedClaim]) -> RenderableType:
    """Return one table for each paper and verdict, what does not follow first, and a summary line below."""
    parts: list[RenderableType] = []
    for paper, claims in _by_paper(checked):
        for verdict, same in groupby(claims, key=lambda claim: claim.verdict):
            parts += [_terminal_table(paper, verdict, list(same), len(claims)), Text("")]
    for paper, claims in _by_paper(checked):
        parts.append(Text(f"{paper.benchmark}: {summary(claims)}"))
    return Group(*parts, Text(f"All papers: {summary(checked)}", style="bold"))


def markdown(checked: Sequence[CheckedClaim]) -> str:
    """Return one Markdown table a paper, what does not follow first, and a summary line below."""
    parts = []
    for paper, claims in _by_paper(checked):
        lines = [
            f"## {paper.benchmark}",
            "",
            f"{summary(claims)}.",
            "",
            "| Verdict | Claim | Where | Printed | Recomputed | n | Note |",
            "| --- | --- | --- | --- | --- | ---: | --- |",
        ]
        for claim in claims:
            cells = (
                claim.verdict,
                claim.statement,
                claim.where,
                claim.claimed,
                claim.recomputed or NOTHING,
                _count(claim.n),
                claim.note,
            )
            lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, f"All papers: {summary(checked)}."]) + "\n"


def as_csv(checked: Sequence[CheckedClaim]) -> str:
    """Return one line a claim, in the order of the papers; several values stand in one cell, split by blanks."""
    names = ("claim_id", "paper", "where", "statement", "claimed", "recomputed", "values", "n", "verdict", "note")
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    for claim in checked:
        writer.writerow(asdict(claim) | {"values": " ".join(repr(value) for value in claim.values)})
    return buffer.getvalue()


def as_json(checked: Sequence[CheckedClaim]) -> str:
    """Return a JSON document: the claims in the order of the papers, their values in full precision, and counts."""
    document = {
        "summary": {str(verdict): count for verdict, count in count_verdicts(checked).items()},
        "claims": [asdict(claim) for claim in checked],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def sources_terminal(published: Published) -> Table:
    """Return the files of figures with their origin as a Rich table."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Paper", "File", "Source"):
        table.add_column(name, overflow="fold")
    table.add_column("Rows", justify="right")
    table.add_column("Content", overflow="fold")
    for source in published.sources:
        table.add_row(
            Paper(source.paper).benchmark,
            escape(source.file),
            escape(f"{source.label}, {source.where}"),
            str(published.row_count(source)),
            escape(source.caption),
        )
    return table


def sources_as_json(published: Published) -> str:
    """Return the files of figures with their origin, units and gaps as a JSON document."""
    document: list[dict[str, Any]] = [
        asdict(source) | {"rows": published.row_count(source)} for source in published.sources
    ]
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _by_paper(checked: Sequence[CheckedClaim]) -> Iterator[tuple[Paper, list[CheckedClaim]]]:
    for paper, claims in groupby(checked, key=lambda claim: claim.paper):
        yield paper, sorted(claims, key=lambda claim: ORDER.index(claim.verdict))


def _terminal_table(paper: Paper, verdict: Verdict, claims: Sequence[CheckedClaim], of: int) -> Table:
    table = Table(
        title=f"{paper.benchmark}: {len(claims)} of {of} {COUNTED[verdict][len(claims) != 1]}",
        title_justify="left",
        title_style=STYLES[verdict],
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        expand=True,
    )
    table.add_column("Claim", ratio=1)
    table.add_column("Printed", width=17)
    table.add_column("Recomputed", width=17)
    table.add_column("n", justify="right", width=6)
    for claim in claims:
        table.add_row(_cell(claim), Text(claim.claimed), Text(claim.recomputed or NOTHING), _count(claim.n))
    return table


def _cell(claim: CheckedClaim) -> RenderableType:
    statement = Text(claim.statement).append(f" [{claim.where}]", style="cyan")
    if not claim.note:
        return statement
    return Group(statement, Padding(Text(claim.note, style="dim"), (0, 0, 0, 2)))


def _count(n: int | None) -> str:
    return NOTHING if n is None else f"{n:,}"
