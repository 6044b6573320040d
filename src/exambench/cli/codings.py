"""What the commands about reversals do, from options to files and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exambench.analysis.scores import find_run
from exambench.cli.reading import read_scores
from exambench.cli.studies import raters_named
from exambench.judging.returned_sheets import read_sheet
from exambench.judging.sheet_writing import free_paths, write_sheet_files
from exambench.probing.reversal_sheets import read_codes, reversal_cells, sheets_of
from exambench.probing.reversals import ReversalSample, sample_reversals
from exambench.probing.scheme import SHIPPED, read_scheme
from exambench.store import CodingRecord, open_existing_store

CODES = "codes.txt"


@dataclass(frozen=True)
class ReversalOptions:
    """What to draw, for whom, and where it goes; as a person wrote it."""

    a: str
    b: str
    folder: Path
    facet: str | None
    per_group: int
    both: bool
    readers: tuple[str, ...]
    scheme: Path | None
    seed: int
    xlsx: bool


def draw_reversals(options: ReversalOptions, location: str) -> list[str]:
    """Draw a sample, store its key, and write its sheets; return what was drawn, and the paths.

    Raises:
        ConfigError: The runs, the facet, the readers or the scheme cannot be used, or a file is there already.
        MissingExtraError: XLSX is wanted, and what writes it is not installed.
        StoreError: The store cannot be read or written.
    """
    readers = raters_named(options.readers)
    scheme = read_scheme(options.scheme or SHIPPED)
    free_paths(options.folder, [CODES], [f"reversals-{reader}" for reader in readers], xlsx=options.xlsx)
    with open_existing_store(location) as store:
        runs = find_run(store, options.a), find_run(store, options.b)
        a, b = read_scores(store, runs)
        sample = sample_reversals(
            a,
            b,
            solvers=(0, 1) if options.both else (0,),
            facet=options.facet,
            per_group=options.per_group,
            seed=options.seed,
        )
        coding = CodingRecord(
            benchmark=a.record.benchmark,
            dataset_hash=a.record.dataset_hash,
            runs=[run.run_id for run in runs],
            scheme=scheme.model_dump(mode="json"),
            readers=readers,
            sample=sample.as_json(),
        )
        cells = reversal_cells(store, runs, a.benchmark, sample.drawn, scheme.language)
        sheets, key = sheets_of(coding.coding_id, scheme, cells, readers, options.seed)
        # The key is stored first: a sheet without a key could never come back.
        store.codings.register(coding, key)
    explained = "\n".join(scheme.explained)
    paths = write_sheet_files(options.folder, {CODES: f"{explained}\n"}, sheets, xlsx=options.xlsx)
    names = a.record.model_name, b.record.model_name
    return [f"sample {coding.coding_id}, seed {options.seed}", *_told(sample, names), *map(str, paths)]


def import_codes(paths: Sequence[Path], location: str) -> list[str]:
    """Store the codes of filled-in sheets, all or none; return what was stored, a line a sheet.

    Raises:
        DataError: A sheet cannot be read, or has a fault; every one is a finding.
        MissingExtraError: A sheet is XLSX, and what reads it is not installed.
        StoreError: The store cannot be read or written.
    """
    tables = [read_sheet(path) for path in paths]
    with open_existing_store(location) as store:
        places = store.codings.places()
        codes = read_codes(tables, places, store.codings.all())
        store.codings.save_codes(codes)
    by_id = {place.answer_id: place for place in places}
    counts: dict[tuple[str, str], int] = {}
    for row in codes:
        place = by_id[row.answer_id]
        counts[place.study_id, place.rater] = counts.get((place.study_id, place.rater), 0) + 1
    return [f"{reader}: {count} items coded, sample {sample}" for (sample, reader), count in counts.items()]


def _told(sample: ReversalSample, names: tuple[str, str]) -> list[str]:
    return [
        f"{names[solver]} right, {names[1 - solver]} wrong, {sample.facet or 'items'} {group}: "
        f"{sum((each.solver, each.group) == (solver, group) for each in sample.drawn)} of {count} drawn"
        for (solver, group), count in sample.candidates.items()
    ]
