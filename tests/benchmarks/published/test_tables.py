"""The figures that ship are complete, and are those of the papers."""

from __future__ import annotations

import shutil
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest

from exambench.benchmarks.published import Published, load_published
from exambench.benchmarks.published.rows import ScoreRow, TaskScoreRow
from exambench.errors import DataError

FOLDER = Path(str(files("exambench.benchmarks.published")))
SCORES = ("accuracy", "reasoning", "korean", "text", "multimodal", "part1", "part2", "part3", "part4", "part5")
TASKS = ("rouge1", "rouge2", "rouge_l", "bertscore", "a2", "a3", "a4", "mcq", "boolean", "average")


@pytest.fixture(scope="module")
def published() -> Published:
    """Return the figures that ship."""
    return load_published()


# The number of rows of each table, counted in the papers.
ROWS = {
    "kmetbench": {
        "leaderboard": 55, "table02": 8, "table03": 6, "table04": 17, "table05": 5, "table09": 10, "table10": 10,
        "table13": 55, "table14": 15,
    },
    "kmmmu": {"models": 26, "table05": 5, "table16": 2, "table18": 2, "table19": 2},
    "scholarbench": {
        "table01": 2, "table02": 17, "table03": 6, "table05": 6, "table06": 9, "table07": 6, "table08": 9, "table09": 6,
        "table10": 14, "table11": 10, "table13": 10, "table15": 2, "table16": 10, "table19": 17, "table20": 15,
        "table21": 17, "table22": 17,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("paper", "table", "rows"),
    [(paper, table, rows) for paper, tables in ROWS.items() for table, rows in tables.items()],
)
def test_tables_have_all_their_rows(published: Published, paper: str, table: str, rows: int) -> None:
    """Each table has as many rows as in the paper."""
    assert len(getattr(getattr(published, paper), table)) == rows


def test_every_file_has_a_source_and_every_source_a_file(published: Published) -> None:
    """The list of sources names each CSV file of its folder once, and no other."""
    listed = sorted((source.paper, source.file) for source in published.sources)
    assert listed == sorted((path.parent.name, path.name) for path in FOLDER.glob("*/*.csv"))


def test_rows_are_counted_by_source(published: Published) -> None:
    """The count of a source's rows is that of its file."""
    source = next(source for source in published.sources if source.file == "leaderboard.csv")
    assert published.row_count(source) == 55


def test_table_13_of_kmetbench_sums_to_the_papers_total(published: Published) -> None:
    """All 523 figures make 25,568.11, as do the numbers in the paper's table, added up whatever their column."""
    cells = [getattr(row, score) for row in published.kmetbench.table13 for score in SCORES]
    figures = [cell for cell in cells if cell is not None]
    assert (len(figures), sum(figures)) == (523, Decimal("25568.11"))


# All numbers in the body of each table, added up from the paper's HTML without regard to rows and columns.
@pytest.mark.parametrize(
    ("table", "total"),
    [
        ("table02", "85.772"),
        ("table16", "47.762"),
        ("table19", "98.138"),
        ("table20", "77.595"),
        ("table22", "87.276"),
    ],
)
def test_tables_of_scholarbench_sum_to_the_papers_totals(published: Published, table: str, total: str) -> None:
    """All figures of a table together make the total of the paper's table."""
    rows: tuple[TaskScoreRow, ...] = getattr(published.scholarbench, table)
    assert sum(getattr(row, task) for row in rows for task in TASKS) == Decimal(total)


def scores(row: ScoreRow) -> list[str]:
    """Return the figures of a row as printed."""
    return [str(getattr(row, score)) for score in SCORES if getattr(row, score) is not None]


@pytest.mark.parametrize(
    ("model", "printed"),
    [
        # Table 13, first row
        ("gemini-3-pro-preview (Thinking)", "93.7 18.01 90.4 94.6 75.6 92.5 97.9 94.2 92.8 91.6"),
        # Table 13, multilingual instruct models, sixth to ninth row
        ("Qwen2.5-VL-32B-Instruct", "60.1 10.99 56.2 61.1 39.0 60.3 59.9 56.8 62.8 60.5"),
        ("Llama-3.1-70B-Instruct", "59.9 11.16 57.7 59.9 59.3 61.6 53.2 65.8 59.3"),
        ("InternVL3.5-38B-Instruct", "57.3 11.38 47.9 58.1 40.2 56.0 64.8 48.7 61.4 55.7"),
        # Table 13, last row
        ("HyperCLOVAX-SEED-Text-Inst.-0.5B", "13.2 4.31 14.1 13.2 17.0 8.5 10.6 13.5 16.0"),
    ],
)
def test_rows_of_table_13_are_those_of_the_paper(published: Published, model: str, printed: str) -> None:
    """Rows typed from the paper a second time; a text-only model has no multimodal figure."""
    row = next(row for row in published.kmetbench.table13 if row.model == model)
    assert scores(row) == printed.split()


def test_flags_of_table_13_are_those_of_the_paper(published: Published) -> None:
    """Table 13 marks 11 Korean, 28 vision and 21 reasoning models: 2 proprietary, 16 multilingual, 3 Korean."""
    rows = published.kmetbench.table13
    flags = ("korean_model", "vision_model", "reasoning_model")
    assert [sum(getattr(row, flag) for row in rows) for flag in flags] == [11, 28, 21]


@pytest.mark.parametrize(
    ("table", "model", "printed"),
    [
        # Table 2, row 7
        ("table02", "Qwen-32b-reasoning", "0.350 0.116 0.303 0.853 0.539 0.640 0.423 0.721 0.793 0.527"),
        # Table 5, last row
        ("table05", "Mistral-24b", "0.414 0.159 0.359 0.901 0.756 0.580 0.560 0.865 0.827 0.602"),
        # Table 16, last row
        ("table16", "Koni-8B", "0.358 0.117 0.306 0.836 0.400 0.341 0.323 0.599 0.439 0.413"),
        # Table 19, row 8
        ("table19", "Exaone-32b", "0.321 0.094 0.267 0.889 0.463 0.611 0.583 0.876 0.879 0.554"),
        # Table 20, row 10
        ("table20", "Gemma2-9b", "0.090 0.019 0.082 0.834 0.467 0.394 0.379 0.539 0.604 0.379"),
        # Table 22, last row
        ("table22", "Qwen-7b", "0.472 0.203 0.407 0.848 0.512 0.440 0.412 0.685 0.722 0.522"),
    ],
)
def test_rows_of_scholarbench_are_those_of_the_paper(
    published: Published, table: str, model: str, printed: str
) -> None:
    """Rows typed from the paper a second time."""
    rows: tuple[TaskScoreRow, ...] = getattr(published.scholarbench, table)
    row = next(row for row in rows if row.model == model)
    assert [str(getattr(row, task)) for task in TASKS] == printed.split()


def test_a_row_of_table_14_is_that_of_the_paper(published: Published) -> None:
    """Table 14 B, first row: baseline 6.27, largest change 0.91, no flips, 71 items."""
    row = next(row for row in published.kmetbench.table14 if row.gap == "geo-cultural")
    assert row.model == "HyperCLOVAX-SEED-Text-Instruct-1.5B"
    assert (str(row.baseline), str(row.max_swing), str(row.sign_flips), row.n) == ("6.27", "0.91", "0.0", 71)


def test_the_paired_outcomes_of_kmmmu_are_those_of_the_paper(published: Published) -> None:
    """Appendix H.1: GPT-5 33 against 6, Gemini-3-Flash 38 against 2, of 200 items."""
    counts = [(row.korean_only, row.english_only, row.items) for row in published.kmmmu.table16]
    assert counts == [(33, 6, 200), (38, 2, 200)]


def test_the_leaderboard_is_at_full_precision(published: Published) -> None:
    """The accuracy of A.X-4.0 is 1,288 of 1,692 items to the last digit of a double."""
    assert published.kmetbench.leaderboard[0].accuracy_pct == 1288 / 1692 * 100


def test_a_name_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    """A figure of the running text has one value."""
    root = tmp_path / "figures"
    shutil.copytree(FOLDER, root)
    with (root / "kmmmu" / "figures.csv").open("a", encoding="utf-8") as file:
        file.write("items,1,nowhere,again\n")
    with pytest.raises(DataError, match=r"kmmmu/figures\.csv, item items: the name occurs twice"):
        load_published(root)
