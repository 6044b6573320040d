"""Pictures, made fit to be sent: of a type every endpoint reads, upright, opaque, and within the model's limits.

What a file is, its content says, not its name. PNG, JPEG and WebP go out byte for byte when nothing must
change. Everything else is encoded anew, always to the same bytes: JPEG stays JPEG (quality 92, full chroma
resolution, which thin coloured lines need), the rest becomes PNG. A picture that was encoded anew carries no
metadata, colour profile included.
"""

from __future__ import annotations

import hashlib
import io
import math
import struct
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from PIL import Image, UnidentifiedImageError

from exambench.engine.pixels import normalised
from exambench.engine.requests import PreparedImage
from exambench.errors import Finding, ImageError, show
from exambench.items import Image as ItemImage
from exambench.models import Capabilities
from exambench.protocols.condition import Images

__all__ = ["ImageFolder", "PreparedImage", "prepare", "resolve"]

MIME_TYPES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
READABLE: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
READABLE_NAMES: Final = "PNG, JPEG, WebP, GIF, BMP or TIFF"
LARGEST_FILE: Final = 100_000_000
MOST_PIXELS: Final = 50_000_000
JPEG_QUALITY: Final = 92
LOW_QUALITY: Final = 30
SHRINK_MARGIN: Final = 0.95

_DEGRADED: Final = frozenset({Images.GRAYSCALE, Images.HALF, Images.JPEG30})
_PNG_BIT_DEPTH_AT: Final = 24
_DEEP: Final = 16
_BROKEN: Final = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    OverflowError,
    RuntimeError,
    struct.error,
    zlib.error,
)
"""What Pillow's decoders raise on files that are not what they claim."""


@dataclass(frozen=True, slots=True)
class ImageFolder:
    """The pictures of a benchmark, prepared for one model.

    Attributes:
        root: The image root.
        capabilities: The model's limits.
        shown: What is shown of the pictures.
    """

    root: Path
    capabilities: Capabilities
    shown: Images = Images.SHOWN

    def __call__(self, image: ItemImage) -> PreparedImage:
        """Return a picture as it is sent.

        Raises:
            ImageError: The picture is missing, outside of the root, unreadable, or beyond the limits.
        """
        return prepare(resolve(self.root, image.path), self.capabilities, self.shown)


