"""What is said of a run before it begins: masks that are there, weights that are not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.generation.opening import missing
from truehue.core.generation.registry import model
from truehue.core.masks.grounded.weights import ROLES, WITHOUT, vision_model
from truehue.core.masks.grounded.weights import missing as missing_tool
from truehue.core.runs.execute import ExecutionSettings
from truehue.core.runs.records import DRAWN, STORED, RunPlan
from truehue.tabs.page.errors import counted
from truehue.tabs.runs.request import EXACT, GROUNDED


def with_masks(plan: RunPlan) -> int:
    """Pictures of a stored run that came with a mask of an object."""
    return sum(bool(item.masks) for item in plan.items)


def mask_words(run_plans: Sequence[RunPlan]) -> list[str]:
    """What masks the pictures of a stored run have, where these are what it is judged by."""
    (plan, *_) = run_plans
    if plan.kind != STORED or plan.masker.kind != EXACT:
        return []
    count, total = with_masks(plan), plan.total
    if not count:
        return [
            "None of them has a mask of its own: every one would stay unscored. Add --masker "
            "grounded to have the objects found, or --masker whole for images of one color."
        ]
    rest = "" if count == total else "; the others stay unscored, or have it with --masker grounded"
    return [f"{count:,} of {counted(total, 'image')} have masks of their own{rest}."]


def refuse_unscored(run_plan: RunPlan, masker: str | None) -> None:
    """Raises BadInput for a stored run that would score nothing, since no picture has a mask and
    nobody looks for objects. ``masker`` is what was named on the command line: who names ``exact``
    wants it so."""
    (*_, sentence) = mask_words([run_plan]) or [""]
    if masker is None and sentence and not with_masks(run_plan):
        raise BadInput(f"{sentence} With --masker exact it starts all the same.", "masker")


def lacking(plan: RunPlan, crew: ExecutionSettings) -> tuple[str, ...]:
    """What is missing on this machine before the plan's models can work, a sentence each."""
    problems: list[str] = []
    if plan.kind == DRAWN:
        problems += missing(model(plan.model), None, crew.sources, crew.endpoints)
    if plan.masker.kind == GROUNDED:
        for role in ROLES:
            if name := getattr(plan.masker, role):
                # What else could be done without it is for people at a page.
                sentences = missing_tool(vision_model(name, role), crew.sources)
                problems += [sentence for sentence in sentences if sentence != WITHOUT[role]]
    return tuple(dict.fromkeys(problems))


def check_folder(data: Path) -> None:
    """Raises DataFolderError for a data folder that can be none, before anything is estimated."""
    inside = next((path for path in (data, *data.parents) if path.exists()), data)
    if not inside.is_dir():
        raise DataFolderError(
            f"The data folder {data} cannot be used: {inside} is a file. Choose a folder."
        )
