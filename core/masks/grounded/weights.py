"""Where a vision model's files are on this machine, what is missing, and how to get it."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.weights.download import download as download_model
from truehue.core.generation.weights.download import explained
from truehue.core.generation.weights.pipeline_folder import check_source
from truehue.core.generation.weights.sources import Source, Sources, find_own
from truehue.core.masks.grounded.vision_models import Role, VisionEntry, as_model_entry

WITHOUT: dict[Role, str] = {
    "detector": "Without a detector, draw the box by hand; the rest works the same.",
    "segmenter": "Without a segmenter, a box or a few strokes with GrabCut make the mask.",
    "presence": "Without a presence model, answer by hand, or leave the question out.",
}
_PACKAGES = {
    "transformers": ("torch", "torchvision", "transformers", "safetensors"),
    "segment_anything": ("torch", "torchvision", "segment_anything"),
}
# What pip calls it where that is another name than Python's.
_PIP = {"segment_anything": "segment-anything"}
PICKLE = ".pth"


@dataclass(frozen=True)
class Weights:
    """Files that were found, as yet unchecked: a folder in the hub's layout, or one .pth file.

    ``revision`` is the commit of the hub where it is known, else "".
    """

    path: Path
    repo: str = ""
    revision: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is segment_anything's single file."""
        return self.path.suffix == PICKLE

    def about(self) -> dict[str, Any]:
        """Plain JSON that tells these weights from others: repository, and commit or SHA-256.

        Of a .pth file all bytes are hashed; of a folder what ``Source.fingerprint`` samples.
        """
        if self.is_file:
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            return {"repo": self.repo, "revision": f"sha256:{digest}"}
        source = Source(self.path, self.repo, self.revision)
        return {"repo": self.repo, "revision": self.revision or f"sha256:{source.fingerprint()}"}


def find(entry: VisionEntry, sources: Sources) -> Weights | None:
    """Where the entry's files are; None when they are not here. Loads and checks nothing."""
    if entry.id.startswith("folder:"):
        path = named_path(entry.id.partition(":")[2].strip())
        if path.is_dir():
            path = _single(path) or path
        return Weights(path) if path.exists() else None
    if entry.library == "segment_anything":
        return _find_file(entry, sources)
    model_source = find_own(as_model_entry(entry), sources)
    return (
        None
        if model_source is None
        else Weights(model_source.folder, model_source.repo, model_source.revision)
    )


def weights(entry: VisionEntry, sources: Sources) -> Weights:
    """The same, but raises ModelMissing with the way to get them and what works without."""
    source = find(entry, sources)
    if source is None:
        raise ModelMissing(" ".join((*how_to_get(entry), WITHOUT[entry.role])))
    return source


def how_to_get(entry: VisionEntry) -> tuple[str, ...]:
    """What to do for files that are not here, one sentence each."""
    if entry.id.startswith("folder:"):
        return (f"There is nothing at {entry.id.partition(':')[2].strip()}.",)
    size = f" ({entry.download_gib:g} GiB)" if entry.download_gib else ""
    files = Path(entry.file).name if entry.file else "config.json, the processor, safetensors"
    role = f" --role {entry.role}" if ":" in entry.id else ""
    lines = [
        f"The weights of {entry.name}{size} are not here: {files}. Get them with: "
        f"python -m truehue masks download {entry.id}{role}"
    ]
    if entry.url:
        lines.append(f"Or put the file from {entry.url} into the models folder.")
    if entry.gated:
        lines.append(
            f"First accept its license ({entry.license}) at https://huggingface.co/{entry.repo}, "
            "and sign in with: hf auth login"
        )
    return tuple(lines)


def missing(entry: VisionEntry, sources: Sources) -> tuple[str, ...]:
    """What is missing before the model can run here, one sentence each; empty when it can."""
    source = find(entry, sources)
    library = entry.library or ("segment_anything" if source and source.is_file else "transformers")
    absent = [name for name in _PACKAGES[library] if importlib.util.find_spec(name) is None]
    problems = []
    if absent:
        names = " ".join(_PIP.get(name, name) for name in absent)
        problems.append(f"Missing packages: {', '.join(absent)}. Run: pip install {names}")
    if source is None:
        problems += [*how_to_get(entry), WITHOUT[entry.role]]
    else:
        try:
            check(entry, source)
        except BadInput as error:
            problems.append(str(error))
    return tuple(problems)


def check(entry: VisionEntry, source: Weights) -> float:
    """Checks files as loading does first; returns what the weight files take, in GiB.

    Raises BadModelFolder, naming the file, for what cannot be loaded.
    """
    if not source.is_file:
        if not source.path.is_dir():
            raise BadModelFolder(
                f"{source.path} is no folder in the hub's layout, nor a {PICKLE} file of "
                "segment_anything."
            )
        check_source(as_model_entry(entry), Source(source.path, source.repo, source.revision))
        return sum(file.stat().st_size for file in source.path.glob("*.safetensors")) / 2**30
    size = source.path.stat().st_size
    with source.path.open("rb") as file:
        head = file.read(8)
    if head == b"version ":
        raise BadModelFolder(f"{source.path} is a pointer of Git LFS, not the weights.")
    # Zip archives since torch 1.6, a bare pickle before.
    if not head.startswith((b"PK\x03\x04", b"\x80")):
        raise BadModelFolder(
            f"{source.path} is no checkpoint of torch. Get it again with: "
            f"python -m truehue masks download {entry.id}"
        )
    return size / 2**30


def download(entry: VisionEntry, sources: Sources, to: Path | None = None) -> Path:
    """Fetches a model's files from the hub; returns its folder, or its one file.

    ``to`` is a models folder; else that of ``sources``, else the hub's cache. Raises DownloadFailed
    when the hub cannot be reached or refuses, and BadInput for ids that are folders already.
    """
    if not entry.repo:
        raise BadInput(f"There is nothing to download for {entry.id}.")
    if entry.library != "segment_anything":
        return download_model(as_model_entry(entry), sources, to)
    from huggingface_hub import hf_hub_download

    folder = to or sources.models_folder
    options: dict[str, Any] = (
        {"local_dir": folder / entry.id} if folder else {"cache_dir": sources.hub_cache}
    )
    try:
        return Path(hf_hub_download(entry.repo, entry.file, **options))
    except Exception as error:
        raise explained(as_model_entry(entry), error) from error


def _find_file(entry: VisionEntry, sources: Sources) -> Weights | None:
    from huggingface_hub import try_to_load_from_cache

    name = Path(entry.file).name
    if sources.models_folder is not None:
        top = sources.models_folder
        for folder in (top / entry.id, top / entry.repo.replace("/", "--"), top):
            for path in (folder / name, folder / entry.file):
                if path.is_file():
                    return Weights(path, entry.repo)
        own = _single(top / entry.id)
        if own is not None:
            return Weights(own)
    cached = try_to_load_from_cache(entry.repo, entry.file, cache_dir=sources.hub_cache)
    return Weights(Path(cached), entry.repo) if isinstance(cached, str) else None


def _single(folder: Path) -> Path | None:
    """The .pth file of a folder that has exactly one, and no model of transformers beside it."""
    files = sorted(folder.glob(f"*{PICKLE}")) if folder.is_dir() else []
    return files[0] if len(files) == 1 and not (folder / "config.json").exists() else None
