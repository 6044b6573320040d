"""ScholarBench: sizes, shares, scales and checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from exambench.analysis.published.claim import Claim, NumberClaim, Numbers, Paper, Printed, Rows, RowsClaim
from exambench.benchmarks.published import Published
from exambench.benchmarks.published.rows import CategorySizeRow, TypeSizeRow

LOWEST_RATING: Final = 1
HIGHEST_RATING: Final = 5

SizeRows = tuple[CategorySizeRow, ...] | tuple[TypeSizeRow, ...]


def _sums(rows: SizeRows) -> Rows:
    *parts, total = rows
    sums = {"ko": sum(part.ko for part in parts), "en": sum(part.en for part in parts)}
    printed = {"ko": total.ko, "en": total.en}
    exceptions = tuple(f"{language}: {sums[language]}" for language in sums if sums[language] != printed[language])
    return Rows(len(sums), exceptions)


def _table_6_sums(published: Published) -> Rows:
    return _sums(published.scholarbench.table06)


def _table_7_sums(published: Published) -> Rows:
    return _sums(published.scholarbench.table07)


def _table_8_sums(published: Published) -> Rows:
    return _sums(published.scholarbench.table08)


def _table_9_sums(published: Published) -> Rows:
    return _sums(published.scholarbench.table09)


def _examples(published: Published) -> Numbers:
    total = published.scholarbench.table07[-1]
    return Numbers((total.ko, total.en), total.ko + total.en)


def _category_units(published: Published) -> Rows:
    categories, types = published.scholarbench.table06[-1], published.scholarbench.table07[-1]
    pairs = {"ko": (categories.ko, types.ko), "en": (categories.en, types.en)}
    exceptions = tuple(
        f"{language}: {listed:,} in Table 6, {questions:,} questions in Table 7"
        for language, (listed, questions) in pairs.items()
        if listed != questions
    )
    return Rows(len(pairs), exceptions, "Table 6 counts paragraphs, which carry up to five questions each")


def _at_most_one_of_a_kind(published: Published) -> Rows:
    paragraphs = published.scholarbench.table06[-1]
    *types, _ = published.scholarbench.table07
    exceptions = tuple(row.problem_type for row in types if row.ko > paragraphs.ko or row.en > paragraphs.en)
    return Rows(len(types), exceptions)


def _parallel_questions(published: Published) -> tuple[int, int]:
    parallel, everything = published.scholarbench.table09[-1], published.scholarbench.table07[-1]
    return parallel.ko + parallel.en, everything.ko + everything.en


def _parallel_share(published: Published) -> Numbers:
    parallel, everything = _parallel_questions(published)
    return Numbers((100 * parallel / everything,), everything, f"{parallel:,} of {everything:,}")


def _parallel_share_in_section_4(published: Published) -> Numbers:
    parallel, everything = _parallel_questions(published)
    korean = published.scholarbench.table07[-1].ko
    note = f"{parallel:,} in both languages over the {korean:,} Korean ones alone gives {100 * parallel / korean:.1f} %"
    return Numbers((100 * parallel / everything,), everything, note)


def _parallel_categories(published: Published) -> Rows:
    *categories, _ = published.scholarbench.table08
    exceptions = tuple(f"{row.category}: {row.ko} and {row.en}" for row in categories if row.ko != row.en)
    return Rows(len(categories), exceptions)


def _parallel_types(published: Published) -> Rows:
    *types, _ = published.scholarbench.table09
    exceptions = tuple(f"{row.problem_type}: {row.ko} and {row.en}" for row in types if row.ko != row.en)
    return Rows(len(types), exceptions)


def _reviewers(published: Published) -> Numbers:
    figures = published.scholarbench.figures
    return Numbers((float(figures["reviewers_en"] + figures["reviewers_ko"]),), 2)


def _variation(published: Published) -> Numbers:
    figures = published.scholarbench.figures
    return Numbers((float(figures["attribute_sd"] / figures["attribute_mean"]),), int(figures["attributes_shared"]))


def _table_1_scale(published: Published) -> Rows:
    cells = {
        f"{row.language}, {name}": value
        for row in published.scholarbench.table01
        for name, value in (
            ("assessment A", row.assessment_a),
            ("assessment B", row.assessment_b),
            ("assessment C", row.assessment_c),
            ("evaluation", row.evaluation),
        )
    }
    return _outside_scale(cells)


def _table_15_scale(published: Published) -> Rows:
    cells = {
        f"{row.language}, {name}": value
        for row in published.scholarbench.table15
        for name, value in (
            ("evaluation A", row.evaluation_a),
            ("evaluation B", row.evaluation_b),
            ("assessment A", row.assessment_a),
            ("assessment B", row.assessment_b),
        )
    }
    return _outside_scale(cells)


def _outside_scale(cells: Mapping[str, Decimal]) -> Rows:
    outside = {name: value for name, value in cells.items() if not LOWEST_RATING <= value <= HIGHEST_RATING}
    return Rows(len(cells), tuple(f"{name}: {value}" for name, value in outside.items()))


def _models(published: Published) -> Numbers:
    data = published.scholarbench
    return Numbers((len(data.table02), len(data.table02) - len(data.table10)), len(data.table02))


def _own_checkpoints(published: Published) -> Rows:
    data = published.scholarbench
    seen = {row.checkpoint: row.model for row in data.table10}
    exceptions = []
    for row in data.table11:
        if row.checkpoint in seen:
            exceptions.append(f"{row.model} has that of {seen[row.checkpoint]}, {row.checkpoint}")
        seen.setdefault(row.checkpoint, row.model)
    return Rows(len(data.table11), tuple(exceptions), "one checkpoint would have one row of scores")


CLAIMS: Final[tuple[Claim, ...]] = (
    RowsClaim(
        "scholarbench.table6-sums",
        Paper.SCHOLARBENCH,
        "Table 6",
        "The categories add up to the last row",
        _table_6_sums,
    ),
    RowsClaim(
        "scholarbench.table7-sums",
        Paper.SCHOLARBENCH,
        "Table 7",
        "The question types add up to the last row",
        _table_7_sums,
    ),
    RowsClaim(
        "scholarbench.table8-sums",
        Paper.SCHOLARBENCH,
        "Table 8",
        "The parallel categories add up to the last row",
        _table_8_sums,
    ),
    RowsClaim(
        "scholarbench.table9-sums",
        Paper.SCHOLARBENCH,
        "Table 9",
        "The parallel question types add up to the last row",
        _table_9_sums,
    ),
    NumberClaim(
        "scholarbench.examples",
        Paper.SCHOLARBENCH,
        "abstract, Table 7",
        "Korean and English examples",
        Printed(("5031", "5309")),
        _examples,
    ),
    RowsClaim(
        "scholarbench.category-units",
        Paper.SCHOLARBENCH,
        "appendix B, Table 6",
        "The table of categories counts the questions",
        _category_units,
    ),
    RowsClaim(
        "scholarbench.one-of-a-kind",
        Paper.SCHOLARBENCH,
        "section 2.3, Table 7",
        "A paragraph has at most one question of each type",
        _at_most_one_of_a_kind,
    ),
    NumberClaim(
        "scholarbench.parallel-share",
        Paper.SCHOLARBENCH,
        "appendix B",
        "Share of the parallel part in all data",
        Printed(("9.1",), unit="%"),
        _parallel_share,
    ),
    NumberClaim(
        "scholarbench.parallel-share-section-4",
        Paper.SCHOLARBENCH,
        "section 4.1",
        "Share of the parallel part in all questions",
        Printed(("18.7",), unit="%"),
        _parallel_share_in_section_4,
    ),
    RowsClaim(
        "scholarbench.parallel-categories",
        Paper.SCHOLARBENCH,
        "Table 8",
        "The parallel part has as many Korean as English paragraphs in each category",
        _parallel_categories,
    ),
    RowsClaim(
        "scholarbench.parallel-types",
        Paper.SCHOLARBENCH,
        "Table 9",
        "The parallel part has as many Korean as English questions of each type",
        _parallel_types,
    ),
    NumberClaim(
        "scholarbench.reviewers",
        Paper.SCHOLARBENCH,
        "section 2.3",
        "Reviewers of both languages",
        Printed(("15",)),
        _reviewers,
    ),
    NumberClaim(
        "scholarbench.variation",
        Paper.SCHOLARBENCH,
        "appendix B.1",
        "Coefficient of variation of the shared attributes",
        Printed(("0.50",)),
        _variation,
    ),
    RowsClaim(
        "scholarbench.table1-scale",
        Paper.SCHOLARBENCH,
        "Table 1",
        "The ratings lie on the scale from 1 to 5",
        _table_1_scale,
    ),
    RowsClaim(
        "scholarbench.table15-scale",
        Paper.SCHOLARBENCH,
        "Table 15",
        "The ratings lie on the scale from 1 to 5",
        _table_15_scale,
    ),
    NumberClaim(
        "scholarbench.models",
        Paper.SCHOLARBENCH,
        "section 3.1",
        "Models of the main table, and those behind an API",
        Printed(("17", "3")),
        _models,
    ),
    RowsClaim(
        "scholarbench.checkpoints",
        Paper.SCHOLARBENCH,
        "Table 11",
        "Each further model has a checkpoint of its own",
        _own_checkpoints,
    ),
)
