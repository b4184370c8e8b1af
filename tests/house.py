"""The picture of the house, drawn from the code: ``python -m tests.house`` writes it anew.

In README: the packages of every folder in floors, each of which needs only those below it. In
docs/rooms.md: every package with what it is and its modules.
"""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("core", "annotation", "storage", "tabs")
BEGIN, END = "<!-- drawn by: python -m tests.house -->\n", "<!-- end -->\n"
WIDTH = 100


def modules(folder: str) -> list[tuple[str, Path]]:
    """Dotted name and path of every module below a folder of ours."""
    out = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        out.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return out


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Which module of ours imports which, wherever in its source it does so.

    Doors (``__main__``) are left out: nothing imports them.
    """
    paths = {name: path for folder in FOLDERS for name, path in modules(folder)}
    out = set()
    for module, path in paths.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                out |= {(module, alias.name) for alias in node.names if alias.name in paths}
            elif isinstance(node, ast.ImportFrom) and node.module in paths:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                out |= {(module, name if name in paths else node.module) for name in names}
    return frozenset((one, other) for one, other in out if not one.endswith("__main__"))


def floors(folder: str) -> list[list[str]]:
    """The packages and modules right below a folder, in floors from the top: what is on one needs
    only what is on those below it."""
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(
        {name.split(".")[1] for name, _ in modules(folder) if "." in name} - {"__main__"}
    )
    for one, other in arrows():
        parts, others = one.split("."), other.split(".")
        if parts[0] == others[0] == folder and len(parts) > 1 and len(others) > 1:
            graph.add_edge(others[1], parts[1])
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    # Modules that need each other inside functions stand on one floor.
    whole = nx.condensation(graph)
    members = whole.nodes(data="members")
    return [
        sorted(name for node in floor for name in members[node])
        for floor in reversed(list(nx.topological_generations(whole)))
    ]


def picture() -> str:
    """The floors of all folders, as a block of text."""
    lines = ["app.py"]
    for folder in reversed(FOLDERS):
        label = f"{folder}/"
        for floor in floors(folder) or [["(empty until the first study)"]]:
            names = [name if not (ROOT / folder / name).is_dir() else f"{name}/" for name in floor]
            rows = textwrap.wrap("  ".join(names), WIDTH - 13, break_on_hyphens=False)
            lines += [f"{label if n == 0 else '':12} {row}" for n, row in enumerate(rows)]
            label = ""
    return "```\n" + "\n".join(lines) + "\n```\n"


def rooms() -> str:
    """Every package: what it is, and its modules by name."""
    out = []
    for folder in FOLDERS:
        paths = dict(modules(folder))
        packages = [name for name, path in paths.items() if path.name == "__init__.py"]
        for package in packages:
            doc = ast.get_docstring(ast.parse(paths[package].read_text("utf-8"))) or ""
            own = sorted(
                name.rpartition(".")[2]
                for name in paths
                if name.rpartition(".")[0] == package and name not in packages
            )
            heading = "##" if "." not in package else "###"
            summary = " ".join(doc.split("\n\n")[0].split())
            out.append(
                f"{heading} {package.replace('.', '/')}\n\n{textwrap.fill(summary, WIDTH)}\n"
            )
            if own:
                names = ", ".join(f"`{name}`" for name in own if not name.startswith("__"))
                out.append(textwrap.fill(names, WIDTH, break_on_hyphens=False) + "\n")
    return "\n".join(out)


def drawn(page: str, text: str) -> str:
    """A page with the text between its two marks replaced. Raises ValueError without marks."""
    head, _, rest = page.partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        raise ValueError("The page has no place for the picture of the house.")
    return f"{head}{BEGIN}\n{text}\n{END}{tail}"


PAGES = {ROOT / "README.md": picture, ROOT / "docs" / "rooms.md": rooms}

if __name__ == "__main__":
    for page, draw in PAGES.items():
        page.write_text(drawn(page.read_text("utf-8"), draw()), "utf-8")
