"""``exambench rescore``: read stored responses again."""

from __future__ import annotations

import sys

from exambench.cli.options import Runs, StoreOption


def command(
    runs: Runs = None,
    store: StoreOption = "exambench.db",
) -> None:
    """Read stored responses and judges' replies again, and print every outcome and verdict that changed.

    It also says how many responses were read for the first time.
    """
    from exambench.analysis.scores import find_runs
    from exambench.cli.reading import lines_of
    from exambench.evaluation.reading import read_all
    from exambench.judging import reading
    from exambench.store import open_existing_store
    from exambench.text import escaped

    with open_existing_store(store) as results:
        for record in find_runs(results, runs or []):
            sys.stdout.writelines(lines_of(record, read_all(results, record)))
            judgings = results.judgings.all(record.run_id) + results.judgings.probes(record.run_id)
            for judging in judgings:
                for new in reading.read_verdicts(results, judging)[1]:
                    line = (
                        f"{record.run_id} item {new.item_id} trial {new.trial} judge {judging.judge_name} "
                        f"trial {new.judge_trial}: {reading.describe(new.before)} → {reading.describe(new.after)}"
                    )
                    sys.stdout.write(f"{escaped(line)}\n")
