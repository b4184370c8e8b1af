"""``python -m tests.bench.startup``: processor time until the page answers, over an empty Gradio app's.

Both are started as processes in turn, from an environment that exists, on 127.0.0.1. Processor time
(user and system) is the process's own, read at the first 200 for ``/``. Compiled modules lie in a
folder of the bench, as those of an installed package lie beside it. Goal: a ratio of at most 1.2.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
GOAL = 1.2
EMPTY = (
    "import gradio as gr\n"
    "with gr.Blocks() as demo:\n    pass\n"
    "demo.launch(server_name='127.0.0.1', server_port={port}, quiet=True)\n"
)


def free_port() -> int:
    """A port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def empty_app(port: int) -> list[str]:
    """The command of an app of Gradio's with nothing in it."""
    return [sys.executable, "-c", EMPTY.format(port=port)]


def truehue(data: Path, port: int) -> list[str]:
    """The command of our app."""
    return [sys.executable, "app.py", "--data", str(data), "--port", str(port)]


@contextmanager
def serving(
    command: Sequence[str],
    port: int,
    checkout: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    limit_s: float = 120.0,
) -> Iterator[psutil.Process]:
    """The process of a command once its page has answered; it ends with the block."""
    process = subprocess.Popen(
        command,
        cwd=checkout,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(checkout), **(environment or {})},
    )
    end = time.monotonic() + limit_s
    try:
        while not _answers(port):
            if process.poll() is not None:
                raise SystemExit(f"{command} ended with status {process.returncode}")
            if time.monotonic() > end:
                raise SystemExit(f"{command} did not answer within {limit_s:.0f} s")
            time.sleep(0.02)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def processor_seconds(
    command: Sequence[str], port: int, checkout: Path, environment: Mapping[str, str]
) -> float:
    """Processor time that a command takes until its page answers."""
    with serving(command, port, checkout, environment) as process:
        return used_s(process.pid)


def used_s(pid: int) -> float:
    """Processor time that a process has used."""
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def main() -> None:
    """Prints both medians and their ratio, taken pair by pair."""
    checkout = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    ours, empty = [], []
    with tempfile.TemporaryDirectory() as folder:
        compiled = {"PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}
        for run in range(RUNS + 1):
            port = free_port()
            app = truehue(Path(folder) / "data", port)
            ours_s = processor_seconds(app, port, checkout, compiled)
            port = free_port()
            empty_s = processor_seconds(empty_app(port), port, checkout, compiled)
            if run:  # the first pair compiles
                ours.append(ours_s)
                empty.append(empty_s)
    ratio = statistics.median(a / b for a, b in zip(ours, empty, strict=True))
    print(f"TrueHue until the page answers   {statistics.median(ours):6.2f} s (median of {RUNS})")
    print(f"empty Gradio app                 {statistics.median(empty):6.2f} s")
    print(
        f"ratio of processor time          {ratio:6.2f}   goal at most {GOAL}: "
        f"{'met' if ratio <= GOAL else 'NOT met'}"
    )


if __name__ == "__main__":
    main()
