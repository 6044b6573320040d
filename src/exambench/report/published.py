"""Published claims as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Final

from rich.console import RenderableType

from exambench.analysis.published import CheckedClaim, Paper, Verdict, count_verdicts
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text
from exambench.report.grids import NOTHING, Grid, Section, cell

ORDER: Final = (Verdict.DOES_NOT_FOLLOW, Verdict.CANNOT_BE_RECOMPUTED, Verdict.FOLLOWS)
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
    """Return one table for each paper and verdict, what does not follow first, and the counts below."""
    narrow = (_section(paper, [*_grids(paper, claims)]) for paper, claims in _by_paper(checked))
    return grids.terminal((*narrow, _summary(checked)))


def markdown(checked: Sequence[CheckedClaim]) -> str:
    """Return one table a paper with a column for each thing that is said of a claim, and the counts below."""
    wide = (_section(paper, [_wide_grid(claims)]) for paper, claims in _by_paper(checked))
    return grids.markdown((*wide, _summary(checked)))


def as_csv(checked: Sequence[CheckedClaim]) -> str:
    """Return one line a claim, in the order of the papers; several values stand in one cell, split by blanks."""
    return csv_text(asdict(claim) | {"values": " ".join(repr(value) for value in claim.values)} for claim in checked)


def as_json(checked: Sequence[CheckedClaim]) -> str:
    """Return a JSON document: the claims in the order of the papers, their values in full precision, and counts."""
    counts = {str(verdict): count for verdict, count in count_verdicts(checked).items()}
    return json_text({"summary": counts, "claims": [asdict(claim) for claim in checked]})


def _by_paper(checked: Sequence[CheckedClaim]) -> Iterator[tuple[Paper, list[CheckedClaim]]]:
    for paper, claims in groupby(checked, key=lambda claim: claim.paper):
        yield paper, sorted(claims, key=lambda claim: ORDER.index(claim.verdict))


def _section(paper: Paper, tables: Sequence[Grid]) -> Section:
    return Section(paper.benchmark, tuple(tables))


def _summary(checked: Sequence[CheckedClaim]) -> Section:
    lines = [f"{paper.benchmark}: {summary(claims)}." for paper, claims in _by_paper(checked)]
    return Section("Summary", (), (*lines, f"All papers: {summary(checked)}."))


def _grids(paper: Paper, claims: Sequence[CheckedClaim]) -> Iterator[Grid]:
    """Return one table for each verdict, narrow enough for a terminal: where and why stand below the claim."""
    for verdict, group in groupby(claims, key=lambda claim: claim.verdict):
        same = list(group)
        yield Grid(
            title=f"{paper.benchmark}: {len(same)} of {len(claims)} {COUNTED[verdict][len(same) != 1]}",
            header=("Claim", "Printed", "Recomputed", "n"),
            rows=tuple(
                (
                    cell(*filter(None, (claim.statement, f"[{claim.where}]", claim.note))),
                    cell(claim.claimed),
                    cell(claim.recomputed or NOTHING),
                    cell(_count(claim.n)),
                )
                for claim in same
            ),
            labels=3,
        )


def _wide_grid(claims: Sequence[CheckedClaim]) -> Grid:
    return Grid(
        title=summary(claims),
        header=("Verdict", "Claim", "Where", "Printed", "Recomputed", "Note", "n"),
        rows=tuple(
            (
                cell(claim.verdict),
                cell(claim.statement),
                cell(claim.where),
                cell(claim.claimed),
                cell(claim.recomputed or NOTHING),
                cell(claim.note),
                cell(_count(claim.n)),
            )
            for claim in claims
        ),
        labels=6,
    )


def _count(n: int | None) -> str:
    return NOTHING if n is None else f"{n:,}"
