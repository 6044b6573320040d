"""From what a page says to its HTML: templates that escape everything, in one language at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from exambench import __version__
from exambench.errors import MissingExtraError
from exambench.report.formatting import p_value, percent, percent_range, points, rank_text
from exambench.report.site.catalogue import LANGUAGES, Catalogue, catalogue
from exambench.report.site.safe_text import json_for_script, language_of, safe_name, safe_text
from exambench.report.site.wordings import condition_in, formula_in

if TYPE_CHECKING:
    from jinja2 import Environment

STATIC_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""What a page of a site in a folder may load: its own scripts, styles and pictures."""


SITE: Final = "exambench.report.site"
"""The package with the templates and texts of a site."""
NAVIGATION: Final = (
    ("index.html", "leaderboard"),
    ("compare.html", "compare"),
    ("items/index.html", "items"),
    ("method.html", "method"),
    ("downloads.html", "downloads"),
)
"""Where the pages that every page leads to stand, with the keys of their names."""


@dataclass(frozen=True)
class Frame:
    """What all pages of a site share.

    Attributes:
        title: What the site is about, in one line.
        has_items: Whether there are pages of items.
        policy: The content security policy, which every page states.
        packages: The packages with the templates and the texts.
        navigation: The pages that every page leads to, with the keys of their names.
        styles: Further style sheets among the assets.
        scripts: Further scripts among the assets.
    """

    title: str
    has_items: bool = False
    policy: str = STATIC_POLICY
    packages: tuple[str, ...] = (SITE,)
    navigation: tuple[tuple[str, str], ...] = NAVIGATION
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        path: Where it stands within its language, with forward slashes, as in ``model/0123456789abcdef.html``.
        template: Name of its template.
        heading: Key of its heading in the catalogue, or ``None`` when ``name`` is the heading.
        name: Its heading as somebody else's text.
        content: What the template shows.
        query: What stands behind the path in the page's own address, with its question mark.
    """

    path: str
    template: str
    heading: str | None = None
    name: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""


def path_in(language: str, path: str) -> str:
    """Return where a page stands within the site."""
    return path if language == next(iter(LANGUAGES)) else f"{language}/{path}"


def way_up(path: str) -> str:
    """Return the way from a page to the folder that its path starts from, as a relative address."""
    return "../" * path.count("/")


def render(frame: Frame, page: Page, language: str) -> str:
    """Return the HTML of a page.

    Raises:
        MissingExtraError: The extra ``site`` is not installed.
    """
    texts = catalogue(language, frame.packages)
    home = way_up(page.path)
    root = way_up(path_in(language, page.path))
    return (
        _environment(frame.packages)
        .get_template(page.template)
        .render(
            page.content,
            frame=frame,
            page=page,
            t=texts,
            lang=language,
            languages={code: (name, root + path_in(code, page.path)) for code, name in LANGUAGES.items()},
            home=home,
            root=root,
            version=__version__,
        )
    )


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise MissingExtraError("site", "building pages") from None
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "name": safe_name,
        "text": safe_text,
        "percent": percent,
        "range": lambda found, digits=1: percent_range(found.low, found.high, digits),
        "points": points,
        "p": p_value,
        "language": language_of,
        "rank": rank_text,
    }
    environment.globals |= {
        "script_json": _script_json,
        "texts_of": _texts_of,
        "who": _who,
        "condition_in": condition_in,
        "formula_in": formula_in,
    }
    return environment


def _script_json(value: Any) -> Any:  # noqa: ANN401 - JSON, and markup of an optional extra
    """Return a JSON value for a data block, marked as not to be escaped again."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with the extra

    return Markup(json_for_script(value))  # noqa: S704 - nothing in it ends the script


def _texts_of(texts: Catalogue, keys: Iterable[str]) -> dict[str, str]:
    """Return texts for a script, which puts the values in itself."""
    return {key: texts.texts[key] for key in keys}


def _who(texts: Catalogue, home: str, answers: Sequence[Any], several_protocols: bool) -> Any:  # noqa: ANN401, FBT001 - answers of item pages and markup of an optional extra; templates call by position
    """Return who gave some answers, as links; not a template, which would take half of the time of all item pages."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with the extra

    return Markup(", ").join(_named(texts, home, answer, several_protocols) for answer in answers)


def _named(texts: Catalogue, home: str, answer: Any, several_protocols: bool) -> Any:  # noqa: ANN401, FBT001 - as above
    shown = _link(f"{home}model/{answer.run_id}.html", answer.name)
    if answer.is_between:
        shown += f" ({percent(answer.score)} %)"
    if several_protocols:
        shown += _aside(answer.protocol)
    if answer.unusual:
        shown += _aside(f"({condition_in(texts, answer.unusual)})")
    return shown


@lru_cache(maxsize=4096)
def _link(address: str, name: str) -> Any:  # noqa: ANN401 - markup of an optional extra
    """Return a link whose words are somebody else's name; a page of an item has one for each model."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with the extra

    return Markup('<a href="{}">{}</a>').format(address, safe_name(name))


@lru_cache(maxsize=4096)
def _aside(text: str) -> Any:  # noqa: ANN401 - markup of an optional extra
    """Return what stands small beside a name."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with the extra

    return Markup(' <span class="more">{}</span>').format(safe_name(text))
