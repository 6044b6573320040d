"""Reading the fields of one item, in the ways in which real files write them; what is wrong becomes a finding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from exambench.errors import Finding, Severity, show
from exambench.items import Content, Image
from exambench.text import is_storable

_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]{1,18})\s*", re.ASCII)
_BOOLEANS: Final = {"true": True, "false": False}

LONGEST_IDENTIFIER: Final = 200


def _is_identifier(text: str) -> bool:
    """Tell whether an item may be called by a text: it stands in file names, tables and on terminals."""
    return 0 < len(text) <= LONGEST_IDENTIFIER and text.isprintable()


class FieldReader:
    """Reads the fields of one item and collects what is wrong with them.

    Each reading method returns a value of its type, or a neutral one after it has recorded an error; whoever
    builds the item looks at :attr:`has_errors` first.

    Args:
        entry: The decoded object.
        file: Path of the file, for messages.
        position: Place of the item in the file from 1, its name until an identifier is read.
    """

    def __init__(self, entry: Mapping[str, object], file: str, position: int) -> None:
        self._entry = entry
        self._file = file
        self._name = f"#{position}"
        self.findings: list[Finding] = []

    @property
    def has_errors(self) -> bool:
        """Whether something was found that makes the item unusable."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def warn(self, field: str, problem: str, *, value: object, allowed: str | None, remedy: str) -> None:
        """Record something that a person should see, but that does not stop the work."""
        self._record(Severity.WARNING, field, problem, value=value, allowed=allowed, remedy=remedy)

    def error(self, field: str, problem: str, *, value: object, allowed: str | None, remedy: str) -> None:
        """Record something that makes the item unusable."""
        self._record(Severity.ERROR, field, problem, value=value, allowed=allowed, remedy=remedy)

    def cleaned(self, text: str, field: str) -> str:
        """Return a text composed (NFC), with a warning where it was not; refuse what no file or database can hold."""
        if not is_storable(text):
            self.error(
                field,
                "holds a character that is not text (NUL, or half of a surrogate pair)",
                value=text,
                allowed="Unicode text",
                remedy="Remove it",
            )
            return ""
        composed = unicodedata.normalize("NFC", text)
        if composed != text:
            self.warn(
                field,
                "is not in Unicode's composed form (NFC); it is composed when read",
                value=text,
                allowed="NFC",
                remedy="Save the file in NFC",
            )
        return composed

    def identifier(self, field: str) -> str | None:
        """Read an integer or a short printable string; from here on, messages call the item by it."""
        value = self._entry.get(field)
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str) or not _is_identifier(text.strip()):
            self.error(
                field,
                "the identifier cannot be used",
                value=value,
                allowed=f"an integer, or up to {LONGEST_IDENTIFIER} printable characters",
                remedy="Give the item an identifier",
            )
            return None
        self._name = self.cleaned(text.strip(), field)
        return self._name

    def integer(self, field: str, *, allowed: range) -> int | None:
        """Read an integer, a string of digits, or a list of exactly one of these, within a range."""
        value = self._entry.get(field)
        single = value[0] if isinstance(value, list) and len(value) == 1 else value
        number: int | None = None
        if isinstance(single, int) and not isinstance(single, bool):
            number = single
        elif isinstance(single, str) and (match := _INTEGER.fullmatch(single)):
            number = int(match[1])
        if number is not None and number in allowed:
            return number
        self.error(
            field,
            "is missing" if field not in self._entry else "is not a whole number in range",
            value=value,
            allowed=f"{allowed.start} to {allowed.stop - 1}",
            remedy="Correct the value",
        )
        return None

    def boolean(self, field: str) -> bool | None:
        """Read a truth value, or its name in any case: ``"False"`` is false."""
        value = self._entry.get(field)
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in _BOOLEANS:
            return _BOOLEANS[value.strip().lower()]
        self.error(
            field,
            "is missing" if field not in self._entry else "is not a truth value",
            value=value,
            allowed='true, false, "True", "False"',
            remedy="Correct the value",
        )
        return None

    def text(self, field: str) -> str:
        """Read optional text; an absent field and ``null`` are empty."""
        value = self._entry.get(field)
        if value is None:
            return ""
        if isinstance(value, str):
            return self.cleaned(value, field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        self.error(field, "is not text", value=value, allowed="a string", remedy="Correct the value")
        return ""

    def content(self, field: str) -> Content:
        """Read a mandatory ``{text, image}``."""
        if field not in self._entry:
            self.error(field, "is missing", value=None, allowed="{text, image}", remedy="Add the field")
            return Content()
        return self._content(self._entry[field], field)

    def contents(self, field: str) -> tuple[Content, ...]:
        """Read a mandatory list of at least two ``{text, image}``."""
        value = self._entry.get(field)
        if not isinstance(value, list) or len(value) < 2:  # noqa: PLR2004 - one choice is no choice
            self.error(
                field,
                "is missing" if field not in self._entry else "is not a list of choices",
                value=value,
                allowed="a list of at least two {text, image}",
                remedy="Give the choices",
            )
            return ()
        return tuple(self._content(choice, f"{field}[{n}]") for n, choice in enumerate(value, start=1))

    def variant(self, field: str, explicit: Content) -> Content | None:
        """Read an optional other wording: text that keeps the explicit pictures, or a whole ``{text, image}``."""
        value = self._entry.get(field)
        return None if value is None or value == "" else self._variant(value, field, explicit)

    def variants(self, field: str, explicit: tuple[Content, ...]) -> tuple[Content, ...] | None:
        """Read optional other wordings of all choices; an empty list is an error, not "no choices"."""
        value = self._entry.get(field)
        if value is None:
            return None
        if not isinstance(value, list) or not value or len(value) != len(explicit):
            self.error(
                field,
                "does not give a wording for each choice",
                value=value,
                allowed=f"a list of {len(explicit)} texts or {{text, image}}, or no such field",
                remedy="Give as many as there are choices, or remove the field",
            )
            return None
        return tuple(
            self._variant(choice, f"{field}[{n}]", base)
            for n, (choice, base) in enumerate(zip(value, explicit, strict=True), start=1)
        )

    def _variant(self, value: object, field: str, explicit: Content) -> Content:
        if isinstance(value, str):
            text = self.cleaned(value, field)
            if not text.strip() and not explicit.images and is_storable(value):
                self._empty(field, value)
            return Content(text, explicit.images)
        content = self._content(value, field)
        if bool(content.images) != bool(explicit.images):
            self.warn(
                field,
                "differs from the explicit wording in whether it has a picture",
                value=value,
                allowed=None,
                remedy="Name the same picture in both",
            )
        return content

    def _content(self, value: object, field: str) -> Content:
        if not isinstance(value, dict):
            self.error(field, "is not {text, image}", value=value, allowed="{text, image}", remedy="Correct the value")
            return Content()
        text, image = value.get("text"), value.get("image")
        unknown = sorted(set(value) - {"text", "image"})
        if unknown or not isinstance(text, str | None) or not isinstance(image, str | None):
            self.error(
                field,
                "has other parts than a text and an image",
                value=value,
                allowed='text: a string; image: a path, "" or null',
                remedy="Correct the value",
            )
            return Content()
        clean = self.cleaned(text or "", f"{field}.text")
        if not clean.strip() and not image and is_storable(text or ""):
            self._empty(field, value)
        return Content(clean, (Image(self._clean_path(image, f"{field}.image")),) if image else ())

    def _empty(self, field: str, value: object) -> None:
        self.error(field, "is empty", value=value, allowed="a text, a picture, or both", remedy="Fill it in")

    def _clean_path(self, path: str, field: str) -> str:
        if not is_storable(path):
            self.error(field, "is not a file name", value=path, allowed="a relative path", remedy="Correct the path")
            return ""
        return path

    def _record(
        self, severity: Severity, field: str, problem: str, *, value: object, allowed: str | None, remedy: str
    ) -> None:
        self.findings.append(
            Finding(
                problem=problem,
                severity=severity,
                file=self._file,
                item=self._name,
                field=field,
                value=show(value),
                allowed=allowed,
                remedy=remedy,
            )
        )
