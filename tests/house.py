"""The modules of every folder, and what each imports, defines and says of itself."""

from __future__ import annotations

import ast
import gc
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("core", "annotation", "storage", "tabs")


@cache
def modules(folder: str) -> tuple[tuple[str, Path], ...]:
    """Dotted name and path of every module below a folder of ours."""
    out = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        out.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return tuple(out)


@dataclass(frozen=True)
class Import:
    """One imported name. ``on_import``: it runs when the module itself is imported. ``members`` are
    what ``from name import`` names."""

    name: str
    line: int
    on_import: bool
    members: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Function:
    """A function or method by its name, with its parameters but the object or class."""

    name: str
    line: int
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """What the tests want to know of a module's source: all its imports, also those inside
    functions and those by a call, its functions, and its docstring."""

    imports: tuple[Import, ...]
    functions: tuple[Function, ...]
    docstring: str
    lines: int


@cache
def read(path: Path, module: str) -> Source:
    """What the source of a file says, read once: all of them take a second and a half."""
    return read_source(path.read_text("utf-8"), module)


def read_source(source: str, module: str) -> Source:
    """``module`` is the dotted name, which relative imports are resolved against."""
    imports: list[Import] = []
    functions: list[Function] = []
    # Only then may an import hide in an expression, of which there are ten times as many.
    calls = "__import__" in source or "import_module" in source

    def visit(node: ast.AST, on_import: bool) -> None:
        if isinstance(node, ast.Import):
            imports.extend(Import(_short(item.name), node.lineno, on_import) for item in node.names)
            return
        if isinstance(node, ast.ImportFrom):
            # What is above a folder of ours is no package, so a relative import stays inside.
            name = _short(node.module or "") if not node.level else module.partition(".")[0]
            members = () if node.level else tuple(alias.name for alias in node.names)
            imports.append(Import(name, node.lineno, on_import, members))
            return
        if isinstance(node, ast.Call) and _is_import_call(node):
            first = node.args[0]
            assert isinstance(first, ast.Constant)
            imports.append(Import(_short(str(first.value).lstrip(".")), node.lineno, on_import))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                visit(child, False)
            for child in node.orelse:
                visit(child, on_import)
            return
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append(Function(node.name, node.lineno, _parameters(node)))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.iter_child_nodes(node):
            if calls or not isinstance(inner, ast.expr):
                visit(inner, on_import and not inside)

    # Nodes hold each other by the hundred thousand, and the collector would look at them all.
    collecting = gc.isenabled()
    gc.disable()
    try:
        tree = ast.parse(source)
        visit(tree, True)
        docstring = ast.get_docstring(tree) or ""
    finally:
        if collecting:
            gc.enable()
    return Source(tuple(imports), tuple(functions), docstring, len(source.splitlines()))


def _short(name: str) -> str:
    """An imported name as it is said here: modules of ours by their folder."""
    return name.removeprefix("truehue.")


def _is_import_call(node: ast.Call) -> bool:
    """``__import__("name")`` or ``import_module("name")``, however the latter was imported."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    named = bool(node.args) and isinstance(node.args[0], ast.Constant)
    return named and called in ("__import__", "import_module")


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    values = function.args
    gathered = [rest for rest in (values.vararg, values.kwarg) if rest]
    every = [*values.posonlyargs, *values.args, *values.kwonlyargs, *gathered]
    names = [parameter.arg for parameter in every]
    return tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names)


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Which module of ours imports which, wherever in its source it does so.

    Doors (``__main__``) are left out: nothing imports them.
    """
    paths = {name: path for folder in FOLDERS for name, path in modules(folder)}
    out = set()
    for module, path in paths.items():
        for item in read(path, module).imports:
            if item.name in paths:
                names = [f"{item.name}.{member}" for member in item.members] or [item.name]
                out |= {(module, name if name in paths else item.name) for name in names}
    return frozenset((entry, other) for entry, other in out if not entry.endswith("__main__"))
