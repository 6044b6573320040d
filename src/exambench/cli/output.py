"""The form in which a command prints its result."""

from __future__ import annotations

from enum import StrEnum


class OutputForm(StrEnum):
    """What to print."""

    TERMINAL = "terminal"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def output_form(*, as_json: bool, as_csv: bool, as_markdown: bool) -> OutputForm:
    """Return the form that was asked for.

    Raises:
        ConfigError: More than one was.
    """
    from exambench.errors import ConfigError, Finding

    asked = [
        form
        for form, wanted in (
            (OutputForm.JSON, as_json),
            (OutputForm.CSV, as_csv),
            (OutputForm.MARKDOWN, as_markdown),
        )
        if wanted
    ]
    if len(asked) > 1:
        raise ConfigError(
            Finding(
                problem="more than one form of output was asked for",
                value=" ".join(f"--{form}" for form in asked),
                allowed="one of --json, --csv, --markdown, or none for the terminal",
                remedy="Name one",
            )
        )
    return asked[0] if asked else OutputForm.TERMINAL
