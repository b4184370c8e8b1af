"""The form of runs without a browser: what it counts, what it refuses, and where it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.assets.live import run_live
from tests.house import ROOT
from tests.run_prompts import prompt_file
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.runs.routes import run_routes

pytestmark = [pytest.mark.process, pytest.mark.slow]

FORM = ROOT / "tests/assets/explore/runs.live.js"


def test_the_form(context: Context, tmp_path: Path) -> None:
    Library(context.storage).take_file(prompt_file(tmp_path), "few.jsonl")
    run_live(FORM, context, (run_routes, job_routes))
