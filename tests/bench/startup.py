"""``python -m tests.bench.startup``: time until the page answers, over an empty Gradio app's.

Both are started as processes in turn, from an environment that exists, on 127.0.0.1; the clock
stops at the first 200 for ``/``. Goal: a ratio of at most 1.3.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
GOAL = 1.3
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


def seconds_until_answer(command: list[str], port: int, limit_s: float = 120.0) -> float:
    """Starts the command and returns the seconds until its page answers; ends it again."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while time.perf_counter() - start < limit_s:
            if process.poll() is not None:
                raise SystemExit(f"{command} ended with status {process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                    if answer.status == 200:
                        return time.perf_counter() - start
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
        raise SystemExit(f"{command} did not answer within {limit_s:.0f} s")
    finally:
        process.terminate()
        process.wait(timeout=30)


def main() -> None:
    """Prints both medians and their ratio, taken pair by pair."""
    ours, empty = [], []
    with tempfile.TemporaryDirectory() as folder:
        for run in range(RUNS + 1):
            port = free_port()
            app = [sys.executable, "app.py", "--data", f"{folder}/data", "--port", str(port)]
            ours_s = seconds_until_answer(app, port)
            port = free_port()
            empty_s = seconds_until_answer([sys.executable, "-c", EMPTY.format(port=port)], port)
            if run:  # the first pair warms the file cache
                ours.append(ours_s)
                empty.append(empty_s)
    ratio = statistics.median(a / b for a, b in zip(ours, empty, strict=True))
    print(f"TrueHue until the page answers   {statistics.median(ours):6.2f} s (median of {RUNS})")
    print(f"empty Gradio app                 {statistics.median(empty):6.2f} s")
    print(
        f"ratio                            {ratio:6.2f}   goal at most {GOAL}: "
        f"{'met' if ratio <= GOAL else 'NOT met'}"
    )


if __name__ == "__main__":
    main()
