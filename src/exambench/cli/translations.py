"""What ``exambench build translate`` and ``review`` do."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exambench.benchmarks.loading import data_path
from exambench.cli.exit_codes import ExitCode
from exambench.cli.prefixes import refuse_baseline
from exambench.cli.tasks import TaskTurn
from exambench.cli.translation_sheets import IDENTIFIER, lines_of, read_review, review_sheet
from exambench.cli.turns import say, take_turns
from exambench.cli.writing import write_texts
from exambench.construct.entries import Translated, read_entries_of
from exambench.construct.translating import SHIPPED, drafts_of, plan_translations, read_translation_prompt
from exambench.engine.responders import check_keys
from exambench.errors import ConfigError, Finding, show
from exambench.evaluation.model_files import named_model
from exambench.evaluation.opening import open_benchmark
from exambench.items import ENGLISH, Benchmark, Item, ReviewState, facet_text
from exambench.judging.returned_sheets import read_sheet
from exambench.judging.sheet_writing import free_paths, wants_xlsx, write_sheet_files
from exambench.store import open_store


@dataclass(frozen=True)
class TranslateOptions:
    """What to translate, as a person wrote it; see the options of the command."""

    benchmark: str
    data: Path | None
    items: tuple[str, ...]
    where: tuple[str, ...]
    model: str
    out: Path
    sheets: Path | None
    prompt: Path | None
    api_key_env: str | None


def translate(options: TranslateOptions, location: str, concurrency: int | None) -> ExitCode:
    """Have items translated; write the data with the drafts, and a sheet for people.

    Returns:
        The worst that happened: incomplete also where a translation breaks a rule after its last try.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    model = named_model(options.model, vision=False, api_key_env=options.api_key_env)
    refuse_baseline(model)
    prompt = read_translation_prompt(options.prompt or SHIPPED)
    opened = open_benchmark(options.benchmark, options.data, None)
    entries = read_entries_of(options.data or data_path(opened.definition))
    items = _chosen(opened.benchmark, options)
    plan = plan_translations(opened.benchmark, items, model, prompt)
    check_keys([model])
    if options.sheets is not None:
        free_paths(options.sheets.parent, [], [options.sheets.stem], xlsx=wants_xlsx(options.sheets))
    with open_store(location) as store:
        code, _ = take_turns([TaskTurn(plan, store, concurrency)])
        if code is ExitCode.INTERRUPTED:
            return code
        drafts = drafts_of(store, plan, {item.id: item for item in items}, prompt)
    sound = {
        draft.item.id: Translated(draft.translation, ReviewState.DRAFT)
        for draft in drafts
        if draft.translation is not None and not draft.problems
    }
    if options.sheets is not None:
        sheet = review_sheet(options.sheets.stem, drafts)
        write_sheet_files(options.sheets.parent, {}, [sheet], xlsx=wants_xlsx(options.sheets))
    write_texts({options.out: entries.translated(sound)})
    for line in lines_of(drafts):
        say(line)
    left = len(drafts) - len(sound)
    sys.stdout.write(
        f"{options.out}: {len(sound)} of {len(items)} items have a draft; {left} break a rule after the last try and "
        f"are left to people; {len(items) - len(drafts)} have no reply yet.\n"
    )
    return max(code, ExitCode.INCOMPLETE if left or len(drafts) < len(items) else ExitCode.COMPLETE)


def review(sheet: Path, benchmark: str, data: Path, out: Path) -> list[str]:
    """Bring a checked sheet back into the data; return what was done.

    Raises:
        DataError: Data or sheet have faults; every one is a finding, and nothing is written.
        ConfigError: A file cannot be written.
    """
    opened = open_benchmark(benchmark, data, None)
    entries = read_entries_of(data)
    reviewed, told = read_review(read_sheet(sheet, {IDENTIFIER}), opened.benchmark.by_id)
    write_texts({out: entries.translated(reviewed)})
    states = [None if each is None else each.state for each in reviewed.values()]
    checked, drafts, rejected = (states.count(state) for state in (ReviewState.CHECKED, ReviewState.DRAFT, None))
    return [*told, f"{out}: {checked} checked, {drafts} drafts, {rejected} rejected."]


def _chosen(benchmark: Benchmark, options: TranslateOptions) -> tuple[Item, ...]:
    """Return the items that are to be translated: those named, or those with certain facets; no checked one."""
    unknown = [name for name in options.items if name not in benchmark.by_id]
    if unknown:
        raise ConfigError(
            Finding("there is no such item", field="--items", value=show(unknown[0]), allowed="identifiers of items")
        )
    wanted = [_condition(text) for text in options.where]
    chosen = [
        item
        for item in benchmark.items
        if (not options.items or item.id in options.items)
        and all(name in item.facets and facet_text(item.facets[name]) == value for name, value in wanted)
    ]
    left = [item for item in chosen if not (ENGLISH in item.wordings and item.facets.get("translation") == "checked")]
    if left:
        return tuple(left)
    raise ConfigError(
        Finding(
            problem="every chosen item has a checked translation" if chosen else "no item is chosen",
            field="--items, --where",
            value=show(" ".join((*options.items, *options.where))),
            allowed="identifiers, or FACET=VALUE as in korean=true",
        )
    )


def _condition(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(Finding("is no condition", field="--where", value=show(text), allowed="FACET=VALUE"))
    return name.strip(), value.strip()


def split_items(texts: Sequence[str]) -> tuple[str, ...]:
    """Return identifiers that were given one by one or with commas between."""
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())
