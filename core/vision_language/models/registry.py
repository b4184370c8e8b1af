"""The models that can be asked: one record each, and a fingerprint of what decides its answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources

Kind = Literal["local", "served", "baseline"]
PIXELS, CHANCE = "pixels", "chance"
BASELINES = (PIXELS, CHANCE)
"""Who answers without being a language model, by ids under which they can be asked."""
BASELINE_VERSION = 1
"""Rises where a baseline answers otherwise."""
DTYPES = ("auto", "bfloat16", "float16", "float32")
LENGTHS = ("max_tokens", "max_completion_tokens")

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
S = TypeVar("S")


@dataclass(frozen=True)
class LocalSettings:
    """Of a model in transformers. ``dtype`` and ``device`` "auto" are what this machine is best
    at; ``batch`` questions are answered in one pass, padded at the left, where the processor can.
    """

    dtype: str = "auto"
    device: str = "auto"
    batch: int = 1

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise BadInput(f"The dtype is {', '.join(DTYPES)}, not {self.dtype!r:.40}.")
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise BadInput(f"A device is auto, cpu, cuda, cuda:1 or mps, not {self.device!r:.40}.")
        _check_count("batch", self.batch, 256)


@dataclass(frozen=True)
class ServedSettings:
    """Of an OpenAI-compatible server. ``model`` is the name that it knows; ``key_env`` the *name*
    of the environment variable with the key, which itself is never written down. ``at_once``
    questions are under way at a time. ``length`` is the parameter by which it takes the most
    tokens, ``temperature`` whether it takes one: OpenAI's reasoning models want the second name,
    and no temperature.
    """

    model: str
    key_env: str = ""
    timeout_s: float = 120.0
    at_once: int = 4
    length: str = "max_tokens"
    temperature: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise BadInput("Name the model that the server knows.")
        if self.length not in LENGTHS:
            raise BadInput(f"length is {' or '.join(LENGTHS)}, not {self.length!r:.40}.")
        if not isinstance(self.temperature, bool):
            raise BadInput("temperature is true or false: whether the server takes one.")
        _check_count("at_once", self.at_once, 256)


@dataclass(frozen=True)
class VisionModel:
    """A model that is asked about images.

    ``location`` of a ``local`` one is an id of the hub (owner/name) or a folder, of a ``served``
    one the URL that ``/chat/completions`` is appended to, of a ``baseline`` its id. ``settings``
    are those of :class:`LocalSettings` or :class:`ServedSettings`, and none of a baseline. Raises
    BadInput for what cannot be.
    """

    id: str
    kind: Kind
    location: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise BadInput(f"A model is {', '.join(get_args(Kind))}, not {self.kind!r:.40}.")
        if not self.location.strip():
            raise BadInput(f"The model {self.id} has no location.")
        if self.kind == "served":
            self.endpoint()
        elif self.kind == "local":
            self.local()
        elif self.location not in BASELINES or self.settings:
            raise BadInput(f"A baseline is {' or '.join(BASELINES)}, and has no settings.")

    def local(self) -> LocalSettings:
        """The settings of a local model."""
        return _settings(LocalSettings, self.settings)

    def served(self) -> ServedSettings:
        """The settings of a served model."""
        return _settings(ServedSettings, self.settings)

    def endpoint(self) -> Endpoint:
        """Its address, checked as every server's is."""
        served = self.served()
        return Endpoint(
            "server", self.location, served.model, served.key_env, timeout_s=served.timeout_s
        )

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, without keys: what a plan holds."""
        return {
            "id": self.id,
            "kind": self.kind,
            "location": self.location,
            "settings": dict(self.settings),
        }


def fingerprint(model: VisionModel, sources: Sources | None = None) -> str:
    """SHA-256, hex, of what decides a model's answers, as far as it can be known here.

    Of a local model: the files (:meth:`truehue.core.generation.weights.sources.Source.fingerprint`)
    and the dtype, wherever they lie. Of a served one: URL and name; whoever runs the server may
    change what is behind them. Of a baseline: its id and version. Raises what
    :func:`truehue.core.vision_language.models.files.files_of` raises.
    """
    if model.kind == "local":
        from truehue.core.vision_language.models.files import files_of

        source = files_of(model, sources or Sources.here())
        decides: dict[str, Any] = {"files": source.fingerprint(), "dtype": model.local().dtype}
    elif model.kind == "baseline":
        decides = {"baseline": model.location, "version": BASELINE_VERSION}
    else:
        served = model.served()
        decides = {
            "url": model.location.rstrip("/"),
            "model": served.model,
            "temperature": served.temperature,
        }
    text = json.dumps({"kind": model.kind, **decides}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Known:
    """A published model by a short id: ``repo`` on the hub, in transformers' own layout."""

    id: str
    repo: str
    model_type: str
    parameters_b: float


KNOWN = (
    Known("qwen2.5-vl-3b", "Qwen/Qwen2.5-VL-3B-Instruct", "qwen2_5_vl", 3.8),
    Known("qwen2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct", "qwen2_5_vl", 8.3),
    Known("internvl3-1b", "OpenGVLab/InternVL3-1B-hf", "internvl", 0.9),
    Known("internvl3-8b", "OpenGVLab/InternVL3-8B-hf", "internvl", 7.9),
    Known(
        "llava-onevision-0.5b",
        "llava-hf/llava-onevision-qwen2-0.5b-ov-hf",
        "llava_onevision",
        0.9,
    ),
    Known("llava-onevision-7b", "llava-hf/llava-onevision-qwen2-7b-ov-hf", "llava_onevision", 8.0),
    Known("janus-pro-1b", "deepseek-community/Janus-Pro-1B", "janus", 2.1),
    Known("janus-pro-7b", "deepseek-community/Janus-Pro-7B", "janus", 7.4),
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


def _settings(kind: type[S], given: Mapping[str, Any]) -> S:
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise BadInput(f"{unknown[0]!r:.60} is no setting. Known are: {', '.join(names)}.")
    try:
        return kind(**given)
    except TypeError as error:
        raise BadInput(f"A setting is missing: {error}.") from None


def _check_count(name: str, count: Any, most: int) -> None:
    if type(count) is not int or not 1 <= count <= most:
        raise BadInput(f"{name} is a number from 1 to {most}, not {count!r:.40}.")
