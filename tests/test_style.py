"""The measures of the house: how many parameters a function takes, how many lines a module has, and
that each package says what it is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house import FOLDERS, ROOT, modules

MOST_PARAMETERS = 7
MOST_LINES = 400


def ours() -> list[tuple[str, Path]]:
    """Dotted name and path of every module of the app."""
    return [("app", ROOT / "app.py"), *(entry for folder in FOLDERS for entry in modules(folder))]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The names of a function's parameters, without the object or the class of a method."""
    given = function.args
    gathered = [rest for rest in (given.vararg, given.kwarg) if rest]
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *gathered]
    names = [parameter.arg for parameter in every]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def crowded(source: str, module: str) -> list[str]:
    """The functions of a module's source that take too many parameters, one sentence each."""
    return [
        f"{module}, line {node.lineno}: {node.name} takes {len(parameters(node))} parameters"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and len(parameters(node)) > MOST_PARAMETERS
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_package_says_once_what_it_is(folder: str) -> None:
    for name, path in modules(folder):
        if path.name == "__init__.py":
            said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            lines = [line for line in said.splitlines() if line]
            assert lines, f"{name} has no docstring: docs/rooms.md would say nothing of it"
            assert len(set(lines)) == len(lines), f"{name} says it twice"


def test_more_than_seven_parameters_are_a_record() -> None:
    assert [text for name, path in ours() for text in crowded(path.read_text("utf-8"), name)] == []


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in ours()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_every_kind_of_parameter_counts_and_self_does_not() -> None:
    eight = "def of(a, b, /, c, d, *rest, e, f, **more): ..."
    assert crowded(eight, "core.one") == ["core.one, line 1: of takes 8 parameters"]
    method = "class Of:\n    async def of(self, a, b, c, d, e, f, g): ..."
    assert crowded(method, "core.one") == []
    assert len(crowded(method.replace("self", "static"), "core.one")) == 1
