"""The stage of Inspect in jsdom: its marks, their undo, searches, and what it tells Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node import run_tests
from truehue.tabs.page.templates import html

pytestmark = pytest.mark.process

HERE = Path(__file__).parent


def test_the_stage() -> None:
    scripts = [HERE / "marks.js", HERE / "search.js"]
    run_tests(scripts, {"stage/stage": html("stage/stage")})
