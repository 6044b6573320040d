"""Settings and parts that hold for every test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A busy machine is no fault of the code: no test here says anything about time.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module.

    Not of the session: while it runs, the thread has a running event loop, in which no ``asyncio.run`` can be called.
    """
    from tests.support.browser import chromium  # noqa: PLC0415 - the other tests do without

    with chromium() as started:
        yield started
