"""The measures of the house, as warnings: ``python -m tests.measures``, a part of ``make check``.

A file, a function or a package beyond them is looked at, not refused: split where that makes it
clearer, and left where it does not.
"""

from __future__ import annotations

from tests.house import FOLDERS, ROOT, Source, modules, read

MAX_PARAMETERS = 7
MAX_LINES = 400


def warnings_of(source: Source, name: str, package: bool = False) -> list[str]:
    """What stands out in one module, a sentence each."""
    out = [
        f"{name}, line {function.line}: {function.name} takes {len(function.parameters)} parameters"
        for function in source.functions
        if len(function.parameters) > MAX_PARAMETERS
    ]
    if source.lines > MAX_LINES:
        out.append(f"{name}: {source.lines} lines")
    said = [line for line in source.docstring.splitlines() if line]
    if package and (not said or len(set(said)) < len(said)):
        out.append(f"{name}: the package does not say once what it is")
    return out


def main() -> int:
    ours = [("app", ROOT / "app.py"), *(entry for folder in FOLDERS for entry in modules(folder))]
    out = [
        warning
        for name, path in ours
        for warning in warnings_of(read(path, name), name, path.name == "__init__.py")
    ]
    for path in sorted((ROOT / "assets/js").rglob("*.js")):
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_LINES:
            out.append(f"{path.relative_to(ROOT)}: {lines} lines")
    for warning in out:
        print(f"warning: {warning}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
