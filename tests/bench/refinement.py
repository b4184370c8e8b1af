"""``python -m tests.bench.refinement``: a drawing with CFR against the same drawing without it.

The map covers the left half, so that every step is computed. Both draw in turns with the same
pipeline; the ratio is of the medians beyond the first call. Goal: at most 1.05; exit status 1 where
it is not met. The pipelines, and what is timed on which device, are those of tests.bench.diffusion.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np

from tests.bench.diffusion import FAMILIES, turns
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.backends.loading import load
from truehue.core.generation.registry import model
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import machine

GOAL = 1.05


def main() -> int:
    """Prints the ratios; returns the exit status."""
    import torch

    parser = argparse.ArgumentParser(prog="python -m tests.bench.refinement", description=__doc__)
    parser.add_argument("--family", choices=FAMILIES, default="medium")
    parser.add_argument("--size", type=int, default=256, help="side in pixels")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--runs", type=int, default=21)
    arguments = parser.parse_args()
    index = machine()
    if index.device == "cpu":
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / arguments.family
        torch.manual_seed(0)
        FAMILIES[arguments.family](folder).save_pretrained(folder)
        entry = model(f"folder:{folder}")
        loaded: DiffusersModel = load(entry, source(entry, Sources()), index)
    loaded.previewer = None
    plain = GenerationRequest(
        entry.id, "a red mug", 7, arguments.steps, 4.5, arguments.size, arguments.size
    )

    def drawing(request: GenerationRequest) -> Callable[[], np.ndarray]:
        return lambda: loaded.draw([request], lambda report: None, Event())[0].srgb8

    halves = {"strength": 0.7, "map": ["ff00"]}
    calls = {
        "without CFR": drawing(plain),
        "without CFR again": drawing(plain),
        "with CFR": drawing(replace(plain, options={"cfr": halves})),
    }
    used = turns(calls, arguments.runs, index, alike=False)
    base = statistics.median(used["without CFR"])
    print(
        f"{arguments.family}, {index.name}, {arguments.size} x {arguments.size}, {arguments.steps} "
        f"steps; medians of {arguments.runs} in turns"
    )
    for name, times in used.items():
        seconds = statistics.median(times)
        print(f"  {name:<20}{seconds * 1e3:10.1f} ms  {seconds / base:7.3f}")
    ratio = statistics.median(used["with CFR"]) / base
    print(f"Goal at most {GOAL}: {'met' if ratio <= GOAL else 'NOT MET'}")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
