"""Properties of this machine, and the layout of a model of a given size on it."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from truehue.core.errors import BadInput

GIB = 2**30

# What drawing one 1024 x 1024 image takes beside the weights: latents, attention, and the decoder's
# feature maps, which are the largest. An allowance, generous for the models of the registry.
WORKING_GIB = 3.0
# Float32 on one core of 2020s hardware: about 50 billion multiply-adds a second.
CPU_GFLOPS_A_CORE = 50.0

Offload = Literal["none", "model", "sequential"]
Dtype = Literal["bfloat16", "float16", "float32"]
_DEVICE_FILES = Path("/dev")
_MIG_FILES = Path("/proc/driver/nvidia/capabilities")
_GPU_FILES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/kfd", "/dev/dxg")


@dataclass(frozen=True)
class Machine:
    """``device`` is torch's name: cuda (also AMD's), mps or cpu.

    ``memory_bytes`` and ``free_bytes`` are the device's (on a CPU the main memory's), ``ram_bytes``
    is the main memory, ``bf16`` says that the device computes in bfloat16. ``ram_free_bytes`` is
    what of main memory and swap can be had now; None where it is not known.
    """

    device: Literal["cuda", "mps", "cpu"]
    name: str
    memory_bytes: int
    free_bytes: int
    ram_bytes: int
    cores: int
    bf16: bool
    ram_free_bytes: int | None = None


@dataclass(frozen=True)
class Placement:
    """Where weights go and in which type.

    ``offload``: "model" keeps only the part that computes on the device, "sequential" only the
    layer that does. ``why`` is a sentence for people.
    """

    device: str
    dtype: Dtype
    offload: Offload
    why: str

    @property
    def bytes_a_number(self) -> int:
        """4 in float32, else 2."""
        return 4 if self.dtype == "float32" else 2


def machine() -> Machine:
    """This machine as it is now.

    torch is imported only where a GPU could be, so that listing models on a machine without one
    takes no seconds.
    """
    import psutil  # type: ignore[import-untyped]

    ram = psutil.virtual_memory()
    total, available = int(ram.total), int(ram.available)
    free = available + int(psutil.swap_memory().free)
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if _could_have_gpu():
        # MPS makes its swap as it goes: what is free there cannot be told.
        accelerator = _cuda(total, free, cores) or _mps(total, available, cores)
        if accelerator is not None:
            return accelerator
    return Machine("cpu", cpu_name(), total, available, total, cores, True, free)


def usable_cores() -> int:
    """Cores that this process may use: of a container or a job often fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def placement(
    memory_gib: float,
    local_machine: Machine,
    *,
    largest_gib: float | None = None,
    fp16: bool = True,
) -> Placement:
    """How weights of ``memory_gib`` (counted at two bytes a number) are laid out on
    ``local_machine``.

    ``largest_gib`` is the largest part that must be on the device at once; all of it when not
    given. ``fp16`` is False for models that overflow in float16. Raises BadInput for sizes that
    are not positive.
    """
    if not memory_gib > 0 or (largest_gib is not None and not largest_gib > 0):
        raise BadInput(f"A model's size must be positive, not {memory_gib} GiB.")
    if local_machine.device == "cpu":
        return Placement("cpu", "float32", "none", _cpu_text(memory_gib, local_machine))
    dtype: Dtype = "bfloat16" if local_machine.bf16 else "float16" if fp16 else "float32"
    scale = 2.0 if dtype == "float32" else 1.0
    whole = memory_gib * scale
    largest = min(whole, (memory_gib if largest_gib is None else largest_gib) * scale)
    free = local_machine.free_bytes / GIB
    room = f"{local_machine.name} has {free:.1f} GiB free"
    if whole + WORKING_GIB <= free:
        why = f"{whole:.1f} GiB of weights fit: {room}."
        return Placement(local_machine.device, dtype, "none", why)
    if local_machine.device == "mps":
        # The GPU's memory is the main memory: there is nowhere to offload to.
        why = f"{whole:.1f} GiB of weights may not fit: {room}, and it shares the main memory."
        return Placement(local_machine.device, dtype, "none", why)
    if largest + WORKING_GIB <= free:
        why = (
            f"{whole:.1f} GiB of weights do not fit, the largest part ({largest:.1f} GiB) does: "
            f"{room}. Parts wait in main memory; a little slower."
        )
        return Placement(local_machine.device, dtype, "model", why)
    why = (
        f"Not even the largest part ({largest:.1f} GiB) fits: {room}. Layers are moved one by "
        "one; many times slower."
    )
    return Placement(local_machine.device, dtype, "sequential", why)


def with_reserve(
    local_machine: Machine, reserved_bytes: int, choose: Callable[[Machine], Placement]
) -> Machine:
    """The machine without what is reserved on its GPU for others, for a model that ``choose`` lays
    out. As it is where it has no memory of its own, and where the model would then have to move
    layer by layer, which takes longer than the others on the CPU."""
    if local_machine.device != "cuda" or reserved_bytes <= 0:
        return local_machine
    less = replace(local_machine, free_bytes=max(local_machine.free_bytes - reserved_bytes, 0))
    slower = choose(less).offload == "sequential" != choose(local_machine).offload
    return local_machine if slower else less


