"""The stage ``verify``: people review items that a model wrote, some of them together, and decide what stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from exambench.benchmarks.scholarbench_format import TASK
from exambench.construct.draws import Circle
from exambench.construct.generated_items import LANGUAGE
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.review_agreement import agreement, of_reviewers
from exambench.construct.reviewed import SEEN, Reviewed, Ruling, as_changed, read_reviewed, seen, shown_of
from exambench.construct.stage import Context, Settings, StageKind
from exambench.construct.written_drafts import Task
from exambench.items import Item, digest

SHARED: Final = 0.091
"""Share of the items that all reviewers see (ScholarBench, section 2.3)."""
ALL: Final = "all"
REVIEWER: Final = "reviewer"
OUTDATED: Final = "the item is another one since it was reviewed"
DISAGREE: Final = "the reviewers disagree"
WAITING: Final = "it waits for review"


class VerifySettings(Settings):
    """Settings of ``verify``.

    Attributes:
        reviewers: How many people review; with one, nothing is shared.
        shared: Share of the items of each language that all of them see.
        decisions: What each reviewer decided, a file each; see ``exambench build decide``.
        adjudicated: What was decided where they disagree; comes before what they say.
        undecided: Whether items that wait ``stay`` or ``go``.
    """

    reviewers: Annotated[int, Field(ge=1, le=1000)] = 3
    shared: Annotated[float, Field(ge=0, le=1)] = SHARED
    decisions: tuple[Path, ...] = ()
    adjudicated: Path | None = None
    undecided: Literal["stay", "go"] = "stay"

    @model_validator(mode="after")
    def _fits(self) -> VerifySettings:
        if len({path.stem for path in self.decisions}) < len(self.decisions):
            raise ValueError("decisions: two files have the same name, by which reviewers are told apart")
        return self


@dataclass(frozen=True)
class _Desk:
    """What is reviewed by whom.

    Attributes:
        pool: The items under review.
        shared: Those that all reviewers see.
        reviews: What they said of items as they are, by reviewer and item.
        outdated: Items that somebody reviewed when they were others.
        adjudicated: What was decided where they disagree.
        needed: How many reviews a shared item needs.
        unused: How many reviews are of items that are others or gone.
    """

    pool: Sequence[Item]
    shared: frozenset[str]
    reviews: Mapping[str, Mapping[str, Reviewed]]
    outdated: frozenset[str]
    adjudicated: Mapping[str, Reviewed]
    needed: int
    unused: int

    def votes(self, item: Item) -> list[Reviewed]:
        """Return the reviews of an item, in the order of the reviewers."""
        return [found[item.id] for found in self.reviews.values() if item.id in found]

    def reviewer(self, item: Item) -> str:
        """Return who is to review an item: all, or a number from 1 on that depends on the item alone."""
        if item.id in self.shared or self.needed == 1:
            return ALL
        return str(int(digest([REVIEWER, item.id]), 16) % self.needed + 1)


def verify(items: tuple[Item, ...], settings: VerifySettings, context: Context) -> StageResult:
    """Do what reviewers decided about the items that a model wrote; other items go through.

    An item of the shared sample waits until all reviewers have decided, any other until one has. What more than half of
    them say is done; where none has that much, the item is left for people until it is adjudicated. Two who change an
    item say the same where they make the same of it. A review does not count for an item that has changed since.

    Raises:
        ConfigError: A review is none, or a changed item cannot be made.
        DataError: A file of reviews cannot be read.
    """
    desk = _desk(items, settings, context)
    settled = {item.id: _settled(item, desk, settings) for item in desk.pool}
    left = [settled[item.id].item if item.id in settled else item for item in items]
    changes = [settled[item.id].change for item in desk.pool]
    gone = [settled[item.id].gone for item in desk.pool]
    return StageResult(
        items=tuple(item for item in left if item is not None),
        changes=(*changes, *(change for change in gone if change is not None)),
        facts=_facts(desk, changes, context.seed),
    )


VERIFY: Final = StageKind(
    VerifySettings,
    verify,
    files=lambda settings: [
        *settings.decisions,
        *([] if settings.adjudicated is None else [settings.adjudicated]),
    ],
)


@dataclass(frozen=True, slots=True)
class _Settled:
    """What became of one item, and that it goes although it waits."""

    item: Item | None
    change: Change
    gone: Change | None = None


def _desk(items: Sequence[Item], settings: VerifySettings, context: Context) -> _Desk:
    pool = [item for item in items if item.facets.get(TASK) in set(Task)]
    digests = {item.id: seen(item) for item in pool}
    said = {path.stem: read_reviewed(context.folder / path) for path in settings.decisions}
    final = {} if settings.adjudicated is None else read_reviewed(context.folder / settings.adjudicated)

    def current(found: Mapping[str, Reviewed]) -> dict[str, Reviewed]:
        return {name: reviewed for name, reviewed in found.items() if reviewed.seen == digests.get(name)}

    return _Desk(
        pool=pool,
        shared=_shared(pool, settings, context.seed),
        reviews={name: current(found) for name, found in said.items()},
        outdated=frozenset(
            name
            for found in (*said.values(), final)
            for name, reviewed in found.items()
            if name in digests and reviewed.seen != digests[name]
        ),
        adjudicated=current(final),
        needed=settings.reviewers,
        unused=sum(len(found) - len(current(found)) for found in (*said.values(), final)),
    )


def _shared(pool: Sequence[Item], settings: VerifySettings, seed: int) -> frozenset[str]:
    """Draw the items that all reviewers see, language by language."""
    if settings.reviewers == 1:
        return frozenset()
    by_language: dict[object, list[str]] = {}
    for item in pool:
        by_language.setdefault(item.facets.get(LANGUAGE), []).append(item.id)
    return frozenset(
        name
        for language, names in by_language.items()
        for name in Circle(names, seed, f"shared {language}").names[: round(settings.shared * len(names))]
    )


def _settled(item: Item, desk: _Desk, settings: VerifySettings) -> _Settled:
    votes = desk.votes(item)
    final = desk.adjudicated.get(item.id)
    details = {REVIEWER: desk.reviewer(item), SEEN: seen(item), **_said(votes, final)}
    needed = desk.needed if item.id in desk.shared else 1
    decided = final or (_majority(votes) if len(votes) >= needed else None)
    if decided is not None:
        return _done(item, decided, details)
    if len(votes) >= needed:
        reason = DISAGREE
    elif votes:
        reason = f"{len(votes)} of {needed} reviewers have decided"
    else:
        reason = OUTDATED if item.id in desk.outdated else WAITING
    change = Change(item.id, Action.REVIEW, reason, details)
    if settings.undecided == "stay":
        return _Settled(item, change)
    change = replace(change, details=details | shown_of(item))
    return _Settled(None, change, Change(item.id, Action.DROPPED, "it goes as long as it is not decided"))


def _done(item: Item, decided: Reviewed, details: Mapping[str, Any]) -> _Settled:
    """Do what was decided about an item."""
    if decided.ruling is Ruling.KEEP:
        return _Settled(item, Change(item.id, Action.NOTED, "reviewers kept it", details))
    why = {"why": decided.reason, **details, **shown_of(item)}
    if decided.ruling is Ruling.DROP:
        return _Settled(None, Change(item.id, Action.DROPPED, "reviewers dropped it", why))
    changed = as_changed(item, decided)
    if changed == item:
        return _Settled(item, Change(item.id, Action.NOTED, "reviewers changed it into what it was", why))
    return _Settled(changed, Change(item.id, Action.CHANGED, "reviewers changed it", why))


def _majority(votes: Sequence[Reviewed]) -> Reviewed | None:
    """Return the first review that makes of an item what more than half of them do; ``None`` where none does."""
    counts = Counter(vote.outcome for vote in votes)
    return next((vote for vote in votes if 2 * counts[vote.outcome] > len(votes)), None)


def _said(votes: Sequence[Reviewed], final: Reviewed | None) -> dict[str, Any]:
    qualities = [vote.quality for vote in votes if vote.quality is not None]
    said: dict[str, Any] = {} if not votes else {"rulings": [str(vote.ruling) for vote in votes], "quality": qualities}
    return said if final is None else said | {"adjudicated": str(final.ruling)}


def _facts(desk: _Desk, changes: Sequence[Change], seed: int) -> dict[str, Any]:
    actions = Counter(change.action for change in changes)
    shared = [item for item in desk.pool if item.id in desk.shared]
    return {
        "under_review": len(desk.pool),
        "shared": len(shared),
        "seed": seed,
        "waiting": actions[Action.REVIEW],
        "disagreed": sum(change.reason == DISAGREE for change in changes),
        "adjudicated": len(desk.adjudicated),
        "kept": actions[Action.NOTED],
        "changed": actions[Action.CHANGED],
        "dropped": actions[Action.DROPPED],
        "decisions_not_used": desk.unused,
        "reviewers": of_reviewers(desk.pool, desk.reviews),
        "agreement": agreement(shared, desk.reviews, seed),
    }
