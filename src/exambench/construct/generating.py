"""The stage ``generate``: items about paragraphs of papers, written by a model in two rounds and checked by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from exambench.benchmarks.scholarbench_format import TASK
from exambench.construct.decisions import Decision
from exambench.construct.generated_items import LANGUAGE, PAPER, item_of, name_of, paragraphs_of
from exambench.construct.generation import Generated
from exambench.construct.generation_facts import facts_of
from exambench.construct.inquiries import spending_of
from exambench.construct.mended import DECIDED, Mended, details_of, read_mended, seen
from exambench.construct.mentions import SHIPPED, read_wordbook
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.rounds import Asked, Round, Written, drawn_examples, read_prompts, shipped_prompts, write_round
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.topics import read_topics
from exambench.construct.windows import OVERLAP, SHORTEST, WINDOW, Sliding
from exambench.construct.written_drafts import Drafted, Task
from exambench.errors import DataError, Finding, show
from exambench.items import Item

PARTED: Final = "items about its paragraphs took its place"
TOO_SHORT: Final = "its text is shorter than the shortest paragraph"
NO_PROMPT: Final = "there is no prompt in its language"
BROKEN: Final = "every draft broke a rule"


class GenerateSettings(AskingSettings):
    """Settings of ``generate``.

    Attributes:
        writer: Role of the model that writes.
        topics: File of the topics of each category, and of what each covers; any topic when ``None``.
        other_topics: Whether an item may have another topic where none of the list fits.
        window: Length of a paragraph as a share of its paper.
        overlap: Share of a paragraph that the next one repeats.
        shortest: Least length of a paragraph in characters.
        references: How texts speak of themselves, in place of the words that ship.
        first_prompts: Prompts of one's own for the first round, by language.
        second_prompts: Likewise for the second round.
        decisions: What people made of drafts that broke a rule; see ``exambench build decide``.
    """

    writer: str = "writer"
    topics: Path | None = None
    other_topics: bool = False
    window: Annotated[float, Field(gt=0, le=1)] = WINDOW
    overlap: Annotated[float, Field(ge=0, le=0.9)] = OVERLAP
    shortest: Annotated[int, Field(ge=1)] = SHORTEST
    references: Path | None = None
    first_prompts: dict[str, Path] = Field(default_factory=dict)
    second_prompts: dict[str, Path] = Field(default_factory=dict)
    decisions: Path | None = None

    @property
    def sliding(self) -> Sliding:
        """How paragraphs are cut."""
        return Sliding(self.window, self.overlap, self.shortest)


def generate(items: tuple[Item, ...], settings: GenerateSettings, context: Context) -> StageResult:
    """Write five items about each paragraph of the papers among the items; they take the papers' places.

    The first round asks for items from the paragraph alone. The second asks for harder ones with their reasoning, and
    shows two outputs of the first. A reply that breaks a rule is asked for again, three times in all; of each task the
    first draft that breaks none becomes an item, and where there is none people get the last one to mend.

    Raises:
        ConfigError: A prompt, the topics, the words or a decision cannot be used.
        DataError: The identifier of an item is taken, or the file of decisions cannot be read.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    topics = read_topics(_own(settings.topics, context), others=settings.other_topics)
    words = read_wordbook(_own(settings.references, context) or SHIPPED)
    rounds = [
        Asked(which, read_prompts(which, own, context.folder), topics, words)
        for which, own in ((Round.FIRST, settings.first_prompts), (Round.SECOND, settings.second_prompts))
    ]
    papers = [item for item in items if item.facets.get(TASK) == PAPER]
    languages = rounds[0].prompts.keys() & rounds[1].prompts.keys()
    paragraphs = [
        paragraph
        for paper in papers
        if _against(paper, languages, settings) is None
        for paragraph in paragraphs_of(paper, settings.sliding)
    ]
    _check_names(items, paragraphs)
    made = _written(papers, paragraphs, rounds, settings, context)
    used = {str(paragraph.facets[LANGUAGE]) for paragraph in paragraphs}
    prompts = [each.prompts[language] for each in rounds for language in sorted(used)]
    return StageResult(
        items=tuple(_in_place(items, made)),
        changes=tuple(_changes(made, languages, settings, context)),
        facts=facts_of(made, topics) | {"seed": context.seed},
        spending=spending_of(made.answers, {prompt.name: prompt.hash for prompt in prompts}),
    )


