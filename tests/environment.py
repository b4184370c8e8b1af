"""Environments as pip makes them for an extra: the project's wheel, what the extra brings, and
nothing else.

Nothing is downloaded: the files of the packages are linked from the environment that runs the
tests, and the interpreter is a new one that sees no others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("core", "annotation", "storage", "tabs", "truehue", "assets")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, made by ``pip wheel .`` in a copy of it below ``folder``."""
    copy = folder / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "*.pyi")
    for name in SOURCES:
        shutil.copytree(ROOT / name, copy / name, ignore=ignored, copy_function=_place)
    for name in FILES:
        shutil.copy(ROOT / name, copy / name)
    _pip("wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), cwd=copy)
    (wheel,) = folder.glob("truehue-*.whl")
    return wheel


def make_environment(folder: Path, wheel: Path, extra: str = "") -> Path:
    """The Python of a new environment with the wheel and an extra of it; the base without one."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = next((folder / "lib").glob("python*/site-packages"))
    _pip("--python", str(python), "install", "--no-deps", "--no-compile", str(wheel), cwd=folder)
    (own,) = site.glob("truehue-*.dist-info")
    seen: set[str] = set()
    for requirement in _requirements(Distribution.at(own), {extra}):
        _link(requirement, site, seen)
    return python


def size_bytes(python: Path) -> int:
    """What lies in the environment's site-packages; a file that is linked twice counts once."""
    site = next((python.parents[1] / "lib").glob("python*/site-packages"))
    sizes = {entry.st_ino: entry.st_size for entry in map(Path.lstat, site.rglob("*"))}
    return sum(sizes.values())


def _link(requirement: Requirement, site: Path, seen: set[str]) -> None:
    name = canonicalize_name(requirement.name)
    key = f"{name}[{','.join(sorted(requirement.extras))}]"
    if key in seen:
        return
    seen.add(key)
    package = distribution(name)
    for file in package.files or ():
        source, target = Path(str(package.locate_file(file))), site / file
        if ".." not in file.parts and not target.exists() and source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            _place(source, target)
    for needed in _requirements(package, requirement.extras):
        _link(needed, site, seen)


def _requirements(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    """What a package needs here, with some of its extras."""
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            if canonicalize_name(requirement.name) == canonicalize_name(package.name):
                yield from _requirements(package, requirement.extras)
            else:
                yield requirement


def _place(source: str | Path, target: str | Path) -> None:
    """The file at another place too, without its bytes where both lie on one file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _pip(*arguments: str, cwd: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--quiet", "--no-index"],
        cwd=cwd,
        check=True,
        capture_output=True,
    )
