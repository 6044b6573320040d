"""What the documents tell people to type is what the program takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import typer
from typer.core import TyperGroup

from exambench.cli.app import app

ROOT: Final = Path(__file__).parents[1]
DOCUMENTS: Final = sorted(path for pattern in ("*.md", "docs/**/*.md") for path in ROOT.glob(pattern))

PROMPT: Final = re.compile(r"^\$ (exambench .*)$", re.MULTILINE)
INLINE: Final = re.compile(r"`(exambench [^`]+)`")
COMMAND: Final = re.compile(r"exambench ([a-z][a-z-]*(?: [a-z][a-z-]*(?![\w./-]))?)(.*?)(?=exambench |$)")
OPTION: Final = re.compile(r"(?<!\S)--[a-z][a-z-]*")


def commands() -> dict[str, set[str]]:
    """Return the options of every command of the program, by the words that call it."""
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    found = {}
    for name, command in root.commands.items():
        below = dict(command.commands) if isinstance(command, TyperGroup) else {}
        if not isinstance(command, TyperGroup) or command.invoke_without_command:
            below[""] = command
        for last, each in below.items():
            deeper = each.commands.values() if isinstance(each, TyperGroup) else ()
            found[f"{name} {last}".rstrip()] = {
                word for one in (each, *deeper) for parameter in one.params for word in parameter.opts
            }
    return found


def documented(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls that a document shows, as words that call a command and the options beside them."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in (*PROMPT.findall(text), *INLINE.findall(text)):
        for name, rest in COMMAND.findall(line):
            # A word after the name is an argument, except where a command has commands below it.
            yield (name if name in COMMANDS else name.partition(" ")[0]), OPTION.findall(rest)


COMMANDS: Final = commands()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documented_commands_and_options_are_there(path: Path) -> None:
    """Every call that a document shows names a command of the program, and options that it has."""
    for name, options in documented(path):
        assert name in COMMANDS, f"{path.name} shows: exambench {name}"
        assert set(options) <= COMMANDS[name], f"{path.name} shows options that exambench {name} does not have"


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_every_command_is_in_the_tour(name: str) -> None:
    """A reader of the first page meets them all."""
    assert {called for called, _ in documented(ROOT / name)} == set(COMMANDS)


def test_the_reader_of_documents_finds_calls(tmp_path: Path) -> None:
    """Continued lines, comments, calls within sentences, two calls in a line, arguments that look like commands."""
    path = tmp_path / "page.md"
    path.write_text(
        "$ exambench run --benchmark check \\\n      --model M   # then: exambench runs\n"
        "As `exambench published check --json` and `exambench check FILE` show; exambench nothing.\n",
        encoding="utf-8",
    )
    assert list(documented(path)) == [
        ("run", ["--benchmark", "--model"]),
        ("runs", []),
        ("published check", ["--json"]),
        ("check", []),
    ]
