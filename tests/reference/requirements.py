"""``requirements.txt``: the base of pyproject.toml and what its extra ``all`` names, in one list.

A Space of Hugging Face installs this list before it has the project, and so do ``make run`` and
``make test``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
HEAD = "# All that TrueHue runs on. Written from pyproject.toml by python -m tests.reference."


def extras() -> dict[str, list[str]]:
    """The requirements of the base, under "", and of each extra, as pyproject.toml says them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"": project["dependencies"], **project["optional-dependencies"]}


def requirements_list() -> str:
    """The text of the file."""
    lines, seen = [HEAD], set[str]()
    (everything,) = (Requirement(line) for line in extras()["all"])
    for name, requirements in extras().items():
        if name and name not in everything.extras:
            continue
        more = _more(requirements, seen)
        seen.update(more)
        if more:
            lines += ["", f"# {name or 'the base'}", *more]
    return "\n".join(lines) + "\n"


def _more(requirements: Sequence[str], seen: set[str]) -> list[str]:
    return [item for item in requirements if item not in seen and not item.startswith("truehue[")]
