"""The stage ``rationale``: a sample of items gets rationales, drafted by a model and verified by experts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, model_validator

from exambench.construct.drafting import SHIPPED, Draft, DraftPrompt, Writer, draft_rationales, read_draft_prompt
from exambench.construct.inquiries import Answers, spending_of
from exambench.construct.prompt_refining import (
    CRITIC,
    ENHANCER,
    Refined,
    Refiners,
    Version,
    read_critic_prompt,
    read_enhancer_prompt,
    refine,
)
from exambench.construct.records import Action, Change, Spending, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.strata import Stratum, draw_strata
from exambench.construct.verification import Revision, Verdict, Verified, as_verified, details_of, read_verified, seen
from exambench.errors import ConfigError, Finding, show
from exambench.items import Item, TextKey, facet_text
from exambench.stats.intervals import wilson_interval

TEXT_ONLY: Final = "it has pictures, and the model takes text only"
NEVER_RIGHT: Final = "no draw led to the right answer"
WAITING: Final = "a rationale is drafted"
OUTDATED: Final = "the item or its draft is another one since experts decided"


class RationaleSettings(AskingSettings):
    """Settings of ``rationale``.

    Attributes:
        writer: Role of the model that drafts.
        critic: Role of the model that remarks on the instructions; they stay as they are when ``None``.
        enhancer: Role of the model that rewrites them.
        rounds: How often they do so at most.
        facets: What makes the strata of the sample.
        size: How many items are drawn in all.
        per_stratum: How many of each stratum instead.
        draws: How often a rationale is drawn at most.
        prompt: A prompt of one's own for the writer, which begins with its instructions.
        critic_prompt: Likewise for the critic.
        enhancer_prompt: Likewise for the enhancer.
        decisions: What experts decided; see ``exambench build decide``.
    """

    writer: str = "writer"
    critic: str | None = None
    enhancer: str | None = None
    rounds: Annotated[int, Field(ge=1, le=20)] = 3
    facets: tuple[Annotated[str, Field(min_length=1)], ...] = ("part", "modality", "korean")
    size: Annotated[int, Field(ge=1)] | None = None
    per_stratum: Annotated[int, Field(ge=1)] | None = None
    draws: Annotated[int, Field(ge=1, le=100)] = 5
    prompt: Path | None = None
    critic_prompt: Path | None = None
    enhancer_prompt: Path | None = None
    decisions: Path | None = None

    @model_validator(mode="after")
    def _fits(self) -> RationaleSettings:
        if (self.size is None) == (self.per_stratum is None):
            raise ValueError("size: either size or per_stratum says how many items are drawn")
        if (self.critic is None) != (self.enhancer is None):
            raise ValueError("critic: critic and enhancer refine the instructions together, or neither does")
        return self


@dataclass(frozen=True, slots=True)
class _Settled:
    """What became of one item of the sample."""

    item: Item | None
    changes: tuple[Change, ...]
    decided: Verified | None = None


def give_rationales(items: tuple[Item, ...], settings: RationaleSettings, context: Context) -> StageResult:
    """Draft rationales for a sample of items, and do what experts decided about them.

    Items that have a rationale, or whose answer is free text, are not in the pool. An item gets no rationale before
    experts decided: until then its draft, or that there is none, is left to them.

    Raises:
        ConfigError: A prompt, a facet of the strata or a decision cannot be used.
        DataError: The file of decisions cannot be read.
        ImageError: A picture that a model is to see is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    prompt = read_draft_prompt(SHIPPED if settings.prompt is None else context.folder / settings.prompt)
    refiners = _refiners(settings, context.folder)
    verified = {} if settings.decisions is None else read_verified(context.folder / settings.decisions)
    pool = [item for item in items if not item.rationale and not isinstance(item.key, TextKey)]
    _refuse_unknown_facets(pool, settings.facets)
    strata = draw_strata(pool, settings.facets, context.seed, size=settings.size, per_stratum=settings.per_stratum)
    sample = [item for stratum in strata for item in stratum.drawn]
    refined = _refined(prompt, sample, refiners, settings, context)
    last = prompt.model_copy(update={"instructions": refined.versions[-1].instructions})
    images = context.models[settings.writer].capabilities.images
    asked = [item for item in sample if images or not item.wording().images]
    drafts, answers = draft_rationales(asked, Writer(settings.writer, last, settings.draws), settings, context)
    found = {draft.item.id: draft for draft in drafts}
    settled = {item.id: _settled(found.get(item.id, Draft(item)), verified.get(item.id)) for item in sample}
    outcomes = [(item, settled.get(item.id)) for item in items]
    left = [item if each is None else each.item for item, each in outcomes]
    return StageResult(
        items=tuple(item for item in left if item is not None),
        changes=tuple(change for _, each in outcomes if each is not None for change in each.changes),
        facts={
            "pool": len(pool),
            "sample": len(sample),
            **_facts_of_drafts(drafts),
            **_facts_of_decisions([each.decided for each in settled.values()]),
            "decisions_not_used": len(verified) - sum(each.decided is not None for each in settled.values()),
            "strata": _table_of_strata(strata, settings.facets),
            "prompt_versions": refined.table,
            "prompt_ended": refined.ended,
        },
        spending=_spending([*refined.answers, *answers], last, refiners),
    )


