"""Typeset kmet-mini as an examination paper: two columns, figures, formulas, ①–④, a key table; and scan it.

    python scripts/typeset_exam.py OUT_DIR

Writes ``exam.pdf``, which has a text layer, and ``scan.pdf``, whose pages are pictures: 300 dpi, turned by 0.7°, with
noise. Needs typst and pypdfium2, and the font NanumGothic (Debian's fonts-nanum).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pypdfium2
import typst
from PIL import Image

DATA: Final = Path(__file__).parents[1] / "src" / "exambench" / "benchmarks" / "kmet_mini"
CIRCLED: Final = "①②③④⑤"
PARTS: Final = {1: "기상분석 및 예보론", 2: "기상관측법", 3: "기상열역학 및 기상역학", 4: "기후학", 5: "대기물리학"}
SHORT: Final = 14
"""Choices of at most so many characters stand two in a line."""
DPI: Final = 300
TURN: Final = 0.7
NOISE: Final = 12.0
SEED: Final = 42

HEAD: Final = """
#set page(paper: "a4", margin: (x: 16mm, top: 24mm, bottom: 18mm), columns: 2,
  header: align(center, text(size: 11pt)[기상 모의시험 문제지]),
  footer: context align(center)[#counter(page).display()])
#set columns(gutter: 9mm)
#set text(font: "NanumGothic", size: 9.5pt, lang: "ko")
#set par(justify: true, leading: 0.62em)
#set smartquote(enabled: false)
#show math.equation: set text(font: "New Computer Modern Math")
"""

_MATH: Final = re.compile(r"\$([^$]+)\$")
_SPECIAL: Final = re.compile(r"([\\#$*_`<>@\[\]~/=+\-])")
_COMMANDS: Final = {
    r"\times": " times ",
    r"\ln": " ln ",
    r"\Delta": " Delta ",
    r"\beta": " beta ",
    r"\kappa": " kappa ",
    r"\omega": " omega ",
}


def main() -> None:
    """Write both papers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    items = json.loads((DATA / "kmet-mini.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as draft:
        source = Path(draft) / "exam.typ"
        source.write_text(HEAD + "\n".join(body(items)), encoding="utf-8")
        shutil.copytree(DATA / "images", Path(draft) / "images")
        (folder / "exam.pdf").write_bytes(typst.compile(source, root=draft, format="pdf", timestamp=0))
    scan(folder / "exam.pdf", folder / "scan.pdf")
    sys.stdout.write(f"{folder / 'exam.pdf'}\n{folder / 'scan.pdf'}\n")


def body(items: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the items, each part under its title, then the keys."""
    part = None
    for number, item in enumerate(items, start=1):
        if item["part"] != part:
            part = item["part"]
            yield f'\n#align(center, text(size: 11pt, weight: "bold")[제{part}과목: {PARTS[part]}])\n'
        yield question(number, item)
    yield "#pagebreak()\n#align(center, text(size: 11pt)[정답표])\n"
    cells = (f"[{number}], [{CIRCLED[item['answer'] - 1]}]" for number, item in enumerate(items, start=1))
    yield f"#table(columns: 10, align: center, {', '.join(cells)})"


def question(number: int, item: dict[str, Any]) -> str:
    """Return an item: number and stem, its figure, its choices."""
    picture = item["question"]["image"]
    lines = [f"#block(breakable: false)[{number}. {text(item['question']['text'])}"]
    if picture:
        lines.append(f'#align(center, image("images/{picture}", width: 78%))')
    choices = item["choices"]
    if any(choice["image"] for choice in choices):
        cells = [f'[{CIRCLED[n]} #box(image("images/{c["image"]}", width: 70%))]' for n, c in enumerate(choices)]
        lines.append(grid(2, cells))
    else:
        cells = [f"[{CIRCLED[n]} {text(choice['text'])}]" for n, choice in enumerate(choices)]
        plain = max(len(_MATH.sub("수식", choice["text"])) for choice in choices)
        lines.append(grid(2 if plain <= SHORT else 1, cells))
    return "\n".join((*lines, "]", "#v(5pt)"))


def grid(columns: int, cells: list[str]) -> str:
    """Return choices in rows."""
    return f"#grid(columns: ({'1fr, ' * columns}), row-gutter: 6pt, column-gutter: 6pt, {', '.join(cells)})"


def text(value: str) -> str:
    """Return text with formulas as typst writes it."""
    pieces = _MATH.split(value)
    return "".join(
        f"${formula(piece).strip()}$" if place % 2 else _SPECIAL.sub(r"\\\1", piece)
        for place, piece in enumerate(pieces)
    )


def formula(latex: str) -> str:
    """Return a formula of the few commands that kmet-mini uses as typst writes it."""
    value = re.sub(r"\\mathrm\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", lambda found: units(found[1]), latex)
    for command, name in _COMMANDS.items():
        value = value.replace(command, name)
    value = value.replace(r"\,", " thin ").replace("\\ ", " space ")
    value = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", value)
    value = re.sub(r"_\{([^{}]*)\}", r"_(\1)", value)
    value = re.sub(r"_([A-Za-z])\(", r"_\1 (", value)  # typst would take what stands in parentheses for the index
    return re.sub(r"(?<![A-Za-z\"])([A-Za-z])(?=[A-Za-z]\b)(?!n\b)", r"\1 ", value).replace("/", r"\/")


def units(value: str) -> str:
    """Return upright units: letters in quotes, exponents as they are."""
    upright = re.sub(r"[A-Za-z]+", lambda found: f'"{found[0]}"', value.replace(r"\,", " \x00 "))
    return upright.replace("\x00", "thin")


def scan(source: Path, target: Path) -> None:
    """Write the pages of a PDF as pictures: turned a little, with noise, as a scanner makes them."""
    rng = np.random.default_rng(SEED)
    with pypdfium2.PdfDocument(source) as document:
        pages = [page.render(scale=DPI / 72).to_pil().convert("L") for page in document]
    turned = [page.rotate(TURN, resample=Image.Resampling.BICUBIC, fillcolor=255) for page in pages]
    noisy = []
    for page in turned:
        values = np.asarray(page, dtype=np.float32) + rng.normal(0.0, NOISE, (page.height, page.width))
        noisy.append(Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)))
    noisy[0].save(target, save_all=True, append_images=noisy[1:], resolution=DPI, quality=85)


if __name__ == "__main__":
    main()
