"""The kinds of stages, by the name that ``build.toml`` uses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from exambench.construct.collecting import COLLECT
from exambench.construct.distorting import DISTORT
from exambench.construct.explicit_wording import EXPLICIT_WORDING
from exambench.construct.filtering import FILTER
from exambench.construct.formula_reading import FORMULA
from exambench.construct.generating import GENERATE
from exambench.construct.ingest import INGEST
from exambench.construct.labelling import LABEL
from exambench.construct.near_duplicates import DEDUP
from exambench.construct.paraphrasing import PARAPHRASE
from exambench.construct.rationales import RATIONALE
from exambench.construct.reading import READ
from exambench.construct.shuffling import SHUFFLE
from exambench.construct.stage import StageKind
from exambench.construct.verifying import VERIFY

STAGES: Final[Mapping[str, StageKind[Any]]] = MappingProxyType(
    {
        "ingest": INGEST,
        "collect": COLLECT,
        "generate": GENERATE,
        "formula": FORMULA,
        "read": READ,
        "dedup": DEDUP,
        "shuffle": SHUFFLE,
        "paraphrase": PARAPHRASE,
        "label": LABEL,
        "explicit": EXPLICIT_WORDING,
        "filter": FILTER,
        "rationale": RATIONALE,
        "verify": VERIFY,
        "distort": DISTORT,
    }
)
