"""Project folders whose stages ask scripted endpoints, and builds of them as the command line builds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from exambench.cli.building import build_project
from exambench.cli.exit_codes import ExitCode
from exambench.construct.building import output_of, states
from exambench.construct.project import read_project
from exambench.construct.records import Action, StageRecord
from exambench.items import Item
from tests.support.chat_server import ChatServer

READ = '[[stages]]\nuse = "read"\ndata = "items.json"\nimages = "images"\n'
PRICE = {"input": 1.0, "output": 2.0}


def write_project(
    folder: Path, entries: Sequence[Mapping[str, object]], stages: str, models: Mapping[str, ChatServer]
) -> None:
    """Write data, one model file for each role, and a build.toml; requests are tried once, one after the other.

    A response of the scripted server costs 11 + 2 × 7 = 25 millionths.
    """
    (folder / "images").mkdir(exist_ok=True)
    (folder / "items.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    roles = write_models(folder, models)
    (folder / "build.toml").write_text(f'name = "small-exam"\nseed = 7\n\n{roles}\n{READ}\n{stages}', encoding="utf-8")


def write_models(folder: Path, models: Mapping[str, ChatServer]) -> str:
    """Write one model file for each role, and return the table of roles."""
    for role, server in models.items():
        config = {
            "name": f"{role}-model",
            "endpoint": {"base_url": server.base_url},
            "limits": {"max_attempts": 1, "concurrency": 1},
            "price": PRICE,
        }
        (folder / f"{role}.yaml").write_text(json.dumps(config), encoding="utf-8")
    return "[models]\n" + "".join(f'{role} = "{role}.yaml"\n' for role in models)


def build(folder: Path) -> ExitCode:
    """Build it as the command does."""
    return build_project(folder, None)


def record(folder: Path, stage: str) -> StageRecord | None:
    """Return the record of a stage."""
    return next(each.record for each in states(read_project(folder)) if each.step.name == stage)


def outcome(folder: Path, stage: str) -> tuple[StageRecord, dict[str, Item]]:
    """Return the record of a stage that is done, and the items that came out of it."""
    project = read_project(folder)
    found = next(each for each in states(project) if each.step.name == stage)
    assert found.record is not None
    return found.record, {item.id: item for item in output_of(project, found.step, found.record)}


def details(record: StageRecord, action: Action) -> dict[str, Mapping[str, Any]]:
    """Return the details of the changes of one kind, by item."""
    return {change.item: change.details for change in record.changes if change.action is action}
