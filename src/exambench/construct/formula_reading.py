"""The stage ``formula``: pictures of formulas become LaTeX by a model that sees, checked by rule and by setting it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from exambench.construct.formulas import MARK, is_formula, mark_of
from exambench.construct.inquiries import spending_of
from exambench.construct.latex_rendering import rendering_problems
from exambench.construct.latex_rules import SHIPPED as LATEX
from exambench.construct.latex_rules import bare, is_closed, latex_problems, read_latex
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, read_text_prompt
from exambench.errors import ConfigError, Finding
from exambench.exchange import ImagePart
from exambench.items import EXPLICIT, Content, Image, Item, TextKey, Wording, digest
from exambench.models import ModelConfig
from exambench.store import TaskKind

PROMPT: Final = Path(__file__).with_name("formula.toml")


class FormulaSettings(AskingSettings):
    """Settings of ``formula``.

    Attributes:
        model: Role of the model that reads; it has to take pictures.
        prompt: A prompt of one's own.
        latex: What LaTeX may consist of, in place of what ships.
    """

    model: str
    prompt: Path | None = None
    latex: Path | None = None


@dataclass(frozen=True, slots=True)
class _Formula:
    """What came of one picture."""

    image: Image
    text: Text

    @property
    def latex(self) -> str | None:
        """What it reads, where that can be used."""
        return None if self.text.text is None or self.text.problems else bare(self.text.text)


@dataclass(frozen=True, slots=True)
class _Read:
    """A content after reading.

    Attributes:
        content: Text with LaTeX for marks, and the pictures that are left.
        done: The marks that LaTeX stands for now.
        left: Why other marks stay.
    """

    content: Content
    done: tuple[str, ...] = ()
    left: Mapping[str, str] | None = None


def read_formulas(items: tuple[Item, ...], settings: FormulaSettings, context: Context) -> StageResult:
    """Put LaTeX in place of the marks of formulas, and take their pictures away; figures stay.

    A reading that cannot be used is asked for again; after the last try mark and picture stay, and people are told.
    Each picture is asked about once, however many items show it.

    Raises:
        ConfigError: The model takes no pictures, or the prompt or the list of commands cannot be used.
        ImageError: A picture is missing or broken.
        MissingExtraError: The extra ``construct`` is not installed.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    _refuse_blind(context.models[settings.model], settings.model)
    question = _question(settings, context.folder)
    pictures = tuple(dict.fromkeys(image for item in items for image in _formulas_of(item)))
    texts, answers = ask_for_texts(question, [_as_item(image) for image in pictures], settings.model, settings, context)
    found = {mark_of(image): _Formula(image, texts[image.path]) for image in pictures}
    settled = [_settled(item, found) for item in items]
    changes = tuple(change for _, changes in settled for change in changes)
    return StageResult(
        items=tuple(item for item, _ in settled),
        changes=changes,
        facts={
            "formulas": len(found),
            "read": sum(each.latex is not None for each in found.values()),
            "retried": sum(each.text.tries > 1 for each in found.values()),
            "unread": sum(each.latex is None for each in found.values()),
            "items_left_to_people": sum(change.action is Action.REVIEW for change in changes),
        },
        spending=spending_of([answers], {question.prompt.name: question.prompt.hash}),
    )


FORMULA: Final = StageKind(
    FormulaSettings,
    read_formulas,
    files=lambda settings: [path for path in (settings.prompt, settings.latex) if path is not None],
    shipped=lambda settings, _: digests_of_shipped(
        [*([PROMPT] if settings.prompt is None else []), *([LATEX] if settings.latex is None else [])]
    ),
    roles=lambda settings: (settings.model,),
)


def _refuse_blind(model: ModelConfig, role: str) -> None:
    if not model.capabilities.images:
        raise ConfigError(
            Finding(
                problem="the model that reads formulas takes no pictures",
                field=f"models.{role}",
                value=model.name,
                remedy="Name a model that sees; its file says so: capabilities = { images = true }",
            )
        )


def _question(settings: FormulaSettings, folder: Path) -> TextQuestion:
    allowed = read_latex() if settings.latex is None else read_latex(folder / settings.latex)

    @cache  # the same replies are judged again whenever it is asked what is due
    def problems(latex: str) -> tuple[str, ...]:
        return latex_problems(latex, allowed) or rendering_problems(latex)

    return TextQuestion(
        kind=TaskKind.FORMULA,
        prompt=read_text_prompt(
            PROMPT if settings.prompt is None else folder / settings.prompt,
            once=frozenset(),
            shown=frozenset({"picture"}),
        ),
        problems=lambda _, text: problems(bare(text)),
        shown=lambda item: {"picture": [ImagePart(image) for image in item.wording().images]},
        about={"rules": digest({name: sorted(names) for name, names in allowed})},
    )


