"""In which precision a vision model computes: float32, or as the released evaluation has it.

The public code of GenColorBench (moatifbutt/gen-color-bench @ 802a3ba, ``config.py``) enters
bfloat16 autocast once on a GPU, and allows TF32, so that GroundingDINO, SAM 2 and Janus all compute
so; on a CPU it does neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

FLOAT32, AUTOCAST = "float32", "bfloat16 autocast, TF32 allowed"
AUTOCAST_DEVICES = ("cuda",)
"""Where the released code computes under autocast."""


def applies(device: str, autocast: bool) -> bool:
    """Whether a model on ``device`` computes under autocast where that is wanted."""
    return autocast and device in AUTOCAST_DEVICES


def precision(device: str, autocast: bool) -> str:
    """The precision of a float32 model on ``device``, in words that a mask keeps."""
    return AUTOCAST if applies(device, autocast) else FLOAT32


@contextmanager
def computing(device: str, autocast: bool) -> Iterator[None]:
    """Autocast and TF32 for what the thread computes inside, where that :func:`applies`."""
    if not applies(device, autocast):
        yield
        return
    import torch

    backends = (torch.backends.cuda.matmul, torch.backends.cudnn)
    before = [backend.allow_tf32 for backend in backends]
    try:
        for backend in backends:
            backend.allow_tf32 = True
        with torch.autocast(device, torch.bfloat16):
            yield
    finally:
        for backend, allowed in zip(backends, before, strict=True):
            backend.allow_tf32 = allowed