GENERATE: Final = StageKind(
    GenerateSettings,
    generate,
    files=lambda settings: [
        path
        for path in (
            settings.topics,
            settings.references,
            settings.decisions,
            *settings.first_prompts.values(),
            *settings.second_prompts.values(),
        )
        if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped(
        [
            *shipped_prompts(Round.FIRST, settings.first_prompts).values(),
            *shipped_prompts(Round.SECOND, settings.second_prompts).values(),
            *([SHIPPED] if settings.references is None else []),
        ]
    ),
    roles=lambda settings: (settings.writer,),
)


def _written(
    papers: Sequence[Item],
    paragraphs: Sequence[Item],
    rounds: Sequence[Asked],
    settings: GenerateSettings,
    context: Context,
) -> Generated:
    """Let the model write about paragraphs in both rounds."""
    first = write_round(paragraphs, rounds[0], settings.writer, settings, context)
    drawn = drawn_examples(paragraphs, first.written, context.seed)
    examples = {
        name: "\n\n".join(first.written[other].as_example() for other in others) for name, others in drawn.items()
    }
    second = write_round(paragraphs, replace(rounds[1], examples=examples), settings.writer, settings, context)
    said = {} if settings.decisions is None else read_mended(context.folder / settings.decisions)
    decided = dict(_current(said, paragraphs, second.written))
    drafts = {paragraph.id: _drafts(paragraph, second.written[paragraph.id], decided) for paragraph in paragraphs}
    return Generated(
        papers=papers,
        paragraphs=paragraphs,
        first=first.written,
        second=second.written,
        examples=drawn,
        decided=decided,
        unused=len(said) - len(decided),
        items={
            paragraph.id: tuple(item_of(draft, paragraph, rounds[1].topics) for draft in drafts[paragraph.id])
            for paragraph in paragraphs
        },
        answers=[*first.answers, *second.answers],
    )


def _current(
    said: Mapping[str, Mended], paragraphs: Sequence[Item], second: Mapping[str, Written]
) -> Iterator[tuple[str, Mended]]:
    """Yield the decisions that hold for the drafts as they are."""
    for paragraph in paragraphs:
        for task, (draft, _) in second[paragraph.id].broken.items():
            mended = said.get(name_of(paragraph, task))
            if mended is not None and mended.task is task and mended.seen == seen(paragraph, draft):
                yield name_of(paragraph, task), mended


def _drafts(paragraph: Item, written: Written, decided: Mapping[str, Mended]) -> Iterator[Drafted]:
    """Yield the drafts that become items: those that keep the rules, and those that people accepted."""
    for task in Task:
        mended = decided.get(name_of(paragraph, task))
        if task in written.kept:
            yield written.kept[task]
        elif mended is not None and mended.decision is Decision.ACCEPTED:
            yield mended.draft


def _own(path: Path | None, context: Context) -> Path | None:
    return None if path is None else context.folder / path


def _against(paper: Item, languages: set[str], settings: GenerateSettings) -> str | None:
    """Return why nothing is asked about a paper."""
    if len(paper.passage.strip()) < settings.shortest:
        return TOO_SHORT
    return None if paper.facets.get(LANGUAGE) in languages else NO_PROMPT


def _in_place(items: Sequence[Item], made: Generated) -> Iterator[Item]:
    for item in items:
        if item.facets.get(TASK) != PAPER:
            yield item
            continue
        for paragraph in made.of_paper(item):
            yield from made.items[paragraph.id]


def _changes(made: Generated, languages: set[str], settings: GenerateSettings, context: Context) -> Iterator[Change]:
    model = context.models[settings.writer].name
    for paper in made.papers:
        reason = _against(paper, languages, settings)
        found = made.of_paper(paper)
        count = {"paragraphs": len(found), "items": sum(len(made.items[paragraph.id]) for paragraph in found)}
        if reason is not None:
            details = {"characters": len(paper.passage), "language": paper.facets.get(LANGUAGE)}
            yield Change(paper.id, Action.DROPPED, reason, details)
            yield Change(paper.id, Action.REVIEW, reason, details)
            continue
        yield Change(paper.id, Action.DROPPED, PARTED, count)
        for paragraph in found:
            yield from _about(paragraph, made, model)


def _about(paragraph: Item, made: Generated, model: str) -> Iterator[Change]:
    """Yield what became of each task about a paragraph, with what the first round had asked."""
    second = made.second[paragraph.id]
    for task in Task:
        name = name_of(paragraph, task)
        before = made.first[paragraph.id].kept.get(task)
        details: dict[str, Any] = {
            "tries": second.kept_in.get(task, second.tries),
            "examples": list(made.examples[paragraph.id]),
            "first round": None if before is None else before.as_shown(),
        }
        if task in second.kept:
            yield Change(name, Action.ADDED, f"written by {model}", details)
        else:
            yield _about_broken(paragraph, task, made, details)


def _about_broken(paragraph: Item, task: Task, made: Generated, details: Mapping[str, Any]) -> Change:
    draft, problems = made.second[paragraph.id].broken[task]
    name = name_of(paragraph, task)
    found = {"problems": list(problems), **details, **details_of(paragraph, task, draft)}
    mended = made.decided.get(name)
    if mended is None:
        return Change(name, Action.REVIEW, BROKEN, found)
    found |= {DECIDED: mended.model_dump(mode="json", exclude_defaults=True)}
    if mended.decision is Decision.REJECTED:
        return Change(name, Action.NOTED, "people rejected what was drafted", found)
    return Change(name, Action.ADDED, "people mended what was drafted", found)


def _check_names(items: Sequence[Item], paragraphs: Sequence[Item]) -> None:
    taken = {item.id for item in items if item.facets.get(TASK) != PAPER}
    names = [name_of(paragraph, task) for paragraph in paragraphs for task in Task]
    twice = [name for name in names if name in taken]
    if twice:
        raise DataError(
            *(
                Finding(
                    "the identifier is that of an item of an earlier stage",
                    item=show(name),
                    field="id",
                    remedy="Give the paper another id in its list",
                )
                for name in twice
            )
        )
