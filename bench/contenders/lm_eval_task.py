"""Run an exported task of lm-evaluation-harness through ``local-chat-completions``; write the score of each item."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

tasks, name, base_url, folder = sys.argv[1:]
results = simple_evaluate(
    model="local-chat-completions",
    model_args={"model": "known", "base_url": f"{base_url}/chat/completions", "num_concurrent": 4, "max_retries": 1},
    tasks=[name],
    task_manager=TaskManager(include_path=tasks, include_defaults=False),
    apply_chat_template=True,
)
scores = {str(sample["doc"]["id"]): float(sample["exact_match"]) for sample in results["samples"][name]}
accuracy = results["results"][name]["exact_match,letter"]
result = {"program": f"lm-eval {version('lm_eval')}", "accuracy": accuracy, "scores": scores}
(Path(folder) / "result.json").write_text(json.dumps(result), encoding="utf-8")
