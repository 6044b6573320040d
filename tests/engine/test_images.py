"""Whatever a picture was, what is sent is readable everywhere, upright, opaque and within limits, or it is refused."""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import random
import struct
import unicodedata
import zlib
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from PIL import Image

from exambench.engine.images import ImageFolder, PreparedImage, prepare, resolve
from exambench.errors import ImageError
from exambench.items import Image as ItemImage
from exambench.models import Capabilities
from exambench.protocols.condition import Images

ROOMY = Capabilities(images=True)
Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")
RED, WHITE = (255, 0, 0), (255, 255, 255)


def sent(path: Path, capabilities: Capabilities = ROOMY) -> tuple[PreparedImage, Image.Image]:
    """Prepare a file and decode what would be sent."""
    prepared = prepare(path, capabilities)
    picture = Image.open(io.BytesIO(prepared.data))
    picture.load()
    assert prepared.sha256 == hashlib.sha256(prepared.data).hexdigest()
    assert picture.size == (prepared.width, prepared.height)
    assert picture.get_format_mimetype() == prepared.mime
    return prepared, picture


def pixel(picture: Image.Image, x: int = 0, y: int = 0) -> tuple[int, ...]:
    """Return a pixel as RGB."""
    value = picture.convert("RGB").getpixel((x, y))
    assert isinstance(value, tuple)
    return tuple(map(int, value))


def noise(width: int, height: int) -> Image.Image:
    """A picture that does not compress."""
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize(("encoding", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")])
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".txt", ""])
def test_a_fit_picture_goes_as_it_is_whatever_its_name(tmp_path: Path, encoding: str, mime: str, suffix: str) -> None:
    """The type is sniffed from the content, and the bytes are the file's."""
    path = tmp_path / f"picture{suffix}"
    Image.new("RGB", (40, 30), RED).save(path, format=encoding)
    prepared, _ = sent(path)
    assert (prepared.data, prepared.mime, prepared.changes) == (path.read_bytes(), mime, ())


@pytest.mark.parametrize("encoding", ["GIF", "BMP", "TIFF"])
def test_other_types_become_png(tmp_path: Path, encoding: str) -> None:
    """GIF, BMP and TIFF are read and sent as PNG of the same pixels."""
    path = tmp_path / "picture"
    Image.new("RGB", (4, 3), RED).save(path, format=encoding)
    prepared, picture = sent(path)
    assert prepared.mime == "image/png"
    assert prepared.changes[0] == f"format:{encoding}:PNG"
    assert pixel(picture, 3, 2) == RED


@pytest.mark.parametrize("encoding", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_several_frames_the_first_is_sent(tmp_path: Path, encoding: str) -> None:
    """Animations and pages are one picture, the first."""
    path = tmp_path / "picture"
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, (0, 0, 255))]
    frames[0].save(
        path,
        format=encoding,
        save_all=True,
        append_images=frames[1:],
        **({"lossless": True} if encoding == "WEBP" else {}),
    )
    prepared, picture = sent(path)
    assert "frame:1:2" in prepared.changes
    assert getattr(picture, "n_frames", 1) == 1
    assert pixel(picture) == RED


def _transparent(mode: str) -> Image.Image:
    if mode == "P":
        picture = Image.new("P", (2, 1))
        picture.putpalette([0, 0, 0, *RED])
        picture.putpixel((1, 0), 1)
        picture.info["transparency"] = 0
        return picture
    picture = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    picture.putpixel((1, 0), (*RED, 255))
    return picture.convert(mode)


@pytest.mark.parametrize(
    ("mode", "encoding"), [("RGBA", "PNG"), ("RGBA", "WEBP"), ("LA", "PNG"), ("P", "PNG"), ("P", "GIF")]
)
def test_transparency_becomes_white(tmp_path: Path, mode: str, encoding: str) -> None:
    """A clear black pixel, which some decoders show black, is sent white; an opaque one stays."""
    path = tmp_path / "picture"
    picture = _transparent(mode)
    options = {"lossless": True} if encoding == "WEBP" else {}
    picture.save(path, format=encoding, **options)
    prepared, flat = sent(path)
    assert "transparency:white" in prepared.changes
    assert flat.mode == "RGB"
    assert pixel(flat, 0) == WHITE
    assert pixel(flat, 1) == pixel(picture.convert("RGBA").convert("RGB"), 1)


