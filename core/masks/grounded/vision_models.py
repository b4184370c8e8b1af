"""The one list of vision models: detectors, segmenters, presence models. Listing loads nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from truehue.core.errors import BadInput
from truehue.core.generation.entry import ModelEntry
from truehue.core.generation.registry import model

Role = Literal["detector", "segmenter", "presence"]
Library = Literal["transformers", "segment_anything"]
ROLES: tuple[Role, ...] = ("detector", "segmenter", "presence")

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
    (``url`` its publisher's address, ``sha256`` of its bytes). ``size`` is segment_anything's name
    of the encoder. ``download_gib`` is what the files take; 0 where nobody stated it. ``defaults``
    are the settings its publishers state. ``not_verified`` names the fields that no source at hand
    confirmed.
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


VISION_MODELS: tuple[VisionEntry, ...] = (
    _dino("tiny", 0.64, "Swin-T"),
    _dino("base", 0.87, "Swin-B"),
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
    _presence(
        "janus-pro-1b",
        "Answers yes/no questions about an image. The paper asks Janus-1.3B, which has no weights "
        "for transformers; this is its successor of that size.",
    ),
    _presence("janus-pro-7b", "Answers yes/no questions about an image; the large Janus-Pro."),
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
