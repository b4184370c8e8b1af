"""The form of runs without a browser: what it counts, what it refuses, and where it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabs.library.service import Library
from tabs.page.context import Context
from tabs.page.jobs_routes import job_routes
from tabs.runs.routes import run_routes
from tests.assets.live import run_live
from tests.house import ROOT
from tests.run_prompts import prompt_file

pytestmark = [pytest.mark.process, pytest.mark.slow]

FORM = ROOT / "tests/assets/explore/runs.live.js"


def test_the_form(context: Context, tmp_path: Path) -> None:
    Library(context.storage).take_file(prompt_file(tmp_path), "few.jsonl")
    run_live(FORM, context, (run_routes, job_routes))
