"""Scripts that are sent in fewer bytes say the same."""

from __future__ import annotations

import pytest
from rjsmin import jsmin

from tests.house import ROOT
from tests.node import run_module


def test_every_module_means_the_same_as_before() -> None:
    """By the syntax trees of acorn, where the checkers of scripts are installed."""
    acorn = ROOT / "node_modules/acorn/dist/acorn.mjs"
    if not acorn.exists():
        pytest.skip("npm ci was not run")
    scripts = {path.name: path.read_text("utf-8") for path in ROOT.glob("assets/js/*/*.js")}
    differing = run_module(
        """
        const { parse } = await import(value.acorn);
        const plain = (key, part) => (key === 'start' || key === 'end' ? undefined : part);
        const tree = (text) =>
          JSON.stringify(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), plain);
        const differs = ([, one, other]) => tree(one) !== tree(other);
        return value.pairs.filter(differs).map(([name]) => name);
        """,
        {
            "acorn": acorn.as_uri(),
            "pairs": [(name, text, jsmin(text)) for name, text in scripts.items()],
        },
    )
    assert differing == []