def resolve(root: Path, relative: str) -> Path:
    """Return the file of a picture.

    Each component of the path is looked up as it is written, then in Unicode's composed (NFC) and decomposed
    (NFD) form: archives made on macOS carry Hangul names in the other form than the data file.

    Args:
        root: The image root.
        relative: Path below it, with forward slashes.

    Raises:
        ImageError: The path is empty, absolute, leads out of the root (by ``..`` or by a symbolic link), or
            there is no such file.
    """
    parts = PurePosixPath(relative).parts
    if not parts or "\x00" in relative:
        raise _refused_path(relative, "the path of the picture is empty or has a NUL character")
    if relative.startswith("/") or PureWindowsPath(relative).drive:
        raise _refused_path(relative, "the path of the picture is absolute")
    if ".." in parts:
        raise _refused_path(relative, "the path of the picture leads out of the image root")
    try:
        place = root.resolve(strict=True)
        found = find_below(place, parts)
        inside = found.resolve(strict=True).is_relative_to(place)
    except (FileNotFoundError, NotADirectoryError):
        raise ImageError(
            Finding(
                "there is no such picture",
                file=str(root / relative),
                remedy="Check the image root, and that the pictures were unpacked into it",
            )
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise _refused_path(relative, f"the picture cannot be reached ({type(error).__name__})") from None
    if not inside:
        raise _refused_path(relative, "the picture is a link that leads out of the image root")
    return found


def prepare(path: Path, capabilities: Capabilities, shown: Images = Images.SHOWN) -> PreparedImage:
    """Return the picture in a file as it is sent to a model with these limits.

    ``max_image_bytes`` counts the encoded picture before base64. Half the resolution is half of what the limits allow.

    Raises:
        ImageError: The file is missing, no picture, broken, or has more than 50 million pixels.
    """
    content = read_picture(path)
    image = _open(path, content)
    try:
        source = "JPEG" if image.format == "MPO" else image.format or ""  # MPO: a JPEG with further pictures
        changes = _container_changes(image, source, content)
        picture, pixel_changes = normalised(image)
    except _BROKEN as error:
        raise _broken(path, content, error) from None
    changes += [change for change in pixel_changes if change not in changes]
    if shown in _DEGRADED:
        return _degraded(picture, "JPEG" if source == "JPEG" else "PNG", capabilities, changes, shown)
    fits = max(picture.size) <= capabilities.max_image_side and len(content) <= capabilities.max_image_bytes
    if fits and not changes:
        return _prepared(content, source, picture, ())
    return _encoded(picture, "JPEG" if source == "JPEG" else "PNG", capabilities, changes)


def _degraded(
    picture: Image.Image, encoding: str, capabilities: Capabilities, changes: list[str], shown: Images
) -> PreparedImage:
    """Encode the picture in grey, at half its resolution, or as JPEG of low quality."""
    changes = [*changes, f"degraded:{shown}"]
    match shown:
        case Images.GRAYSCALE:
            picture = picture.convert("L")
        case Images.HALF:
            fitting = _scaled(picture, capabilities.max_image_side)
            picture = _scaled(fitting, max(1, max(fitting.size) // 2))
        case _:
            return _encoded(picture, "JPEG", capabilities, changes, LOW_QUALITY)
    return _encoded(picture, encoding, capabilities, changes)


def find_below(place: Path, parts: tuple[str, ...]) -> Path:
    """Return a file below a folder, each part of its path as it is written, or else composed (NFC) or decomposed (NFD).

    Raises:
        FileNotFoundError: There is no such file.
    """
    for part in parts:
        spellings = (part, unicodedata.normalize("NFC", part), unicodedata.normalize("NFD", part))
        existing = [place / spelling for spelling in spellings if (place / spelling).exists()]
        if not existing:
            raise FileNotFoundError(part)
        place = existing[0]
    return place


def read_picture(path: Path) -> bytes:
    """Return the bytes of a picture's file.

    Raises:
        ImageError: It is no ordinary file, too large, or cannot be read.
    """
    try:
        size = path.stat().st_size
        if not path.is_file() or size > LARGEST_FILE:
            raise ImageError(
                Finding(
                    "this is not a file that could be a picture",
                    file=str(path),
                    value=f"{size} bytes",
                    allowed=f"a file of at most {LARGEST_FILE} bytes",
                )
            )
        return path.read_bytes()
    except OSError as error:
        raise ImageError(Finding(f"the picture cannot be read: {error.strerror}", file=str(path))) from None


def check_picture(path: Path, content: bytes) -> None:
    """See that the content of a file is a picture that can be read.

    Args:
        path: The file, for messages.
        content: What is in it.

    Raises:
        ImageError: It is no picture, broken, or has more than 50 million pixels.
    """
    _open(path, content).close()


def _open(path: Path, content: bytes) -> Image.Image:
    """Open and decode the first frame, having looked at its size first."""
    try:
        image = Image.open(io.BytesIO(content), formats=READABLE)
        if image.width * image.height > MOST_PIXELS:
            raise _too_many_pixels(path)
        image.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels(path) from None
    except _BROKEN as error:
        raise _broken(path, content, error) from None
    return image


def _container_changes(image: Image.Image, source: str, content: bytes) -> list[str]:
    changes = []
    frames = getattr(image, "n_frames", 1)
    if frames > 1:
        changes.append(f"frame:1:{frames}")
    if source not in MIME_TYPES:
        changes.append(f"format:{source}:PNG")
    if source == "PNG" and content[_PNG_BIT_DEPTH_AT] == _DEEP:
        changes.append("depth:16:8")
    return changes


def _encoded(
    picture: Image.Image, encoding: str, capabilities: Capabilities, changes: list[str], quality: int | None = None
) -> PreparedImage:
    """Encode the picture, scaled down as far as the limits make it necessary.

    The kilobyte that a model's limit allows at least always suffices in the end: one pixel takes less.
    """
    side = min(max(picture.size), capabilities.max_image_side)
    while True:
        sent = _scaled(picture, side)
        data = _encode(sent, encoding, quality)
        if len(data) <= capabilities.max_image_bytes:
            break
        side = max(1, int(side * SHRINK_MARGIN * math.sqrt(capabilities.max_image_bytes / len(data))))
    if sent.size != picture.size:
        changes.append(f"scaled:{picture.width}x{picture.height}:{sent.width}x{sent.height}")
    return _prepared(data, encoding, sent, tuple(changes or [f"encoded:{encoding}"]))


def _scaled(picture: Image.Image, side: int) -> Image.Image:
    longest = max(picture.size)
    if side >= longest:
        return picture
    width, height = (max(1, round(length * side / longest)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _encode(picture: Image.Image, encoding: str, quality: int | None) -> bytes:
    bare = picture.copy()
    bare.info = {}
    buffer = io.BytesIO()
    if quality is not None:
        bare.save(buffer, format="JPEG", quality=quality)
    elif encoding == "JPEG":
        bare.save(buffer, format="JPEG", quality=JPEG_QUALITY, subsampling=0)
    else:
        bare.save(buffer, format="PNG")
    return buffer.getvalue()


def _prepared(data: bytes, encoding: str, picture: Image.Image, changes: tuple[str, ...]) -> PreparedImage:
    digest = hashlib.sha256(data).hexdigest()
    return PreparedImage(data, MIME_TYPES[encoding], digest, picture.width, picture.height, changes)


def _refused_path(relative: str, problem: str) -> ImageError:
    return ImageError(
        Finding(problem, field="image", value=show(relative), allowed="a relative path to a file below the image root")
    )


def _too_many_pixels(path: Path) -> ImageError:
    return ImageError(
        Finding("the picture has too many pixels", file=str(path), allowed=f"{MOST_PIXELS}", remedy="Scale it down")
    )


def _broken(path: Path, content: bytes, error: Exception) -> ImageError:
    if b"<svg" in content[:4096].lower():
        problem, remedy = "this is an SVG drawing, which models do not take", "Convert it to PNG"
    elif isinstance(error, UnidentifiedImageError):
        problem, remedy = "this is not a picture of a type that can be read", "Convert it to PNG"
    else:
        problem, remedy = f"the picture is broken or of a rare kind: {show(str(error))}", "Save it again as 8-bit PNG"
    return ImageError(Finding(problem, file=str(path), allowed=READABLE_NAMES, remedy=remedy))
