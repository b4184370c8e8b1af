"""A command that asks a server and is killed in the middle goes on where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.images_server import Answer
from tests.core.vlm.chat_server import ChatServer
from tests.workers_here import workers_here
from truehue.core.batch.results import tables
from truehue.core.cli.vlm import main
from truehue.core.vlm.evaluation.work import EvaluationWork

pytestmark = pytest.mark.process

__all__ = ["workers_here"]

ROOT = Path(__file__).resolve().parents[4]


class AnswersFew(ChatServer):
    """After ``few`` answers everybody waits until ``goes_on`` is set."""

    few = 7

    def __init__(self) -> None:
        super().__init__()
        self.goes_on = threading.Event()

    def _next(self, path: str, target: dict[str, Any]) -> Answer:
        if len(self.got) > self.few:
            self.goes_on.wait()
        return super()._next(path, target)


def lines(out: Path) -> list[dict[str, Any]]:
    """What has been written down, without a line that is being written."""
    text = "".join(path.read_text() for path in sorted(out.glob("journal/*.jsonl")))
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_a_killed_command_goes_on(twenty: Path, tmp_path: Path, workers_here: None) -> None:
    out, server = tmp_path / "out", AnswersFew()
    with server.running():
        parts = ["run", str(twenty), "--out", str(out), "--model", server.base_url]
        parts += ["--name", "color-vlm", "--at-once", "2"]
        command = subprocess.Popen(
            [sys.executable, "-m", "core.vision_language", *parts],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        try:
            while len(lines(out)) < 4:
                assert command.poll() is None
                time.sleep(0.02)
            command.send_signal(signal.SIGKILL)
            assert command.wait() == -signal.SIGKILL
            before = {row["question_id"]: row["seconds"] for row in lines(out)}
            assert 4 <= len(before) <= 7
        finally:
            server.goes_on.set()
            command.kill()
        assert main(parts) == 0
    rows = [row for table in tables(EvaluationWork(out)) for row in table.to_pylist()]
    assert [row["question_id"] for row in rows] == [f"q{n:03d}" for n in range(20)]
    # What was written down was not asked again.
    assert before.items() <= {row["question_id"]: row["seconds"] for row in rows}.items()
    assert {row["attempt"] for row in rows} == {1}
