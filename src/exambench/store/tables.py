"""The tables of a store.

::

    datasets ──< dataset_items >── items          what was asked about, at one content hash
    datasets ──< runs ──< plan >── requests       which request each item and trial of a run leads to
                  │                  ├── responses      one a request, whoever asked
                  │                  ├──< failures      why there was none, each time
                  │                  └── claims         who is asking right now
                  ├──< outcomes                   what a parser read, by run, item, trial and parser
                  ├──< sessions                   when someone worked on the run
                  ├──< judgings ──< judge_plan >── requests   which request each try of a judge leads to
                  │        ├──< verdicts                      what was read from its replies
                  │        └──< sessions                      when someone worked on the judging
    studies ──< study_places >── runs             what people score, and whose answer each place of a sheet holds
                     └──< ratings                 the scores that they gave
    datasets ──< codings ──< coding_places         what readers put into categories: two models' answers to an item
                                 └── codes        the categories that they chose
    datasets ──< tasks ──< task_plan >── requests  what models are asked that is neither an exam nor a judgement

A response belongs to its request, not to a run: runs that lead to the same request share it, and so do judgings.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Float, ForeignKey, ForeignKeyConstraint, Integer, MetaData, Table

from exambench.store.columns import CleanText, JsonText

SCHEMA_VERSION: Final = 3
"""Counted up with every change that an older or newer program would stumble over."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

