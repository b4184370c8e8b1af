"""Where a model of fidelity computes."""

from __future__ import annotations

from truehue.core.machine import Placement, machine, placement

_CFM_GIB = 16.0
"""Weights of CFM at two bytes a number."""


def local_placement(cpu: bool) -> Placement:
    """A GPU where there is one and ``cpu`` does not forbid it; as a whole, for CFM is not cut.
    Not in float16, in which Qwen2-VL overflows."""
    local = machine()
    if cpu or local.device == "cpu":
        return Placement("cpu", "float32", "none", "On this machine's processor.")
    device_placement = placement(_CFM_GIB, local, fp16=False)
    return Placement(local.device, device_placement.dtype, "none", device_placement.why)
