"""Telling that memory ran out, and that loading then says so and not that a folder is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.core.engine.models import OutOfMemoryError
from tests.core.generation.conftest import Tiny
from tests.core.generation.tiny_janus import save_tiny_janus
from truehue.core.generation.backends import janus
from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import model
from truehue.core.machine import Placement


@pytest.mark.parametrize(
    ("error", "memory"),
    [
        (MemoryError(), True),
        (OutOfMemoryError("anything"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling"), True),
        (RuntimeError("Invalid buffer size: 36.00 GiB"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (OSError("The paging file is too small for this operation. (os error 1455)"), True),
        (OSError(2, "No such file"), False),
        (RuntimeError("shapes do not match"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_what_running_out_of_memory_looks_like(error: Exception, memory: bool) -> None:
    assert is_out_of_memory(error) is memory


def test_it_is_known_below_an_error_of_another_kind() -> None:
    def raised(cause: BaseException, clearly: bool) -> ValueError:
        try:
            try:
                raise cause
            except BaseException as error:
                if clearly:
                    raise ValueError("a broken file") from error
                raise ValueError("a broken file")  # noqa: B904
        except ValueError as error:
            return error

    for clearly in (True, False):
        assert is_out_of_memory(raised(MemoryError(), clearly))
        assert not is_out_of_memory(raised(KeyError("memory"), clearly))


def test_torch_is_recognized() -> None:
    import torch

    assert is_out_of_memory(torch.OutOfMemoryError("no"))
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60, dtype=torch.uint8)
    assert is_out_of_memory(caught.value)


def too_much(*_: Any, **__: Any) -> NoReturn:
    """Torch's own error on a CPU, raised where weights would be read."""
    import torch

    torch.empty(2**60, dtype=torch.uint8)
    raise AssertionError("no machine has that")


@pytest.mark.weights
@pytest.mark.parametrize("name", ["StableDiffusionPipeline", "AutoencoderKL", "CLIPTextModel"])
def test_a_pipeline_that_does_not_fit_is_no_broken_folder(
    name: str, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    import diffusers
    import transformers

    owner = getattr(diffusers, name, None) or getattr(transformers, name)
    folder = tiny("stable_diffusion")
    monkeypatch.setattr(owner, "from_pretrained", too_much)
    with pytest.raises(RuntimeError) as caught:
        open_model(f"folder:{folder}")
    assert is_out_of_memory(caught.value)


@pytest.mark.weights
def test_a_janus_that_does_not_fit_and_one_whose_file_only_speaks_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import JanusForConditionalGeneration

    folder, index = (
        save_tiny_janus(tmp_path / "in memory of"),
        Placement("cpu", "float32", "none", ""),
    )
    (folder / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(BadModelFolder, match="Get it again"):
        janus.load(model("janus-pro-7b"), folder, index)
    monkeypatch.setattr(JanusForConditionalGeneration, "from_pretrained", too_much)
    with pytest.raises(RuntimeError) as caught:
        janus.load(model("janus-pro-7b"), folder, index)
    assert is_out_of_memory(caught.value)
