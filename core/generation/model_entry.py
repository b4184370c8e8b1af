"""What the list of generators says of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["renderer", "diffusers", "transformers", "served", "folder"]
DRAWABLE: tuple[Kind, ...] = ("renderer", "diffusers", "transformers")
"""The kinds that generate on this machine, where their weights are installed."""


@dataclass(frozen=True)
class Defaults:
    """The settings that a model draws with. None: the model has no such setting.

    A model's own are what both benchmarks' papers say that they drew with (GenColorBench section
    4.1: "set to default"). ``source`` says who states them: the model's card on the hub, its
    pipeline in diffusers where the card's example leaves them out, or a benchmark's public code.
    """

    steps: int | None
    guidance: float | None
    width: int
    height: int
    source: str


@dataclass(frozen=True)
class ModelEntry:
    """A generator as people choose it.

    ``id`` never changes once images carry it. ``kind`` says who draws: our renderer, a diffusers
    pipeline, a transformers class, a server, or nobody here ("folder": its images are imported).

    ``repo`` is the hub's owner/name, ``pipeline`` the class that draws. ``gated``: the hub hands
    the weights out only to who has accepted the license. ``parameters_b`` counts the denoiser's (or
    the transformer's) parameters in billions; ``memory_gib`` all weights at two bytes a number,
    text encoders included, ``largest_gib`` the largest part of them. ``download_gib`` is what the
    files take; 0 where nobody stated it. ``variant`` names the weight files to prefer.

    ``shipped``: its weights lie in the app's own assets.

    ``base`` is the id of the entry whose pipeline takes this one's weights as its ``part``, from the
    file ``part_name``. ``files_of`` is the id of the entry whose files are loaded, by the
    ``quantization`` of truehue.core.generation.quantization.
    ``released`` are the settings that GenColorBench's public code draws with, where it has the
    model; they differ from ``defaults`` for some. ``fp16`` is False for models that overflow in
    float16. ``paper`` is its row in GenColorBench's Table 4. ``needs`` says what else must be
    there, ``note`` is one sentence for people, and ``not_verified`` names the fields that no
    source at hand confirmed.
    """

    id: str
    name: str
    kind: Kind
    license: str
    note: str
    needs: tuple[str, ...] = ()
    repo: str = ""
    pipeline: str = ""
    gated: bool = False
    parameters_b: float = 0.0
    download_gib: float = 0.0
    memory_gib: float = 0.0
    largest_gib: float = 0.0
    variant: str | None = None
    shipped: bool = False
    base: str = ""
    part: str = ""
    part_name: str = "diffusion_pytorch_model.safetensors"
    files_of: str = ""
    quantization: str = ""
    fp16: bool = True
    defaults: Defaults | None = None
    released: Defaults | None = None
    paper: str = ""
    not_verified: tuple[str, ...] = ()


CARD = "example of the model card"
PIPELINE = "default of the pipeline's call in diffusers 0.42 (the card's example gives none)"
EXAMPLE = "example in the docstring of the pipeline in diffusers 0.42 (the card was not at hand)"
DIFFUSERS_DOCS = "documentation of the pipeline in diffusers (the card was not at hand)"