def test_half_transparency_is_mixed_with_white(tmp_path: Path) -> None:
    """Black at alpha 51 of 255 over white is 255 × (1 − 0.2) = 204."""
    path = tmp_path / "picture"
    Image.new("RGBA", (1, 1), (0, 0, 0, 51)).save(path, format="PNG")
    assert pixel(sent(path)[1]) == (204, 204, 204)


def test_a_colour_that_means_clear_becomes_white(tmp_path: Path) -> None:
    """PNG may name one RGB or grey value as transparent (tRNS) without an alpha channel."""
    colour, grey = tmp_path / "colour", tmp_path / "grey"
    Image.new("RGB", (1, 1), RED).save(colour, format="PNG", transparency=RED)
    Image.new("L", (1, 1), 0).save(grey, format="PNG", transparency=0)
    assert pixel(sent(colour)[1]) == WHITE
    assert pixel(sent(grey)[1]) == WHITE


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_an_opaque_alpha_channel_changes_nothing(tmp_path: Path, mode: str) -> None:
    """Screenshots have one; they go as they are."""
    path = tmp_path / "picture"
    Image.new("RGBA", (2, 2), (*RED, 255)).convert(mode).save(path, format="PNG")
    assert sent(path)[0].changes == ()


@pytest.mark.parametrize(
    ("mode", "encoding", "change"),
    [
        ("P", "PNG", "mode:P:RGB"),
        ("1", "PNG", "mode:1:L"),
        ("CMYK", "JPEG", "mode:CMYK:RGB"),
        ("CMYK", "TIFF", "mode:CMYK:RGB"),
    ],
)
def test_rare_pixels_become_common_ones(tmp_path: Path, mode: str, encoding: str, change: str) -> None:
    """Palette, 1-bit and CMYK pictures are sent as RGB or grey of the same look."""
    path = tmp_path / "picture"
    original = Image.new("RGB", (8, 8), WHITE).convert(mode)
    original.save(path, format=encoding)
    prepared, picture = sent(path)
    assert change in prepared.changes
    assert picture.mode in {"L", "RGB"}
    assert pixel(picture) == WHITE
    assert prepared.mime == ("image/jpeg" if encoding == "JPEG" else "image/png")


@pytest.mark.parametrize("encoding", ["PNG", "TIFF"])
def test_sixteen_bits_become_eight(tmp_path: Path, encoding: str) -> None:
    """The upper byte of each value is kept: 0x8040 → 0x80; clipping would make it white."""
    path = tmp_path / "picture"
    Image.fromarray(np.array([[0x8040, 0x00FF, 0xFFFF]], dtype=np.uint16)).save(path, format=encoding)
    prepared, picture = sent(path)
    assert "depth:16:8" in prepared.changes
    assert [picture.getpixel((x, 0)) for x in range(3)] == [0x80, 0x00, 0xFF]


def test_sixteen_bit_colour_becomes_eight(tmp_path: Path) -> None:
    """A 16-bit RGB PNG, which Pillow cannot write, made by hand: one pixel of (0xFF00, 0x0000, 0x0000)."""
    path = tmp_path / "picture"
    rows = b"\x00" + struct.pack(">3H", 0xFF00, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 16, 2, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )
    prepared, picture = sent(path)
    assert prepared.changes == ("depth:16:8",)
    assert pixel(picture) == RED


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


# EXIF 2.32, table 6 (tag 274): where row 0 and column 0 of the stored pixels belong in the upright picture. The
# stored picture is 2 × 1, red then blue; below is where red must be in the upright one.
UPRIGHT_RED = {
    2: ((2, 1), (1, 0)),  # mirrored: first column is the right side
    3: ((2, 1), (1, 0)),  # upside down
    4: ((2, 1), (0, 0)),  # first row is the bottom
    5: ((1, 2), (0, 0)),  # first row is the left side, first column the top
    6: ((1, 2), (0, 0)),  # first row is the right side, first column the top
    7: ((1, 2), (0, 1)),  # first row is the right side, first column the bottom
    8: ((1, 2), (0, 1)),  # first row is the left side, first column the bottom
}