def _as_item(image: Image) -> Item:
    """Return the picture of a formula as something of its own to ask about."""
    return Item(image.path, {EXPLICIT: Wording(Content("", (image,)))}, TextKey(""))


def _formulas_of(item: Item) -> Iterator[Image]:
    for wording in item.wordings.values():
        for content in (wording.question, *wording.choices):
            yield from (image for image in content.images if is_formula(image, content.text))


def _settled(item: Item, found: Mapping[str, _Formula]) -> tuple[Item, tuple[Change, ...]]:
    reads: list[_Read] = []
    wordings = {}
    for name, wording in item.wordings.items():
        parts = [_read(content, found) for content in (wording.question, *wording.choices)]
        reads += parts
        question, *choices = (part.content for part in parts)
        wordings[name] = replace(wording, question=question, choices=tuple(choices))
    done = dict.fromkeys(mark for part in reads for mark in part.done)
    left = {mark: why for part in reads for mark, why in (part.left or {}).items()}
    changes = []
    if done:
        details = {"formulas": [_before_and_after(mark, found[mark]) for mark in done]}
        changes.append(Change(item.id, Action.CHANGED, "its formulas were read as LaTeX", details))
    if left:
        details = {"formulas": [_waiting(mark, why, found.get(mark)) for mark, why in left.items()]}
        changes.append(Change(item.id, Action.REVIEW, "a formula is still a picture", details))
    return (replace(item, wordings=wordings) if done else item), tuple(changes)


def _read(content: Content, found: Mapping[str, _Formula]) -> _Read:
    """Return a content with LaTeX for those marks whose pictures it has and whose LaTeX fits into the text."""
    marks = tuple(dict.fromkeys(match[0] for match in MARK.finditer(content.text)))
    if not marks:
        return _Read(content)
    shown = {mark_of(image) for image in content.images}
    left = {mark: why for mark in marks if (why := _hindrance(mark, shown, content.text, found))}
    usable = {mark: found[mark].latex or "" for mark in marks if mark not in left}
    text = _with_latex(content.text, usable)
    if not is_closed(MARK.sub("", text)):
        opened = {mark: latex for mark, latex in usable.items() if not is_closed(latex)}
        left |= dict.fromkeys(opened, "a bracket is open in the text with it")
        usable = {mark: latex for mark, latex in usable.items() if mark not in opened}
        text = _with_latex(content.text, usable)
    images = tuple(image for image in content.images if mark_of(image) not in usable)
    return _Read(Content(text, images), tuple(usable), left)


def _hindrance(mark: str, shown: set[str], text: str, found: Mapping[str, _Formula]) -> str:
    """Say why a mark has to stay; nothing where LaTeX can take its place."""
    if mark not in shown:
        return "its picture is missing"
    if found[mark].latex is None:
        return "no reading of it could be used"
    if any(piece.count("$") % 2 for piece in MARK.sub("⟦⟧", text).split("⟦⟧")):
        return "the text has a $ of its own"
    return ""


def _with_latex(text: str, latex: Mapping[str, str]) -> str:
    """Return a text with LaTeX for marks; two formulas side by side are kept apart, since ``$$`` begins another."""
    pieces: list[str] = []
    end = 0
    for match in MARK.finditer(text):
        between = text[end : match.start()]
        new = f"${latex[match[0]]}$" if match[0] in latex else match[0]
        before = between or (pieces[-1] if pieces else "")
        blank = " " if new.startswith("$") and before.endswith("$") else ""
        pieces += [between, blank, new]
        end = match.end()
    rest = text[end:]
    return "".join([*pieces, " " if rest.startswith("$") and pieces and pieces[-1].endswith("$") else "", rest])


def _before_and_after(mark: str, formula: _Formula) -> dict[str, Any]:
    return {
        "before": mark,
        "after": f"${formula.latex}$",
        "picture": formula.image.path,
        "tries": formula.text.tries,
    }


def _waiting(mark: str, why: str, formula: _Formula | None) -> dict[str, Any]:
    if formula is None:
        return {"before": mark, "why": why}
    return {
        "before": mark,
        "why": why,
        "picture": formula.image.path,
        "proposed": formula.text.text,
        "problems": list(formula.text.problems),
        "tries": formula.text.tries,
    }
