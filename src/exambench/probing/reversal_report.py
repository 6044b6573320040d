"""What readers made of reversals: categories by facet, and how far the readers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from exambench.errors import ConfigError, Finding, UndefinedStatisticError
from exambench.probing.reversals import Reversal, natural
from exambench.probing.scheme import CodingScheme, scheme_from_json
from exambench.stats.agreement import cohen_kappa
from exambench.stats.agreement.ratings import Agreement
from exambench.stats.resampling import Bootstrap
from exambench.store import CodingRecord, Store

PAIR = 2


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two readers.

    Attributes:
        readers: Who.
        n: Reversals that both coded.
        same: Those that they gave one code.
        kappa: Cohen's κ with its interval; ``None`` where it does not exist.
        reason: Why it does not.
    """

    readers: tuple[str, str]
    n: int
    same: int
    kappa: Agreement | None
    reason: str = ""


@dataclass(frozen=True)
class ReversalReport:
    """A coded sample.

    Attributes:
        coding: The sample.
        models: What to call A and B.
        scheme: The categories.
        drawn: The reversals.
        codes: Code by reader and reversal.
        notes: Note by reader and reversal, where there is one.
        missing: Readers whose sheets are not in.
        pairs: Agreement of each two readers.
        bootstrap: How intervals were drawn.
    """

    coding: CodingRecord
    models: tuple[str, str]
    scheme: CodingScheme
    drawn: tuple[Reversal, ...]
    codes: Mapping[tuple[str, Reversal], str]
    notes: Mapping[tuple[str, Reversal], str]
    missing: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    bootstrap: Bootstrap

    @property
    def readers(self) -> tuple[str, ...]:
        """Those whose sheets are in."""
        return tuple(reader for reader in self.coding.readers if reader not in self.missing)

    @property
    def groups(self) -> tuple[tuple[int, str], ...]:
        """Solver and value of the facet of each group, in order."""
        found = {(each.solver, each.group) for each in self.drawn}
        return tuple(sorted(found, key=lambda place: (place[0], *natural(place[1]))))

    def counts(self, solver: int, group: str) -> Counter[str]:
        """Return how often each code was given to the reversals of a group; a reading is one reader's of one item."""
        return Counter(code for (_, each), code in self.codes.items() if (each.solver, each.group) == (solver, group))


def reversal_report(store: Store, coding: CodingRecord, bootstrap: Bootstrap) -> ReversalReport:
    """Tabulate what readers made of a sample.

    Raises:
        ConfigError: No sheet is in yet.
        StoreError: The store cannot be read.
    """
    drawn = tuple(Reversal(*each) for each in _drawn(coding))
    by_place = {(each.item_id, each.solver): each for each in drawn}
    places = {place.answer_id: place for place in store.codings.places(coding.coding_id)}
    rows = [(places[row.answer_id], row) for row in store.codings.codes(coding.coding_id)]
    if not rows:
        raise ConfigError(
            Finding(
                problem=f"no codes are in yet for the sample {coding.coding_id}",
                remedy="Bring filled-in sheets back: exambench reversals import SHEET...",
            )
        )
    keyed = [((place.rater, by_place[place.item_id, place.solver]), row) for place, row in rows]
    codes = {key: row.code for key, row in keyed}
    readers = [reader for reader in coding.readers if any(key[0] == reader for key in codes)]
    scheme = scheme_from_json(coding.scheme)
    first, second = (store.run(run_id).model_name for run_id in coding.runs)
    return ReversalReport(
        coding=coding,
        models=(first, second),
        scheme=scheme,
        drawn=drawn,
        codes=codes,
        notes={key: row.note for key, row in keyed if row.note},
        missing=tuple(reader for reader in coding.readers if reader not in readers),
        pairs=tuple(
            _agreement(pair, drawn, codes, scheme, bootstrap)
            for pair in (combinations(readers, PAIR) if len(readers) >= PAIR else ())
        ),
        bootstrap=bootstrap,
    )


def _drawn(coding: CodingRecord) -> list[tuple[str, str, int]]:
    found = coding.sample["drawn"]
    return [(str(item), str(group), int(solver)) for item, group, solver in found] if isinstance(found, list) else []


def _agreement(
    pair: tuple[str, ...],
    drawn: Sequence[Reversal],
    codes: Mapping[tuple[str, Reversal], str],
    scheme: CodingScheme,
    bootstrap: Bootstrap,
) -> PairAgreement:
    first, second = pair
    both = [each for each in drawn if (first, each) in codes and (second, each) in codes]
    numbers = {code.key: float(place) for place, code in enumerate(scheme.codes)}
    given = [np.array([numbers[codes[reader, each]] for each in both]) for reader in pair]
    same = int((given[0] == given[1]).sum())
    try:
        kappa = cohen_kappa(given[0], given[1], bootstrap=bootstrap)
    except UndefinedStatisticError as error:
        return PairAgreement((first, second), len(both), same, None, str(error))
    return PairAgreement((first, second), len(both), same, kappa)