@pytest.mark.parametrize("orientation", UPRIGHT_RED)
def test_rotation_in_the_metadata_is_applied(tmp_path: Path, orientation: int) -> None:
    """What a camera notes as rotation is done to the pixels, since many decoders ignore the note."""
    path = tmp_path / "picture"
    picture = Image.new("RGB", (2, 1), (0, 0, 255))
    picture.putpixel((0, 0), RED)
    exif = Image.Exif()
    exif[274] = orientation
    picture.save(path, format="PNG", exif=exif)
    size, place = UPRIGHT_RED[orientation]
    prepared, upright = sent(path)
    assert prepared.changes == (f"orientation:{orientation}",)
    assert upright.size == size
    assert pixel(upright, *place) == RED


def test_no_metadata_leaves_with_a_picture_that_was_encoded_anew(tmp_path: Path) -> None:
    """EXIF with the place and the camera, comments and colour profiles stay here."""
    path = tmp_path / "picture"
    exif = Image.Exif()
    exif[274] = 6
    exif[271] = "Camera of mine"
    exif.get_ifd(0x8825)[2] = (37.0, 33.0, 58.0)
    Image.new("RGB", (20, 10), RED).save(path, format="JPEG", exif=exif, comment=b"private", icc_profile=b"profile")
    prepared, picture = sent(path)
    assert prepared.mime == "image/jpeg"
    assert not picture.getexif()
    assert not {"comment", "icc_profile", "exif"} & picture.info.keys()
    assert b"Camera" not in prepared.data


def test_encoding_anew_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    """The digest of what is sent is part of a request's key, so it must not wander."""
    path = tmp_path / "picture"
    noise(64, 48).save(path, format="BMP")
    assert prepare(path, ROOMY) == prepare(path, ROOMY)


@pytest.mark.parametrize(("size", "scaled"), [((400, 300), (100, 75)), ((300, 400), (75, 100)), ((4000, 1), (100, 1))])
def test_a_picture_with_too_long_a_side_is_scaled(
    tmp_path: Path, size: tuple[int, int], scaled: tuple[int, int]
) -> None:
    """The longest side comes down to the limit, the shape stays, and both sizes are told."""
    path = tmp_path / "picture"
    Image.new("RGB", size, RED).save(path, format="PNG")
    prepared, picture = sent(path, Capabilities(max_image_side=100))
    assert picture.size == scaled
    assert prepared.changes == (f"scaled:{size[0]}x{size[1]}:{scaled[0]}x{scaled[1]}",)
    assert pixel(picture) == RED


@pytest.mark.parametrize("encoding", ["PNG", "JPEG"])
def test_a_picture_of_too_many_bytes_is_scaled(tmp_path: Path, encoding: str) -> None:
    """It is made smaller until its encoding fits, and stays of its type."""
    path = tmp_path / "picture"
    noise(300, 200).save(path, format=encoding, quality=95)
    prepared, picture = sent(path, Capabilities(max_image_bytes=20_000))
    assert 10_000 < len(prepared.data) <= 20_000
    assert picture.format == encoding
    assert prepared.changes[0].startswith("scaled:300x200:")


def test_a_file_with_ballast_is_encoded_anew_at_its_size(tmp_path: Path) -> None:
    """When the pixels fit and only the file does not, nothing is scaled, and that it was encoded anew is told."""
    path = tmp_path / "picture"
    Image.new("RGB", (30, 20), RED).save(path, format="PNG")
    path.write_bytes(path.read_bytes() + b"\x00" * 5000)
    prepared, picture = sent(path, Capabilities(max_image_bytes=2000))
    assert picture.size == (30, 20)
    assert prepared.changes == ("encoded:PNG",)


def test_a_clear_grey_of_sixteen_bits_becomes_white(tmp_path: Path) -> None:
    """The transparent value of a 16-bit grey PNG is compared with all its bits: 0x1234 is clear, 0x1200 is not."""
    path = tmp_path / "picture"
    rows = b"\x00" + struct.pack(">2H", 0x1234, 0x1200)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">2I5B", 2, 1, 16, 0, 0, 0, 0))
        + _chunk(b"tRNS", struct.pack(">H", 0x1234))
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )
    prepared, picture = sent(path)
    assert prepared.changes == ("depth:16:8", "transparency:white")
    assert [pixel(picture, x) for x in range(2)] == [WHITE, (0x12, 0x12, 0x12)]


