"""What a reproduction needs on this machine: weights, data, hours, disk, people."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from truehue.core.batch.folder import PLAN
from truehue.core.generation.opening import missing, server_name, servers
from truehue.core.generation.registry import model, name_of
from truehue.core.generation.weights.sources import Sources, how_to_get
from truehue.core.masks.grounded.weights import ROLES, WITHOUT, vision_model
from truehue.core.masks.grounded.weights import how_to_get as how_to_get_tool
from truehue.core.masks.grounded.weights import missing as missing_tool
from truehue.core.runs.estimate import estimate, free_bytes
from truehue.core.runs.plan import run_id
from truehue.core.runs.records import DRAWN, GROUNDED

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan

Kind = Literal["weights", "data", "hours", "disk", "people"]
KINDS: tuple[Kind, ...] = ("weights", "data", "people", "hours", "disk")
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that is needed. ``available`` is None where nobody can say yet; ``detail`` says
    what it is or takes, ``command`` gets it (empty where no command does)."""

    kind: Kind
    name: str
    available: bool | None
    detail: str = ""
    command: str = ""


def lacking(needs: Sequence[Need]) -> list[Need]:
    """Those that are not here."""
    return [need for need in needs if need.available is False]


def model_need(model_id: str, sources: Sources, endpoints: Mapping[str, Any] | None = None) -> Need:
    """The weights of a model that generates images."""
    entry = model(model_id)
    if entry.kind == "folder":
        command = f"truehue runs start --images-from FOLDER --model {entry.id}"
        return Need("data", entry.name, False, " ".join(entry.needs), command)
    problems = missing(entry, None, sources, endpoints)
    if entry.kind == "served" and not problems:
        url = servers(endpoints)[server_name(entry)].base_url
        return Need("weights", entry.name, None, f"behind {url}")
    ways = how_to_get(entry, sources) if entry.repo else ()
    parts = [f"{entry.download_gib:g} GiB" if entry.download_gib else ""]
    if entry.gated and set(problems) & set(ways):
        parts.append(f"accept its license at https://huggingface.co/{entry.repo} first")
    # The command stands in its own line; what else is wrong is said whole.
    parts += [text for text in problems if text not in ways]
    command = f"truehue models download {entry.id}" if set(problems) & set(ways) else ""
    return Need("weights", entry.name, not problems, "; ".join(filter(None, parts)), command)


def tool_needs(plan: RunPlan, sources: Sources) -> list[Need]:
    """The weights of the models that find a run's objects."""
    if plan.masker.kind != GROUNDED:
        return []
    needs = []
    for role in ROLES:
        if name := getattr(plan.masker, role):
            entry = vision_model(name, role)
            problems = [text for text in missing_tool(entry, sources) if text != WITHOUT[role]]
            ways = how_to_get_tool(entry)
            others = " ".join(text for text in problems if text not in ways)
            command = f"truehue masks download {entry.id}" if set(problems) & set(ways) else ""
            needs.append(Need("weights", entry.name, not problems, others, command))
    return needs


def run_needs(
    plans: Sequence[RunPlan],
    roots: Sequence[Path],
    sources: Sources,
    workers: int = 1,
    trial: str = "",
    run_images: Callable[[str], tuple[int, int]] = lambda run: (0, 0),
    endpoints: Mapping[str, Any] | None = None,
) -> tuple[Need, ...]:
    """The weights, hours and disk of what runs have yet to do; the hours by earlier runs of the same
    work below ``roots``, the first of which is written to. Each need once. ``trial`` is the command
    that times a few images, ``run_images`` tells of a run by its id how many are done and how many of
    these failed, ``endpoints`` are the servers that are set up. Nothing without plans."""
    if not plans:
        return ()
    needs: list[Need] = []
    seconds: list[float | None] = []
    disk_bytes, images = 0.0, 0
    for plan in plans:
        done, failed = run_images(run_id(plan))
        left = max(plan.total - done, 0)
        if not left:
            needs.append(_stored_need(plan, failed, roots))
            continue
        if plan.kind == DRAWN:
            needs.append(model_need(plan.model, sources, endpoints))
        needs += tool_needs(plan, sources)
        each = [estimate(plan, root, workers) for root in roots]
        expected = next((item for item in each if item.seconds is not None), each[0])
        share = left / plan.total
        seconds.append(None if expected.seconds is None else expected.seconds * share)
        disk_bytes += expected.disk_bytes * share
        images += left
    known = [value for value in seconds if value is not None]
    if not images:
        needs.append(Need("hours", "time", True, "nothing is left to generate"))
    elif len(known) == len(seconds):
        detail = f"about {sum(known) / 3600:,.1f} h for {images:,} images, {workers} at once"
        needs.append(Need("hours", "time", True, detail))
    else:
        detail = f"not known for {images:,} images: no earlier run tells the pace"
        needs.append(Need("hours", "time", None, detail, trial))
    root = roots[0]
    free = free_bytes(root)
    detail = f"about {disk_bytes / GIB:,.1f} GiB, {free / GIB:,.1f} GiB are free"
    needs.append(Need("disk", str(root), disk_bytes < free, detail))
    return tuple(dict.fromkeys(needs))


def _stored_need(plan: RunPlan, failed: int, roots: Sequence[Path]) -> Need:
    """The images of a finished run, and how those that failed are tried again."""
    if not failed:
        return Need("data", name_of(plan.model), True, f"all {plan.total:,} images are stored")
    detail = f"{plan.total - failed:,} of {plan.total:,} images are stored, {failed:,} failed"
    run = run_id(plan)
    found = [root for root in roots if (root / run / PLAN).is_file()]
    command = ("truehue", "runs", "retry", run, "--shared", str(found[0])) if found else ()
    return Need("data", name_of(plan.model), False, detail, shlex.join(command))
