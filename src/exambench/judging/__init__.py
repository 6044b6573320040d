"""A judge reads what a model wrote: how good its rationale is, or whether its free answer is right.

::

    run in the store ── subjects ──▶ what is judged: item, answer, rationale, without a trace of who wrote it
    subject + instrument ── render ──▶ Request ── judge ──▶ Response, durable in the store before it counts
    Response ── read ──▶ Verdict, or the next try; after the last try Unjudged      (repeatable offline)

An *instrument* says what is asked and how a reply is read: :class:`~exambench.judging.rationales.RationaleJudge` by a
rubric, :class:`~exambench.judging.answers.AnswerJudge` by comparison with the gold answer. All else they share.
"""
