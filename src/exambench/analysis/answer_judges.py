"""The scores of runs whose free answers a judge settled: one judge, by one prompt, for all that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exambench.analysis.instruments import Instrument, covering_most, instrument_of
from exambench.analysis.scores import RunScores, load_scores
from exambench.errors import ConfigError, Finding, show
from exambench.store import JudgingKind, JudgingRecord, RunRecord, Store


def load_all_scores(store: Store, records: Sequence[RunRecord], judge: str | None = None) -> list[RunScores]:
    """Return the scores of runs, their free answers by the verdicts of one judge.

    For each benchmark that judge and prompt count which have verdicts on most of the runs; between equals the one that
    was asked last, and of several judgings of one run by it the latest. A run that only others have judged has no
    scores on its free answers: two judges are never in one set of scores.

    Args:
        store: Where the runs are.
        records: The runs.
        judge: Name of the judge whose verdicts count.

    Raises:
        ConfigError: No judge of that name has looked at free answers of these runs, or several have.
        StoreError: The store cannot be read.
    """
    chosen = judgings_of_answers(store, records, judge)
    datasets = dict.fromkeys((record.benchmark, record.dataset_hash) for record in records)
    benchmarks = {dataset: store.benchmark(*dataset) for dataset in datasets}
    return [
        load_scores(store, record, chosen.get(record.run_id), benchmarks[record.benchmark, record.dataset_hash])
        for record in records
    ]


def judgings_of_answers(
    store: Store, records: Sequence[RunRecord], judge: str | None = None
) -> dict[str, JudgingRecord]:
    """Return by run id the judging whose verdicts are the scores of free answers; see :func:`load_all_scores`.

    Raises:
        ConfigError: No judge of that name has looked at free answers of these runs, or several have.
        StoreError: The store cannot be read.
    """
    judgings = _judgings(store, records)
    if judge is not None:
        judgings = _named(store, judgings, judge)
    chosen: dict[str, JudgingRecord] = {}
    for benchmark in dict.fromkeys(record.benchmark for record in records):
        mine = {record.run_id: judgings[record.run_id] for record in records if record.benchmark == benchmark}
        instrument = covering_most(
            [[(instrument_of(each), place) for place, each in found.items()] for found in mine.values()]
        )
        for run_id, found in mine.items():
            same = [each for _, each in sorted(found.items()) if instrument_of(each) == instrument]
            if same:
                chosen[run_id] = same[-1]
    return chosen


def _judgings(store: Store, records: Sequence[RunRecord]) -> dict[str, dict[int, JudgingRecord]]:
    """Return by run id the judgings of free answers that have a verdict, each with its place in time."""
    runs = {record.run_id: dict[int, JudgingRecord]() for record in records}
    tallies = store.judgings.tallies()
    for place, record in enumerate(store.judgings.all()):
        is_judged = record.judging_id in tallies and tallies[record.judging_id].judged > 0
        if record.kind is JudgingKind.ANSWER and record.run_id in runs and is_judged:
            runs[record.run_id][place] = record
    return runs


def _named(
    store: Store, judgings: Mapping[str, Mapping[int, JudgingRecord]], judge: str
) -> dict[str, dict[int, JudgingRecord]]:
    known = [record for found in judgings.values() for record in found.values()]
    same = {instrument_of(record) for record in known if record.judge_name == judge}
    if len(same) != 1:
        raise ConfigError(
            Finding(
                problem="several judges of free answers have this name" if same else "no judge of free answers has it",
                file=store.place,
                field="--answer-judge",
                value=show(judge),
                allowed=", ".join(sorted({record.judge_name for record in known})) or "none, for none was judged yet",
                remedy="Name one of these; see: exambench verdicts",
            )
        )
    wanted: Instrument = same.pop()
    return {
        run_id: {place: record for place, record in found.items() if instrument_of(record) == wanted}
        for run_id, found in judgings.items()
    }
