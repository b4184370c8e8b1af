"""Which device each model of a run is on: noted by every worker, and expected before it begins.

A model that does not fit a GPU computes on the CPU, or from main memory, many times slower. Nothing
does so without a word: the note stands in the run's folder, and the status and the page show it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from truehue.core.errors import DataFolderError, TrueHueError
from truehue.core.fidelity.cfm.registration import Registration, cfm_placement, memory_bytes
from truehue.core.files import replace_file
from truehue.core.generation.opening import expected_placement
from truehue.core.generation.registry import name_of
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import Machine, Placement, machine
from truehue.core.masks.grounded.tools import expected_tool, tool_bytes, tool_id
from truehue.core.masks.grounded.weights import ROLES, vision_model
from truehue.core.runs.provenance import GENERATOR
from truehue.core.runs.records import DRAWN, GROUNDED, SALIENT, RunPlan
from truehue.core.runs.refinement import CFM_MAP, CfmRefiner
from truehue.core.runs.summary import with_weights

FOLDER = "devices"
"""Below the folder of a run: a file a worker."""

_WORKER = re.compile(r"(.*)s(\d+)w\d+")
_OFFLOADED = {
    "none": "",
    "model": ", parts wait in main memory",
    "sequential": ", layers moved one by one, many times slower",
}


def note_devices(
    folder: Path, worker: str, placements: Mapping[str, tuple[str, Placement]]
) -> None:
    """Notes where the models of a worker are, by role: id and placement. What cannot be written is
    not noted, for the work goes on without it."""
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    notes = {
        role: {
            "id": model_id,
            **asdict(placement),
            "gpu": gpu if placement.device == "cuda" else "",
        }
        for role, (model_id, placement) in placements.items()
    }
    with suppress(OSError, DataFolderError):
        (folder / FOLDER).mkdir(exist_ok=True)
        replace_file(folder / FOLDER / f"{worker}.json", json.dumps(notes).encode())


def devices_text(folder: Path) -> tuple[str, ...]:
    """Where the models of a run are, or were last, a line each; empty where none was loaded."""
    newest: dict[str, tuple[int, list[Path]]] = {}
    for path in (folder / FOLDER).glob("*.json"):
        if (name := _WORKER.fullmatch(path.stem)) is None:
            continue
        task, session = name[1], int(name[2])
        last, paths = newest.get(task, (session, []))
        if session >= last:  # a session has all its workers at once
            newest[task] = session, [path, *(paths if session == last else [])]
    files = [path for _, paths in newest.values() for path in paths]
    counts: Counter[tuple[str, str]] = Counter()
    for path in files:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            for role, note in json.loads(path.read_bytes()).items():
                counts[role, _line(note)] += 1
    roles = (GENERATOR, CFM_MAP, *ROLES, SALIENT)
    known = [(role, text) for role, text in counts if role in roles]
    several = len(files) > 1
    return tuple(
        f"{role}: {text}" + (f" ({counts[role, text]} workers)" if several else "")
        for role, text in sorted(known, key=lambda entry: roles.index(entry[0]))
    )


def _line(note: Mapping[str, Any]) -> str:
    device = {"cuda": "GPU", "mps": "GPU of this Mac", "cpu": "CPU"}.get(note["device"], "?")
    reason = f". {note['why']}" if note["device"] == "cpu" and "do not fit" in note["why"] else ""
    # Folders of this machine are not for everybody who sees the page.
    name = note["id"].rpartition("/")[2] if ":" in note["id"] else note["id"]
    return f"{name} on the {device}, {note['dtype']}{_OFFLOADED[note['offload']]}{reason}"


def expected_devices(plan: RunPlan, sources: Sources) -> tuple[str, ...]:
    """Where the models of a plan would be on this machine as it is now, a sentence each."""
    if not with_weights({"kind": plan.kind, "model": plan.model, "masker": asdict(plan.masker)}):
        return ()
    local_machine = machine()
    if local_machine.device == "cpu":
        return ("There is no GPU here: all models of this run compute on the CPU, much slower.",)
    tools = _tools_of(plan)
    sentences = []
    if plan.kind == DRAWN:
        reserved = sum(tool_bytes(tool, sources) for tool in tools.values())
        reserved += CfmRefiner(plan.cfm).reserved_bytes() if plan.cfm is not None else 0
        expected = expected_placement(plan.model, local_machine, sources, reserved)
        if expected is not None:
            at, held = expected
            sentences.append(f"{name_of(plan.model)}: {at.why}")
            local_machine = _without(local_machine, held)
    if plan.cfm is not None:
        sentence, held = _expected_cfm(plan.cfm, local_machine)
        sentences.append(sentence)
        local_machine = _without(local_machine, held)
    for role, tool in tools.items():
        expected = expected_tool(tool, local_machine, sources)
        if expected is not None:
            at, held = expected
            if at.device == "cpu" or at.offload != "none":
                sentences.append(f"{getattr(plan.masker, role)} ({role}): {at.why}")
            local_machine = _without(local_machine, held)
    return tuple(sentences)


def _expected_cfm(cfm: Registration, local_machine: Machine) -> tuple[str, int]:
    """Where CFM would be between the passes of CFR, and the bytes that it takes there."""
    try:
        at = cfm_placement(cfm, local_machine)
    except (TrueHueError, OSError):  # which name folders of this machine
        return f"{cfm.label} (map for CFR) cannot be read: its checkpoint has no whole weights.", 0
    if at.offload != "none":
        return f"{cfm.label} (map for CFR) is loaded as a whole or not at all: {at.why}", 0
    return f"{cfm.label} (map for CFR): {at.why}", memory_bytes(cfm)


def _tools_of(plan: RunPlan) -> dict[str, str]:
    """The tools of a plan's masker, by role."""
    if plan.masker.kind != GROUNDED:
        return {}
    named = {role: getattr(plan.masker, role) for role in ROLES}
    return {
        role: tool_id(vision_model(name, role).id, role) for role, name in named.items() if name
    }


def _without(local_machine: Machine, held_bytes: int) -> Machine:
    """The machine with so much less of its device's memory."""
    return replace(local_machine, free_bytes=max(local_machine.free_bytes - held_bytes, 0))
