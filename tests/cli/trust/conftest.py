"""Three models that judges with planted faults look at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from exambench.store import open_store
from tests.judging.examples import sit
from tests.support.judges import (
    MODELS,
    Shelf,
    plain_exam,
    texts_of,
)


@pytest.fixture(scope="session")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Three models, fourteen items; every third answer is wrong. Nobody has judged them."""
    store = tmp_path_factory.mktemp("trust") / "r.db"
    with open_store(str(store)) as results:
        runs = [sit(results, plain_exam(), texts_of(model), model=name).run_id for model, name in enumerate(MODELS)]
    return Shelf(store, tuple(runs))


@pytest.fixture
def shelf(unjudged: Shelf, tmp_path: Path) -> Shelf:
    """A copy for one test."""
    return Shelf(Path(shutil.copy(unjudged.store, tmp_path / "r.db")), unjudged.runs)
