"""Asking models things that are neither an exam nor a judgement: planned, durable, resumable, and tried again.

::

    plan: what is asked about each item ── register ──▶ store ── what has no response ──▶ run loop ──▶ responses
    reply that cannot be used ── the plan's next try ──▶ a further request, at most TRIES in all

What replies amount to is read from the store each time, so the same command again asks nothing twice and says the same.
"""
