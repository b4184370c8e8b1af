"""Runs of the command line while the app has the database, which takes their results in."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called
from tests.run_prompts import prompt_file
from tests.running import App, running
from truehue.tabs.command.runs import main

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("workers_here")]

TAKEN_IN_S = 120


def listed(app: App, name: str) -> dict[str, Any]:
    return next(run for run in app.ask("/api/runs").json["runs"] if run["name"] == name)


def test_runs_of_a_terminal_and_of_a_shared_folder_come_in(tmp_path: Path) -> None:
    shared, few = tmp_path / "shared", prompt_file(tmp_path)
    shared.mkdir()
    with running(tmp_path / "data", "--runs", str(shared)) as app:
        small = ("--size", "64", "--images", "1", "--workers", "1", "--yes")
        of_data = ("--data", str(app.data))
        start = ("start", "--set", str(few), *of_data, *small)
        done = called(main, *start, "--shared", str(shared), "--name", "from a cluster")
        assert done.returncode == 0, done.stderr
        assert f"started with --runs {shared}" in done.stderr
        done = called(main, *start, "--name", "from a terminal")
        assert done.returncode == 0, done.stderr
        assert "The app that has" in done.stderr
        # What only the database knows is asked of the app.
        refused = called(main, "start", "--set", "selection:mine", *of_data, "--yes")
        assert refused.returncode == 2
        assert "start this run in the app" in refused.stderr

        for name in ("from a cluster", "from a terminal"):
            assert listed(app, name)["status"] == "finished"
            end = time.monotonic() + TAKEN_IN_S
            while listed(app, name)["stored"] < 12:
                assert time.monotonic() < end, f"the app did not ingest {name}"
        assert str(shared) in str(listed(app, "from a cluster"))
        assert "from a cluster" in app.ask("/api/explore/leaderboard").body.decode()
