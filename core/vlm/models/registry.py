"""The models for evaluation, by name, and a fingerprint of the settings behind their answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.models.files import files_of
from truehue.core.vlm.models.records import BASELINES, VisionModel

BASELINE_VERSION = 1
"""Rises where a baseline answers otherwise."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def fingerprint(model: VisionModel, sources: Sources | None = None) -> str:
    """SHA-256, hex, of what decides a model's answers, as far as it can be known here.

    Of a local model: the files (:meth:`truehue.core.generation.weights.sources.Source.fingerprint`)
    and the dtype, wherever they lie. Of a served one: URL and name; whoever runs the server may
    change what is behind them. Of a baseline: its id and version. Raises what
    :func:`truehue.core.vlm.models.files.files_of` raises.
    """
    if model.kind == "local":
        source = files_of(model, sources or Sources.local())
        local = model.local()
        decides: dict[str, Any] = {"files": source.fingerprint(), "dtype": local.dtype}
        decides |= {"attention": local.attention} if local.attention else {}
    elif model.kind == "baseline":
        decides = {"baseline": model.location, "version": BASELINE_VERSION}
    else:
        served = model.served()
        decides = {
            "url": model.location.rstrip("/"),
            "model": served.model,
            "temperature": served.temperature,
        }
        decides |= {"extra": dict(served.extra)} if served.extra else {}
        decides |= {"max_side_px": served.max_side_px} if served.max_side_px else {}
    text = json.dumps({"kind": model.kind, **decides}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class PublishedModel:
    """A published model by a short id: ``repo`` on the hub, in transformers' own layout."""

    id: str
    repo: str
    model_type: str
    parameters_b: float


KNOWN = (
    PublishedModel("qwen2.5-vl-3b", "Qwen/Qwen2.5-VL-3B-Instruct", "qwen2_5_vl", 3.8),
    PublishedModel("qwen2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct", "qwen2_5_vl", 8.3),
    PublishedModel("internvl3-1b", "OpenGVLab/InternVL3-1B-hf", "internvl", 0.9),
    PublishedModel("internvl3-8b", "OpenGVLab/InternVL3-8B-hf", "internvl", 7.9),
    PublishedModel(
        "llava-onevision-0.5b",
        "llava-hf/llava-onevision-qwen2-0.5b-ov-hf",
        "llava_onevision",
        0.9,
    ),
    PublishedModel(
        "llava-onevision-7b", "llava-hf/llava-onevision-qwen2-7b-ov-hf", "llava_onevision", 8.0
    ),
    PublishedModel("janus-pro-1b", "deepseek-community/Janus-Pro-1B", "janus", 2.1),
    PublishedModel("janus-pro-7b", "deepseek-community/Janus-Pro-7B", "janus", 7.4),
)
"""Short ids of models that were built for; any other model of transformers' image-text-to-text
classes goes by its id of the hub, or its folder."""


def is_hub_id(name: str) -> bool:
    """Whether a name has the form of an id of the hub, ``owner/name``."""
    return _HUB_ID.fullmatch(name) is not None


def model_of(
    name: str, settings: Mapping[str, Any] | None = None, *, folders: bool = True
) -> VisionModel:
    """The model that a person names: a short id of :data:`KNOWN` or :data:`BASELINES`, an id of the
    hub, a folder, or a server's URL. Raises BadInput for anything else, and for settings that do
    not fit. Without ``folders`` no name is looked for on the disk: it would tell who may not name a
    folder which ones there are."""
    name, settings = name.strip(), dict(settings or {})
    if name in BASELINES:
        return VisionModel(name, "baseline", name)
    if name.lower().startswith(("http://", "https://")):
        served = str(settings.get("model", ""))
        return VisionModel(f"served:{served}", "served", name, settings)
    for known in KNOWN:
        if name == known.id:
            return VisionModel(name, "local", known.repo, settings)
    if folders and (path := named_path(name)).is_dir():
        return VisionModel(path.resolve().name, "local", str(path.resolve()), settings)
    if is_hub_id(name):
        return VisionModel(name, "local", name, settings)
    raise BadInput(
        f"{name[:200]!r} is no model: name a folder, an id of the hub (owner/name), a server's URL "
        f"(http://…/v1), or one of {', '.join((*(known.id for known in KNOWN), *BASELINES))}."
    )
