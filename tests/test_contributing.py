"""CONTRIBUTING names files and commits that are there, CITATION this version and the papers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from truehue.core.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = sorted(
    name
    for name in set(re.findall(r"`((?:[a-z_]+/)+[\w.]*)`", TEXT))
    if name.partition("/")[0] in ("core", "annotation", "storage", "tabs", "assets", "tests")
)
EXAMPLES = re.findall(r"^Example: `([0-9a-f]{8})`", TEXT, re.MULTILINE)


def test_every_file_that_is_named_is_there() -> None:
    assert FILES
    assert [name for name in FILES if not (ROOT / name).exists()] == []


def test_every_recipe_has_an_example() -> None:
    recipes = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert len(EXAMPLES) == len(recipes) - len(["Check a change", "Layers"])


@pytest.mark.parametrize("commit", EXAMPLES)
def test_an_example_is_a_commit(commit: str) -> None:
    if not (ROOT / ".git").exists() or git("rev-parse", "--is-shallow-repository")[1] != "false":
        pytest.skip("This is no checkout with its whole history.")
    assert git("cat-file", "-e", f"{commit}^{{commit}}")[0] == 0


def git(*arguments: str) -> tuple[int, str]:
    """The exit status and the output of git."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


def test_the_citation_names_this_version_and_the_four_papers() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {VERSION}\n" in text
    assert len(set(re.findall(r"arXiv:\d{4}\.\d{5}", text))) == 4
