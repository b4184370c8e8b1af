"""The families of 2025 and 2026, loaded by the project's own loader: one test for each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.generation.conftest import RECENT_STANDS_FOR, Tiny
from truehue.core.generation.backends.families import FAMILIES
from truehue.core.generation.opening import open_model, why_no_cfr
from truehue.core.generation.registry import model
from truehue.core.generation.request import Cancelled, GenerationRequest, StepReport
from truehue.core.generation.weights.sources import Sources

pytestmark = pytest.mark.weights

# One id for each tiny pipeline; Qwen-Image is drawn with the older ones.
DRAWN = {name: model_id for model_id, name in reversed(RECENT_STANDS_FOR.items())}
DRAWN.pop("qwen_image")
WITHOUT_PREVIEWS = {"flux2", "flux2_klein", "qwen_image_21", "ernie_image", "kandinsky5"}
SIZE = 64


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_loaded_and_draws_what_diffusers_draws(
    name: str, tiny: Tiny, models_folder: Callable[..., Path]
) -> None:
    import diffusers
    import torch

    entry = model(DRAWN[name])
    loaded = open_model(entry.id, Sources(models_folder(entry.id)))
    pipeline = loaded._pipeline  # type: ignore[attr-defined]
    family = FAMILIES[entry.pipeline]
    assert type(pipeline).__name__ == entry.pipeline
    if name == "kandinsky5":
        pipeline.resolutions = [(SIZE, SIZE)]
    reports: list[StepReport] = []
    text = "a red mug on a table"
    request = GenerationRequest("", text, 7, steps=2, width=SIZE, height=SIZE)
    (image,) = loaded.draw([request], reports.append, Event())
    assert [(report.step, report.steps) for report in reports] == [(1, 2), (2, 2)]
    assert image.srgb8.std() > 1
    assert image.notes == ()
    assert entry.defaults is not None
    origin = image.origin
    assert (origin["guidance"], origin["guidance_argument"]) == (
        entry.defaults.guidance,
        family.guidance,
    )

    own = diffusers.DiffusionPipeline.from_pretrained(tiny(name))
    own.set_progress_bar_config(disable=True)
    if name == "kandinsky5":
        own.resolutions = [(SIZE, SIZE)]
    more: dict[str, Any] = dict(family.fixed)
    if family.guidance:
        more[family.guidance] = entry.defaults.guidance
    if family.empty_negative:
        more["negative_prompt"] = family.empty_negative
    output = own(
        prompt=text,
        num_inference_steps=2,
        width=SIZE,
        height=SIZE,
        generator=torch.Generator("cpu").manual_seed(7),
        output_type="np",
        **more,
    )
    images = output.image if name == "kandinsky5" else output.images
    pixels = np.asarray(images[0])
    if pixels.shape[2] == 4:
        pixels = pixels[..., :3] * pixels[..., 3:] + 1 - pixels[..., 3:]
    np.testing.assert_array_equal(image.srgb8, np.rint(pixels * 255).astype(np.uint8))

    stop = Event()

    def on_step(report: StepReport) -> None:
        if report.step == 4:
            reports.append(report)
            stop.set()

    with pytest.raises(Cancelled):
        loaded.draw(
            [GenerationRequest("", text, 7, steps=6, width=SIZE, height=SIZE)], on_step, stop
        )
    preview = reports[-1].preview_srgb8
    assert (preview is None) == (name in WITHOUT_PREVIEWS)
    assert preview is None or preview.shape[:2] == preview.shape[1::-1]
    assert why_no_cfr(entry, 3.0)
