"""The evaluations that ColorBench's tables are made of: models, folders, commands and needs.

Evaluations are folders of ``truehue vlm run`` below ``reproduce/colorbench`` of the data folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from truehue.core.batch.folder import PLAN
from truehue.core.published import table
from truehue.core.reproduce.evaluations import (
    hours_need,
    machine_words,
    missing_answers,
    model_need,
    model_words,
    slug_of,
    unanswered_note,
)
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import ReproduceContext, Step
from truehue.core.runs.estimate import free_bytes
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.model_comparison import MICRO, ROBUST
from truehue.core.vlm.model_sizes import size_of
from truehue.core.vlm.models.registry import KNOWN
from truehue.core.vlm.presentation import RELEASED, TRUEHUE
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.published_scores import task_columns
from truehue.core.vlm.question_set import MANIFEST
from truehue.core.vlm.tasks import ROBUSTNESS

PAPER = "colorbench"
PROTOCOLS = (RELEASED, TRUEHUE)
GIB = 2**30
DOWNLOAD_GIB = 16
"""Of the set as PNG, and its Parquet files."""
VARIATIONS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "reasoned": ("--style", "reasoned"),
    "gray": ("--image", "gray"),
    "black": ("--image", "black"),
}
_DATED = r"(-\d{4}-\d{2}-\d{2}|-\d+)?"
_SERVED = {
    f"gpt-4o{_DATED}": "GPT-4o",
    f"gemini-2(\\.0)?-flash{_DATED}": "Gemini-2-flash",
    f"(gpt-)?o3{_DATED}": "GPT-o3 (API)",
}
"""Patterns of the whole name: gpt-4o-mini is another model."""


def folder_of(context: ReproduceContext) -> Path:
    """Where all of the paper's evaluations lie."""
    return context.data / "reproduce" / PAPER


def set_of(context: ReproduceContext) -> Path:
    """The question set: the one that is named, else the imported one."""
    return Path(context.set).expanduser() if context.set else folder_of(context) / "set"


def models_of(context: ReproduceContext) -> tuple[str, ...]:
    """Those that were chosen, else the models of Table 1 that have a short id."""
    names = {row.keys["model"] for row in table("colorbench-table1").rows}
    return context.models or tuple(
        known.id for known in KNOWN if (size := size_of([known.id])) and size.model in names
    )


def printed_name(model: str) -> str:
    """The paper's name of a model; empty where it has none."""
    name = model.partition("@")[0].lower()
    size = size_of([name])
    if size is not None:
        return size.model
    name = name.rpartition("/")[2]
    return next((text for pattern, text in _SERVED.items() if re.fullmatch(pattern, name)), "")


def task_of(column: str) -> str:
    """Our name of a printed column."""
    return {**task_columns(), "Overall": MICRO, "C'Robust": ROBUST}.get(column, column)


def models_named(printed: str) -> tuple[str, ...]:
    """Our short ids of a model of the paper; none where we have no files of it."""
    return tuple(known.id for known in KNOWN if printed_name(known.id) == printed)


def group_of(model: str) -> str:
    """The paper's group of a model."""
    size = size_of([model.partition("@")[0]])
    return size.group if size else "Proprietary" if printed_name(model) else ""


def evaluation_folder(
    context: ReproduceContext, model: str, variation: str, robust: bool, ending: str = ""
) -> Path:
    """Of one model's answers. Without robustness the folder of all questions is taken where there
    is one."""
    slug = slug_of(model)
    protocol = context.protocol or PROTOCOLS[0]
    limit = "" if context.limit is None else f"-limit{context.limit}"
    name = f"{slug}-{protocol}-{variation}{ending}{limit}-{_set_id(context)}"
    whole = folder_of(context) / "answers" / name
    return whole if robust or whole.exists() else whole.with_name(f"{name}-without-robustness")


def steps(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> tuple[Step, ...]:
    """The import of the set where its files are there, then an evaluation for each model and
    variation."""
    made: list[Step] = []
    download = folder_of(context) / "download"
    target = set_of(context)
    if not target.exists() and not context.set and any(download.glob("**/*.parquet")):
        made.append(Step("The published set", ("vlm", "import", str(download), str(target))))
    elif not target.exists():
        return ()
    for model in models_of(context):
        for variation in variations:
            folder = evaluation_folder(context, model, variation, robust)
            command = run_command(context, model, variation, folder, robust)
            title = f"Answers of {model.partition('@')[0]}, {variation}"
            done, note = not missing_answers(folder), unanswered_note(folder)
            made.append(Step(title, command, done, note))
    return tuple(made)


def run_command(
    context: ReproduceContext,
    model: str,
    variation: str,
    folder: Path,
    robust: bool,
    switched: Sequence[str] = (),
) -> tuple[str, ...]:
    """The words of ``vlm run``."""
    command = ["vlm", "run", str(set_of(context)), "--out", str(folder), *model_words(model)]
    command += ["--protocol", context.protocol or PROTOCOLS[0], *VARIATIONS[variation]]
    command += [] if robust or not folder.name.endswith("without-robustness") else ["--no-variants"]
    command += [] if context.limit is None else ["--limit", str(context.limit)]
    return (*command, *machine_words(context, model), *switched, *context.options)


def needs(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> tuple[Need, ...]:
    """Data, weights, hours and disk."""
    target, download = set_of(context), folder_of(context) / "download"
    files = any(download.glob("**/*.parquet"))
    command = f"hf download {HUB_ID} --repo-type dataset --local-dir {download}"
    detail = str(target) if target.exists() else "its files are here" if files else "3.5 GB"
    available = target.exists() or (files and not context.set)
    found = [Need("data", "ColorBench", available, detail, "" if available else command)]
    for model in models_of(context):
        found.append(model_need(context, model))
    found.append(_hours(context, variations, robust))
    free = free_bytes(context.data) if context.data.exists() else 0
    if not target.exists():
        detail = f"about {DOWNLOAD_GIB} GiB, {free / GIB:,.1f} GiB are free"
        found.append(Need("disk", str(context.data), free > DOWNLOAD_GIB * GIB, detail))
    return tuple(found)


def logs_of(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> dict[str, dict[str, EvaluationLog]]:
    """What is stored, by model and variation."""
    out: dict[str, dict[str, EvaluationLog]] = {}
    for model in models_of(context):
        for variation in variations:
            folder = evaluation_folder(context, model, variation, robust)
            if (folder / PLAN).is_file():
                out.setdefault(model, {})[variation] = read_log(folder)
    return out


def _set_id(context: ReproduceContext) -> str:
    """Eight characters of what is in the set."""
    try:
        manifest = json.loads((set_of(context) / MANIFEST).read_text(encoding="utf-8"))
        return str(manifest["sha256"])[:8]
    except (OSError, ValueError, KeyError):
        return "no-set"


def _hours(context: ReproduceContext, variations: Sequence[str], robust: bool) -> Need:
    folders = [
        evaluation_folder(context, model, variation, robust)
        for model in models_of(context)
        for variation in variations
    ]
    return hours_need(folders, _questions(context, robust))


def _questions(context: ReproduceContext, robust: bool) -> int:
    """How many questions an evaluation asks at most."""
    try:
        manifest = json.loads((set_of(context) / MANIFEST).read_text(encoding="utf-8"))
        counts = {str(task): int(count) for task, count in manifest["counts"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return 5814 if robust else 956
    if not robust:
        counts.pop(ROBUSTNESS, None)
    if context.limit is not None:
        counts = {task: min(count, context.limit) for task, count in counts.items()}
    return sum(counts.values())
