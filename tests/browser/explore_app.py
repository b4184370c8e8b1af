"""The app with a diagnosis small enough to wait for, and with a report that a test chooses.

``python -m tests.browser.explore_app SHIPPED --data FOLDER --port PORT``; SHIPPED may be missing.
Everything else is the app as it is.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.running import ROOT, STOP_S, App, _wait, free_port, quick

OBJECTS, LIGHTS, SIZE_PX = ("cube", "mug"), ("overcast", "hard"), 96


@contextmanager
def small_app(folder: Path, shipped: Path) -> Iterator[App]:
    """The app in a process of its own, with its data below ``folder``."""
    port = free_port()
    log = folder / f"explore-{port}.log"
    line = [sys.executable, "-m", "tests.browser.explore_app", str(shipped), "--data",
            str(folder / "data"), "--port", str(port)]  # fmt: skip
    with log.open("wb") as out:
        process = subprocess.Popen(
            line, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=quick()
        )  # fmt: skip
    app = App(f"http://127.0.0.1:{port}", folder / "data", process, log)
    try:
        _wait(app)
        yield app
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main() -> int:
    """Sets what a test needs and runs the app."""
    # Here and not above: the workers of a diagnosis import this module too.
    import functools

    import app
    from tabs import explore_report, explore_run, routes_explore

    explore_report.SHIPPED_FILE = Path(sys.argv[1])
    explore_run.OBJECTS, explore_run.DEFAULT_LIGHTS = OBJECTS, LIGHTS  # type: ignore[assignment]
    routes_explore.start_run = functools.partial(explore_run.start_run, size_px=SIZE_PX)
    return app.main(sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
