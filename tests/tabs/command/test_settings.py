"""The app's settings: the command line goes before the environment."""

from __future__ import annotations

import os

import pytest

from truehue.tabs.command.serve import read_settings


def test_folders_of_runs_come_from_the_line_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TRUEHUE_RUNS", raising=False)
    assert read_settings([]).runs == ()
    assert read_settings(["--runs", "/a", "--runs", "/b"]).runs == ("/a", "/b")
    monkeypatch.setenv("TRUEHUE_RUNS", os.pathsep.join(("/c", "/d")))
    assert read_settings([]).runs == ("/c", "/d")
    assert read_settings(["--runs", "/a"]).runs == ("/a",)


def test_nothing_is_got_ready_for_visitors_where_the_environment_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TRUEHUE_WARM", "TRUEHUE_EXAMPLE"):
        monkeypatch.delenv(name, raising=False)
    assert (read_settings([]).warm, read_settings([]).example) == (True, True)
    monkeypatch.setenv("TRUEHUE_WARM", "0")
    assert (read_settings([]).warm, read_settings([]).example) == (False, True)
    monkeypatch.setenv("TRUEHUE_EXAMPLE", "0")
    assert (read_settings([]).warm, read_settings([]).example) == (False, False)
