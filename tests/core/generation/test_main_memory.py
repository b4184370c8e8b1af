"""Models whose parts wait in main memory go before another is read into it."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import pytest

from tests.core.engine.models import WAIT_S, Inbox
from tests.core.generation.conftest import Tiny
from tests.core.generation.tiny_janus import save_tiny_janus
from truehue.core.engine import Engine
from truehue.core.generation.backends import janus, loading
from truehue.core.generation.memory import (
    NotEnoughMemory,
    check_space,
    is_out_of_memory,
    waiting_bytes,
)
from truehue.core.generation.registry import model
from truehue.core.generation.request import GenerationRequest, LoadedModel
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import GIB, Machine, Offload, Placement, machine

pytestmark = pytest.mark.weights

ROOMY = Machine("cpu", "A CPU", 8 * GIB, 6 * GIB, 8 * GIB, 2, True, 6 * GIB)
FULL = replace(ROOMY, ram_free_bytes=1000)


@pytest.fixture(autouse=True)
def nothing_waits() -> None:
    gc.collect()
    assert waiting_bytes() == 0
    return


def load(folder: Path, index: Machine | Offload) -> LoadedModel:
    """A tiny pipeline, with an offload or as it is laid out on a machine.

    The hooks of an offload are accelerate's own; with a CPU as the device they move nothing.
    """
    entry = model(f"folder:{folder}")
    placement = index if isinstance(index, Machine) else Placement("cpu", "float32", index, "")
    return loading.load(entry, source(entry, Sources()), placement)


@pytest.mark.parametrize("offload", ["model", "sequential"])
def test_an_offloaded_pipeline_counts_whole(offload: Offload, tiny: Tiny) -> None:
    folder = tiny("stable_diffusion")
    whole = load(folder, "none")
    assert waiting_bytes() == 0
    offloaded = load(folder, offload)
    assert waiting_bytes() == whole.memory_bytes > offloaded.memory_bytes
    with pytest.raises(NotEnoughMemory, match="Unload those first") as caught:
        load(folder, FULL)
    assert is_out_of_memory(caught.value)
    load(folder, ROOMY).unload()
    # Where it is not known what is free, nothing is refused.
    load(folder, replace(FULL, ram_free_bytes=None)).unload()
    offloaded.unload()
    assert waiting_bytes() == 0
    load(folder, FULL).unload()


def test_a_forgotten_model_counts_no_more(tiny: Tiny) -> None:
    offloaded = load(tiny("stable_diffusion"), "model")
    assert waiting_bytes()
    del offloaded
    gc.collect()
    assert waiting_bytes() == 0


def test_an_offloaded_janus_counts_whole(tmp_path: Path, one_thread: None) -> None:
    folder, entry = save_tiny_janus(tmp_path / "janus"), model("janus-pro-1b")
    whole = janus.load(entry, folder, Placement("cpu", "float32", "none", ""))
    assert waiting_bytes() == 0
    offloaded = janus.load(entry, folder, Placement("cpu", "float32", "sequential", ""))
    assert waiting_bytes() == whole.memory_bytes
    with pytest.raises(NotEnoughMemory, match=r"Janus-Pro 1B takes 3\.9 GiB"):
        check_space(entry.name, entry.memory_gib, FULL)
    offloaded.unload()
    check_space(entry.name, entry.memory_gib, FULL)


@pytest.mark.parametrize(("index", "saved"), [(FULL, ["b"]), (ROOMY, ["b", "a"])])
def test_the_engine_unloads_what_waits_in_main_memory(
    index: Machine, saved: list[str], tiny: Tiny
) -> None:
    folder = tiny("stable_diffusion")
    # The device's limit is far away: only main memory can want a model to go.
    engine = Engine(
        lambda name: load(folder, "model" if name == "a" else index), lambda name: 0, 2**60
    )
    try:
        for name in "ab":
            request = GenerationRequest(name, "a red mug", steps=1, width=64, height=64)
            state = engine.wait(engine.submit([request], Inbox()), WAIT_S)
            assert state.done == 1, state.problems[0].text
        assert [name for name, _ in engine.loaded()] == saved
    finally:
        assert engine.close(WAIT_S)


def test_this_machine_tells_what_main_memory_is_free() -> None:
    local = machine()
    if local.device == "mps":
        assert local.ram_free_bytes is None
    else:
        assert local.ram_free_bytes is not None
        assert local.ram_free_bytes > 0
