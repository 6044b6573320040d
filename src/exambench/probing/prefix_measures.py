"""How close a continuation is to the original: exact measures, and what a judge says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from exambench.asking.tasks import TRIES, TaskPlan, replies_of
from exambench.outcomes import Unjudged
from exambench.probing.comparisons import ExactnessVerdict, verdict_of
from exambench.probing.continuations import Arm, Continuation, continuation_of
from exambench.probing.prompts import ExactnessPrompt
from exambench.probing.stems import Stem, Stems
from exambench.scoring.overlap import common_share, rouge_l, verbatim_share
from exambench.store import Store

GRAM: Final = 8


class Measure(StrEnum):
    """How a continuation is compared with the original; all in [0, 1]."""

    ROUGE_L = "ROUGE-L F"
    COMMON = "LCS ratio"
    VERBATIM = "8-gram overlap"
    EXACTNESS = "exactness"
    REFUSAL = "refusal"
    HALLUCINATION = "hallucination"


JUDGED: Final = (Measure.EXACTNESS, Measure.REFUSAL, Measure.HALLUCINATION)
EXACT: Final = (Measure.ROUGE_L, Measure.COMMON, Measure.VERBATIM)


@dataclass(frozen=True, slots=True)
class Measured:
    """One continuation beside the original.

    Attributes:
        item_id: The item.
        source: What it is grouped by.
        arm: With or without the hint.
        rouge_l: F-measure of ROUGE-L over tokens.
        common: Longest common subsequence over the longer text, in characters without spaces.
        verbatim: Share of the original's runs of eight tokens that stand in the continuation; ``None`` if it has none.
        declined: Whether the endpoint marks a refusal.
        cut: Whether the continuation was cut.
        verdict: What the judge says; ``None`` where none was asked or none has replied yet.
    """

    item_id: str
    source: str
    arm: Arm
    rouge_l: float
    common: float
    verbatim: float | None
    declined: bool
    cut: bool
    verdict: ExactnessVerdict | Unjudged | None = None

    def value(self, measure: Measure) -> float:
        """Return the value of a measure; NaN where there is none."""
        judged = self.verdict if isinstance(self.verdict, ExactnessVerdict) else None
        match measure:
            case Measure.ROUGE_L:
                return self.rouge_l
            case Measure.COMMON:
                return self.common
            case Measure.VERBATIM:
                return np.nan if self.verbatim is None else self.verbatim
            case Measure.EXACTNESS:
                return np.nan if judged is None else judged.exactness / 100
            case Measure.REFUSAL:
                return np.nan if judged is None else float(judged.refusal)
            case Measure.HALLUCINATION:
                return np.nan if judged is None else float(judged.hallucination)


def continuations_in(store: Store, plan: TaskPlan, stems: Stems) -> dict[tuple[str, str], Continuation]:
    """Return what a model wrote, by item and arm, of what the plan asks."""
    prefixes = {stem.item.id: stem.prefix for stem in stems.stems}
    replies = replies_of(store, plan.record)
    return {
        ask.place: continuation_of(replies[ask.place][0], prefixes[ask.item_id])
        for ask in plan.asks
        if ask.place in replies
    }


def measure(
    store: Store, plan: TaskPlan, stems: Stems, compared: TaskPlan | None, prompt: ExactnessPrompt
) -> tuple[Measured, ...]:
    """Compare every continuation that there is with the original.

    Args:
        store: Where replies are.
        plan: The continuations.
        stems: The originals.
        compared: What a judge was asked about them; ``None`` for no judge.
        prompt: How its verdicts are read.
    """
    by_id: Mapping[str, Stem] = {stem.item.id: stem for stem in stems.stems}
    verdicts = {} if compared is None else replies_of(store, compared.record)
    cut = stems.tokenizer.tokens
    found = []
    for place, continuation in continuations_in(store, plan, stems).items():
        stem = by_id[place[0]]
        rest, written = cut(stem.rest), cut(continuation.text)
        found.append(
            Measured(
                item_id=stem.item.id,
                source=stem.source,
                arm=Arm(place[1]),
                rouge_l=rouge_l(rest, written),
                common=common_share(_signs(stem.rest), _signs(continuation.text)),
                verbatim=verbatim_share(rest, written, cut(stem.prefix), GRAM),
                declined=continuation.declined,
                cut=continuation.cut,
                verdict=None
                if compared is None
                else verdict_of(continuation, verdicts.get(place, ()), prompt, most=TRIES),
            )
        )
    return tuple(found)


def _signs(text: str) -> str:
    return "".join(text.split())
