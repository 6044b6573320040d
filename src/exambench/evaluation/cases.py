"""Parser cases: responses with the outcome that a parser must give, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.errors import DataError, Finding, show
from exambench.evaluation.describing import show_answer
from exambench.items import Content, Wording
from exambench.outcomes import Answered, AnswerValue, OutcomeKind, ParseResult
from exambench.parsing import PARSERS

PARSED_KINDS: Final = (OutcomeKind.ANSWERED, OutcomeKind.UNPARSED, OutcomeKind.TRUNCATED)


@dataclass(frozen=True, slots=True)
class Case:
    """A response, the parser that reads it, and what must come out.

    Attributes:
        id: Identifier, unique within the file.
        parser: Name of the parser.
        wording: Carries the options: their texts where the case gives them, else only their number.
        finish_reason: Why the model stopped, in the endpoint's words.
        response: The text; ``None`` for ``content: null``.
        outcome: The kind of outcome that is expected.
        answer: The answer that is expected; ``None`` checks the outcome alone.
    """

    id: str
    parser: str
    wording: Wording
    finish_reason: str | None
    response: str | None
    outcome: OutcomeKind
    answer: AnswerValue | None = None

    def parse(self) -> ParseResult:
        """Return what the parser makes of the response."""
        return PARSERS[self.parser](self.response, self.finish_reason, self.wording)

    def accepts(self, result: ParseResult) -> bool:
        """Tell whether a result is what the case expects; types count, so that ``true`` is not 1."""
        if result.kind is not self.outcome:
            return False
        return self.answer is None or (isinstance(result, Answered) and _same(result.value, self.answer))

    @property
    def expected(self) -> str:
        """What is expected, for people."""
        return str(self.outcome) if self.answer is None else f"{self.outcome} {show_answer(self.answer)}"


def read_cases(path: Path) -> list[Case]:
    """Read a file of parser cases.

    Raises:
        DataError: The file cannot be read, or a line breaks the format; every problem is named with file, line, field.
    """
    findings: list[Finding] = []
    cases: dict[str, Case] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        fields = _Fields(f"{path}, line {number}", findings)
        case = fields.case(line)
        if case is None:
            continue
        if case.id in cases:
            fields.refuse("id", "the identifier is used before", case.id, "an identifier of its own")
        cases[case.id] = case
    if not findings and not cases:
        findings.append(Finding("there is no case in the file", file=str(path), allowed="one JSON object a line"))
    if findings:
        raise DataError(*findings)
    return list(cases.values())


def _lines(path: Path) -> list[str]:
    try:
        # Not splitlines(), which also breaks at characters that JSON strings may hold.
        return path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            Finding(
                f"the cases cannot be read: {error}", file=str(path), allowed="a UTF-8 file, one JSON object a line"
            )
        ) from error


_Test = Callable[[object], bool]


class _Fields:
    """The fields of one line, each checked; what is wrong is added to the findings."""

    def __init__(self, place: str, findings: list[Finding]) -> None:
        self._place = place
        self._findings = findings
        self._case_id: str | None = None

    def refuse(self, field: str | None, problem: str, value: object, allowed: str) -> None:
        """Note one problem."""
        self._findings.append(
            Finding(problem, file=self._place, item=self._case_id, field=field, value=show(value), allowed=allowed)
        )

    def case(self, line: str) -> Case | None:
        """Return the case of a line, or ``None`` when it has problems."""
        before = len(self._findings)
        found = self._object(line)
        if found is None:
            return None
        case_id = self._take(found, "id", _is_identifier, "a short printable string")
        self._case_id = case_id if isinstance(case_id, str) else None
        parser = self._take(found, "parser", _is_parser, ", ".join(PARSERS))
        n_choices = self._take(found, "n_choices", _is_count, "an integer from 0 to 1000")
        finish_reason = self._take(found, "finish_reason", _is_text_or_null, "a string or null")
        response = self._take(found, "response", _is_text_or_null, "a string or null")
        texts = (
            self._take(found, "choices", _is_texts, "n_choices strings") if found.get("choices") is not None else None
        )
        expect = self._take(found, "expect", _is_object, "an object with outcome and, if answered, answer")
        if isinstance(texts, list) and isinstance(n_choices, int) and len(texts) != n_choices:
            self.refuse("choices", "the number of choices is not n_choices", len(texts), str(n_choices))
        expected = self._expectation(expect) if isinstance(expect, Mapping) else None
        if len(self._findings) > before or expected is None:
            return None
        texts = texts if isinstance(texts, list) else [""] * int(str(n_choices))
        return Case(
            id=str(case_id),
            parser=str(parser),
            wording=Wording(Content(), tuple(Content(str(text)) for text in texts)),
            finish_reason=finish_reason if isinstance(finish_reason, str) else None,
            response=response if isinstance(response, str) else None,
            outcome=expected[0],
            answer=expected[1],
        )

    def _object(self, line: str) -> Mapping[str, object] | None:
        try:
            found: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            self.refuse(None, f"the line is not JSON: {error}", line, "one JSON object a line")
            return None
        if not isinstance(found, dict):
            self.refuse(None, "the line is not an object", found, "one JSON object a line")
            return None
        return found

    def _take(self, found: Mapping[str, object], field: str, test: _Test, allowed: str) -> object:
        if field not in found:
            self._findings.append(
                Finding("the field is missing", file=self._place, item=self._case_id, field=field, allowed=allowed)
            )
            return None
        value = found[field]
        if not test(value):
            self.refuse(field, "the value is not allowed", value, allowed)
        return value

    def _expectation(self, expect: Mapping[str, object]) -> tuple[OutcomeKind, AnswerValue | None] | None:
        kinds = {str(kind): kind for kind in PARSED_KINDS}
        outcome = expect.get("outcome")
        kind = kinds.get(outcome) if isinstance(outcome, str) else None
        if kind is None:
            self.refuse("expect.outcome", "the value is not allowed", outcome, ", ".join(kinds))
            return None
        if "answer" not in expect:
            return kind, None
        answer = expect["answer"]
        if kind is not OutcomeKind.ANSWERED:
            self.refuse("expect.answer", f"an outcome {kind} has no answer", answer, "no answer")
        elif isinstance(answer, bool | int | str):
            return kind, answer
        elif _is_texts(answer) and isinstance(answer, list):
            return kind, tuple(answer)
        else:
            self.refuse(
                "expect.answer", "the value is not allowed", answer, "integer, string, boolean, list of strings"
            )
        return None


def _is_identifier(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= 100  # noqa: PLR2004 - "short"


def _is_parser(value: object) -> bool:
    return isinstance(value, str) and value in PARSERS


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000  # noqa: PLR2004 - bounds memory


def _is_text_or_null(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _same(found: AnswerValue, expected: AnswerValue) -> bool:
    """Compare with types; the members of a set have no order."""
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return sorted(found) == sorted(expected)
    return type(found) is type(expected) and found == expected
