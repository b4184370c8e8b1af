"""What the machine is, and where weights of some size go on it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from truehue.core.errors import BadInput
from truehue.core.machine import GIB, Machine, local_gpus, machine, placement, visible_gpus

GPU = Machine("cuda", "A GPU", 24 * GIB, 23 * GIB, 64 * GIB, 16, True)
OLD = replace(GPU, name="An old GPU", bf16=False)
MAC = Machine("mps", "A Mac", 12 * GIB, 11 * GIB, 16 * GIB, 8, True)
CPU = Machine("cpu", "A CPU", 16 * GIB, 12 * GIB, 16 * GIB, 4, True)


@pytest.mark.parametrize(
    ("gib", "largest", "fp16", "index", "wanted"),
    [
        (6.5, None, True, GPU, ("cuda", "bfloat16", "none")),
        (20.0, 15.0, True, GPU, ("cuda", "bfloat16", "none")),
        (20.1, 15.0, True, GPU, ("cuda", "bfloat16", "model")),
        (31.4, 20.0, True, GPU, ("cuda", "bfloat16", "model")),
        (31.4, 20.1, True, GPU, ("cuda", "bfloat16", "sequential")),
        (31.4, None, True, GPU, ("cuda", "bfloat16", "sequential")),
        (6.5, None, True, OLD, ("cuda", "float16", "none")),
        (6.5, None, False, OLD, ("cuda", "float32", "none")),
        (11.0, 9.0, False, OLD, ("cuda", "float32", "model")),
        (11.0, 11.0, False, OLD, ("cuda", "float32", "sequential")),
        (6.5, None, True, MAC, ("mps", "bfloat16", "none")),
        (31.4, 20.0, True, MAC, ("mps", "bfloat16", "none")),
        (6.5, None, True, CPU, ("cpu", "float32", "none")),
        (53.7, 40.0, False, CPU, ("cpu", "float32", "none")),
    ],
)
def test_where_weights_go(
    gib: float, largest: float | None, fp16: bool, index: Machine, wanted: tuple[str, str, str]
) -> None:
    result = placement(gib, index, largest_gib=largest, fp16=fp16)
    assert (result.device, result.dtype, result.offload) == wanted
    assert result.why.endswith(".")


def test_a_cpu_refuses_nothing_but_says_how_large_and_slow_it_is() -> None:
    fits = placement(6.0, CPU).why
    assert "12.0 GiB of 16.0 GiB" in fits
    assert "minutes a step" in fits
    assert "does not fit" not in fits
    assert "does not fit" in placement(12.0, CPU).why


def test_sizes_must_be_positive() -> None:
    for size in (0.0, -1.0, float("nan")):
        with pytest.raises(BadInput, match="positive"):
            placement(size, GPU)
    with pytest.raises(BadInput, match="positive"):
        placement(1.0, GPU, largest_gib=0.0)


def test_this_machine_is_described() -> None:
    result = machine()
    assert result.name
    assert result.cores >= 1
    assert 0 <= result.free_bytes <= result.memory_bytes
    assert result.ram_bytes > GIB // 2
    assert (result.device == "cpu") == (result.memory_bytes == result.ram_bytes)


@pytest.mark.process
def test_without_a_gpu_it_is_described_without_torch() -> None:
    code = (
        "import sys; from truehue.core import machine as m\n"
        "m._GPU_FILES = (); m.sys.platform = 'linux'\n"
        "print(m.machine().device, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["cpu", "False"]


@pytest.mark.parametrize(
    ("named", "gpus"),
    [
        (None, ("0", "1", "2", "3")),
        ("", ()),
        ("-1", ()),
        ("NoDevFiles", ()),
        ("2", ("2",)),
        ("3, 1", ("3", "1")),
        ("0,-1,1", ("0",)),
        ("0,4,1", ("0",)),
        ("1,1", ("1",)),
        ("GPU-8932f937-d72c", ("GPU-8932f937-d72c",)),
        ("MIG-a,MIG-GPU-b/7/0", ("MIG-a", "MIG-GPU-b/7/0")),
    ],
)
def test_gpus_are_those_that_are_visible(
    named: str | None, gpus: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.machine._gpu_files", lambda: 4)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if named is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    assert visible_gpus() == gpus
    assert local_gpus() == len(gpus)
    monkeypatch.setattr("truehue.core.machine._gpu_files", lambda: 0)
    assert visible_gpus() == ()