schema = Table("exambench_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

datasets = Table(
    "datasets",
    metadata,
    Column("benchmark", CleanText, primary_key=True),
    Column("hash", CleanText, primary_key=True),
    Column("n_items", Integer, nullable=False),
    Column("about", JsonText, nullable=False),  # title, axes, licence, limits: what a report says of it
    Column("created_at", CleanText, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("record_hash", CleanText, primary_key=True),  # over the body: labels and rationale too
    Column("item_hash", CleanText, nullable=False),  # over what a model sees and the key
    Column("item_id", CleanText, nullable=False),
    Column("body", JsonText, nullable=False),
)

dataset_items = Table(
    "dataset_items",
    metadata,
    Column("benchmark", CleanText, primary_key=True),
    Column("dataset_hash", CleanText, primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("record_hash", CleanText, ForeignKey("items.record_hash"), nullable=False),
    ForeignKeyConstraint(["benchmark", "dataset_hash"], ["datasets.benchmark", "datasets.hash"]),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", CleanText, primary_key=True),
    Column("benchmark", CleanText, nullable=False),
    Column("dataset_hash", CleanText, nullable=False),
    Column("model_name", CleanText, nullable=False),
    Column("identity", CleanText, nullable=False),
    Column("decoding", JsonText, nullable=False),
    Column("model", JsonText, nullable=False),
    Column("protocol_name", CleanText, nullable=False),
    Column("protocol_hash", CleanText, nullable=False),
    Column("protocol", JsonText, nullable=False),
    Column("condition", JsonText, nullable=False),
    Column("created_at", CleanText, nullable=False),
    Column("updated_at", CleanText, nullable=False),
    ForeignKeyConstraint(["benchmark", "dataset_hash"], ["datasets.benchmark", "datasets.hash"]),
)

requests = Table(
    "requests",
    metadata,
    Column("request_key", CleanText, primary_key=True),
    Column("body", JsonText, nullable=False),
)

plan = Table(
    "plan",
    metadata,
    Column("run_id", CleanText, ForeignKey("runs.run_id"), primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("trial", Integer, primary_key=True, autoincrement=False),
    Column("item_hash", CleanText, nullable=False),
    Column("request_key", CleanText, ForeignKey("requests.request_key")),
    Column("note", CleanText, nullable=False),  # why there is no request; else the order of the choices as shown
)

responses = Table(
    "responses",
    metadata,
    Column("request_key", CleanText, ForeignKey("requests.request_key"), primary_key=True),
    Column("text", CleanText),
    Column("reasoning", CleanText),
    Column("finish_reason", CleanText),
    Column("refusal", CleanText),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("reasoning_tokens", BigInteger),
    Column("seconds", Float, nullable=False),
    Column("attempts", JsonText, nullable=False),
    Column("served_model", CleanText),
    Column("adjustments", JsonText, nullable=False),
    Column("created_at", CleanText, nullable=False),
)

failures = Table(
    "failures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("request_key", CleanText, ForeignKey("requests.request_key"), nullable=False, index=True),
    Column("at", CleanText, nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("attempts", JsonText, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("request_key", CleanText, ForeignKey("requests.request_key"), primary_key=True),
    Column("owner", CleanText, nullable=False, index=True),
    Column("expires_at", CleanText, nullable=False),
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("run_id", CleanText, ForeignKey("runs.run_id"), primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("trial", Integer, primary_key=True, autoincrement=False),
    Column("parser", CleanText, primary_key=True),
    Column("parser_version", CleanText, nullable=False),
    Column("kind", CleanText, nullable=False),
    Column("value", JsonText),
    Column("reason", CleanText, nullable=False),
    Column("flags", JsonText, nullable=False),
)

judgings = Table(
    "judgings",
    metadata,
    Column("judging_id", CleanText, primary_key=True),
    Column("run_id", CleanText, ForeignKey("runs.run_id"), nullable=False, index=True),
    Column("kind", CleanText, nullable=False),
    Column("judge_name", CleanText, nullable=False),
    Column("identity", CleanText, nullable=False),
    Column("decoding", JsonText, nullable=False),
    Column("judge", JsonText, nullable=False),
    Column("rubric_name", CleanText, nullable=False),
    Column("rubric_hash", CleanText, nullable=False),
    Column("rubric", JsonText, nullable=False),
    Column("condition", JsonText, nullable=False),
    Column("created_at", CleanText, nullable=False),
    Column("updated_at", CleanText, nullable=False),
)

judge_plan = Table(
    "judge_plan",
    metadata,
    Column("judging_id", CleanText, ForeignKey("judgings.judging_id"), primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("trial", Integer, primary_key=True, autoincrement=False),  # of the run that is judged
    Column("judge_trial", Integer, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("request_key", CleanText, ForeignKey("requests.request_key")),
    Column("note", CleanText, nullable=False),  # why there is no request; else the order of the choices as shown
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("judging_id", CleanText, ForeignKey("judgings.judging_id"), primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("trial", Integer, primary_key=True, autoincrement=False),
    Column("judge_trial", Integer, primary_key=True, autoincrement=False),
    Column("tries", Integer, nullable=False),
    Column("kind", CleanText, nullable=False),
    Column("body", JsonText, nullable=False),  # JSON, for a judge's text may hold what a text column cannot
    Column("request_key", CleanText, ForeignKey("requests.request_key")),  # whose response was read
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", CleanText, ForeignKey("runs.run_id"), index=True),  # of a run, of a judging, or of a task
    Column("judging_id", CleanText, ForeignKey("judgings.judging_id"), index=True),
    Column("started_at", CleanText, nullable=False),
    Column("heartbeat_at", CleanText, nullable=False),
    Column("ended_at", CleanText),
)

studies = Table(
    "studies",
    metadata,
    Column("study_id", CleanText, primary_key=True),
    Column("benchmark", CleanText, nullable=False),
    Column("dataset_hash", CleanText, nullable=False),
    Column("judge_name", CleanText, nullable=False),
    Column("judgings", JsonText, nullable=False),
    Column("rubric", JsonText, nullable=False),
    Column("raters", JsonText, nullable=False),
    Column("sample", JsonText, nullable=False),  # what was drawn, how and why
    Column("created_at", CleanText, nullable=False),
    ForeignKeyConstraint(["benchmark", "dataset_hash"], ["datasets.benchmark", "datasets.hash"]),
)

study_places = Table(
    "study_places",
    metadata,
    Column("answer_id", CleanText, primary_key=True),  # on one rater's sheet, and in this table only with a model
    Column("study_id", CleanText, ForeignKey("studies.study_id"), nullable=False, index=True),
    Column("rater", CleanText, nullable=False),
    Column("run_id", CleanText, ForeignKey("runs.run_id"), nullable=False),
    Column("item_id", CleanText, nullable=False),
    Column("trial", Integer, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("answer_id", CleanText, ForeignKey("study_places.answer_id"), primary_key=True),
    Column("dimension", CleanText, primary_key=True),
    Column("score", Integer, nullable=False),
)

codings = Table(
    "codings",
    metadata,
    Column("coding_id", CleanText, primary_key=True),
    Column("benchmark", CleanText, nullable=False),
    Column("dataset_hash", CleanText, nullable=False),
    Column("runs", JsonText, nullable=False),
    Column("scheme", JsonText, nullable=False),
    Column("readers", JsonText, nullable=False),
    Column("sample", JsonText, nullable=False),  # what was drawn, and how
    Column("created_at", CleanText, nullable=False),
    ForeignKeyConstraint(["benchmark", "dataset_hash"], ["datasets.benchmark", "datasets.hash"]),
)

coding_places = Table(
    "coding_places",
    metadata,
    Column("answer_id", CleanText, primary_key=True),  # on one reader's sheet, and in this table only with a run
    Column("study_id", CleanText, ForeignKey("codings.coding_id"), nullable=False, index=True),
    Column("rater", CleanText, nullable=False),
    Column("item_id", CleanText, nullable=False),
    Column("solver", Integer, nullable=False),  # which of the runs solved it, from 0
)

codes = Table(
    "codes",
    metadata,
    Column("answer_id", CleanText, ForeignKey("coding_places.answer_id"), primary_key=True),
    Column("code", CleanText, nullable=False),
    Column("note", CleanText, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    Column("task_id", CleanText, primary_key=True),
    Column("kind", CleanText, nullable=False),
    Column("benchmark", CleanText, nullable=False),
    Column("dataset_hash", CleanText, nullable=False),
    Column("model_name", CleanText, nullable=False),
    Column("identity", CleanText, nullable=False),
    Column("decoding", JsonText, nullable=False),
    Column("about", JsonText, nullable=False),  # prompt, arms, what is compared: all that makes it this task
    Column("created_at", CleanText, nullable=False),
    ForeignKeyConstraint(["benchmark", "dataset_hash"], ["datasets.benchmark", "datasets.hash"]),
)

task_plan = Table(
    "task_plan",
    metadata,
    Column("task_id", CleanText, ForeignKey("tasks.task_id"), primary_key=True),
    Column("item_id", CleanText, primary_key=True),
    Column("variant", CleanText, primary_key=True),  # arm, order: what tells several requests about one item apart
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("request_key", CleanText, ForeignKey("requests.request_key")),
    Column("note", CleanText, nullable=False),
)
