"""CFR on tiny pipelines of the real classes: nothing changes where nothing is asked, equations 10
and 11 hold for the prediction that the scheduler gets, and models without guidance are refused."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.opening import open_model, why_no_cfr
from truehue.core.generation.registry import MODELS, model
from truehue.core.generation.request import Cancelled, GenerationRequest
from truehue.core.refinement.denoiser import before_step, predicted_clean
from truehue.core.refinement.settings import rows_of, saturation_map

pytestmark = pytest.mark.weights

# The families of the paper's tables that have guidance, one that calls its denoiser twice, and
# those whose schedulers are special (Playground's EDM, CogView4's second pass).
GUIDED = [
    "any",
    "sdxl-base-1.0",
    "sd3-medium",
    "pixart-sigma",
    "hunyuan-dit-1.2",
    "sana-1.6b",
    "qwen-image",
    "cogview4-6b",
    "playground-2.5",
]
SIZE, STEPS, SCALE, STRENGTH = 64, 2, 4.0, 0.75
LEFT = ["ff00"]
ZEROS = ["0000"]
NO_PROMPT_PASS = "makes no prediction without the prompt"


def ask(cfr: Any = None, **more: Any) -> GenerationRequest:
    settings = {"steps": STEPS, "guidance": SCALE, "width": SIZE, "height": SIZE, **more}
    options = {} if cfr is None else {"cfr": cfr}
    return GenerationRequest("ignored", "a red mug on a table", 1, options=options, **settings)


def draw(loaded: DiffusersModel, request: GenerationRequest) -> np.ndarray:
    return loaded.draw([request], lambda report: None, Event())[0].srgb8


@pytest.mark.parametrize("model_id", GUIDED)
def test_where_nothing_is_turned_down_no_bit_changes(
    model_id: str, opened: Callable[[str], Any]
) -> None:
    loaded = opened(model_id)
    plain = draw(loaded, ask())
    nothing: list[dict[str, Any]] = [{"strength": 0, "map": LEFT}, {"strength": 1, "map": ZEROS}]
    if model_id == "any":  # what asks for no map says so before any model is looked at
        nothing += [{"strength": 0}, {"strength": 1, "variant": "none"}]
    for cfr in nothing:
        np.testing.assert_array_equal(draw(loaded, ask(cfr)), plain)
    assert (draw(loaded, ask({"strength": 1, "map": LEFT})) != plain).any()
    # What was refined leaves nothing behind.
    np.testing.assert_array_equal(draw(loaded, ask()), plain)


class Predictions:
    """What a pipeline's denoiser gave and its scheduler got at the first step of a drawing."""

    def __init__(self, loaded: DiffusersModel, request: GenerationRequest) -> None:
        pipeline = loaded._pipeline
        denoiser = getattr(pipeline, "transformer", None) or pipeline.unet
        values: list[Any] = []
        combined: list[Any] = []

        def output(module: Any, arguments: Any, result: Any) -> None:
            prediction = result[0] if isinstance(result, tuple) else result.sample
            values.extend(half.clone() for half in prediction.detach().split(1))

        with ExitStack() as watched:
            # First of all hooks, so that it sees what the denoiser itself gave.
            watched.callback(denoiser.register_forward_hook(output, prepend=True).remove)
            watched.enter_context(
                before_step(pipeline.scheduler, lambda eps, *_: combined.append(eps.clone()))
            )
            stop = Event()
            with suppress(Cancelled):
                loaded.draw([request], lambda report: stop.set(), stop)
        self.first, self.second, self.combined = values[0], values[1], combined[0]
        self.separate = type(pipeline).__name__ in ("QwenImagePipeline", "CogView4Pipeline")

    @property
    def without_and_given(self) -> tuple[Any, Any]:
        """u and c of equation 1."""
        return (self.second, self.first) if self.separate else (self.first, self.second)


