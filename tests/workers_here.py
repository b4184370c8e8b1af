"""Runs that a page or a command begins, in tests that are not about processes."""

from __future__ import annotations

import pytest

from tests.core.batch.here import team_here


@pytest.fixture
def workers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers of every run that this process begins are this process.

    A process takes a second to start, and several where others want the processor too. That
    workers in processes of their own do the same is asked in ``tests/core/runs/test_execute.py``.
    """
    monkeypatch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
