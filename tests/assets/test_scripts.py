"""The page's scripts without a page: ``*.test.js`` of each folder, by node's own test runner."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.house import ROOT
from tests.node import node_with_jsdom

pytestmark = pytest.mark.process

HERE = Path(__file__).parent
FOLDERS = sorted({path.parent.name for path in HERE.glob("*/*.test.js")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_scripts(folder: str) -> None:
    done = subprocess.run(
        [
            node_with_jsdom(),
            "--no-warnings",
            "--test",
            "--test-force-exit",  # timers of a page that nobody looks at any more
            "--test-reporter=spec",
            *sorted((HERE / folder).glob("*.test.js")),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    # The runner says what failed once more at its end.
    failing = done.stdout.rpartition("failing tests:")[2]
    assert done.returncode == 0, failing + done.stderr
