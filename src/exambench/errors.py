"""Everything that can go wrong, as types.

::

    ExambenchError
    ├── InputError            what a person gave us cannot be used; exit code 2
    │   ├── DataError         a dataset, a rating sheet, a matrix
    │   ├── ImageError        a picture that is missing, broken, or too large
    │   ├── ConfigError       a model file, a benchmark definition, an option
    │   └── MissingExtraError an optional part is not installed
    ├── StageError            (construct.records) a stage of a build did not account for an item
    ├── EndpointError         a model could not be reached or did not answer in its protocol
    │   ├── TransportError    no connection, a cut connection, a time-out
    │   ├── StatusError       an HTTP status that is not success
    │   ├── ReplyError        success by status, but not a chat completion
    │   ├── ServingError      a model that we serve ourselves did not start, or its process ended
    │   ├── RequestFailed     (engine.ports) a request has no response, and trying further is of no use in this run
    │   └── RequestWithdrawn  (engine.ports) the run was stopped before a request was sent
    ├── StoreError            the result store cannot be read or written
    └── UndefinedStatisticError  the quantity does not exist for this input

A person reads these. A message therefore names the file, the item, the field, the value that was found, the
values that are allowed, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.text import escaped, without_secrets

SHOWN_VALUE_LENGTH: Final = 160
SHOWN_FINDINGS: Final = 20

READ_FOR_SHOWING: Final = 4096
"""Characters of a value in which secrets are looked for: far more than are shown, and few enough for any value."""


class Severity(StrEnum):
    """How much a finding matters."""

    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with an input, and how to mend it.

    As text it is one line that no terminal obeys, whatever an input has for a name.

    Attributes:
        problem: What is wrong, as a clause without a final full stop.
        severity: Whether work may go on in spite of it.
        file: Path of the file, as the person gave it.
        item: Identifier of the item (or row, or key) inside the file.
        field: Name of the field inside the item.
        value: What was found, shortened for display.
        allowed: What would have been accepted.
        remedy: What to do, in the imperative.
    """

    problem: str
    severity: Severity = Severity.ERROR
    file: str | None = None
    item: str | None = None
    field: str | None = None
    value: str | None = None
    allowed: str | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        place = ", ".join(
            part
            for part in (
                self.file,
                None if self.item is None else f"item {self.item}",
                None if self.field is None else f"field {self.field}",
            )
            if part is not None
        )
        sentence = f"{place}: {self.problem}" if place else self.problem
        if self.value is not None:
            sentence += f" (found {self.value})"
        if self.allowed is not None:
            sentence += f"; allowed: {self.allowed}"
        if self.remedy is not None:
            sentence += f". {self.remedy}"
        return escaped(sentence.rstrip(".") + ".")


def show(value: object) -> str:
    """Return a value as text that is safe and short enough to stand in a message.

    What an address may carry in secret, a password or a query, is left out.
    """
    try:
        whole = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} that is nested without end"
    text = without_secrets(whole[:READ_FOR_SHOWING])
    if len(text) > SHOWN_VALUE_LENGTH:
        return f"{text[:SHOWN_VALUE_LENGTH]}… ({len(whole)} characters)"
    return text


def listed(names: Iterable[str]) -> str:
    """Return names in a row, as many as a person reads, and how many more there are."""
    known = list(names)
    more = len(known) - SHOWN_FINDINGS
    return ", ".join(known[:SHOWN_FINDINGS]) + (f" and {more} more" if more > 0 else "")


class ExambenchError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(ExambenchError):
    """What a person gave cannot be used.

    Args:
        findings: At least one finding; every problem that was seen, so that one reading mends them all.
    """

    def __init__(self, *findings: Finding) -> None:
        if not findings:
            raise ValueError("an InputError needs at least one finding")
        self.findings = findings
        super().__init__(*findings)

    def __str__(self) -> str:
        shown = "\n".join(str(finding) for finding in self.findings[:SHOWN_FINDINGS])
        left_out = len(self.findings) - SHOWN_FINDINGS
        return f"{shown}\n… and {left_out} more." if left_out > 0 else shown


class DataError(InputError):
    """A dataset, rating sheet or matrix breaks its format."""


class ImageError(InputError):
    """A picture is missing, unreadable, or beyond the limits."""


class ConfigError(InputError):
    """A model file, a benchmark definition or an option is not usable."""


class MissingExtraError(InputError):
    """An optional part of the toolkit is not installed.

    Args:
        extra: Name of the extra, as in ``pip install '.[extra]'``.
        needed_for: What was about to be done.
    """

    def __init__(self, extra: str, needed_for: str) -> None:
        self.extra = extra
        super().__init__(
            Finding(
                problem=f"{needed_for} needs the optional extra {extra!r}, which is not installed",
                remedy=f"Install exambench with it; in its checkout: pip install '.[{extra}]'",
            )
        )


class EndpointError(ExambenchError):
    """A model could not be reached, or did not answer in its protocol.

    A failure of the endpoint is never an answer: it leaves the request open for the next run.
    """


class TransportError(EndpointError):
    """No connection, a connection cut in the middle, or a time-out."""


class StatusError(EndpointError):
    """The endpoint answered with an HTTP status that is not success.

    Args:
        status: The HTTP status code.
        message: What the endpoint said, shortened and without credentials.
        retry_after: Seconds that the endpoint asked us to wait, if it did.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        self.status = status
        self.message = message
        self.retry_after = retry_after
        super().__init__(f"HTTP {status}: {message}")


class ReplyError(EndpointError):
    """The status says success, but the body is not a chat completion."""


class ServingError(EndpointError):
    """A model that this toolkit serves itself did not start, or its process ended."""


class StoreError(ExambenchError):
    """The result store cannot be opened, read or written."""


class UndefinedStatisticError(ExambenchError, ValueError):
    """The statistic does not exist for this input, so there is no number to return."""
