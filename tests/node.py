"""Modules of the page that need no page, run by node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.house import ROOT


def run_module(code: str, value: Any = None, *, jsdom: bool = False) -> Any:
    """What a JavaScript function body returns, of which ``value`` and ``load(name)`` are known.

    ``await load("canvas/layer")`` is the module ``assets/js/canvas/layer.js``. Skips the test where
    node, or with ``jsdom`` that package, is not available.
    """
    node = node_with_jsdom() if jsdom else shutil.which("node")
    if node is None:
        pytest.skip("node is not available")
    script = f"""
      const load = (name) => import({json.dumps((ROOT / "assets/js").as_uri())} + `/${{name}}.js`);
      const read = async () => {{
        let text = '';
        for await (const part of process.stdin) text += part;
        return JSON.parse(text);
      }};
      const run = async (value) => {{ {code} }};
      console.log(JSON.stringify(await run(await read()) ?? null));
    """
    done = subprocess.run(
        [node, "--no-warnings", "--input-type=module", "--eval", script],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def node_with_jsdom() -> str:
    """The program ``node``. Skips the test where node or jsdom is not available."""
    node = shutil.which("node")
    if node is None or not (ROOT / "node_modules/jsdom").is_dir():
        pytest.skip("node or jsdom is not here: install node, then npm ci")
    return node


def run_tests(scripts: Sequence[Path], html: Mapping[str, str], value: Any = None) -> None:
    """Runs files of tests for node in one process, one page for all of them.

    They find ``html``, what Python fills widgets with, and ``value`` as JSON in ``TRUEHUE_PAGE``.
    Skips the test where node or jsdom is not available.
    """
    node = node_with_jsdom()
    *first, last = [str(script) for script in scripts]
    done = subprocess.run(
        [node, "--no-warnings", "--test-force-exit", *(f"--import={item}" for item in first), last],
        cwd=ROOT,
        env={**os.environ, "TRUEHUE_PAGE": json.dumps({"html": html, "value": value})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
