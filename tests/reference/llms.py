"""llms.txt: the pages of docs for programs that read, each with what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "tutorial": "Tutorials",
    "guides": "Guides",
    "reference": "Reference",
    "science": "Science",
}
START = """\
# TrueHue

> A Gradio workbench for color in generative models: generate or import images, measure the colors
> of their objects, run benchmarks, compare colors with people's, and run studies with people.

Python 3.11, DuckDB, plain ES modules. `make run` starts the app, and `python -m truehue` lists the
commands. The layers are `app.py`, `tabs/`, `annotation/` and `storage/`, and `core/`; each imports
only those below it. [CONTRIBUTING](CONTRIBUTING.md) has recipes for changes.
"""


def llms_page() -> str:
    """The text of llms.txt."""
    return START + "".join(_parts())


def _parts() -> Iterator[str]:
    for folder, title in PARTS.items():
        yield f"\n## {title}\n\n"
        for path in sorted((ROOT / "docs" / folder).rglob("*.md")):
            text = path.read_text(encoding="utf-8")
            heading = re.match(r"# (.+)", text)
            start = " ".join(text.partition("**Answers:**")[2].partition("\n\n")[0].split())
            assert heading, f"{path} has no title."
            says = f": {start}" if start else ""
            yield f"- [{heading[1]}]({path.relative_to(ROOT).as_posix()}){says}\n"
