"""Self-preference of judges as terminal tables, as Markdown, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from exambench.analysis.trust.estimates import Estimate
from exambench.analysis.trust.families import Family
from exambench.analysis.trust.preference import JudgePreference, PanelPreference, Preference, PreferenceReport
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text
from exambench.report.grids import NOTHING, Grid, Section, cell
from exambench.report.provenance import drawn
from exambench.report.trust.common import (
    amount,
    between,
    estimate_as_json,
    identity_note,
    in_plain_words,
    interval_note,
    judge_as_json,
    judge_record,
    records,
    seen,
    shown,
    stacked,
)
from exambench.stats.resampling import Bootstrap


def terminal(report: PreferenceReport) -> RenderableType:
    """Return the report for a terminal."""
    return grids.terminal(_sections(report))


def markdown(report: PreferenceReport) -> str:
    """Return the report as Markdown tables."""
    return grids.markdown(_sections(report))


def as_csv(report: PreferenceReport) -> str:
    """Return one line for each judge, dimension and quantity, in full precision."""
    return csv_text(
        record
        for panel in report.panels
        for judge in panel.judges
        for each in judge.dimensions
        for record in records(
            {
                **judge_record(judge.group),
                "family": judge.family.family,
                "family_source": str(judge.family.source),
                "others": "; ".join(judge.others),
                "n_own": each.own,
                "n_others": each.others,
            },
            each.name,
            _quantities(each),
            report.bootstrap,
        )
    )


def as_json(report: PreferenceReport) -> str:
    """Return the report as a JSON document, in full precision; what does not exist is null and has a reason."""
    return json_text(
        {
            **drawn(report.bootstrap),
            "resampled": "items",
            "panels": [
                {
                    "models": [_family_as_json(family) for family in panel.models],
                    "judges": [
                        {
                            **judge_as_json(judge.group),
                            "family": _family_as_json(judge.family),
                            "others": list(judge.others),
                            "dimensions": [
                                {
                                    "dimension": each.name,
                                    "answers_own_family": each.own,
                                    "answers_other_families": each.others,
                                    **{name: estimate_as_json(value) for name, value in _quantities(each).items()},
                                }
                                for each in judge.dimensions
                            ],
                            "summary": _summary(judge),
                        }
                        for judge in panel.judges
                    ],
                }
                for panel in report.panels
            ],
        }
    )


def _family_as_json(family: Family) -> dict[str, object]:
    return {"name": family.name, "family": family.family, "source": str(family.source)}


def _quantities(found: Preference) -> dict[str, Estimate]:
    return {"preference": found.estimate, "preference_neutral": found.neutral}


def _sections(report: PreferenceReport) -> Iterator[Section]:
    for panel in report.panels:
        judged = panel.judges[0].group.runs[0]
        yield Section(
            f"{judged.run.benchmark}, {len(panel.judges)} judges {seen(judged)}",
            (_families(panel), _totals(panel, report.bootstrap), _axes(panel)),
        )
    yield in_plain_words(_summary(judge) for panel in report.panels for judge in panel.judges)


def _families(panel: PanelPreference) -> Grid:
    rows = [(family, "judge") for family in dict.fromkeys(judge.family for judge in panel.judges)]
    rows += [(family, "model") for family in panel.models]
    return Grid(
        "Families, and how they are known",
        ("name", "role", "family", "known by"),
        tuple(
            (cell(family.name), cell(role), cell(family.family or NOTHING), cell(str(family.source)))
            for family, role in rows
        ),
        labels=4,
        notes=(
            "Families are declared: family in a model file, or --family NAME=FAMILY.",
            "None is guessed from a name; whoever has none takes no part.",
        ),
    )


def _totals(panel: PanelPreference, bootstrap: Bootstrap) -> Grid:
    return Grid(
        "Preference for the judge's own family, total",
        ("judge", "own\nanswers", "other\nanswers", "against\nall others", "against\nneutral"),
        tuple(
            (
                cell(judge.group.name, judge.family.family or NOTHING),
                cell(f"{judge.total.own:,}"),
                cell(f"{judge.total.others:,}"),
                stacked(judge.total.estimate, signed=True),
                stacked(judge.total.neutral, signed=True),
            )
            for judge in panel.judges
        ),
        notes=(
            (
                "Points that the judge gives beyond another judge on the same answers: own family less other families, "
                "so how strict either is cancels out; then the mean over the other judges."
            ),
            "against all others: judges of other families, whose own preferences are part of it.",
            "against neutral: no answer is held against a judge that is kin to its model.",
            *(note for judge in panel.judges for note in identity_note(judge.group)),
            interval_note(bootstrap, "the items, all answers to an item together"),
        ),
    )


def _axes(panel: PanelPreference) -> Grid:
    return Grid(
        "The same on each axis, against all others",
        ("judge", *panel.judges[0].group.axes),
        tuple(
            (
                cell(judge.group.name),
                *(stacked(each.estimate, signed=True) for each in judge.dimensions[:-1]),
            )
            for judge in panel.judges
        ),
    )


def _summary(judge: JudgePreference) -> str:
    name, total = judge.group.name, judge.total
    neutral = total.neutral.value is not None
    found = total.neutral if neutral else total.estimate
    against = "judges that are kin to neither" if neutral else "other judges, whose own preferences are part of it"
    if found.value is None:
        return f"{name}: self-preference cannot be computed ({found.reason})."
    if found.covers_zero:
        bounds = between(found, signed=True)
        return (
            f"{name}: no preference for its own family ({judge.family.family}) can be told from chance: "
            f"{shown(found.value, signed=True)} points{bounds} in total, against {against}."
        )
    side = "more" if found.value > 0 else "less"
    return (
        f"{name} gives answers of its own family ({judge.family.family}) {amount(found.value)} {side} in total than it "
        f"gives others{between(found, signed=True)}, on top of what the answers are worth to {against}."
    )