@pytest.mark.parametrize("model_id", GUIDED)
def test_guidance_changes_where_the_map_is_and_as_equation_11_says(
    model_id: str, opened: Callable[[str], Any]
) -> None:
    import torch

    loaded = opened(model_id)
    plain = Predictions(loaded, ask())
    refined = Predictions(loaded, ask({"strength": STRENGTH, "map": LEFT}))
    without, values = plain.without_and_given
    # The same noise in, the same predictions out: the hook has not touched the denoiser itself.
    assert torch.equal(without, refined.without_and_given[0])
    assert torch.equal(values, refined.without_and_given[1])
    # The map on the latents: two cells made linear between their centers.
    side = SIZE // 8 if without.ndim == 3 else without.shape[-1]
    ramp = torch.nn.functional.interpolate(
        torch.tensor([[[[1.0, 0.0]]]]), size=(side, side), mode="bilinear", antialias=True
    )[0, 0]
    assert ramp[0, 0] == 1
    assert ramp[0, -1] == 0
    scale = SCALE * (1 - STRENGTH * ramp)  # equation 10 at the first step, where α is 1
    if without.ndim == 3:
        channels = without.shape[-1] // 4
        wide = scale.expand(1, channels, side, side)
        scale = loaded._pipeline._pack_latents(wide, 1, channels, side, side)
    expected = without + scale * (values - without)  # equation 11
    if model_id == "qwen-image":  # the pipeline's own rescaling to the norm of c
        expected = expected * (
            torch.norm(values, dim=-1, keepdim=True) / torch.norm(expected, dim=-1, keepdim=True)
        )
    channels_used = refined.combined.shape[1]
    if expected.ndim == 4:
        expected = expected[:, :channels_used]  # some denoisers predict a variance too
    assert refined.combined.shape == expected.shape
    torch.testing.assert_close(refined.combined, expected, rtol=1e-4, atol=1e-5)
    if expected.ndim == 4:
        still = ramp == 0
        assert still.any()
        assert torch.equal(refined.combined[..., still], plain.combined[..., still])
        assert not torch.allclose(refined.combined[..., ~still], plain.combined[..., ~still])


@pytest.mark.parametrize("model_id", GUIDED)
def test_one_pass_reads_the_map_from_the_predicted_image(
    model_id: str, opened: Callable[[str], Any]
) -> None:
    loaded = opened(model_id)
    image = loaded.draw([ask({"strength": 1, "at": 0.0})], lambda report: None, Event())[0]
    assert image.origin["cfr"] == {
        "strength": 1.0,
        "variant": "full",
        "map": "predicted",
        "at": 0.0,
        "source": "saturation of the predicted clean image",
    }
    again = draw(loaded, ask(image.origin["cfr"]))
    np.testing.assert_array_equal(again, image.srgb8)


def test_a_map_that_is_read_after_the_last_step_is_refused(opened: Callable[[str], Any]) -> None:
    loaded = opened("sdxl-base-1.0")
    for cfr, steps in (({"strength": 1}, 1), ({"strength": 1, "at": 0.9}, 2)):
        with pytest.raises(BadInput, match="none is left"):
            draw(loaded, ask(cfr, steps=steps))
    assert "step" not in vars(loaded._pipeline.scheduler)


def test_in_time_alone_guidance_is_lower_everywhere(opened: Callable[[str], Any]) -> None:
    loaded = opened("sdxl-base-1.0")
    refined = Predictions(loaded, ask({"strength": STRENGTH, "variant": "temporal"}))
    without, values = refined.without_and_given
    import torch

    expected = without + SCALE * (1 - STRENGTH) * (values - without)
    torch.testing.assert_close(refined.combined, expected, rtol=1e-4, atol=1e-5)


def test_a_model_without_guidance_is_refused(opened: Callable[[str], Any]) -> None:
    with pytest.raises(BadInput, match=NO_PROMPT_PASS):
        draw(opened("flux.1-dev"), ask({"strength": 0.5, "map": LEFT}))
    with pytest.raises(BadInput, match=NO_PROMPT_PASS):
        draw(opened("flux.1-dev"), ask({"strength": 0.5, "map": LEFT}, steps=1))
    with pytest.raises(BadInput, match="nothing to turn down"):
        draw(opened("sdxl-base-1.0"), ask({"strength": 0.5, "map": LEFT}, guidance=1.0))
    # A refused drawing leaves no hook behind.
    assert not opened("flux.1-dev")._pipeline.transformer._forward_hooks