RATIONALE: Final = StageKind(
    RationaleSettings,
    give_rationales,
    version=2,
    files=lambda settings: [
        path
        for path in (settings.prompt, settings.critic_prompt, settings.enhancer_prompt, settings.decisions)
        if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped(_shipped_prompts(settings)),
    roles=lambda settings: [role for role in (settings.writer, settings.critic, settings.enhancer) if role is not None],
)


def _refuse_unknown_facets(pool: Sequence[Item], facets: Sequence[str]) -> None:
    """Refuse a sample by a facet that no item has: it would be one stratum, and no one would be told."""
    known = {facet for item in pool for facet in item.facets}
    unknown = [facet for facet in facets if facet not in known]
    if pool and unknown:
        raise ConfigError(
            *(
                Finding(
                    problem="no item that a rationale may be drawn for has this facet",
                    field="facets",
                    value=show(facet),
                    allowed=", ".join(sorted(known)) or "none",
                    remedy="Name others in the stage, or set it in an earlier one, as label does",
                )
                for facet in unknown
            )
        )


def _shipped_prompts(settings: RationaleSettings) -> list[Path]:
    refining = settings.critic is not None
    return [
        *([SHIPPED] if settings.prompt is None else []),
        *([CRITIC] if refining and settings.critic_prompt is None else []),
        *([ENHANCER] if refining and settings.enhancer_prompt is None else []),
    ]


def _refiners(settings: RationaleSettings, folder: Path) -> Refiners | None:
    if settings.critic is None or settings.enhancer is None:
        return None
    return Refiners(
        critic=settings.critic,
        enhancer=settings.enhancer,
        critic_prompt=read_critic_prompt(CRITIC if settings.critic_prompt is None else folder / settings.critic_prompt),
        enhancer_prompt=read_enhancer_prompt(
            ENHANCER if settings.enhancer_prompt is None else folder / settings.enhancer_prompt
        ),
        rounds=settings.rounds,
    )


def _refined(
    prompt: DraftPrompt,
    sample: Sequence[Item],
    refiners: Refiners | None,
    settings: RationaleSettings,
    context: Context,
) -> Refined:
    if refiners is None or not sample:
        ended = "no models refine it" if refiners is None else "the sample is empty"
        return Refined((Version(prompt.instructions),), ended)
    return refine(prompt.instructions, sample[0], refiners, settings, context)


def _settled(draft: Draft, decided: Verified | None) -> _Settled:
    details = details_of(draft)
    if decided is not None and decided.seen == seen(draft):
        item, changes = as_verified(draft, decided)
        return _Settled(item, changes, decided)
    reason = WAITING if draft.rationale is not None else NEVER_RIGHT if draft.answers else TEXT_ONLY
    if decided is not None:
        reason = OUTDATED
    return _Settled(draft.item, (Change(draft.item.id, Action.REVIEW, reason, details),))


def _facts_of_drafts(drafts: Sequence[Draft]) -> dict[str, Any]:
    needed = [len(draft.answers) for draft in drafts if draft.rationale is not None]
    return {
        "drafted": len(needed),
        "never_right": len(drafts) - len(needed),
        "mean_draws_of_drafted": sum(needed) / len(needed) if needed else None,
        "draws": [{"draws": draws, "items": items} for draws, items in sorted(Counter(needed).items())],
    }


def _facts_of_decisions(decisions: Sequence[Verified | None]) -> dict[str, Any]:
    """Return how many verdicts there are of each kind, and their shares with Wilson's 95 % interval."""
    decided = [each for each in decisions if each is not None]
    verdicts = Counter(each.verdict for each in decided)
    revisions = Counter(kind for each in decided for kind in set(each.revisions))
    revised = verdicts[Verdict.MINOR] + verdicts[Verdict.MAJOR]
    return {
        "verified": len(decided),
        "waiting": len(decisions) - len(decided),
        "repaired_keys": sum(bool(each.key) for each in decided),
        "verdicts": [{"verdict": str(name), **_share(verdicts[name], len(decided))} for name in Verdict],
        "revisions": [{"kind": str(name), **_share(revisions[name], revised)} for name in Revision],
    }


def _share(count: int, n: int) -> dict[str, Any]:
    if not n:
        return {"items": count, "of": n, "share": None, "low": None, "high": None}
    found = wilson_interval(count, n)
    return {"items": count, "of": n, "share": found.estimate, "low": found.low, "high": found.high}


def _table_of_strata(strata: Sequence[Stratum], facets: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "stratum": ", ".join(
                f"{facet} {'–' if value is None else facet_text(value)}"
                for facet, value in zip(facets, stratum.labels, strict=True)
            )
            or "all",
            "items": stratum.size,
            "drawn": len(stratum.drawn),
        }
        for stratum in strata
    ]


def _spending(answers: Sequence[Answers], prompt: DraftPrompt, refiners: Refiners | None) -> Spending:
    prompts: Mapping[str, str] = {prompt.name: prompt.hash}
    if refiners is not None:
        prompts = {
            **prompts,
            refiners.critic_prompt.name: refiners.critic_prompt.hash,
            refiners.enhancer_prompt.name: refiners.enhancer_prompt.hash,
        }
    return spending_of(answers, prompts)
