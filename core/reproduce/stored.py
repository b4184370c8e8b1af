"""What is stored of the runs of a table, in sentences: for its notes and its methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truehue.core.analysis.records import RunRecord
from truehue.core.generation.registry import name_of
from truehue.core.reproduce.recipe import ReproduceContext
from truehue.core.runs.controls import controls_of
from truehue.core.runs.plan import run_id
from truehue.core.runs.protocols import changes
from truehue.core.runs.records import STORED
from truehue.core.runs.summary import masker_text

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan


def stored_runs(context: ReproduceContext) -> Mapping[str, RunRecord]:
    """The runs of the database by id: a step that could not start has none."""
    records = () if context.storage is None else context.storage.runs.all(hidden=True)
    return {record.run_id: record for record in records}


def run_notes(context: ReproduceContext, made: Sequence[tuple[str, str]]) -> list[str]:
    """Of each row what keeps it from standing beside the printed one as it is: images that are
    missing, imported ones, other settings than the protocol's, and what control images warn of."""
    stored, notes = stored_runs(context), []
    for model_id, run in made:
        record = stored.get(run)
        if record is None:
            notes.append(f"{model_id}: not run yet, so its row is empty.")
            continue
        parts = []
        images = record.items - record.failed
        if images < record.total:
            failed = f", {record.failed:,} failed" if record.failed else ""
            parts.append(f"{images:,} of {record.total:,} images so far{failed}")
        if record.kind == STORED:
            count = f"{record.total:,} image{'s' if record.total > 1 else ''}"
            parts.append(f"{count} imported, masks: {masker_text(record.summary['masker'])}")
        if others := changes(record.summary):
            parts.append(f"not as the protocol: {', '.join(others)}")
        folder = context.run_folder(run)
        controls = controls_of(folder.path) if folder else None
        warnings = controls.warnings if controls else ()
        parts += [text.rstrip(".") for text in warnings]
        if parts:
            notes.append(f"{model_id}: {'; '.join(parts)}.")
    return notes


def plans_with_images(context: ReproduceContext, plans: Sequence[RunPlan]) -> list[RunPlan]:
    """Those whose run has an image in the database."""
    stored = stored_runs(context)
    records = [(plan, stored.get(run_id(plan))) for plan in plans]
    return [plan for plan, record in records if record and record.items > record.failed]


def partly_text(context: ReproduceContext, plans: Sequence[RunPlan]) -> str:
    """A sentence of each run that is not whole, with a space before it."""
    stored = stored_runs(context)
    records = [record for plan in plans if (record := stored.get(run_id(plan)))]
    return "".join(
        f" Of {name_of(record.model)} {record.items - record.failed:,} of {record.total:,} images are "
        "there."
        for record in records
        if record.items - record.failed < record.total
    )
