"""The process that serves one GGUF file; a program of its own, started by :mod:`exambench.engine.local`.

It takes its settings as one JSON object in its only argument, and says ``{"address": …}`` in one line of standard
output when the model is loaded. Its life is tied to its standard input: when that closes, because the parent
closed it or is no more, the process ends. Everything else that is printed goes to standard error.

This file imports nothing of this package, so that it runs by its path.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Final

WARNINGS_AND_ERRORS: Final = 2


def _end_with_parent() -> None:
    # Raw reads: a thread inside a buffered read holds a lock that the interpreter wants at its end.
    while os.read(0, 4096):
        pass
    os._exit(0)  # at once: native threads may be in the middle of a token


def main() -> None:
    """Serve until standard input closes."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    import xllamacpp  # noqa: PLC0415 - only now does what it prints go to standard error

    settings = json.loads(sys.argv[1])
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # the kernel chooses a free one, and nobody can take it in between
    params.n_parallel = settings["slots"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.n_ctx = settings["context"] * settings["slots"]
    params.kv_unified = False  # each slot has its own context
    params.cache_prompt = settings["prompt_cache"]
    params.cache_ram_mib = 0  # prefixes are reused within a slot; old prompts are not collected in memory
    params.cache_idle_slots = False
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""
    params.offline = True
    params.verbosity = WARNINGS_AND_ERRORS
    server = xllamacpp.Server(params)
    with answer:
        json.dump({"address": server.listening_address}, answer)
        answer.write("\n")
    threading.Event().wait()


if __name__ == "__main__":
    main()
