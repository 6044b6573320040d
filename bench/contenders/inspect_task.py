"""Run an exported task of Inspect AI through its ``openai-api`` provider, and write the score of each item."""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from inspect_ai import eval  # noqa: A004 - Inspect's own name
from inspect_ai.model import get_model

task, base_url, folder = sys.argv[1:]
os.chdir(Path(task).parent)  # Inspect looks for the files of tasks below the working directory
(log,) = eval(
    Path(task).name,
    model=get_model("openai-api/known/known", base_url=base_url, api_key="none"),
    log_dir=folder,
    display="none",
)
if log.status != "success":
    sys.exit(f"the evaluation ended with: {log.error or log.status}")
scores = {str(sample.id): float(sample.scores["choice"].value == "C") for sample in log.samples or ()}
accuracy = next(metric.value for metric in log.results.scores[0].metrics.values() if metric.name == "accuracy")
result = {"program": f"Inspect AI {version('inspect-ai')}", "accuracy": accuracy, "scores": scores}
(Path(folder) / "result.json").write_text(json.dumps(result), encoding="utf-8")
