"""The server that comes with transformers, asked by the command, which is killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.batch.results import tables
from core.cli.ask.command import main
from core.vision_language.asking.work import AskingWork
from core.vision_language.models.local import open_local
from core.vision_language.models.records import Ask, Reply, Sampling
from core.vision_language.models.registry import model_of
from core.vision_language.prompting import prompt_text
from tests.core.vision_language.questions_made import questions
from tests.workers_here import workers_here

__all__ = ["workers_here"]

ROOT = Path(__file__).resolve().parents[4]
SERVE = "from transformers.cli.transformers import main; main()"
WAIT_S, TOKENS = 180.0, 40


@contextmanager
def serving(folder: Path, log: Path) -> Iterator[str]:
    """``transformers serve`` with a model's folder; its URL once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, *words], env=environment, stdout=out, stderr=out
        )
    try:
        end = time.monotonic() + WAIT_S
        while not _answers(port):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def lines(out: Path) -> list[dict[str, Any]]:
    """What has been written down, without a line that is being written."""
    text = "".join(path.read_text() for path in sorted(out.glob("journal/*.jsonl")))
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_a_killed_command_goes_on_and_a_server_says_what_the_model_says_here(
    tiny_vision: Callable[[str], Path], twenty: Path, tmp_path: Path, workers_here: None
) -> None:
    folder, out = tiny_vision("qwen2_5_vl"), tmp_path / "out"
    with serving(folder, tmp_path / "server.log") as url:
        words = ["run", str(twenty), "--out", str(out), "--model", url, "--name", str(folder)]
        words += ["--at-once", "2", "--max-tokens", str(TOKENS)]
        command = subprocess.Popen(
            [sys.executable, "-m", "core.vision_language", *words],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        end = time.monotonic() + WAIT_S
        while len(lines(out)) < 4 and command.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        command.send_signal(signal.SIGKILL)
        assert command.wait() == -signal.SIGKILL
        before = {row["question_id"]: row["seconds"] for row in lines(out)}
        assert 4 <= len(before) < 20
        assert main(words) == 0
    work = AskingWork(out)
    rows = [row for table in tables(work) for row in table.to_pylist()]
    assert [row["question_id"] for row in rows] == [f"q{n:03d}" for n in range(20)]
    # What was written down was not asked again.
    assert before.items() <= {row["question_id"]: row["seconds"] for row in rows}.items()
    assert {row["attempt"] for row in rows} == {1}
    here = open_local(model_of(str(folder), {"dtype": "float32", "device": "cpu"}))
    for (question, srgb8), row in list(zip(questions(20), rows, strict=True))[::7]:
        ask = Ask(prompt_text(question), partial(np.copy, srgb8))
        (reply,) = here.answers([ask], Sampling(TOKENS), lambda: False)
        assert isinstance(reply, Reply)
        assert (row["words"], row["ending"]) == (reply.words, reply.ending)
        assert (row["tokens_in"], row["tokens_out"]) == (reply.tokens_in, reply.tokens_out)
