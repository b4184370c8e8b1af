"""The server that comes with transformers, asked by the command: at night."""

from __future__ import annotations

import os
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

import numpy as np
import pytest

from tests.core.vlm.questions_made import questions
from tests.workers_here import workers_here
from truehue.core.batch.results import tables
from truehue.core.cli.vlm import main
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.local import open_local
from truehue.core.vlm.models.records import ImagePrompt, Reply, Sampling
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.prompting import prompt_text

__all__ = ["workers_here"]

SERVE = "from transformers.cli.transformers import main; main()"
TOKENS = 40


@contextmanager
def serving(folder: Path, log: Path) -> Iterator[str]:
    """``transformers serve`` with a model's folder; its URL once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    parts = ["serve", str(folder), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, *parts], env=environment, stdout=out, stderr=out
        )
    try:
        while not _answers(port):
            assert server.poll() is None, log.read_text()
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


@pytest.mark.nightly
def test_a_server_says_what_the_model_says_here(
    tiny_vision: Callable[[str], Path], twenty: Path, tmp_path: Path, workers_here: None
) -> None:
    folder, out = tiny_vision("qwen2_5_vl"), tmp_path / "out"
    with serving(folder, tmp_path / "server.log") as url:
        parts = ["run", str(twenty), "--out", str(out), "--model", url, "--name", str(folder)]
        assert main([*parts, "--at-once", "2", "--max-tokens", str(TOKENS)]) == 0
    rows = [row for table in tables(EvaluationWork(out)) for row in table.to_pylist()]
    assert [row["question_id"] for row in rows] == [f"q{n:03d}" for n in range(20)]
    local_answerer = open_local(model_of(str(folder), {"dtype": "float32", "device": "cpu"}))
    for (question, srgb8), row in list(zip(questions(20), rows, strict=True))[::7]:
        ask = ImagePrompt(prompt_text(question), partial(np.copy, srgb8))
        (reply,) = local_answerer.answers([ask], Sampling(TOKENS), lambda: False)
        assert isinstance(reply, Reply)
        assert (row["words"], row["ending"]) == (reply.words, reply.ending)
        assert (row["tokens_in"], row["tokens_out"]) == (reply.tokens_in, reply.tokens_out)
