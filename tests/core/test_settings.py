"""The app's settings: the command line goes before the environment."""

from __future__ import annotations

import os

import pytest

from core.settings import read_settings


def test_folders_of_runs_come_from_the_line_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRUEHUE_RUNS", raising=False)
    assert read_settings([]).runs == ()
    assert read_settings(["--runs", "/a", "--runs", "/b"]).runs == ("/a", "/b")
    monkeypatch.setenv("TRUEHUE_RUNS", os.pathsep.join(("/c", "/d")))
    assert read_settings([]).runs == ("/c", "/d")
    assert read_settings(["--runs", "/a"]).runs == ("/a",)
