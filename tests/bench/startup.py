"""``python -m tests.bench.startup``: processor time until the page answers, over an empty
Gradio app's.

Both are started as processes in turn, from an environment that exists, on 127.0.0.1, up to the
first 200 for ``/``. Goal: a ratio of at most 1.3. The clock is printed too: people wait by it.
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


def processor_s(pid: int) -> float:
    """Seconds of processors that a process has used; 0 where no system says."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_until_answer(
    command: list[str], port: int, limit_s: float = 120.0
) -> tuple[float, float]:
    """Starts the command and returns the processor time and the time until its page answers; ends
    it again."""
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
                        return processor_s(process.pid), time.perf_counter() - start
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
        raise SystemExit(f"{command} did not answer within {limit_s:.0f} s")
    finally:
        process.terminate()
        process.wait(timeout=30)


def main() -> None:
    """Prints both medians and their ratio, taken pair by pair."""
    ours, empty = list[tuple[float, float]](), list[tuple[float, float]]()
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
    for name, times in (("TrueHue until the page answers", ours), ("empty Gradio app", empty)):
        used, clock = (statistics.median(values) for values in zip(*times, strict=True))
        print(f"{name:<33}{used:6.2f} s of processor, {clock:6.2f} s (medians of {RUNS})")
    ratio, waits = (
        statistics.median(a[index] / b[index] for a, b in zip(ours, empty, strict=True))
        for index in (0, 1)
    )
    print(
        f"{'ratio':<33}{ratio:6.2f}   goal at most {GOAL}: {'met' if ratio <= GOAL else 'NOT met'}"
        f"; by the clock {waits:.2f}"
    )


if __name__ == "__main__":
    main()
