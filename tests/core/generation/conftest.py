"""Tiny pipelines, built once a run of tests, and a models folder that holds them by registry id."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tiny_models.pipelines import build, srpo_part
from tests.tiny_models.written import written

# Which tiny pipeline stands for which entry of the registry.
STANDS_FOR = {
    "small": "small",
    "sdxl-base-1.0": "stable_diffusion_xl",
    "sd3-medium": "stable_diffusion_3",
    "sd3.5-medium": "stable_diffusion_3",
    "sd3.5-large": "stable_diffusion_3",
    "flux.1-dev": "flux",
    "sana-1.6b": "sana",
    "sana1.5-1.6b": "sana",
    "sana1.5-4.8b": "sana",
    "pixart-alpha": "pixart_alpha",
    "pixart-sigma": "pixart_sigma",
    "hunyuan-dit-1.2": "hunyuan_dit",
    "kolors": "kolors",
    "cogview4-6b": "cogview4",
    "qwen-image": "qwen_image",
    "playground-2.5": "playground",
}
RECENT_STANDS_FOR = {
    "flux.2-dev": "flux2",
    "flux.2-klein-4b": "flux2_klein",
    "flux.2-klein-9b": "flux2_klein",
    "flux.2-klein-base-4b": "flux2_klein",
    "flux.2-klein-base-9b": "flux2_klein",
    "z-image": "z_image",
    "z-image-turbo": "z_image",
    "qwen-image-2512": "qwen_image",
    "qwen-image-2.1": "qwen_image_21",
    "hunyuan-image-2.1": "hunyuan_image",
    "ernie-image": "ernie_image",
    "ernie-image-turbo": "ernie_image",
    "longcat-image": "longcat_image",
    "ovis-image-7b": "ovis_image",
    "kandinsky-5-image-lite": "kandinsky5",
    "lumina-image-2.0": "lumina2",
    "chroma1-hd": "chroma",
}
"""Those of 2025 and 2026, one test each."""

Tiny = Callable[[str], Path]


@pytest.fixture(scope="session")
def one_thread() -> Iterator[None]:
    """One thread for torch: tiny layers lose more to waiting than they gain."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny(one_thread: None) -> Tiny:
    """The folder of a tiny pipeline by its name; built when first asked for. Not to be changed."""
    from transformers.utils import logging

    logging.disable_progress_bar()

    @functools.cache
    def folder(name: str) -> Path:
        write = srpo_part if name == "srpo" else functools.partial(build, name)
        made = written(f"pipeline-{name}", write)
        # Whoever unloads a model looks for garbage, and need not look among the libraries.
        gc.freeze()
        return made

    return folder


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory, tiny: Tiny) -> Callable[..., Path]:
    """A models folder in which the named entries are found, as links to tiny pipelines."""
    location = tmp_path_factory.mktemp("models")

    def folder(*ids: str) -> Path:
        for model_id in ids:
            link = location / model_id
            if not link.exists():
                stands = {**STANDS_FOR, **RECENT_STANDS_FOR}
                link.symlink_to(tiny(stands.get(model_id, model_id)))
        return location

    return folder
