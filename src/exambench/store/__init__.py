"""The result store: a table for each kind of fact, durable before it counts.

>>> with open_store("exambench.db") as store:  # doctest: +SKIP
...     for run in store.runs():
...         print(run.run_id, run.answered, "of", run.planned)
"""

from exambench.store.claims import Owner
from exambench.store.codings import CodeRow, CodingPlace, CodingRecord, Codings
from exambench.store.judging import Judgings
from exambench.store.opening import DEFAULT_LOCATION, open_existing_store, open_store, open_store_read_only
from exambench.store.records import (
    PERTURBATION,
    JudgeReply,
    JudgeRow,
    JudgingKind,
    JudgingRecord,
    JudgingTally,
    OutcomeRow,
    PlanRow,
    RunRecord,
    RunSummary,
    StoredFailure,
    StoredOutcome,
    StoredResponse,
    VerdictRow,
)
from exambench.store.store import Store
from exambench.store.studies import RatingRow, SheetPlace, Studies, StudyRecord
from exambench.store.tasks import TaskKind, TaskRecord, TaskRow, Tasks
from exambench.store.writing import StoreLedger

__all__ = [
    "DEFAULT_LOCATION",
    "PERTURBATION",
    "CodeRow",
    "CodingPlace",
    "CodingRecord",
    "Codings",
    "JudgeReply",
    "JudgeRow",
    "JudgingKind",
    "JudgingRecord",
    "JudgingTally",
    "Judgings",
    "OutcomeRow",
    "Owner",
    "PlanRow",
    "RatingRow",
    "RunRecord",
    "RunSummary",
    "SheetPlace",
    "Store",
    "StoreLedger",
    "StoredFailure",
    "StoredOutcome",
    "StoredResponse",
    "Studies",
    "StudyRecord",
    "TaskKind",
    "TaskRecord",
    "TaskRow",
    "Tasks",
    "VerdictRow",
    "open_existing_store",
    "open_store",
    "open_store_read_only",
]
