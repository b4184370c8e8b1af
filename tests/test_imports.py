"""The import rule, which folder may know which, held by reading every module's source once; and
that importing does nothing that could be seen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

from tests.house import FOLDERS, Source, arrows, modules, read, read_source

ROOT = Path(__file__).resolve().parents[1]


# The one import root: a bare name could be a user's own package, and would load a module twice.
BARE = re.compile(rf"^\s*(?:from|import)\s+(?:{'|'.join(FOLDERS)})\b", re.MULTILINE)


def test_everything_is_imported_by_the_name_truehue() -> None:
    paths = [ROOT / "app.py", *(path for item in FOLDERS for _, path in modules(item))]
    # Code for a checkout of an earlier commit, whose modules bore bare names.
    former = ROOT / "tests" / "former" / "make.py"
    paths += sorted({*(ROOT / "tests").rglob("*.py")} - {former})
    bare = [path for path in paths if BARE.search(path.read_text("utf-8"))]
    assert [path.relative_to(ROOT).as_posix() for path in bare] == []
    assert BARE.search("def late():\n    from core.color import spaces")
    assert not BARE.search("from truehue.core import color\nimport core_x")


@dataclass(frozen=True)
class Rule:
    """``ours``: folders of ours that may be imported. ``never``: packages that may not be."""

    ours: frozenset[str]
    never: frozenset[str]


RULES = {
    "core": Rule(frozenset({"core"}), frozenset({"gradio", "duckdb"})),
    "annotation": Rule(frozenset({"annotation", "core"}), frozenset({"gradio", "duckdb", "torch"})),
    "storage": Rule(frozenset({"storage", "core"}), frozenset({"gradio", "torch"})),
    "tabs": Rule(
        frozenset({"tabs", "annotation", "storage", "core"}), frozenset({"duckdb", "torch"})
    ),
    "app": Rule(frozenset({"tabs", "annotation", "storage", "core"}), frozenset()),
}
OURS = frozenset({*RULES, "tests"})
# Seconds and hundreds of megabytes each: the page must not wait for what it may never need.
HEAVY = frozenset(
    {
        "torch",
        "torchvision",
        "diffusers",
        "transformers",
        "segment_anything",
        "colour",
        "openai",
        "ray",
        "mcp",
        "scipy.stats",
    }
)


# Rooms that know no more of ours than this, so that others can be built on them.
GROUNDS = {
    "core.batch": ("core.batch", "core.errors", "core.files", "core.machine", "core.packages")
}


def faults(source: str, module: str) -> list[str]:
    """What a module's source imports against the rule, one sentence each."""
    return faults_of(read_source(source, module), module)


def faults_of(source: Source, module: str) -> list[str]:
    folder = module.partition(".")[0]
    by = RULES[folder]
    out = []
    for item in source.imports:
        location = f"{module}, line {item.line}: {folder} may not import {item.name}"
        if item.package in OURS - by.ours or item.package in by.never:
            out.append(location)
        elif item.on_import and (item.package in HEAVY or item.name in HEAVY):
            out.append(f"{location} at module level; import it inside the function that needs it")
    return out


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_knows_only_what_it_may(folder: str) -> None:
    result = modules(folder)
    assert result, f"{folder}/ has no module: has it moved?"
    wrong = [text for name, path in result for text in faults_of(read(path, name), name)]
    assert wrong == []


def beyond_its_ground(arrows: Set[tuple[str, str]]) -> list[str]:
    """What a room of GROUNDS imports of ours beyond what it may know."""

    def within(module: str, room: str) -> bool:
        return module == room or module.startswith(f"{room}.")

    return [
        f"{item} imports {other}"
        for item, other in sorted(arrows)
        for room, known in GROUNDS.items()
        if within(item, room) and not any(within(other, name) for name in known)
    ]


def test_long_work_knows_nothing_of_pictures() -> None:
    assert beyond_its_ground(arrows()) == []
    assert beyond_its_ground(
        {("core.batch.work", "core.images.load"), ("core.batcher.work", "core.images.load")}
    ) == ["core.batch.work imports core.images.load"]


def circles(arrows: Set[tuple[str, str]]) -> list[list[str]]:
    """The groups of those that need each other, each sorted."""
    groups = nx.strongly_connected_components(nx.DiGraph(arrows))
    return sorted(sorted(group) for group in groups if len(group) > 1)


def package_circles(arrows: Set[tuple[str, str]]) -> list[str]:
    """The circles among the packages and modules that lie side by side in a folder, at any depth;
    each as ``folder: one, other``. They can be without a circle of files."""
    floors: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for item, other in arrows:
        parts, others = item.split("."), other.split(".")
        pairs = zip(parts, others, strict=False)
        depth = next((n for n, (a, b) in enumerate(pairs) if a != b), 0)
        if depth:
            floors[".".join(parts[:depth])].add((parts[depth], others[depth]))
    return [
        f"{floor}: {', '.join(group)}"
        for floor, pairs_here in sorted(floors.items())
        for group in circles(pairs_here)
    ]


