"""A Hugging Face Space that serves TrueHue: the folder with its files, and its creation on the hub.

The keys of the header are those of
https://huggingface.co/docs/hub/spaces-config-reference. A Space installs ``requirements.txt``
together with ``gradio[oauth,mcp]`` before it has the other files, so the requirements name every
version, and TrueHue itself lies beside them as the folder ``truehue``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, metadata
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import whole_folder
from truehue.core.packages import EXTRAS, how_to_install

PACKAGES = ("core", "annotation", "storage", "tabs", "assets")
FILES = frozenset(
    {"LICENSE", "README.md", "app.py", "requirements.txt", "thumbnail.png", "truehue"}
)
THUMBNAIL = "generate-light.png"
"""The screenshot that the hub shows of a Space; of the screenshots it alone is in the wheel."""
BUCKET_FOLDER = "/data"
"""Where a Space's storage bucket is mounted."""
BUCKET_BACKUP = "space.truehue-backup.zip"
"""The file in the bucket that has the data of a Space with accounts."""
CHOSEN_EXTRAS = ("app", "all")
_ROOT = Path(__file__).resolve().parents[1]
"""The checkout, or the package ``truehue`` where it is installed."""
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!+_-]+)")
_PAPER = re.compile(r"\|.*\(https://arxiv\.org/abs/")
"""A row of the README's table of papers."""
_SPACE_EXTRAS = ("oauth", "mcp")
"""The extras of Gradio that a Space installs by itself."""
_SPACE = {
    "python_version": "3.12",
    "python_full_version": "3.12.0",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "os_name": "posix",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}
"""The interpreter of a Space, as the markers of requirements name it."""
_APP = '''"""TrueHue's page in a Space."""

import sys

from truehue.core.command import run_command
from truehue.tabs.command.serve import main

OPTIONS = {options!r}

if __name__ == "__main__":
    run_command(lambda: main([*OPTIONS, *sys.argv[1:]]), teardown=False)
'''
_BODY = """
# {title}

TrueHue measures whether generated images have the colors that their prompts request. {access}

It joins the protocols of four papers:

| protocol | paper |
|---|---|
{papers}

This folder was written by `truehue space create`, TrueHue {version}. Create it again to update it.
"""
_DEMO = """\
This is a demonstration: every visitor has a workspace of
their own, which is deleted after a day."""
_ACCOUNTS = "People with an account sign in, with Hugging Face or a password."


@dataclass(frozen=True)
class SpaceRequest:
    """A Space to write. ``repo_id`` is OWNER/NAME on the hub. ``extra`` is one of
    :data:`CHOSEN_EXTRAS`, what the Space installs. ``demo``: everybody is a visitor; otherwise
    people sign in. ``bucket`` is OWNER/NAME of the storage bucket that keeps the backups of a Space
    with accounts."""

    repo_id: str
    title: str = "TrueHue"
    extra: str = "app"
    demo: bool = True
    bucket: str = ""

    def __post_init__(self) -> None:
        for name in filter(None, (self.repo_id, self.bucket)):
            if not _REPO.fullmatch(name):
                raise BadInput(f"Name it as OWNER/NAME, such as ann/truehue, not {name[:80]!r}.")
        if self.bucket and self.demo:
            raise BadInput(
                "A demonstration keeps nothing in a bucket: add --no-demo, or leave it out."
            )
        if self.extra not in CHOSEN_EXTRAS:
            raise BadInput(
                f"The extra is one of {', '.join(CHOSEN_EXTRAS)}, not {self.extra[:40]!r}."
            )


def write_space(request: SpaceRequest, folder: Path) -> Path:
    """Write the files of a Space into ``folder``, which is new or empty, or was written by this
    before; then its files give way. Raises BadInput for a folder with others, and for packages
    whose versions are not known since they are not installed."""
    pins = pinned(request.extra)
    if folder.exists() and not (
        folder.is_dir() and {path.name for path in folder.iterdir()} <= FILES
    ):
        raise BadInput(f"{folder} has other files in it. Name a new or empty folder with --folder.")
    with whole_folder(folder) as half:
        _copy_sources(half)
        (half / "README.md").write_text(readme(request, pins), encoding="utf-8")
        options = [] if request.demo else ["--no-demo"]
        (half / "app.py").write_text(_APP.format(options=options), encoding="utf-8")
        (half / "requirements.txt").write_text(requirements(pins), encoding="utf-8")
    return folder


