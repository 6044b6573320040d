"""A part that is missing is skipped aloud on a person's machine and fails in CI."""

import pytest

from tests.support.parts import require_part


def test_a_part_that_is_there_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the part the test goes on, in CI too."""
    monkeypatch.setenv("CI", "true")
    require_part("PostgreSQL", "Install it.", found=True)


def test_a_missing_part_skips_the_test_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a person's machine the test is skipped, and the reason says what to do."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"PostgreSQL is missing on this machine\. Install it\."):
        require_part("PostgreSQL", "Install it.", found=False)


def test_a_missing_part_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """In CI nothing is skipped."""
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="PostgreSQL is missing"):
        require_part("PostgreSQL", "Install it.", found=False)
