"""Work between two steps of a drawing that leaves the drawing as it would have been."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps torch's global chance (CPU and the device in use), and gives the work torch's usual
    modes, not those of the drawing around it: weights that are loaded in inference mode would
    stay bound to it.

    Python's and NumPy's global chance are left alone: the page's threads use them too, and would
    be given the same numbers twice.
    """
    torch = sys.modules.get("torch")
    if torch is None:  # then no drawing uses it either
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=_cuda(torch)))
        if torch.backends.mps.is_available():
            stack.callback(torch.mps.set_rng_state, torch.mps.get_rng_state())
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        yield


def _cuda(torch: Any) -> list[int]:
    """The one CUDA device in use; to ask for others would wake them."""
    return [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