def test_metadata_that_cannot_be_read_does_not_spoil_a_picture(tmp_path: Path) -> None:
    """Broken EXIF has no orientation; the picture goes as it is."""
    path = tmp_path / "picture"
    Image.new("RGB", (20, 10), RED).save(path, format="PNG", exif=b"Exif\x00\x00no TIFF header at all")
    assert sent(path)[0].changes == ()


@pytest.mark.parametrize("encoding", ["PNG", "JPEG"])
def test_the_smallest_limit_can_be_met(tmp_path: Path, encoding: str) -> None:
    """A kilobyte, the least that a model file may allow, is met too."""
    path = tmp_path / "picture"
    noise(64, 64).save(path, format=encoding)
    assert len(sent(path, Capabilities(max_image_bytes=1024))[0].data) <= 1024


def _png(size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    noise(*size).save(buffer, format="PNG")
    return buffer.getvalue()


def _jpeg() -> bytes:
    buffer = io.BytesIO()
    noise(60, 40).save(buffer, format="JPEG")
    return buffer.getvalue()


def _header_of_a_huge_png(side: int) -> bytes:
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">2I5B", side, side, 1, 0, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(b""))
    )


REFUSED = {
    "nothing": (b"", "not a picture"),
    "text": (b"hello", "not a picture"),
    "PDF": (b"%PDF-1.7\n", "not a picture"),
    "web page": (b"<!DOCTYPE html><html></html>", "not a picture"),
    "SVG": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
    "LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "not a picture"),
    "cut-off PNG": (_png()[:-600], "broken"),
    "cut-off JPEG": (_jpeg()[: len(_jpeg()) // 2], "broken"),
    "PNG cut off in its header": (_png()[:40], "not a picture"),
    "64 million pixels": (_header_of_a_huge_png(8_000), "too many pixels"),
    "144 million pixels": (_header_of_a_huge_png(12_000), "too many pixels"),
    "3,600 million pixels": (_header_of_a_huge_png(60_000), "too many pixels"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_sent_is_refused(tmp_path: Path, kind: str) -> None:
    """No picture, a drawing, a cut-off file, a decompression bomb: each is named with its file."""
    content, problem = REFUSED[kind]
    path = tmp_path / "picture.png"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=f"picture.png: .*{problem}"):
        prepare(path, ROOMY)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_bytes_are_a_picture_or_an_image_error(tmp_path: Path, seed: int) -> None:
    """Random damage to a good file never brings anything else about."""
    rng = random.Random(seed)
    content = bytearray(rng.choice([_png(), _jpeg(), _other("GIF"), _other("TIFF"), _other("WEBP"), _other("BMP")]))
    for _ in range(rng.randrange(1, 12)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    path = tmp_path / "picture"
    path.write_bytes(content)
    try:
        prepare(path, ROOMY)
    except ImageError as error:
        assert str(path) in str(error)  # noqa: PT017 - either outcome is right, an unnamed error is not


def _other(encoding: str) -> bytes:
    buffer = io.BytesIO()
    noise(30, 20).save(buffer, format=encoding)
    return buffer.getvalue()


def test_floating_point_pixels_are_refused(tmp_path: Path) -> None:
    """Heights or temperatures in a TIFF have no one look."""
    path = tmp_path / "field.tif"
    Image.fromarray(np.ones((4, 4), dtype=np.float32)).save(path)
    with pytest.raises(ImageError, match="mode F"):
        prepare(path, ROOMY)


def test_a_folder_is_not_a_picture(tmp_path: Path) -> None:
    """Neither is a pipe, on which reading would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ImageError, match="not a file"):
            prepare(path, ROOMY)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An image root with a picture in it, and one beside it."""
    folder = tmp_path / "images"
    (folder / "sub").mkdir(parents=True)
    for path in (folder / "a.png", folder / "sub" / "b.png", tmp_path / "outside.png"):
        Image.new("RGB", (4, 4), RED).save(path)
    (folder / "leaving.png").symlink_to(tmp_path / "outside.png")
    (folder / "leaving").symlink_to(tmp_path)
    (folder / "staying.png").symlink_to("a.png")
    (folder / "loop.png").symlink_to("loop.png")
    return folder


@pytest.mark.parametrize("relative", ["a.png", "./a.png", "sub/b.png", "sub//b.png", "staying.png"])
def test_a_picture_below_the_root_is_found(root: Path, relative: str) -> None:
    """By its path, also through a link that stays inside."""
    assert resolve(root, relative).read_bytes()


@pytest.mark.parametrize(
    "relative",
    [
        "", ".", "..", "../outside.png", "sub/../../outside.png", "sub/../a.png", "/etc/hostname", "//a.png",
        "C:\\a.png", "C:a.png", "leaving.png", "leaving/outside.png", "loop.png", "missing.png", "a.png/b.png",
        "a\x00.png", "x" * 5000, "\ud800.png",
    ],
)  # fmt: skip
def test_a_path_never_leads_out(root: Path, relative: str) -> None:
    """Absolute paths, parents, links to the outside, and what does not exist are refused, none with a traceback."""
    with pytest.raises(ImageError):
        prepare(resolve(root, relative), ROOMY)


def test_a_missing_root_is_told(tmp_path: Path) -> None:
    """A root that does not exist has no picture."""
    with pytest.raises(ImageError, match="image root"):
        resolve(tmp_path / "none", "a.png")


@pytest.mark.parametrize(("on_disk", "asked"), list(itertools.product(FORMS, FORMS)))
def test_names_are_found_in_either_normal_form(tmp_path: Path, on_disk: Form, asked: Form) -> None:
    """Hangul names are found whether archive and data file agree on the normal form or not, folder by folder."""
    folder = tmp_path / unicodedata.normalize("NFC", "그림")
    folder.mkdir()
    Image.new("RGB", (4, 4)).save(folder / unicodedata.normalize(on_disk, "기온.png"))
    found = resolve(tmp_path, unicodedata.normalize(asked, "그림/기온.png"))
    assert found.is_file()


def test_a_folder_of_pictures_gives_each_by_its_reference(root: Path) -> None:
    """The client asks by the item's reference and gets what is sent."""
    prepared = ImageFolder(root, ROOMY)(ItemImage("sub/b.png"))
    assert prepared.data == (root / "sub" / "b.png").read_bytes()


def test_a_degraded_picture_is_grey_or_half_or_coarse(tmp_path: Path) -> None:
    """Each degradation is what its name says, is recorded, and gives the same bytes each time."""
    path = tmp_path / "picture.png"
    noise(60, 40).save(path)
    for shown, form, size in (
        (Images.GRAYSCALE, ("PNG", "L"), (60, 40)),
        (Images.HALF, ("PNG", "RGB"), (30, 20)),
        (Images.JPEG30, ("JPEG", "RGB"), (60, 40)),
    ):
        prepared = prepare(path, ROOMY, shown)
        picture = Image.open(io.BytesIO(prepared.data))
        assert ((picture.format, picture.mode), picture.size) == (form, size)
        assert f"degraded:{shown}" in prepared.changes
        assert prepare(path, ROOMY, shown) == prepared
    assert len(prepare(path, ROOMY, Images.JPEG30).data) < len(prepare(path, ROOMY).data) / 3


def test_half_the_resolution_is_half_of_what_the_limits_allow(tmp_path: Path) -> None:
    """A picture that would be scaled to 32 pixels is sent with 16."""
    path = tmp_path / "picture.png"
    noise(200, 100).save(path)
    prepared = prepare(path, Capabilities(images=True, max_image_side=32), Images.HALF)
    assert (prepared.width, prepared.height) == (16, 8)


def test_a_hidden_or_single_picture_is_sent_as_it_is(tmp_path: Path) -> None:
    """What is shown beside it changes no pixel."""
    path = tmp_path / "picture.png"
    noise(6, 4).save(path)
    assert prepare(path, ROOMY, Images.ONLY) == prepare(path, ROOMY)
