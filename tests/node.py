"""Modules of the page that need no page, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.house import ROOT


def run_module(code: str, value: Any = None) -> Any:
    """What a JavaScript function body returns, of which ``value`` and ``load(name)`` are known.

    ``await load("canvas/layer")`` is the module ``assets/js/canvas/layer.js``. Skips the test where
    there is no node.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
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
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