def test_no_file_or_package_needs_one_that_needs_it() -> None:
    assert circles(arrows()) == []
    assert package_circles(arrows()) == []


def test_a_circle_of_files_is_found() -> None:
    through_a_third = {("core.x", "core.y"), ("core.y", "core.z"), ("core.z", "core.x")}
    assert circles(through_a_third | {("tabs.x", "core.x")}) == [["core.x", "core.y", "core.z"]]
    assert circles({("core.a", "core.a.x"), ("core.a.x", "core.a")}) == [["core.a", "core.a.x"]]
    assert circles({("core.x", "core.y"), ("core.x", "core.z"), ("core.y", "core.z")}) == []


def test_a_circle_of_packages_is_found() -> None:
    through_a_third = {("core.a.x", "core.b.x"), ("core.b.y", "core.c"), ("core.c", "core.a.y")}
    assert package_circles(through_a_third) == ["core: a, b, c"]
    assert circles(through_a_third) == []
    assert package_circles({("core.a.b.x", "core.a.c"), ("core.a.c", "core.a.b.y")}) == [
        "core.a: b, c"
    ]
    assert package_circles({("core.a.x", "core.b.x"), ("tabs.b.x", "core.a.x")}) == []


PAGE, SHARED, FEATURE, SHELL = range(4)
LAYERS = {
    **dict.fromkeys(("feature", "page"), PAGE),
    **dict.fromkeys(("batches", "charts", "library", "sources", "verdicts"), SHARED),
    **dict.fromkeys(("api", "command", "features", "shell"), SHELL),
}
"""The layers of ``tabs``; every package that is not named is a feature. A package imports its own
layer and those before it, but a feature no other feature: what two of them need is shared."""
HALVES = {("studies", "participants")}
"""Studies are one feature in two packages: what participants load stands apart, for it is served to
people who have no account and must not bring the workbench along."""


