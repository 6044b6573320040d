"""What the kinds of stages have in common."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from exambench import construct
from exambench.construct.registry import STAGES

NEEDED: Final[Mapping[str, list[dict[str, Any]]]] = {
    "collect": [{"papers": "papers.csv", "licences": ["CC-BY-4.0"]}],
    "explicit": [{"model": "m"}],
    "filter": [{"models": ["m"]}],
    "formula": [{"model": "m"}],
    "label": [{"facet": "f", "kind": kind, "about": "x", "models": ["m"]} for kind in ("yes-no", "open")],
    "paraphrase": [{"model": "m"}],
    "rationale": [{"size": 1, "critic": "m", "enhancer": "m"}],
}
"""Settings without which a stage cannot be, by kind; of those that use what ships."""
OF_OTHERS: Final = {"translation.toml"}
"""Files beside the stages that no stage uses: ``exambench build translate`` does."""


def test_every_file_that_ships_with_the_stages_makes_one_of_them_run_again() -> None:
    """A newer version of the toolkit may hold other prompts and words, and results of the older ones are stale."""
    known = {
        digest
        for use in ("dedup", "generate", *NEEDED)
        for needed in NEEDED.get(use, [{}])
        for digest in STAGES[use].shipped(STAGES[use].settings.model_validate(needed), Path())
    }
    files = {path.name: path for path in Path(construct.__file__).parent.glob("*.toml")}
    missed = {name for name, path in files.items() if sha256(path.read_bytes()).hexdigest() not in known}
    assert missed == OF_OTHERS
