"""A pipeline whose device is full: its decoder in tiles, then its parts in main memory, then no more.

Torch's error is raised by hand; the layouts are accelerate's own, which move nothing on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.generation.conftest import Tiny
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.backends.loading import load
from truehue.core.generation.memory import NotEnoughMemory, is_out_of_memory, waiting_bytes
from truehue.core.generation.registry import model
from truehue.core.generation.request import GeneratedImage, GenerationRequest
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import Placement

pytestmark = pytest.mark.weights


@pytest.fixture
def opened(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], DiffusersModel]:
    """A tiny pipeline on the CPU, taken for a device that has memory of its own."""
    monkeypatch.setattr("truehue.core.generation.backends.layout.OFFLOADING", ("cpu",))

    def open_tiny(name: str) -> DiffusersModel:
        entry = model(f"folder:{tiny(name)}")
        return load(entry, source(entry, Sources()), Placement("cpu", "float32", "none", ""))

    return open_tiny


def draw(loaded: DiffusersModel, size: int = 64) -> GeneratedImage:
    request = GenerationRequest("ignored", "a red mug", 1, steps=2, width=size, height=size)
    return loaded.draw([request], lambda report: None, Event())[0]


def full_for(times: int, own: Callable[..., Any]) -> Callable[..., Any]:
    """Runs out of memory so many times, and works then."""
    import torch

    left = [times]

    def call(*args: Any, **kwargs: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 4.00 GiB")
        return own(*args, **kwargs)

    return call


@pytest.mark.parametrize("name", ["stable_diffusion_xl", "sana", "qwen_image"])
def test_the_decoder_goes_on_in_tiles_and_says_so(
    name: str, opened: Callable[[str], DiffusersModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = opened(name)
    whole = draw(loaded, 128)
    assert whole.origin["decoder"] == "float32"
    decoder = loaded._pipeline.vae.decoder
    monkeypatch.setattr(decoder, "forward", full_for(1, decoder.forward))
    tiled = draw(loaded, 128)
    assert tiled.origin["decoder"] == "float32, in tiles"
    assert tiled.srgb8.shape == whole.srgb8.shape
    # Once in tiles it stays so: the next image is the same.
    np.testing.assert_array_equal(draw(loaded, 128).srgb8, tiled.srgb8)
    monkeypatch.setattr(decoder, "forward", full_for(9, decoder.forward))
    with pytest.raises(NotEnoughMemory, match="also in tiles") as caught:
        draw(loaded, 128)
    assert is_out_of_memory(caught.value)


def test_parts_move_out_step_by_step_and_the_image_stays_the_same(
    opened: Callable[[str], DiffusersModel],
) -> None:
    loaded = opened("stable_diffusion_3")
    whole, held = draw(loaded).srgb8, loaded.memory_bytes
    seen = []
    while loaded.make_room():
        seen.append(loaded.placement.offload)
        assert loaded.memory_bytes < held
        assert waiting_bytes() == loaded.ram_bytes >= held
        assert "Memory ran out" in loaded.placement.why
        if seen == ["model"]:
            image = draw(loaded)
            np.testing.assert_array_equal(image.srgb8, whole)
            assert image.origin["offload"] == "model"
    # accelerate moves no layers to a device called "cpu:0", so that nothing can be drawn here now.
    assert seen == ["model", "sequential"]
    assert {part.device.type for part in loaded._pipeline.vae.parameters()} == {"meta"}
    loaded.unload()
    assert not loaded.make_room()


def test_nothing_moves_where_main_memory_is_the_device_or_too_small(
    opened: Callable[[str], DiffusersModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    import psutil

    loaded = opened("stable_diffusion")
    little = psutil.virtual_memory()._replace(available=1000)
    monkeypatch.setattr("psutil.virtual_memory", lambda: little)
    assert not loaded.make_room()
    monkeypatch.setattr("truehue.core.generation.backends.layout.OFFLOADING", ("cuda",))
    assert not loaded.make_room()
    assert draw(loaded).origin["offload"] == "none"
