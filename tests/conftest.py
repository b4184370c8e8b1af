"""Marks of every test by what it uses, and the order of the files.

``browser``: a page in Chromium. ``process``: another process of Python, such as the app, a command
or a worker of a run. ``weights``: the files of a model, however small. ``slow``: more than
``SLOW_S`` when it was last timed (``tests/seconds.json``, written by ``python -m tests.seconds``).
Nobody sets the first three by hand, but ``process`` where only the product knows of it: a test that
starts one without the mark fails.
"""

from __future__ import annotations

import gc
import json
import multiprocessing.process
import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from tests.garbage import frozen

__all__ = ["frozen"]

# The suite has more workers than cores, and they start apps and commands: a second thread of torch
# or BLAS would only spin while it waits for a core. Set before either is imported.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

SLOW_S = 0.4
ROOT = Path(__file__).resolve().parents[1]
SECONDS: dict[str, float] = json.loads((ROOT / "tests" / "seconds.json").read_text())

_FIXTURES = {"chromium_here": "browser"}
# What starts a process, or reads a model's files, wherever a test gets it from.
_MODULES = {
    "subprocess": "process",
    "multiprocessing": "process",
    "tests.tiny_models": "weights",
    "tests.core.generation.tiny_hub": "weights",
    "tests.core.generation.tiny_janus": "weights",
}
_FUNCTIONS = {
    ("core.batch.local_team", "LocalTeam"): "process",
    ("core.diagnosis.run", "diagnose"): "process",
}
# The reference renderer's run in the test's own process, though it could start others.
_KNOWN_WITHOUT = {("tests.core.runs.samples", "done")}


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


# ── marks ────────────────────────────────────────────────────────────────────────────────────────


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks, and files in the order in which they should begin: the longest first."""
    for item in items:
        if isinstance(item, pytest.Function):
            for mark in sorted(_uses_of(item)):
                item.add_marker(mark)
        if item.get_closest_marker("browser"):
            # On a machine that does much else, a page can be late for what a test waits for. What
            # needed a second try is named in the closing lines; what needs it often is a fault.
            item.add_marker(pytest.mark.flaky(reruns=1))
        if SECONDS.get(item.nodeid, 0.0) > SLOW_S:
            item.add_marker("slow")
    seconds = dict.fromkeys((group_of(one.nodeid) for one in items), 0.0)
    for nodeid, duration in SECONDS.items():
        if (group := group_of(nodeid)) in seconds:
            seconds[group] += duration
    items.sort(key=lambda one: -seconds[group_of(one.nodeid)])


def _uses_of(item: pytest.Function) -> set[str]:
    fixtures = item._fixtureinfo.name2fixturedefs
    uses = {_FIXTURES[name] for name in fixtures if name in _FIXTURES}
    for function in [item.function, *(one.func for all in fixtures.values() for one in all)]:
        uses |= _uses(function)
    return uses


_known: dict[int, frozenset[str]] = {}


def _uses(thing: Any) -> frozenset[str]:
    """The marks that follow from what a function, a class or a module of the tests names."""
    if id(thing) in _known:
        return _known[id(thing)]
    _known[id(thing)] = frozenset()  # what calls itself adds nothing
    module = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
    name = getattr(thing, "__qualname__", "")
    out: set[str] = set()
    if isinstance(module, str):
        out |= {mark for of, mark in _MODULES.items() if f"{module}.".startswith(f"{of}.")}
        out |= {mark for place, mark in _FUNCTIONS.items() if place == (module, name)}
        if module.startswith("tests.") and (module, name) not in _KNOWN_WITHOUT:
            for base in getattr(thing, "__bases__", ()):
                out |= _uses(base)
            for code, known in _codes(thing):
                out |= _named(code, known)
    _known[id(thing)] = frozenset(out)
    return _known[id(thing)]


def _codes(thing: Any) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """The code of a function or of the methods of a class, with what its names mean."""
    thing = getattr(thing, "__wrapped__", thing)
    if isinstance(thing, FunctionType):
        yield thing.__code__, thing.__globals__
    elif isinstance(thing, type):
        for one in vars(thing).values():
            yield from _codes(getattr(one, "fget", None) or getattr(one, "__func__", one))


def _named(code: CodeType, known: dict[str, Any]) -> set[str]:
    out: set[str] = set()
    things = [known.get(name, sys.modules.get(name)) for name in code.co_names]
    for thing in things:
        if thing is None:
            continue
        out |= _uses(thing)
        if isinstance(thing, ModuleType) and thing.__name__.startswith("tests."):
            for name in code.co_names:
                out |= _uses(getattr(thing, name, None))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            out |= _named(inner, known)
    return out


# ── the guard ────────────────────────────────────────────────────────────────────────────────────

_started: list[str] = []


def _watch_processes() -> None:
    """Notes every process of Python that is started, however."""
    popen, start = subprocess.Popen.__init__, multiprocessing.process.BaseProcess.start

    def noted_popen(self: Any, args: Any, *more: Any, **options: Any) -> None:
        words = [args] if isinstance(args, str | bytes) else [str(one) for one in args]
        if any(sys.executable in str(word) for word in words[:1]):
            _started.append(" ".join(map(str, words))[:200])
        popen(self, args, *more, **options)

    def noted_start(self: Any) -> None:
        _started.append(self.name)
        start(self)

    subprocess.Popen.__init__ = noted_popen  # type: ignore[assignment]
    multiprocessing.process.BaseProcess.start = noted_start  # type: ignore[method-assign]


_watch_processes()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _started.clear()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if _started and not item.get_closest_marker("process"):
        pytest.fail(
            f"This test starts a process ({_started[0]}), which its code does not show: mark it "
            "with @pytest.mark.process."
        )


# ── order ────────────────────────────────────────────────────────────────────────────────────────


# A scheduler has no tests, only their names: it looks for the same modules in the files' texts.
_WEIGHTS_MODULES = [name for name, mark in _MODULES.items() if mark == "weights"]
_OPENS_WEIGHTS = re.compile(
    "|".join(map(re.escape, [*_WEIGHTS_MODULES, "tests.core.generation.conftest"]))
)


def group_of(nodeid: str) -> str:
    """What one process runs all tests of: the file, or all files with the small models, of which
    each process would import the libraries and write the weights anew."""
    file = nodeid.split("::", 1)[0]
    return "weights" if not file.startswith("tests/browser/") and opens_weights(file) else file


@cache
def opens_weights(file: str) -> bool:
    """Whether a file of tests, or the ``conftest.py`` beside it, names the small models."""
    paths = {ROOT / file, (ROOT / file).parent / "conftest.py"} - {Path(__file__)}
    return any(path.is_file() and _OPENS_WEIGHTS.search(path.read_text()) for path in paths)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """``--dist loadfile`` with our groups."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Scheduling(config, log)


def pytest_configure(config: pytest.Config) -> None:
    # The order is ours: xdist would begin with the files of most tests, not with the longest.
    config.option.loadscopereorder = False


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why a test was tried again, which pytest-rerunfailures leaves out."""
    for report in terminalreporter.stats.get("rerun", ()):
        lines = [line for line in report.longreprtext.splitlines() if line.startswith(("E ", ">"))]
        terminalreporter.write_line(f"{report.nodeid} was tried again:")
        for line in lines[:12]:
            terminalreporter.write_line(f"  {line}")
