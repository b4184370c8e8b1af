"""Step previews: a linear map that tells the colors of unfinished latents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.generation.conftest import Tiny
from truehue.core.generation.backends.families import PREVIEW_PX, Previewer, _encode, fit, unpacked

pytestmark = pytest.mark.weights

# One of each decoder and of each way to scale latents; that every family has previews is said by
# test_diffusion.py.
DECODERS = (
    "small",
    "stable_diffusion",
    "playground",
    "stable_diffusion_3",
    "flux",
    "cogview4",
    "sana",
    "qwen_image",
)


@pytest.mark.parametrize("name", DECODERS)
def test_the_map_tells_the_colors_of_flat_images(name: str, tiny: Tiny) -> None:
    import diffusers
    import torch

    pipeline = diffusers.DiffusionPipeline.from_pretrained(tiny(name))
    previewer = fit(pipeline)
    assert previewer is not None
    colors = torch.rand((16, 3, 1, 1), generator=torch.Generator().manual_seed(3)) * 1.6 - 0.8
    side = 4 * pipeline.vae_scale_factor
    with torch.no_grad():
        latents = _encode(pipeline.vae, colors.expand(-1, -1, side, side))
    loud = latents.std(dim=(1, 2, 3), keepdim=True).clamp(min=1)
    shown = np.stack([previewer.preview_image(latent) for latent in latents * loud])
    truth = ((colors.numpy()[:, :, 0, 0] + 1) * 127.5)[:, None, None]
    # Random weights squeeze color through few channels: what counts is that it beats a guess.
    error = np.abs(shown[:, 1:3, 1:3] - truth).mean()
    guess = np.abs(truth - truth.mean(axis=0)).mean()
    assert error < guess * 1.2


def test_the_same_decoder_gives_the_same_map(tiny: Tiny) -> None:
    import diffusers

    made = [
        fit(diffusers.DiffusionPipeline.from_pretrained(tiny("stable_diffusion"))) for _ in range(2)
    ]
    assert made[0] is not None
    assert made[1] is not None
    np.testing.assert_array_equal(made[0].weights, made[1].weights)


def test_half_precision_is_left_as_it_was(tiny: Tiny) -> None:
    import diffusers
    import torch

    folder = tiny("stable_diffusion")
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder, dtype=torch.bfloat16)
    before = {name: entry.clone() for name, entry in pipeline.vae.state_dict().items()}
    assert fit(pipeline) is not None
    for name, item in pipeline.vae.state_dict().items():
        assert item.dtype == torch.bfloat16
        assert torch.equal(item, before[name])


def test_a_picture_is_small_and_never_fails() -> None:
    import torch

    weights = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], np.float32)
    previewer = Previewer(weights)
    latents = torch.tensor([0.5, 0.0, -0.5]).reshape(3, 1, 1).expand(3, 300, 200).contiguous()
    shown = previewer.preview_image(latents)
    assert shown.shape == (100, 66, 3)
    assert max(shown.shape) <= PREVIEW_PX
    assert shown[0, 0].tolist() == [191, 128, 64]
    loud = previewer.preview_image(torch.randn(3, 8, 8) * 80)
    assert loud.std() > 0
    assert len(np.unique(loud)) > 10
    assert previewer.preview_image(torch.full((3, 4, 4), float("nan"))).shape == (4, 4, 3)


def test_forms_of_latents_that_are_not_known_give_no_preview() -> None:
    import torch

    class Plain:
        pass

    assert unpacked(Plain(), None, 64, 64) is None
    assert unpacked(Plain(), torch.zeros(1, 16, 64), 64, 64) is None
    assert unpacked(Plain(), torch.zeros(2, 4, 8, 8), 64, 64).shape == (4, 8, 8)
    assert unpacked(Plain(), torch.zeros(1, 4, 1, 8, 8), 64, 64).shape == (4, 8, 8)


def test_a_pipeline_without_an_encoder_has_none(tmp_path: Path) -> None:
    class Plain:
        vae = None

    assert fit(Plain()) is None
