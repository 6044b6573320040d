"""ScholarBench: how the tables of scores fit together."""

from __future__ import annotations

from functools import partial
from typing import Final

from exambench.analysis.published.claim import (
    Claim,
    Paper,
    Rows,
    RowsClaim,
    agree,
)
from exambench.analysis.published.scholarbench_tables import COLUMNS, HALF_UNIT, by_name, score_table
from exambench.benchmarks.published import Published

SUMMARY_COLUMNS: Final = COLUMNS[:3]
ANSWER_COLUMNS: Final = COLUMNS[3:]
TYPE_OF_COLUMN: Final = {
    "rouge1": "Summarization",
    "rouge2": "Summarization",
    "rouge_l": "Summarization",
    "bertscore": "Short answer",
    "a2": "Multiple selection",
    "a3": "Multiple selection",
    "a4": "Multiple selection",
    "mcq": "Multiple choice",
    "boolean": "Boolean",
}
PLAIN_PROMPT: Final = "Paragraph-Only Prompting"
ABBREVIATED: Final = {"qwen-32b-r": "qwen-32b-reasoning"}


def _excerpt(published: Published) -> Rows:
    full = by_name(published.scholarbench.table19)
    rows = published.scholarbench.table05
    exceptions = tuple(
        f"{row.model}, {column}"
        for row in rows
        for column in (*COLUMNS, "average")
        if getattr(row, column) != getattr(full[row.model.casefold()], column)
    )
    return Rows(len(rows) * (len(COLUMNS) + 1), exceptions)


def _english_only(published: Published) -> Rows:
    mixed = by_name(published.scholarbench.table19)
    rows = published.scholarbench.table21
    repeated = tuple(
        row.model
        for row in rows
        if all(getattr(row, column) == getattr(mixed[row.model.casefold()], column) for column in COLUMNS)
    )
    return Rows(len(rows), repeated, summary=f"{len(repeated)} rows repeat Table 19, which holds both languages")


def _same_summaries(published: Published) -> Rows:
    closed = by_name(published.scholarbench.table02)
    rows = published.scholarbench.table19
    exceptions = tuple(
        row.model
        for row in rows
        if any(getattr(row, column) != getattr(closed[row.model.casefold()], column) for column in SUMMARY_COLUMNS)
    )
    return Rows(len(rows), exceptions)


def _plain_summaries(published: Published) -> Rows:
    closed = by_name(published.scholarbench.table02)
    rows = [row for row in published.scholarbench.table03 if row.prompt == PLAIN_PROMPT]
    exceptions = tuple(
        row.model
        for row in rows
        if any(getattr(row, column) != getattr(closed[row.model.casefold()], column) for column in SUMMARY_COLUMNS)
    )
    return Rows(len(rows), exceptions)


def _category_gains(published: Published) -> Rows:
    columns = (*SUMMARY_COLUMNS, "bertscore")
    plain = {row.model: row for row in published.scholarbench.table03 if row.prompt == PLAIN_PROMPT}
    told = [row for row in published.scholarbench.table03 if row.prompt != PLAIN_PROMPT]
    exceptions = tuple(
        f"{row.model}, {column}"
        for row in told
        for column in columns
        if getattr(row, column) <= getattr(plain[row.model], column)
    )
    return Rows(len(told) * len(columns), exceptions)


def _falling_answers(published: Published, number: int) -> tuple[str, ...]:
    closed = by_name(published.scholarbench.table02)
    falls = []
    for row in score_table(published.scholarbench, number):
        before = closed[row.model.casefold()]
        falls += [
            f"{row.model}, {column}: {getattr(before, column)} to {getattr(row, column)}"
            for column in ANSWER_COLUMNS
            if getattr(row, column) <= getattr(before, column)
        ]
    return tuple(falls)


def _paragraph_gains(published: Published) -> Rows:
    return Rows(len(published.scholarbench.table05) * len(ANSWER_COLUMNS), _falling_answers(published, 5))


def _average_gains(published: Published) -> Rows:
    closed = by_name(published.scholarbench.table02)
    rows = published.scholarbench.table19
    exceptions = tuple(row.model for row in rows if row.average <= closed[row.model.casefold()].average)
    falls = _falling_answers(published, 19)
    note = f"{len(falls)} of {len(rows) * len(ANSWER_COLUMNS)} answer scores fall: {'; '.join(falls)}" if falls else ""
    return Rows(len(rows), exceptions, note)


