"""What holds for every test: marks that are true, no leftovers for the garbage collector, and
closing lines that say what was left out and what took long.

Marks stand in the files of tests (``pytestmark``). ``docs/reference/testing.md`` says which kind of
test a claim wants, and what it costs.
"""

from __future__ import annotations

import gc
import multiprocessing.process
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.garbage import frozen
from tests.nursery import Nursery

__all__ = ["frozen"]

# The suite has more workers than cores, and they start apps and commands: a second thread of torch
# or BLAS would only spin while it waits for a core. Set before either is imported.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

# Each proposal of a mask takes a second: apps of tests have the network where a test gives it to
# them (tests/salient.py), and behave the same on a machine without it.
os.environ["TRUEHUE_U2NETP"] = os.environ["TRUEHUE_COCO_SSD"] = os.devnull

# The gate tries the same examples each time, however slow the machine; the night tries others.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("night", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))

LONG_S = 12 * 60
QUARANTINE = Path(__file__).with_name("quarantine.toml")
_left_to_the_night = pytest.StashKey[int]()
_begun = pytest.StashKey[float]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_begun] = time.monotonic()
    config.stash[_left_to_the_night] = 0
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker and config.args == config.getini("testpaths"):
        _begin_with_another_part(config, int(worker["workerid"][2:]) / worker["workercount"])


def _begin_with_another_part(config: pytest.Config, offset: float) -> None:
    """The processes of a run import the same tests, but each begins with another part of them: in a
    fresh clone it compiles this part and finds the others compiled. All took each of them 20 s."""
    files = sorted(str(path) for path in Path(__file__).parent.rglob("test_*.py"))
    first = int(offset * len(files))
    config.args[:] = files[first:] + files[:first]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """``make quick`` leaves out files by their mark, and does not import them: that is half of the
    time that importing takes."""
    conditions = str(config.getoption("markexpr")).split(" and ")
    if collection_path.suffix != ".py" or not all(text.startswith("not ") for text in conditions):
        return None
    marks = re.findall(r"^pytestmark = .*$", collection_path.read_text("utf-8"), re.MULTILINE)
    left_out = {f"pytest.mark.{text.removeprefix('not ')}" for text in conditions}
    return True if left_out & set(re.findall(r"pytest\.mark\.\w+", " ".join(marks))) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """All that is made while the tests are imported stays: looking for garbage in it over and over
    took a seventh of that time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The same order in all processes. A test in quarantine runs, and its failure fails nothing."""
    items.sort(key=lambda item: item.path)
    reasons: dict[str, str] = tomllib.loads(QUARANTINE.read_text("utf-8"))
    for item in items:
        if item.nodeid in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[item.nodeid], strict=False))


# ── marks ────────────────────────────────────────────────────────────────────────────────────────

_started: list[str] = []


def _watch_processes() -> None:
    """Notes every process of Python that is started, however."""
    popen, start = subprocess.Popen.__init__, multiprocessing.process.BaseProcess.start

    def noted_popen(self: Any, args: Any, *more: Any, **options: Any) -> None:
        parts = [args] if isinstance(args, str | bytes) else [str(arg) for arg in args]
        if any(sys.executable in str(word) for word in parts[:1]):
            _started.append(" ".join(map(str, parts))[:200])
        popen(self, args, *more, **options)

    def noted_start(self: Any) -> None:
        _started.append(self.name)
        start(self)

    forked = Nursery.start

    def noted_app(self: Nursery, *values: Any, **options: Any) -> Any:
        _started.append("an app of the nursery")
        return forked(self, *values, **options)

    Nursery.start = noted_app  # type: ignore[method-assign]
    subprocess.Popen.__init__ = noted_popen  # type: ignore[assignment]
    multiprocessing.process.BaseProcess.start = noted_start  # type: ignore[method-assign]


_watch_processes()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _started.clear()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if _started and not any(map(item.get_closest_marker, ("process", "browser"))):
        pytest.fail(f"This test starts a process ({_started[0]}): mark it @pytest.mark.process.")


# ── closing lines ────────────────────────────────────────────────────────────────────────────────


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("nightly"):
            item.config.stash[_left_to_the_night] += 1


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist collects the tests, and tells the process that prints."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_to_the_night"] = session.config.stash[_left_to_the_night]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    left = getattr(node, "workeroutput", {}).get("left_to_the_night", 0)
    node.config.stash[_left_to_the_night] = max(left, node.config.stash[_left_to_the_night])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if left := config.stash[_left_to_the_night]:
        terminalreporter.write_line(f"{left} tests are left to the night: make test-nightly")
    if (took := time.monotonic() - config.stash[_begun]) > LONG_S:
        terminalreporter.write_line(
            f"The tests took {took / 60:.0f} minutes, more than {LONG_S // 60}: see the slowest of "
            "them above, and docs/reference/testing.md for what each kind may cost.",
            yellow=True,
        )
