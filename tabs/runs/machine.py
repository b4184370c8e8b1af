"""What a run needs of this machine: models on its device, and workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from truehue.core.machine import local_gpus, usable_cores
from truehue.core.runs.records import RunPlan
from truehue.core.runs.summary import with_weights
from truehue.tabs.page.errors import counted


def about_of(plan: RunPlan) -> dict[str, Any]:
    """What of a plan says which models it needs, as a folder's summary does."""
    return {"model": plan.model, "kind": plan.kind, "masker": asdict(plan.masker)}


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
