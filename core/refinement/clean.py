"""The clean image that a sampler's step predicts, from the scheduler of the pipeline itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from truehue.core.errors import BadInput


def predicted_clean(scheduler: Any, prediction: Any, timestep: Any, sample: Any) -> Any:
    """The latents that a step would end at if its prediction were exact.

    ``prediction`` and ``sample`` tensors as ``scheduler.step`` takes them, before that step is
    made. Returns a tensor like ``sample``; the scheduler itself is left as it was. Raises BadInput
    for schedulers that say no such thing.
    """
    import torch

    twin = copy.deepcopy(scheduler)
    if getattr(twin, "step_index", None) is None and hasattr(twin, "_init_step_index"):
        twin._init_step_index(timestep)
    if "FlowMatch" in type(twin).__name__:
        sigma = twin.sigmas[twin.step_index].to(sample.device, torch.float32)
        return sample.float() - sigma * prediction.float()
    if hasattr(twin, "convert_model_output"):
        data = twin.config.get("algorithm_type", "").endswith("++") or twin.config.get("predict_x0")
        if data:
            return twin.convert_model_output(prediction, sample=sample)
    else:
        # Ancestral samplers draw noise in their step; what others draw must not change by it.
        with torch.random.fork_rng(devices=[]):
            # The class's own: the scheduler's may be wrapped by those who watch it.
            output = type(twin).step(twin, prediction, timestep, sample, return_dict=True)
        if getattr(output, "pred_original_sample", None) is not None:
            return output.pred_original_sample
    raise BadInput(
        f"The scheduler {type(scheduler).__name__} predicts no clean image, which a refinement in "
        "one pass reads. Draw first, and refine with the map of that image."
    )


@contextmanager
def before_step(scheduler: Any, look: Callable[[Any, Any, Any], None]) -> Iterator[None]:
    """While the block lasts, ``look`` gets (prediction, timestep, sample) of every step, before the
    step is made."""
    own, previous = scheduler.step, vars(scheduler).get("step")

    # wraps: pipelines read the step's signature to know what it takes.
    @wraps(own)
    def step(model_output: Any, timestep: Any, sample: Any, *more: Any, **named: Any) -> Any:
        look(model_output, timestep, sample)
        return own(model_output, timestep, sample, *more, **named)

    scheduler.step = step
    try:
        yield
    finally:
        if previous is None:
            vars(scheduler).pop("step", None)
        else:
            scheduler.step = previous
