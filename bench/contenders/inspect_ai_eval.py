"""A whole Inspect AI evaluation through its ``openai-api`` provider, with its log."""

import json
import sys
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004 - Inspect's own name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import pattern
from inspect_ai.solver import generate

file, base_url, concurrency, folder = sys.argv[1:]
rows = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
task = Task(
    dataset=MemoryDataset([Sample(id=row["id"], input=row["prompt"], target=row["answer"]) for row in rows]),
    solver=generate(temperature=0.1),
    scorer=pattern(r'"정답":\s*(\d)'),
)
(log,) = eval(
    task,
    model=get_model("openai-api/bench/bench", base_url=base_url, api_key="none"),
    max_connections=int(concurrency),
    max_samples=int(concurrency),
    log_dir=folder,
    display="none",
)
print(log.status, len(log.samples or ()))
sys.exit(log.status != "success")
