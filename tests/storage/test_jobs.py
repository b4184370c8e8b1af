"""Rows of long work, and of who brought what."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from truehue.core.records import JobRecord
from truehue.storage import Storage
from truehue.storage import jobs as rows

BEGAN = datetime(2026, 5, 1, 12, tzinfo=UTC)
JOB = JobRecord("a", "export", "An export", "ann", "running", 1, 9, "1 of 9", began_at=BEGAN)


def test_a_job_has_one_row_that_changes(storage: Storage) -> None:
    storage.jobs.keep(JOB)
    ended = replace(JOB, status="done", done=9, result={"run": "x", "n": [1]}, ended_at=BEGAN)
    storage.jobs.keep(ended)
    assert storage.jobs.recent() == [ended]


def test_what_was_under_way_is_interrupted_and_old_rows_go(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "KEPT", 2)
    for number, status in enumerate(("done", "waiting", "running")):
        storage.jobs.keep(
            replace(
                JOB, job_id=str(number), status=status, began_at=BEGAN + timedelta(hours=number)
            )
        )
    assert storage.jobs.interrupt("It ended.") == 2
    recent = storage.jobs.recent()
    assert [(item.job_id, item.status, item.problem) for item in recent] == [
        ("2", "interrupted", "It ended."),
        ("1", "interrupted", "It ended."),
    ]
    assert storage.jobs.interrupt("Again.") == 0