def header(request: SpaceRequest, pins: Mapping[str, str]) -> dict[str, Any]:
    """The settings of a Space, as its README.md begins with them: those of TrueHue's own README,
    with the exact version of Gradio and what depends on the request."""
    import yaml

    own = yaml.safe_load(_readme_text().split("---\n")[1])
    models = _models() if request.extra == "all" else []
    return {
        **own,
        "title": request.title,
        "sdk_version": pins["gradio"].partition("==")[2],
        "thumbnail": f"https://huggingface.co/spaces/{request.repo_id}/resolve/main/thumbnail.png",
        # A list that is not here is guessed from the sources, which name every model.
        "models": models,
        "datasets": [],
        **({} if request.demo else {"hf_oauth": True}),
        "suggested_hardware": "l4x1" if models else "cpu-basic",
        "startup_duration_timeout": "1h" if models else "30m",
    }


def readme(request: SpaceRequest, pins: Mapping[str, str]) -> str:
    """README.md: the header, and what visitors of the repository read. It links the papers, so that
    the hub lists the Space with them."""
    import yaml

    from truehue.core.version import VERSION

    papers = "\n".join(line for line in _readme_text().splitlines() if _PAPER.match(line))
    top = yaml.safe_dump(header(request, pins), sort_keys=False, allow_unicode=True, width=1000)
    body = _BODY.format(
        title=request.title,
        access=_DEMO if request.demo else _ACCOUNTS,
        papers=papers,
        version=VERSION,
    )
    return f"---\n{top}---\n{body}"


def requirements(pins: Mapping[str, str]) -> str:
    """requirements.txt: a version of every package."""
    top = "# Written by truehue space create: what TrueHue runs on, each with its tested version."
    return "\n".join([top, *(pins[name] for name in sorted(pins)), ""])


def pinned(extra: str) -> dict[str, str]:
    """A requirement line for every package that an extra needs in a Space, by its plain name.

    Versions are those of constraints.txt in a checkout, else those that are installed. Where a
    Space's own ``gradio[oauth,mcp]`` allows no such version, the line has the range that it allows,
    and packages that are bound to that version are left to pip. Raises BadInput where the extra is
    not installed: nobody knows then what its packages need.
    """
    from packaging.utils import canonicalize_name

    versions = _constraints()
    ranges = {
        str(canonicalize_name(item.name)): f"{item.name}{item.specifier}"
        for item in _needs(distribution("gradio"), frozenset(_SPACE_EXTRAS))
        if not item.specifier.contains(_version(item.name, versions) or "0", prereleases=True)
    }
    names = _closure(_truehue_requirements(extra), frozenset(ranges))
    return {name: ranges.get(name) or f"{name}=={_version(name, versions)}" for name in names}


