"""Several models are asked one after the other: what each ending means for the others and for the exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol, TypeVar

from exambench.cli.exit_codes import ExitCode
from exambench.errors import EndpointError, InputError
from exambench.text import escaped


class Turn(Protocol):
    """The asking of one model."""

    @property
    def name(self) -> str:
        """What to call the model."""
        ...

    def ask(self) -> bool:
        """Ask the model what it has not answered; return whether a person wants no further model to be asked.

        Raises:
            EndpointError: The model could not be started or reached.
            InputError: The model cannot be used as it was named.
            KeyboardInterrupt: A person wants it to end at once.
        """
        ...

    def settle(self) -> bool:
        """Read what was answered, however the asking ended, and tell what is left; return whether anything is."""
        ...


T = TypeVar("T", bound=Turn)


def take_turns(turns: Sequence[T]) -> tuple[ExitCode, Sequence[T]]:
    """Ask the models until all had their turn or a person interrupts.

    What is wrong with one model is told, and does not keep the others from their turn.

    Returns:
        The worst that happened, and the turns that were begun.

    Raises:
        StoreError: The store cannot be used.
    """
    code = ExitCode.COMPLETE
    for number, turn in enumerate(turns, start=1):
        ending, stopped = _take(turn)
        code = max(code, ending)
        if turn.settle():
            code = max(code, ExitCode.INCOMPLETE)
        if stopped:
            waiting = turns[number:]
            if waiting:
                say(f"Not asked: {', '.join(dict.fromkeys(other.name for other in waiting))}.")
                code = max(code, ExitCode.INCOMPLETE)
            return code, turns[:number]
    return code, turns


def _take(turn: Turn) -> tuple[ExitCode, bool]:
    try:
        return ExitCode.COMPLETE, turn.ask()
    except EndpointError as error:
        tell(turn.name, str(error))
        return ExitCode.INCOMPLETE, False
    except InputError as error:
        tell(turn.name, str(error))
        return ExitCode.ERROR, False
    except KeyboardInterrupt:
        tell(turn.name, "interrupted; requests in flight were abandoned.")
        return ExitCode.INTERRUPTED, True


def say_how_to_stop_at_once() -> None:
    """Answer the first interrupt."""
    say("Stopping once the requests in flight are answered. Ctrl-C abandons them.")


def tell(name: str, text: str) -> None:
    """Write something about a model to standard error."""
    say(f"{name}: {text}")


def say(text: str) -> None:
    """Write to standard error, line by line, nothing that a terminal obeys."""
    sys.stderr.writelines(f"{escaped(line)}\n" for line in text.splitlines())
