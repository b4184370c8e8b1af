"""A run that is exported: its plan read once, and what its results say of how they were made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from truehue.core.batch.health import state_of
from truehue.core.batch.results import Part
from truehue.core.errors import BadInput
from truehue.core.export.result_tables import item_tables, latest, parts_of
from truehue.core.runs.concepts import measured_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import RunPlan

IMPORTED = "imported.json"
"""In the folder of a run that came from elsewhere: the archive's name and SHA-256, and when."""

_MADE_BY = (
    "model",
    "repo",
    "revision",
    "variant",
    "base_repo",
    "base_revision",
    "served_model",
    "pipeline",
    "dtype",
    "device",
    "renderer_version",
    "numpy",
    "torch",
    "diffusers",
    "transformers",
    "openai",
    "truehue",
)


@dataclass(frozen=True)
class Counts:
    """Pictures of a run: ``total`` of the plan, ``done`` with a result, ``failed`` among them."""

    total: int
    done: int
    failed: int


@dataclass
class ExportRun:
    """One run on its way out; what it holds is read once. ``sealed``: of its shards alone, which
    is what a database has of it."""

    folder: RunFolder
    sealed: bool = False

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.folder.run_id

    @cached_property
    def plan(self) -> RunPlan:
        """The whole plan."""
        return self.folder.plan()

    @cached_property
    def measures(self) -> bool:
        """Whether there are concepts among its prompts, whose colors are measured."""
        return any(measured_of(prompt.task, prompt.targets) for prompt in self.plan.prompts)

    @cached_property
    def judges(self) -> bool:
        """Whether rules judge any of its pictures."""
        return bool(self.plan.rules)

    @cached_property
    def shards(self) -> list[Part]:
        """What there was when it was first asked for, whole lines of journals included: one export
        has one set."""
        return list(self.folder.shards()) if self.sealed else parts_of(self.folder)

    @cached_property
    def imported(self) -> dict[str, Any]:
        """Where the run came from; empty for a run of this machine."""
        return imported_from(self.folder.path)

    @cached_property
    def done(self) -> int:
        """Pictures with a result."""
        return len(latest(self.shards)[0])

    @property
    def counts(self) -> Counts:
        """How many pictures there are."""
        return self._looked[0]

    @property
    def made_by(self) -> tuple[dict[str, Any], ...]:
        """The different versions, weights and number types that drew, as the pictures' origins
        name them; usually one."""
        return self._looked[1]

    @property
    def reasons(self) -> Counter[str]:
        """Why pictures could not be drawn, and how many each."""
        return self._looked[2]

    @cached_property
    def _looked(self) -> tuple[Counts, tuple[dict[str, Any], ...], Counter[str]]:
        ways: dict[str, dict[str, Any]] = {}
        reasons: Counter[str] = Counter()
        for items in item_tables(self.shards, columns=("status", "reason", "origin")):
            for status, reason, text in zip(
                *(items[name].to_pylist() for name in ("status", "reason", "origin")), strict=True
            ):
                if status == "failed":
                    reasons[reason] += 1
                origin = json.loads(text or "{}")
                way = {name: origin[name] for name in _MADE_BY if origin.get(name)}
                if way:
                    ways[json.dumps(way, sort_keys=True)] = way
        counts = Counts(int(self.folder.summary()["total"]), self.done, reasons.total())
        return counts, tuple(ways[key] for key in sorted(ways)), reasons


def short_text(run: ExportRun) -> str:
    """``28 of 60 pictures have a result: resume draws the rest.``; empty where all have one."""
    total = int(run.folder.summary()["total"])
    if run.done >= total:
        return ""
    text = f"{run.done:,} of {total:,} {'image' if total == 1 else 'images'} have a result"
    if run.imported:
        return f"{text}."
    running = state_of(run.folder).status == "running"
    return f"{text}; the run goes on." if running else f"{text}: resume generates the rest."


def plan_out(run: ExportRun) -> dict[str, Any]:
    """plan.json as it leaves this machine: without the folder that the Munsell samples lie in, and
    without how the run came here."""
    summary = run.folder.summary()
    summary.pop("imported", None)
    summary["munsell"] = Path(str(summary.get("munsell") or "")).name
    return summary


def imported_from(folder: Path) -> dict[str, Any]:
    """What ``imported.json`` of a run's folder says: ``name``, ``sha256``, ``at``, ``images``;
    empty where there is none."""
    try:
        content = json.loads((folder / IMPORTED).read_bytes())
    except (OSError, ValueError):
        return {}
    return dict(content) if isinstance(content, Mapping) else {}


def imported_text(about: Mapping[str, Any]) -> str:
    """``imported from a.truehue.zip on 2026-11-21, without its pictures``; empty where ``about``,
    the ``imported`` of a plan's summary, is nothing."""
    if not about:
        return ""
    text = f"imported from {about.get('name', '')} on {str(about.get('at', ''))[:10]}"
    return text if about.get("images", True) else f"{text}, without its images"


def left_out_text(about: Mapping[str, Any]) -> str:
    """``20 of 39 images are in the archive.``: where the list in the archive that a run came in
    promised more, or less, than was found; empty where both agree. ``about`` is of
    :func:`imported_from`."""
    sentences = []
    for name, counts in (about.get("counts") or {}).items():
        held, listed = counts
        noun = "images" if name == "pictures" else name
        if held < listed:
            sentences.append(f"{held:,} of {listed:,} {noun} are in the archive.")
        elif held > listed:
            sentences.append(f"{held:,} {noun} are in the archive; its list says {listed:,}.")
    return " ".join(sentences)


def runs_of(folders: Any, sealed: bool = False) -> list[ExportRun]:
    """One run or several, each once; ``sealed`` as of an ExportRun. Raises BadInput where there is
    none."""
    folder_list = [folders] if isinstance(folders, RunFolder) else list(folders)
    runs = list({folder.run_id: ExportRun(folder, sealed) for folder in folder_list}.values())
    if not runs:
        raise BadInput("Choose a run to export.")
    return runs
