"""A whole lm-evaluation-harness run through ``local-chat-completions``, with its samples logged."""

import json
import sys
from pathlib import Path

from lm_eval import simple_evaluate

file, base_url, concurrency, folder = sys.argv[1:]
task = {
    "task": "bench",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": file}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{prompt}}",
    "doc_to_target": "{{answer}}",
    "generation_kwargs": {"temperature": 0.1, "max_gen_toks": 64, "until": []},
    "filter_list": [{"name": "dict", "filter": [{"function": "regex", "regex_pattern": r'"정답":\s*(\d)'}]}],
    "metric_list": [{"metric": "exact_match"}],
}
results = simple_evaluate(
    model="local-chat-completions",
    model_args={
        "model": "bench",
        "base_url": f"{base_url}/chat/completions",
        "num_concurrent": int(concurrency),
        "max_retries": 3,
    },
    tasks=[task],
    apply_chat_template=True,
)
samples = results["samples"]["bench"]
(Path(folder) / "samples.json").write_text(json.dumps(samples, default=str), encoding="utf-8")
print(results["results"]["bench"], len(samples))
