"""What the machine is, and where weights of some size go on it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from truehue.core.errors import BadInput
from truehue.core.machine import (
    GIB,
    Machine,
    Placement,
    local_gpus,
    machine,
    placement,
    visible_gpus,
    with_reserve,
)

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


def test_what_is_reserved_for_others_is_left_free_unless_layers_would_move_one_by_one() -> None:
    def place(local_machine: Machine) -> Placement:
        return placement(14.0, local_machine, largest_gib=12.0)

    assert place(with_reserve(GPU, 0, place)).offload == "none"
    assert place(with_reserve(GPU, 7 * GIB, place)).offload == "model"
    assert with_reserve(GPU, 7 * GIB, place).free_bytes == 16 * GIB
    # The others are then on the CPU, which takes less time than moving layers.
    assert with_reserve(GPU, 9 * GIB, place) == GPU
    tight = replace(GPU, free_bytes=10 * GIB)
    assert place(with_reserve(tight, 2 * GIB, place)).offload == "sequential"
    for other in (MAC, CPU):
        assert with_reserve(other, 7 * GIB, place) == other


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
    for name in ("CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "SLURM_JOB_GPUS"):
        monkeypatch.delenv(name, raising=False)
    if named is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    assert visible_gpus() == gpus
    assert local_gpus() == len(gpus)
    monkeypatch.setattr("truehue.core.machine._gpu_files", lambda: 0)
    assert visible_gpus() == ()


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a node with four GPUs, in which no variable names one."""
    for name in ("CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "SLURM_JOB_GPUS"):
        monkeypatch.delenv(name, raising=False)
    devices, capabilities = tmp_path / "dev", tmp_path / "capabilities"
    devices.mkdir()
    for name in ("nvidiactl", "nvidia-uvm", *(f"nvidia{index}" for index in range(4))):
        (devices / name).touch()
    for index in range(4):  # there with every driver, divided or not
        (capabilities / f"gpu{index}" / "mig" / "config").mkdir(parents=True)
    monkeypatch.setattr("truehue.core.machine._DEVICE_FILES", devices)
    monkeypatch.setattr("truehue.core.machine._MIG_FILES", capabilities)
    return tmp_path


def test_gpus_that_a_cgroup_refuses_are_not_counted(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access

    def refused(path: Path, mode: int) -> bool:
        return path.name in ("nvidia2", "nvidia3") and access(path, mode)

    assert visible_gpus() == ("0", "1", "2", "3")
    monkeypatch.setattr("truehue.core.machine.os.access", refused)
    assert visible_gpus() == ("0", "1")
    # Slurm's numbers are the node's; those that CUDA knows here begin at 0.
    monkeypatch.setenv("SLURM_STEP_GPUS", "2,3")
    assert visible_gpus() == ("0", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert visible_gpus() == ("1",)


def test_a_step_of_slurm_has_its_gpus_where_no_cgroup_hides_the_others(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_GPUS", "0,1,3")
    assert visible_gpus() == ("0", "1", "3")
    monkeypatch.setenv("SLURM_STEP_GPUS", "1,3")
    assert visible_gpus() == ("1", "3")
    for unknown in ("4", "gpu:1", ""):
        monkeypatch.setenv("SLURM_STEP_GPUS", unknown)
        monkeypatch.delenv("SLURM_JOB_GPUS", raising=False)
        assert visible_gpus() == ("0", "1", "2", "3")


LISTED = """\
GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa)
  MIG 3g.20gb     Device  0: (UUID: MIG-1111)
  MIG 3g.20gb     Device  1: (UUID: MIG-2222)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-bbbb)
"""


@pytest.mark.process
def test_a_gpu_that_is_divided_counts_as_its_parts(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = node / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = -L ] || exit 1\ncat <<'END'\n{LISTED}END\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(node), prepend=os.pathsep)
    assert visible_gpus() == ("0", "1", "2", "3")
    (node / "capabilities/gpu0/mig/gi1/ci0").mkdir(parents=True)
    assert visible_gpus() == ("MIG-1111", "MIG-2222", "GPU-bbbb")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-2222")
    assert visible_gpus() == ("MIG-2222",)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    program.write_text("#!/bin/sh\nexit 9\n")  # the driver does not answer
    assert visible_gpus() == ("0", "1", "2", "3")
