"""Small examination papers, typeset in the test that reads them."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import typst
from PIL import Image

from exambench.construct.ingest import ingest
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import Context
from tests.support.parts import require_part

PAGE = """
#set page(width: 150mm, height: 180mm, margin: 18mm, columns: {columns}, {more})
#set text(font: "NanumGothic", size: 9.5pt, lang: "ko")
#set par(justify: true)
#set smartquote(enabled: false)
"""
FONTS = Path("/usr/share/fonts")
FOUR = "① 가을 \\ ② 나비 \\ ③ 다리 \\ ④ 라면"
KEYS = "#pagebreak() #align(center)[정답표] #table(columns: 6, {})"


def typeset(folder: Path, body: str, *, columns: int = 1, more: str = "", name: str = "exam.pdf") -> Path:
    """Typeset a paper, and return its path; skip, or fail in CI, where the Korean font is missing."""
    require_part(
        "The font NanumGothic",
        "Install it with: apt-get install --no-install-recommends fonts-nanum",
        found=any(FONTS.rglob("NanumGothic.ttf")),
    )
    source = folder / "paper.typ"
    source.write_text(PAGE.format(columns=columns, more=more) + body, encoding="utf-8")
    path = folder / name
    path.write_bytes(typst.compile(source, root=folder, font_paths=[folder], format="pdf", timestamp=0))
    return path


def question(number: int, stem: str = "다음 중 옳은 것은?", options: str = FOUR) -> str:
    """Return an item as typst writes it."""
    return f"{number}\\. {stem}\n\n{options}\n\n#v(8pt)\n"


def keys(answers: str) -> str:
    """Return a key table: the answers of items 1, 2 … as digits."""
    return KEYS.format(", ".join(f"[{n}], [{'①②③④⑤'[int(answer) - 1]}]" for n, answer in enumerate(answers, start=1)))


def read(folder: Path, paper: str = "exam.pdf", **settings: object) -> StageResult:
    """Read a paper of a project folder."""
    chosen = IngestSettings.model_validate({"paper": paper, **settings})
    return ingest((), chosen, Context(folder, folder / "pictures", 42, {}))


def stems(result: StageResult) -> list[str]:
    """Return the stems of the items that go on."""
    return [item.wording().question.text for item in result.items]


def options(result: StageResult, place: int = 0) -> list[str]:
    """Return the options of one of the items that go on."""
    return [choice.text for choice in result.items[place].wording().choices]


def reviews(result: StageResult) -> dict[str, Change]:
    """Return what people have to look at, by item."""
    return {change.item: change for change in result.changes if change.action is Action.REVIEW}


def chart(colour: str = "navy", size: tuple[int, int] = (160, 90)) -> Image.Image:
    """Return a picture."""
    picture = Image.new("RGB", size, "white")
    picture.paste(colour, (20, 20, size[0] - 20, size[1] - 30))
    return picture


def scanned(path: Path, target: Path, turn: float = 0.6) -> Path:
    """Return a paper whose pages are pictures of another one's, turned a little."""
    with pypdfium2.PdfDocument(path) as document:
        pages = [page.render(scale=300 / 72).to_pil().convert("L") for page in document]
    turned = [page.rotate(turn, resample=Image.Resampling.BICUBIC, fillcolor=255) for page in pages]
    content = io.BytesIO()
    turned[0].save(content, format="PDF", save_all=True, append_images=turned[1:], resolution=300)
    target.write_bytes(content.getvalue())
    return target
