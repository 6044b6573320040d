"""The font is known, and so is every sign that it lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from exambench.errors import ConfigError
from exambench.report.figures import fonts
from exambench.report.figures.canonical import canonical_pdf, canonical_svg
from exambench.report.figures.fonts import Font, drawable, find_font, names_of_signs, texts_of
from exambench.report.figures.language import Language
from exambench.report.figures.rendering import prepare
from tests.support.figures import HOSTILE, every_figure

LATIN = Font("Latin", Path("latin.ttf"), frozenset(range(0x20, 0x7F)))


def test_the_font_has_every_syllable() -> None:
    """All 11,172 Hangul syllables, and the signs of our own words, are in the font that files are drawn with."""
    font = find_font()
    assert font.path.is_file()
    assert font.lacks("".join(map(chr, range(0xAC00, 0xD7A4)))) == set()
    assert font.lacks("0123456789.,%()–−…·τχ²×±~□") <= {"−"}


def test_a_sign_that_the_font_lacks_is_a_box_and_is_named() -> None:
    """An emoji in a model's name is drawn as an empty box, never left out silently."""
    drawing = prepare(every_figure(HOSTILE, Language.KO)["forest"], find_font())
    assert "🙂" in drawing.replaced
    assert "🙂" not in drawing.specification
    assert names_of_signs({"🙂"}) == "U+1F642 SLIGHTLY SMILING FACE"


def test_a_poor_font_gets_what_is_nearest() -> None:
    """Our own dashes and dots become plain ones; what has no likeness becomes a question mark if there is no box."""
    assert LATIN.drawable("a − b… 한") == "a - b... ?"
    assert drawable({"text": ["−1", 2], "flag": True}, LATIN) == {"text": ["-1", 2], "flag": True}


def test_a_minus_that_the_font_lacks_is_changed_in_numbers_too() -> None:
    """Numbers are written by Vega: it is told to use a hyphen."""
    poor = replace(find_font(), signs=find_font().signs - {ord("−")})
    assert '"minus": "-"' in prepare(every_figure()["influence"], poor).specification
    assert '"minus"' not in prepare(every_figure()["influence"], find_font()).specification


def test_texts_are_found_at_every_depth() -> None:
    """Lists, tables and the data are looked through; numbers and names of fields are no texts."""
    assert list(texts_of({"a": ["x", {"b": "y"}], "c": 3, "d": None})) == ["x", "y"]


def test_debians_font_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the system's font is used; what is no font, or has no Hangul, is passed over."""
    dejavu = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    package = find_font().path
    monkeypatch.setattr(fonts, "PACKAGE", "no-such-distribution")
    monkeypatch.setattr(fonts, "SYSTEM_FONTS", (Path(__file__), Path("/nowhere"), dejavu, package))
    assert find_font().path == package


def test_a_damaged_font_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file that begins like a font, and one that ends too early, are no fonts; the next one is taken."""
    package = find_font().path
    damaged = [tmp_path / "zeros.otf", tmp_path / "short.otf"]
    damaged[0].write_bytes(package.read_bytes()[:4] + bytes(5000))
    damaged[1].write_bytes(package.read_bytes()[:5000])
    monkeypatch.setattr(fonts, "PACKAGE", "no-such-distribution")
    monkeypatch.setattr(fonts, "SYSTEM_FONTS", (*damaged, package))
    assert find_font().path == package


def test_without_any_font_the_error_names_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn without text: a person is told what to install."""
    monkeypatch.setattr(fonts, "PACKAGE", "no-such-distribution")
    monkeypatch.setattr(fonts, "SYSTEM_FONTS", ())
    with pytest.raises(ConfigError, match="apt install fonts-nanum"):
        find_font()


def test_entries_of_a_pdf_are_put_in_order() -> None:
    """Entries of one dictionary are sorted by their numbers; streams stay as they are, whatever they look like."""
    run = b"\n      /xo10 28 0 R\n      /xo2 12 0 R\n"
    stream = b"stream" + run + b"endstream"
    assert canonical_pdf(b"<<" + run + b">>" + stream) == b"<<\n      /xo2 12 0 R\n      /xo10 28 0 R\n>>" + stream


def test_names_inside_an_svg_are_numbered_anew() -> None:
    """Only in tags: a model may be called like a clipping path."""
    before = '<clipPath id="clip17"/><g clip-path="url(#clip17)"/><text>url(#clip17) id="clip17"</text>'
    after = '<clipPath id="part0"/><g clip-path="url(#part0)"/><text>url(#clip17) id="clip17"</text>'
    assert canonical_svg(before) == after
