"""What is wrong with one model is told, and does not cost the others their turn."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from pathlib import Path

from tests.support.chat_server import serve
from tests.support.commands import exambench
from tests.support.exams import write_exam
from tests.support.parts import require_part
from tests.support.sittings import right, run_arguments, write_model


def write_local_model(folder: Path, *, weights: bytes | None) -> Path:
    """Write the file of a model that is served here, and its weights if there are any; return the model file."""
    file = folder / "weights.gguf"
    if weights is not None:
        file.write_bytes(weights)
    model = folder / "local.toml"
    model.write_text(
        f'name = "local"\n[endpoint]\nkind = "local"\nsha256 = "{hashlib.sha256(weights or b"").hexdigest()}"\n'
        f'[[endpoint.weights]]\nsource = "path"\npath = "{file}"\n',
        encoding="utf-8",
    )
    return model


def test_a_model_that_does_not_start_is_told_and_the_others_run(tmp_path: Path) -> None:
    """The end of the server's log says why; the ranking has the others, and the exit code says that work is left."""
    require_part(
        "xllamacpp",
        "Install it with: pip install '.[local]'",
        found=importlib.util.find_spec("xllamacpp") is not None,
    )
    data, local = write_exam(tmp_path, 4), write_local_model(tmp_path, weights=b"this is no model")
    arguments = ("--benchmark", "kmetbench", "--data", data, "--store", tmp_path / "r.db")
    done = exambench(
        *("run", *arguments, "--model", local, "--model", "baseline/oracle"), env={"XDG_CACHE_HOME": str(tmp_path)}
    )
    assert done.returncode == 1, done.stderr
    assert "local: The local server of local ended" in done.stderr
    assert "local: 0 requests failed, 4 were not asked." in done.stderr
    assert "baseline/oracle" in done.stdout


def test_a_model_that_cannot_be_used_is_told_and_the_others_run(tmp_path: Path) -> None:
    """Its weights are not there: a fault of what was named, exit code 2, but the ranking has the others."""
    data, local = write_exam(tmp_path, 4), write_local_model(tmp_path, weights=None)
    arguments = ("--benchmark", "kmetbench", "--data", data, "--store", tmp_path / "r.db")
    done = exambench(
        *("run", *arguments, "--model", local, "--model", "baseline/oracle"), env={"XDG_CACHE_HOME": str(tmp_path)}
    )
    assert done.returncode == 2
    assert re.search(r"^local: .*(there is no such file|needs the optional extra 'local')", done.stderr, re.MULTILINE)
    assert "baseline/oracle" in done.stdout


def test_every_key_is_looked_for_before_the_first_model_is_asked(tmp_path: Path) -> None:
    """Nothing is asked and nothing stored; every missing key is named with its model."""
    data = write_exam(tmp_path, 4)
    with serve(right) as server:
        models: list[str | Path] = []
        for name in ("NOBODY_SET_THIS", "NOR_THIS"):
            path = write_model(tmp_path / f"{name}.toml", server)
            path.write_text(
                path.read_text(encoding="utf-8").replace("[limits]", f'api_key_env = "{name}"\n[limits]'),
                encoding="utf-8",
            )
            models += ["--model", path]
        done = exambench(*run_arguments(data, server, tmp_path / "r.db", *models), cwd=tmp_path)
        assert server.calls == []
    assert done.returncode == 2
    assert "tester, field endpoint.api_key_env" in done.stderr
    assert "Set the environment variable NOBODY_SET_THIS" in done.stderr
    assert "Set the environment variable NOR_THIS" in done.stderr
    assert not (tmp_path / "r.db").exists()


def test_a_key_from_a_file_is_used_for_its_model(tmp_path: Path) -> None:
    """A ``.env`` in the working folder will do, and the key goes to the endpoint alone."""
    data = write_exam(tmp_path, 2)
    (tmp_path / ".env").write_text("TESTER_KEY=sk-very-secret\n", encoding="utf-8")
    with serve(right) as server:
        done = exambench(*run_arguments(data, server, tmp_path / "r.db", "--api-key-env", "TESTER_KEY"), cwd=tmp_path)
        assert {call.headers["authorization"] for call in server.calls} == {"Bearer sk-very-secret"}
    assert done.returncode == 0
    assert "very-secret" not in json.dumps([done.stdout, done.stderr])
    assert b"very-secret" not in (tmp_path / "r.db").read_bytes()