def _languages_make_the_whole(published: Published) -> Rows:
    data = published.scholarbench
    size = next(row for row in data.table07 if row.problem_type == "Short answer")
    whole = by_name(data.table02)
    exceptions = []
    for row in data.table13:
        name = row.model.casefold()
        mixed = whole[ABBREVIATED.get(name, name)].bertscore
        mean = (float(row.english_bertscore) * size.en + float(row.korean_bertscore) * size.ko) / (size.en + size.ko)
        if not agree(str(mixed), mean, uncertainty=HALF_UNIT):
            exceptions.append(f"{row.model}: {mixed}, not {mean:.4f}")
    return Rows(len(data.table13), tuple(exceptions), "weighted by the questions of each language")


def _korean_short_answers(published: Published) -> Rows:
    data = published.scholarbench
    korean = by_name(data.table22)
    exceptions = []
    for row in data.table13:
        name = row.model.casefold()
        other = korean[ABBREVIATED.get(name, name)].bertscore
        if other != row.korean_bertscore:
            exceptions.append(f"{row.model}: {row.korean_bertscore} and {other}")
    return Rows(len(data.table13), tuple(exceptions))


def _korean_part_of(published: Published, number: int) -> Rows:
    """The whole and its Korean part fix the English part, a share, which lies between 0 and 1."""
    data = published.scholarbench
    sizes = {row.problem_type: row for row in data.table07}
    whole = by_name(score_table(data, number))
    exceptions = []
    for row in data.table22:
        for column in COLUMNS:
            size = sizes[TYPE_OF_COLUMN[column]]
            both = float(getattr(whole[row.model.casefold()], column)) * (size.ko + size.en)
            english = (both - float(getattr(row, column)) * size.ko) / size.en
            slack = HALF_UNIT * (2 * size.ko + size.en) / size.en
            if not -slack <= english <= 1 + slack:
                exceptions.append(f"{row.model}, {column}: {english:.3f}")
    summary = ""
    if exceptions:
        summary = f"{len(exceptions)} English scores would exceed 1, such as {exceptions[0]}"
    return Rows(len(data.table22) * len(COLUMNS), tuple(exceptions), summary=summary)


CLAIMS: Final[tuple[Claim, ...]] = (
    RowsClaim(
        "scholarbench.table5-excerpt",
        Paper.SCHOLARBENCH,
        "Table 5, Table 19",
        "The six models of Table 5 have the scores of Table 19",
        _excerpt,
    ),
    RowsClaim(
        "scholarbench.table21-english",
        Paper.SCHOLARBENCH,
        "Table 21, appendix G.3",
        "The table holds the English results alone",
        _english_only,
    ),
    RowsClaim(
        "scholarbench.same-summaries",
        Paper.SCHOLARBENCH,
        "Table 19",
        "The summary scores are those of Table 2",
        _same_summaries,
    ),
    RowsClaim(
        "scholarbench.plain-summaries",
        Paper.SCHOLARBENCH,
        "Table 3",
        "The summary scores without category are those of Table 2",
        _plain_summaries,
    ),
    RowsClaim(
        "scholarbench.category-gains",
        Paper.SCHOLARBENCH,
        "section 4.1, Table 3",
        "Naming the category raises every summary score",
        _category_gains,
    ),
    RowsClaim(
        "scholarbench.paragraph-gains",
        Paper.SCHOLARBENCH,
        "section 4.1, Table 5",
        "The paragraph raises every answer score of six models",
        _paragraph_gains,
    ),
    RowsClaim(
        "scholarbench.paragraph-gains-all",
        Paper.SCHOLARBENCH,
        "section 4.1, Table 19",
        "The paragraph raises the average of all 17 models",
        _average_gains,
    ),
    RowsClaim(
        "scholarbench.languages-make-the-whole",
        Paper.SCHOLARBENCH,
        "Table 13, Table 2",
        "English and Korean BERTScore average to that of Table 2",
        _languages_make_the_whole,
    ),
    RowsClaim(
        "scholarbench.korean-short-answers",
        Paper.SCHOLARBENCH,
        "Table 13, Table 22",
        "The Korean BERTScores of both tables agree",
        _korean_short_answers,
    ),
    RowsClaim(
        "scholarbench.korean-open-book",
        Paper.SCHOLARBENCH,
        "appendix G.4",
        "Table 22 is the Korean part of the open-book results of Table 19",
        partial(_korean_part_of, number=19),
    ),
    RowsClaim(
        "scholarbench.korean-closed-book",
        Paper.SCHOLARBENCH,
        "Table 22",
        "Table 22 can be the Korean part of the closed-book results of Table 2",
        partial(_korean_part_of, number=2),
    ),
)