def _closure(requirements: Iterable[Any], ends: frozenset[str]) -> list[str]:
    """The plain names of all packages that these need in a Space; what those in ``ends`` need is
    not looked for."""
    from packaging.utils import canonicalize_name

    waiting, seen = list(requirements), set()
    while waiting:
        item = waiting.pop()
        name, extras = canonicalize_name(item.name), frozenset(item.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            waiting += [] if name in ends else _needs(distribution(name), extras)
        except PackageNotFoundError:
            raise BadInput(_not_installed(item.name)) from None
    return sorted({name for name, _ in seen})


def _not_installed(name: str) -> str:
    code = name.replace("-", "_")
    extra = next((extra for extra, names in EXTRAS.items() if code in names), "all")
    return how_to_install([name], "write a Space that has it", extra)


def _needs(package: Distribution, extras: frozenset[str]) -> list[Any]:
    """What a package needs in a Space, with some of its extras."""
    from packaging.requirements import Requirement

    return [
        requirement
        for requirement in map(Requirement, package.requires or ())
        if requirement.marker is None
        or any(requirement.marker.evaluate({**_SPACE, "extra": e}) for e in {"", *extras})
    ]


def _truehue_requirements(extra: str) -> list[Any]:
    """What TrueHue needs with an extra, its extras that name each other resolved."""
    from packaging.requirements import Requirement

    if (_ROOT / "pyproject.toml").is_file():
        import tomllib

        project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project["optional-dependencies"]

        def of(name: str) -> list[Any]:
            items = [Requirement(line) for line in extras[name]]
            others = [item for item in items if item.name != "truehue"]
            inner = {part for item in items if item.name == "truehue" for part in item.extras}
            return others + [item for part in sorted(inner) for item in of(part)]

        return [Requirement(line) for line in project["dependencies"]] + of(extra)
    waiting, done, found = [extra], set(), []
    while waiting:
        name = waiting.pop()
        done.add(name)
        for item in _needs(distribution("truehue"), frozenset({name})):
            if item.name == "truehue":
                waiting += [part for part in item.extras if part not in done]
            else:
                found.append(item)
    return found


def _constraints() -> dict[str, str]:
    """The versions of constraints.txt; none where TrueHue is installed, which has no such file."""
    from packaging.utils import canonicalize_name

    path = _ROOT / "constraints.txt"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return {
        canonicalize_name(match[1]): match[2] for line in lines if (match := _PIN.fullmatch(line))
    }


def _version(name: str, versions: Mapping[str, str]) -> str:
    """The version of a package, without the part that says on which index it was built; empty for
    one that is not here."""
    from packaging.utils import canonicalize_name

    try:
        number = versions.get(canonicalize_name(name)) or distribution(name).version
    except PackageNotFoundError:
        return ""
    return number.partition("+")[0]


def _readme_text() -> str:
    """TrueHue's README; an installed TrueHue has it as its description."""
    path = _ROOT / "README.md"
    return (
        path.read_text("utf-8") if path.is_file() else str(metadata("truehue").json["description"])
    )


def _license() -> Path:
    path = _ROOT / "LICENSE"
    if path.is_file():
        return path
    files = distribution("truehue").files or ()
    return Path(str(next(file.locate() for file in files if file.name == "LICENSE")))


def _models() -> list[str]:
    """The hub's names of the generators, detectors and segmenters that a Space can load."""
    from truehue.core.generation.registry import MODELS
    from truehue.core.masks.grounded.weights import VISION_MODELS

    repos = [entry.repo for entry in MODELS] + [entry.repo for entry in VISION_MODELS]
    return list(dict.fromkeys(filter(None, repos)))


def _copy_sources(folder: Path) -> None:
    """The package ``truehue``, laid out as a wheel lays it out, the weights of the masker
    ``salient`` where they are on this machine, and the thumbnail."""
    import truehue
    from truehue.core.generation.weights.carried import U2NETP
    from truehue.core.generation.weights.sources import Sources

    package = folder / "truehue"
    package.mkdir()
    for path in sorted(Path(truehue.__file__).parent.iterdir()):
        if path.suffix in (".py", ".typed"):
            shutil.copyfile(path, package / path.name)
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "*.pyi", ".*", "screenshots")
    for name in PACKAGES:
        shutil.copytree(_ROOT / name, package / name, ignore=ignored, copy_function=shutil.copyfile)
    # A Space cannot install the package that carries these weights: its requirements do not fit.
    weights = U2NETP.find(Sources.local())
    if weights is not None:
        shutil.copyfile(weights, package / "assets" / "models" / U2NETP.id / U2NETP.file)
    shutil.copyfile(_ROOT / "assets" / "screenshots" / THUMBNAIL, folder / "thumbnail.png")
    shutil.copyfile(_license(), folder / "LICENSE")


def push_space(request: SpaceRequest, folder: Path, api: Any) -> str:
    """Create the Space on the hub, or renew its files, and return its address. ``api`` is a
    ``huggingface_hub.HfApi``, which brings the token of ``hf auth login``.

    A bucket is created private. Raises BadInput where nobody is logged in, for a bucket that
    everybody can read (a backup holds hashes of passwords), and for what the hub refuses.
    """
    from huggingface_hub import Volume
    from huggingface_hub.errors import HfHubHTTPError

    volumes = None
    try:
        if request.bucket:
            api.create_bucket(request.bucket, private=True, exist_ok=True)
            if not api.bucket_info(request.bucket).private:
                raise BadInput(
                    f"Everybody can read the bucket {request.bucket}, and backups hold personal data. "
                    f"Make it private: hf buckets settings {request.bucket} --private"
                )
            volumes = [Volume(type="bucket", source=request.bucket, mount_path=BUCKET_FOLDER)]
        api.create_repo(
            request.repo_id,
            repo_type="space",
            space_sdk="gradio",
            space_volumes=volumes,
            exist_ok=True,
        )
        api.upload_folder(
            repo_id=request.repo_id,
            repo_type="space",
            folder_path=folder,
            commit_message="Update TrueHue",
            delete_patterns=["truehue/**"],
        )
    except HfHubHTTPError as error:
        if error.response is not None and error.response.status_code == 401:
            raise BadInput("The hub does not know who you are. Run: hf auth login") from error
        raise BadInput(f"The hub refused: {error!s:.500}") from error
    return f"https://huggingface.co/spaces/{request.repo_id}"
