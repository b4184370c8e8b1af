"""What a run asks of this machine: models on its device, workers, and memory given back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from threading import Event
from typing import Any

from truehue.core.engine import Engine
from truehue.core.generation.registry import model
from truehue.core.machine import local_gpus, usable_cores
from truehue.core.runs.records import DRAWN, RunPlan
from truehue.tabs.page.errors import counted
from truehue.tabs.runs.request import GROUNDED

RELEASE_S = 60.0


def about_of(plan: RunPlan) -> dict[str, Any]:
    """What of a plan says which models it needs, as a folder's summary does."""
    return {"model": plan.model, "kind": plan.kind, "masker": asdict(plan.masker)}


def with_weights(summary: Mapping[str, Any]) -> bool:
    """Whether a run puts models onto the device: to draw, or to find objects."""
    entry = model(str(summary["model"])) if summary["kind"] == DRAWN else None
    draws = entry is not None and entry.kind in ("diffusers", "transformers")
    return draws or summary["masker"]["kind"] == GROUNDED


def default_workers(summary: Mapping[str, Any]) -> int:
    """A worker a GPU where models are put onto one, else a worker a core."""
    return max(1, local_gpus()) if with_weights(summary) else usable_cores()


def sharing_text(workers: int, summary: Mapping[str, Any]) -> str:
    """That more workers than GPUs of this machine share them; empty where each has its own."""
    gpus = local_gpus()
    if not with_weights(summary) or not gpus or workers <= gpus:
        return ""
    limit = -(-workers // gpus)
    return (
        f"{counted(workers, 'worker')} share {counted(gpus, 'GPU')}, up to {limit} on one, and each loads "
        "models of its own."
    )


def release(engine: Engine, stop: Event, timeout_s: float = RELEASE_S) -> None:
    """Has the app's own models give their memory back, and waits until they have.

    A drawing that goes on in Generate is not broken off: after ``timeout_s`` the run begins beside
    it, and lays its models out by what is free.
    """
    end = time.monotonic() + timeout_s
    for model_id, _ in engine.loaded():
        engine.unload(model_id)
    seen = engine.changes(timeout=0.0)
    while engine.loaded() and not stop.is_set() and time.monotonic() < end:
        seen = engine.changes(seen, timeout=0.5)
