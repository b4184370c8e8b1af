"""Gradio's import, without what TrueHue has no use for."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import inspect, sys
opened = []
def watch(event, arguments):
    if event == "open" and "/components/" in str(arguments[0]) and ".pyi" in str(arguments[0]):
        opened.append(arguments[0])
sys.addaudithook(watch)
getfile = inspect.getfile
from truehue.tabs.command.serve import import_gradio
import_gradio()
import gradio
print(opened, "mcp" in sys.modules, inspect.getfile is getfile, gradio.HTML("x").html_template)
"""


@pytest.mark.process
def test_gradio_writes_no_stub_files_and_imports_no_mcp() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.split() == ["[]", "False", "True", "${value}"]