def against_the_layers(arrows: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The packages of ``tabs`` that import one which they may not, each with that one."""
    inside = [arrow for arrow in arrows if all(name.startswith("tabs.") for name in arrow)]
    pairs = {(item.split(".")[1], other.split(".")[1]) for item, other in inside} - HALVES
    out = set()
    for item, other in pairs:
        layer, below = LAYERS.get(item, FEATURE), LAYERS.get(other, FEATURE)
        if item != other and (below > layer or layer == below == FEATURE):
            out.add((item, other))
    return out


def test_packages_of_tabs_import_only_what_lies_below_them() -> None:
    assert against_the_layers(arrows()) == set()
    assert LAYERS.keys() <= {path.stem for path in (ROOT / "tabs").iterdir()}


def test_an_import_against_the_layers_is_found() -> None:
    right = {
        ("tabs.a.x", "tabs.page.z"),
        ("tabs.a", "tabs.charts.x"),
        ("tabs.charts", "tabs.sources"),
        ("tabs.shell.x", "tabs.a"),
        ("tabs.studies.x", "tabs.participants.y"),
        ("tabs.a", "core.x"),
    }
    wrong = {
        ("tabs.a.x", "tabs.b.y"),
        ("tabs.charts.x", "tabs.a"),
        ("tabs.page.x", "tabs.charts"),
        ("tabs.a", "tabs.shell.x"),
        ("tabs.participants", "tabs.studies"),
    }
    assert against_the_layers(right | wrong) == {
        ("a", "b"),
        ("charts", "a"),
        ("page", "charts"),
        ("a", "shell"),
        ("participants", "studies"),
    }


def test_the_app_itself_loads_nothing_heavy_and_is_alone_at_the_top() -> None:
    assert faults_of(read(ROOT / "app.py", "app"), "app") == []
    # setup.py says where the packages lie.
    assert {path.name for path in ROOT.glob("*.py")} == {"app.py", "setup.py"}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.images.load", "import gradio as gr"),
        ("core.images.load", "from duckdb import connect"),
        ("core.images.load", "def late():\n    import duckdb.typing"),
        (
            "core.images.load",
            "class Late:\n    async def it(self):\n        from gradio import Blocks",
        ),
        ("core.images.load", "try:\n    import storage\nexcept ImportError:\n    storage = None"),
        ("core.images.load", "from tabs.page.links import link"),
        ("core.images.load", "import json, annotation.studies"),
        ("core.images.load", "import app"),
        ("annotation.ranking", "from scipy.stats import norm"),
        ("core.images.load", "from tests.icc import srgb"),
        ("core.images.load", "import importlib\nimportlib.import_module('gradio')"),
        ("core.images.load", "def late():\n    return __import__('duckdb')"),
        ("core.images.load", "if TYPE_CHECKING:\n    from storage.store import Storage"),
        ("core.images.load", "import torch"),
        ("core.images.load", "import os, torch.nn"),
        (
            "core.images.load",
            "try:\n    from transformers import AutoModel\nexcept ImportError: ...",
        ),
        ("core.images.load", "class Model:\n    import colour"),
        ("core.images.load", "if TYPE_CHECKING:\n    ...\nelse:\n    import ray"),
        ("annotation.studies", "from storage import Storage"),
        ("annotation.studies", "def late():\n    import torch"),
        ("annotation.studies", "import tabs"),
        ("storage.store", "import annotation"),
        ("storage.store", "import gradio"),
        ("storage.store", "def late():\n    from torch import nn"),
        ("tabs.inspect.tab", "import duckdb"),
        ("tabs.inspect.tab", "def late():\n    import torch"),
        ("tabs.inspect.tab", "import diffusers"),
        ("tabs.inspect.tab", "from app import main"),
        ("app", "import torchvision"),
    ],
)
def test_a_wrong_import_is_found(module: str, source: str) -> None:
    assert len(faults(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.models", "def load():\n    import torch\n    from diffusers import AutoPipeline"),
        ("core.models", "if TYPE_CHECKING:\n    import torch"),
        ("core.models", "from core.errors import BadInput\nimport numpy as np"),
        ("core.color.spaces", "from . import difference\nfrom .. import images"),
        ("core.models", '"""import gradio"""\ntext = "import duckdb"'),
        ("storage.store", "import duckdb\nfrom core.records import ImageRecord"),
        ("annotation.studies", "import scipy.special\nimport core.records"),
        ("tabs.inspect.tab", "import gradio\nfrom storage import Storage\nimport annotation"),
        ("app", "import gradio, tabs, storage, annotation, core"),
        # A name that only begins like a forbidden one.
        ("core.models", "import gradiometry, torchlike\nfrom application import x"),
    ],
)
def test_a_right_import_is_let_through(module: str, source: str) -> None:
    assert faults(source, module) == []


# Runs in a fresh interpreter: imports the modules that standard input names, room after room, and
# says after each what of it could be noticed from outside.
WITNESS = """
import json, os, sys, threading
written = []
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.symlink", "os.link", "shutil.copyfile")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
def watch(event, arguments):
    if event == "open" and arguments[0] != os.devnull:
        path, mode, flags = arguments
        if (isinstance(flags, int) and flags & WRITING) or (mode and set(mode) & set("wax+")):
            written.append(f"open {path}")
    elif event in CHANGES:
        written.append(f"{event} {arguments[0]}")
sys.addaudithook(watch)
import importlib
for names in json.load(sys.stdin):
    for name in names:
        importlib.import_module(name)
    print(json.dumps({
        "written": written,
        "threads": [thread.name for thread in threading.enumerate()],
        "packages": sorted({name.partition(".")[0] for name in sys.modules}),
    }))
"""


def witness(folder: Path, *names: list[str]) -> list[dict[str, list[str]]]:
    done = subprocess.run(
        # -B: the interpreter's own cache of compiled modules is not ours to judge.
        [sys.executable, "-B", "-c", WITNESS],
        cwd=folder,
        input=json.dumps(names),
        capture_output=True,
        text=True,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(folder)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.process
def test_importing_does_nothing_that_could_be_seen(tmp_path: Path) -> None:
    """``core`` first: each folder brings those that come before it along."""
    folders = ("core", "annotation", "storage")
    names = [
        [f"truehue.{name}" for name, _ in modules(item) if not name.endswith("__main__")]
        for item in folders
    ]
    for folder, seen in zip(folders, witness(tmp_path, *names), strict=True):
        assert seen["written"] == [], folder
        assert seen["threads"] == ["MainThread"], folder
        unwanted = {"gradio", *HEAVY} | (set() if folder == "storage" else {"duckdb"})
        # By a bare name a module would be there twice.
        assert (unwanted | {*FOLDERS}) & set(seen["packages"]) == set(), folder
        assert "truehue" in seen["packages"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_a_module_that_does_something_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "import threading, time\nopen('left.txt', 'w').close()\n"
        "threading.Thread(target=time.sleep, args=(1,), name='left', daemon=True).start()\n"
    )
    quiet, loud = witness(tmp_path, ["json"], ["loud"])
    assert quiet["written"] == []
    assert loud["written"] == ["open left.txt"]
    assert loud["threads"] == ["MainThread", "left"]
