"""What holds for every figure: valid Vega-Lite, text that stays text, the same bytes for the same numbers."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import pytest
from altair.utils.schemapi import validate_jsonschema
from rich.cells import cell_len

from exambench.report.figures.figure import Figure
from exambench.report.figures.fonts import find_font, texts_of
from exambench.report.figures.labels import LABEL_CELLS
from exambench.report.figures.language import Language
from exambench.report.figures.names import FigureName
from exambench.report.figures.rendering import Drawing, FileFormat, prepare
from exambench.report.figures.style import DARK, LIGHT
from tests.support.commands import SOURCE, environment
from tests.support.figures import HOSTILE, PLAIN, every_figure

NAMES = list(FigureName)
SCHEMA = alt.load_schema()
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="plain")
def fixture_plain() -> Mapping[str, Figure]:
    """Return the figures of ordinary models, in English."""
    return every_figure(PLAIN)


@pytest.fixture(name="hostile")
def fixture_hostile() -> Mapping[str, Figure]:
    """Return the figures of models whose names attack, in Korean."""
    return every_figure(HOSTILE, Language.KO)


@cache
def drawn(name: str) -> Drawing:
    """Return a figure of hostile names, converted once for all tests."""
    return prepare(every_figure(HOSTILE, Language.KO)[name], find_font())


def test_there_is_a_figure_of_every_name(plain: Mapping[str, Figure]) -> None:
    """The list of names and the figures are the same."""
    assert set(plain) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_specification_is_valid(name: str, plain: Mapping[str, Figure], hostile: Mapping[str, Figure]) -> None:
    """Vega-Lite's own schema accepts it whole, with data, title and configuration, on both backgrounds."""
    for figure, theme in ((plain[name], LIGHT), (hostile[name], DARK)):
        validate_jsonschema(figure.spec(theme), SCHEMA, rootschema=SCHEMA)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched_or_linked(name: str, hostile: Mapping[str, Figure]) -> None:
    """No key of the specification names an address, and all data are inside."""
    spec = hostile[name].spec()
    assert not set(_keys(spec)) & {"url", "href", "loader", "usermeta"}
    assert _data_names(spec) <= set(spec["datasets"])


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_text_of_bounded_width(name: str, hostile: Mapping[str, Figure]) -> None:
    """Names are data: each is in one line, without signs that steer or reorder, and no wider than a label."""
    spec = hostile[name].spec()
    texts = list(texts_of(spec["datasets"]))
    assert any("script" in text for text in texts)
    assert not any(sign in text for text in texts_of(spec) for sign in "\u202e\u2066\ud800\x00\n")
    assert max(map(cell_len, texts)) <= 4 * LABEL_CELLS
    assert json.loads(json.dumps(spec)) == spec


@pytest.mark.parametrize("name", NAMES)
def test_names_in_the_svg_are_text(name: str) -> None:
    """The SVG is well-formed, holds no script, link or picture, and shows a hostile name letter by letter."""
    tree = ET.fromstring(drawn(name).svg)  # noqa: S314 - we wrote it
    tags = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert not tags & {"script", "a", "image", "foreignObject"}
    assert not any(name.startswith("on") for element in tree.iter() for name in element.attrib)
    shown = " ".join("".join(element.itertext()) for element in tree.iter(f"{SVG}text"))
    assert "script" in shown


@pytest.mark.parametrize("name", ["forest", "reasoning", "orthogonality", "judge"])
def test_the_same_numbers_give_the_same_bytes(name: str, hostile: Mapping[str, Figure]) -> None:
    """As SVG and as PDF, although the converter has drawn another one in between; a PNG is made of the SVG alone.

    These have what a converter numbers and orders by chance: panels, gradients, clipping paths.
    """
    again = prepare(hostile[name], find_font())
    assert again.svg == drawn(name).svg
    assert again.bytes_in(FileFormat.PDF) == drawn(name).bytes_in(FileFormat.PDF)


def test_another_process_gives_the_same_bytes(plain: Mapping[str, Figure]) -> None:
    """In all three formats: neither the hash seed nor what was converted before shows."""
    program = (
        "import hashlib, sys; sys.path[:0] = sys.argv[1:]\n"
        "from tests.support.figures import items_figure\n"
        "from exambench.report.figures.fonts import find_font\n"
        "from exambench.report.figures.rendering import FileFormat, prepare\n"
        "drawing = prepare(items_figure(), find_font())\n"
        "print(*(hashlib.sha256(drawing.bytes_in(each)).hexdigest() for each in FileFormat))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(SOURCE), str(SOURCE.parent)],
        env=environment(PYTHONHASHSEED="7"),
        capture_output=True,
        text=True,
        check=True,
    )
    ours = prepare(plain[FigureName.ITEMS], find_font())
    assert done.stdout.split() == [hashlib.sha256(ours.bytes_in(each)).hexdigest() for each in FileFormat]


@pytest.mark.parametrize("language", Language)
def test_every_word_of_ours_has_glyphs(language: Language) -> None:
    """No sign of titles, axes, legends and ordinary names is missing from the font, in either language."""
    for figure in every_figure(PLAIN, language).values():
        assert prepare(figure, find_font()).replaced == frozenset(), figure.name


@pytest.mark.parametrize("name", NAMES)
def test_a_korean_figure_says_all_in_korean(name: str) -> None:
    """Its title has Hangul and differs from the English one."""
    english, korean = (every_figure(PLAIN, language)[name].title for language in Language)
    assert english != korean
    assert any("가" <= sign <= "힣" for sign in korean)


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_have_whole_names(name: str, hostile: Mapping[str, Figure]) -> None:
    """The CSV has a record for what is drawn, and names as they are, not as labels."""
    values = {str(value) for record in hostile[name].table() for value in record.values()}
    assert any(HOSTILE[0] in value for value in values)
    if name != FigureName.ORTHOGONALITY:  # whose records are about axes
        assert any(HOSTILE[5] in value for value in values)
    assert hostile[name].csv().count("\n") > len(HOSTILE)


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _keys(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _data_names(value: Any) -> set[str]:
    if isinstance(value, dict):
        found = {name for each in value.values() for name in _data_names(each)}
        data = value.get("data")
        return found | ({data["name"]} if isinstance(data, dict) else set())
    return {name for each in value for name in _data_names(each)} if isinstance(value, list) else set()