def _cpu_text(memory_gib: float, local_machine: Machine) -> str:
    need = memory_gib * 2
    # Two operations a parameter and token, 4096 tokens of a 1024 x 1024 image.
    parameters_b = memory_gib * GIB / 2e9
    minutes = 2 * parameters_b * 4096 / (CPU_GFLOPS_A_CORE * local_machine.cores) / 60
    fits = need + WORKING_GIB <= local_machine.ram_bytes / GIB
    text = (
        f"No GPU: float32 on {local_machine.cores} cores, {need:.1f} GiB of "
        f"{local_machine.ram_bytes / GIB:.1f} GiB main memory, "
        f"very roughly {max(minutes, 0.1):.1f} minutes a step at 1024 x 1024."
    )
    return text if fits else text + " It does not fit: the system may stop the process."


def _could_have_gpu() -> bool:
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return sys.platform == "win32" or any(Path(name).exists() for name in _GPU_FILES)


def _cuda(ram_bytes: int, ram_free_bytes: int, cores: int) -> Machine | None:
    import torch

    if not torch.cuda.is_available():
        return None
    free, total = torch.cuda.mem_get_info()
    # What torch keeps from freed tensors can be used again without asking the driver.
    free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    name = str(torch.cuda.get_device_name())
    # including_emulation: a card that only emulates bfloat16 is faster and as exact in float16.
    bf16 = bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return Machine("cuda", name, int(total), int(free), ram_bytes, cores, bf16, ram_free_bytes)


def _mps(ram_bytes: int, available: int, cores: int) -> Machine | None:
    import torch

    if not torch.backends.mps.is_available():
        return None
    limit = int(torch.mps.recommended_max_memory())
    free = min(available, limit - int(torch.mps.current_allocated_memory()))
    bf16 = bool(torch.backends.mps.is_macos_or_newer(14, 0))
    return Machine("mps", cpu_name(), limit, max(free, 0), ram_bytes, cores, bf16)


def cpu_name() -> str:
    """The processor's name, as well as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "CPU"


def visible_gpus() -> tuple[str, ...]:
    """The NVIDIA GPUs that this process may use, each as ``CUDA_VISIBLE_DEVICES`` names it.

    Counted by the device files that may be opened, as torch would take seconds: a container has no
    others, and a cgroup of Slurm refuses them. Cut by ``CUDA_VISIBLE_DEVICES`` as CUDA reads it:
    nothing from the first entry on that names no GPU (an index beyond the last one, -1, an empty
    text). UUIDs and names of MIG parts are taken as they are. Where it is not set, a GPU that is
    divided by MIG counts as its parts, of which CUDA shows a process one, and a step of Slurm
    without cgroups has the GPUs of ``SLURM_STEP_GPUS`` (``SLURM_JOB_GPUS`` in a batch script).
    """
    count = _gpu_files()
    if not count:
        return ()
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return _step_gpus(count) or _mig_parts() or tuple(str(index) for index in range(count))
    gpus: list[str] = []
    for entry in (part.strip() for part in named.split(",")):
        index = entry.isascii() and entry.isdigit() and int(entry) < count
        if not index and not entry.startswith(("GPU-", "MIG-")):
            break
        gpus.append(entry)
    return tuple(dict.fromkeys(gpus))


def local_gpus() -> int:
    """How many NVIDIA GPUs this process may use."""
    return len(visible_gpus())


def _gpu_files() -> int:
    """Device files of GPUs that may be opened; access(2) asks the cgroup too."""
    files = (path for path in _DEVICE_FILES.glob("nvidia[0-9]*") if path.name[6:].isdigit())
    return sum(os.access(path, os.R_OK | os.W_OK) for path in files)


def _step_gpus(count: int) -> tuple[str, ...]:
    """What Slurm gave this step of the node's ``count`` GPUs; nothing where that is all that can
    be opened: in a cgroup they are counted from 0, and not by the numbers that Slurm names."""
    named = os.environ.get("SLURM_STEP_GPUS") or os.environ.get("SLURM_JOB_GPUS") or ""
    gpus = tuple(dict.fromkeys(part.strip() for part in named.split(",")))
    numbers = all(part.isascii() and part.isdigit() and int(part) < count for part in gpus)
    return gpus if numbers and len(gpus) < count else ()


def _mig_parts() -> tuple[str, ...]:
    """The GPUs by UUID, where one of them is divided by MIG: that one by its parts.

    The driver's files say whether there are parts, and only ``nvidia-smi -L`` what they are called.
    Empty where none is divided, or where it cannot be asked.
    """
    if not any(_MIG_FILES.glob("gpu*/mig/gi*/ci*")):
        return ()
    try:
        listed = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    gpus: list[str] = []
    whole = ""
    for line in listed.splitlines():
        found = re.search(r"UUID: ((?:GPU|MIG)-[^)\s]+)", line)
        if found is None:
            continue
        if found[1].startswith("GPU-"):
            whole = found[1]
        elif whole in gpus:
            gpus.remove(whole)
        gpus.append(found[1])
    return tuple(gpus)
