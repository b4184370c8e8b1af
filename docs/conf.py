"""The site of the documentation: ``make docs`` builds it into build/docs.

Every tutorial is executed while it is built: its Python blocks and its commands run in a new
folder, on the reference renderer, and the output of a command is shown below it. The notebook's
cells run in one kernel, with their output. One that fails ends the build.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHON = os.environ.get("TRUEHUE_DOCS_PYTHON", sys.executable)
"""The Python that has TrueHue's packages."""
SHOWN_LINES = 15
"""Of the output of a command."""

project = "TrueHue"
author = "TrueHue's authors"
release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

extensions = ["myst_nb"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
myst_heading_anchors = 3
exclude_patterns = ["requirements.txt"]

html_theme = "furo"
html_title = f"TrueHue {release}"
html_favicon = "../assets/favicon.svg"
html_copy_source = True
html_theme_options = {
    # The gray of the app: colors on a page are judged against what surrounds them.
    "light_css_variables": {"color-brand-primary": "#444", "color-brand-content": "#333"},
    "dark_css_variables": {"color-brand-primary": "#bbb", "color-brand-content": "#ccc"},
}

_NOTEBOOK = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n"
"""What makes a page with cells a notebook for myst_nb, which runs them."""
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+[^)]*)\)")


def executed(name: str, text: str) -> str:
    """A tutorial with the output of its commands. Raises RuntimeError where a block fails."""

    def run(arguments: list[str], source: str | None = None) -> str:
        done = subprocess.run(
            arguments,
            input=source,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            what = shlex.join(arguments) if source is None else source
            raise RuntimeError(f"{name}: a block failed.\n{what}\n{done.stderr}")
        return done.stdout

    def block(match: re.Match[str]) -> str:
        language, body = match.groups()
        if language == "python":
            run([PYTHON, "-"], body)
            return match[0]
        lines = []
        for line in body.splitlines():
            lines.append(line)
            if line.startswith("$ "):
                program, *arguments = shlex.split(line[2:])
                if program != ".venv/bin/python":
                    raise RuntimeError(f"{name}: {line!r} is no command of .venv/bin/python.")
                lines += shortened(run([PYTHON, *arguments]))
        return "```console\n" + "\n".join(lines) + "\n```"

    with tempfile.TemporaryDirectory() as folder:
        return _BLOCK.sub(block, text)


def shortened(output: str) -> list[str]:
    """The first lines of an output."""
    lines = [line[:160] for line in output.splitlines()]
    return lines if len(lines) <= SHOWN_LINES else [*lines[:SHOWN_LINES], "…"]


def within(name: str, text: str) -> str:
    """The text with the name of a file in place of a link that leaves this folder."""

    def link(match: re.Match[str]) -> str:
        path, _, _ = match[2].partition("#")
        target = (ROOT / "docs" / name).parent.joinpath(path).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return match[0]
        file = target.relative_to(ROOT).as_posix()
        return match[1] if match[1].strip("`") == file else f"{match[1]} (`{file}`)"

    return _LINK.sub(link, text)


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Before a page is read."""
    source[0] = within(name, source[0])
    if "```{code-cell}" in source[0]:
        source[0] = _NOTEBOOK + source[0]
    elif name.startswith("tutorial/"):
        source[0] = executed(name, source[0])


def write_llms(app: Any, problem: Exception | None) -> None:
    """llms.txt beside the site, with links to the sources of its pages."""
    if problem is None:
        text = (ROOT / "llms.txt").read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/([^)]*\.md)\)", r"](_sources/\1.txt)", text)
        (Path(app.outdir) / "llms.txt").write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("build-finished", write_llms)