def test_the_predicted_image_is_the_schedulers_own_formula() -> None:
    import torch
    from diffusers import (
        DDIMScheduler,
        DPMSolverMultistepScheduler,
        EulerDiscreteScheduler,
        FlowMatchEulerDiscreteScheduler,
        LCMScheduler,
        UniPCMultistepScheduler,
    )

    noise, clean = torch.randn((2, 1, 4, 8, 8), generator=torch.Generator().manual_seed(0))
    for scheduler in (
        DDIMScheduler(clip_sample=False),
        EulerDiscreteScheduler(),
        DPMSolverMultistepScheduler(),
        UniPCMultistepScheduler(),
        FlowMatchEulerDiscreteScheduler(),
    ):
        scheduler.set_timesteps(4)
        timestep = scheduler.timesteps[1]
        if isinstance(scheduler, FlowMatchEulerDiscreteScheduler):
            sigma = scheduler.sigmas[1]
            sample, prediction = (1 - sigma) * clean + sigma * noise, noise - clean
        elif isinstance(scheduler, EulerDiscreteScheduler):
            sample, prediction = clean + scheduler.sigmas[1] * noise, noise
        else:
            share = scheduler.alphas_cumprod[int(timestep)]
            sample, prediction = share.sqrt() * clean + (1 - share).sqrt() * noise, noise
        before = torch.random.get_rng_state()
        seen = predicted_clean(scheduler, prediction, timestep, sample)
        torch.testing.assert_close(seen.float(), clean, rtol=1e-3, atol=2e-3)
        assert torch.equal(torch.random.get_rng_state(), before)
        assert getattr(scheduler, "step_index", None) is None
    scheduler = LCMScheduler()
    scheduler.set_timesteps(4)
    with pytest.raises(BadInput, match="LCMScheduler predicts no clean image"):
        predicted_clean(scheduler, noise, scheduler.timesteps[1], clean)


def test_two_passes_of_one_request_are_the_plain_one_and_one_with_its_map(
    opened: Callable[[str], Any],
) -> None:
    loaded = opened("sdxl-base-1.0")
    target = ask({"strength": 1, "map": "first pass"})
    both = loaded.draw([target], lambda report: None, Event())[0]
    plain = draw(loaded, ask())
    cfr: Any = both.origin["cfr"]
    assert cfr["map"] == rows_of(saturation_map(plain))
    assert cfr["source"] == "map of the first pass"
    # The drawing before was the first pass: it is not drawn a second time.
    steps: list[int] = []
    again = loaded.draw([target], lambda report: steps.append(report.step), Event())[0]
    assert len(steps) == STEPS
    np.testing.assert_array_equal(again.srgb8, both.srgb8)
    np.testing.assert_array_equal(draw(loaded, ask(dict(cfr))), both.srgb8)


def test_the_small_model_is_left_alone_where_nothing_is_turned_down() -> None:
    loaded: Any = open_model("small")
    request = GenerationRequest("small", "a red mug", 1, steps=2)

    def drawn(cfr: Any) -> np.ndarray:
        return draw(loaded, replace(request, options={"cfr": cfr}))

    plain = draw(loaded, request)
    np.testing.assert_array_equal(drawn({"strength": 0, "map": "first pass"}), plain)
    np.testing.assert_array_equal(drawn({"strength": 1, "map": ZEROS}), plain)
    assert (drawn({"strength": 1, "map": LEFT}) != plain).any()


def test_which_models_have_no_guidance_is_known_before_they_are_loaded() -> None:
    refused = {entry.id for entry in MODELS if why_no_cfr(entry)}
    assert {"reference-renderer", "flux.1-dev", "srpo", "janus-pro-7b"} <= refused
    assert not refused & {"small", *GUIDED}
    assert "on a server" in why_no_cfr(model("served:here"))
    assert "set it above 1" in why_no_cfr(model("small"), 1.0)
    assert not why_no_cfr(model("hub:somebody/something"))
