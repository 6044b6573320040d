"""What kind of files pictures are is read from their content; what cannot be read is an error with its item."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image as Pillow

from exambench.analysis.counting import Count
from exambench.analysis.picture_facts import PictureFacts, picture_counts, read_picture_facts
from exambench.errors import ImageError
from exambench.items import Benchmark, ChoiceKey, Content, Image, Item, Wording


def exam(*paths: str) -> Benchmark:
    """Return a benchmark of one item with the first picture in its stem and the others in its choices."""
    choices = tuple(Content("", (Image(path),)) for path in paths[1:])
    wording = Wording(Content("그림은?", (Image(paths[0]),)), choices)
    return Benchmark("exam", "Exam", (Item("7", {"explicit": wording}, ChoiceKey(1)),), ())


def test_the_content_says_what_a_file_is(tmp_path: Path) -> None:
    """A JPEG that is called .png is a JPEG; each file is looked at once, in the order of its path."""
    Pillow.new("RGB", (30, 20)).save(tmp_path / "b.png", format="JPEG")
    Pillow.new("L", (5, 300)).save(tmp_path / "a.png")
    found = read_picture_facts(exam("b.png", "a.png", "b.png"), tmp_path)
    assert found == (
        PictureFacts("a.png", "PNG", 5, 300, (tmp_path / "a.png").stat().st_size),
        PictureFacts("b.png", "JPEG", 30, 20, (tmp_path / "b.png").stat().st_size),
    )


def test_every_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A missing file, a text file and a way out of the folder are findings with the item."""
    (tmp_path / "text.png").write_text("no picture", encoding="utf-8")
    with pytest.raises(ImageError) as caught:
        read_picture_facts(exam("../secret.png", "missing.png", "text.png"), tmp_path)
    assert [(finding.item, finding.problem) for finding in caught.value.findings] == [
        ("7", "the path of the picture leads out of the image root"),
        ("7", "there is no such picture"),
        ("7", "this is not a picture of a type that can be read"),
    ]


def test_pictures_are_counted_by_place_format_and_size() -> None:
    """A file that is shown twice is two pictures; the longer side makes the class."""
    facts = [
        PictureFacts("a", "PNG", 256, 10, 1),
        PictureFacts("b", "PNG", 10, 257, 3),
        PictureFacts("c", "GIF", 9000, 1, 5),
    ]
    found = picture_counts(exam("a", "b", "c", "b").items, facts)
    assert (found.items, found.in_stem, found.in_choices, found.shown, found.files) == (1, 1, 1, 4, 3)
    assert found.kinds == (Count("GIF", 1, 1 / 3), Count("PNG", 2, 2 / 3))
    assert [(count.value, count.n) for count in found.sides] == [(256, 1), (512, 1), ("larger", 1)]
    assert found.size is not None
    assert found.size.mean == 3.0


def test_pictures_that_nobody_looked_at_have_no_size() -> None:
    """Without a folder there are places, and no formats or sizes."""
    found = picture_counts(exam("a").items, None)
    assert (found.shown, found.kinds, found.width) == (1, (), None)
