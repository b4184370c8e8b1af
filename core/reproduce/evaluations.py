"""Evaluations of vision-language models as steps of a table: commands, and what they need.

A model is a name that ``vlm run`` takes, or ``NAME@URL`` for one behind a server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import ReproduceContext
from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.registry import model_of


def slug_of(model: str) -> str:
    """A model's part of the name of a folder."""
    name = model.partition("@")[0]
    name = Path(name).name if name.startswith(("/", "~", ".")) else name
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def model_words(model: str) -> tuple[str, ...]:
    """The words of ``vlm run`` that name a model."""
    name, _, url = model.partition("@")
    return ("--model", url, "--name", name) if url else ("--model", name)


def machine_words(context: ReproduceContext, model: str) -> tuple[str, ...]:
    """Those that say where a local model's files lie, and how many processes answer."""
    if "@" in model:
        return ()
    models = context.sources.models_folder
    words = ("--models", str(models)) if models else ()
    return (*words, *(("--workers", str(context.workers)) if context.workers else ()))


def model_need(context: ReproduceContext, model: str) -> Need:
    """The weights of a model, or where it is reached."""
    name, _, url = model.partition("@")
    if url:
        return Need("weights", name, None, f"behind {url}")
    chosen = model_of(name)
    if chosen.kind == "baseline":
        return Need("weights", name, True, "a baseline without weights")
    try:
        source = files_of(chosen, context.sources)
        check_files(source, name)
    except BadInput as error:
        # The command stands in its own line.
        detail, _, command = str(error).partition(" Get them with: ")
        return Need("weights", name, False, detail, command)
    return Need("weights", name, True, str(source.folder))


def hours_need(folders: Sequence[Path], questions: int) -> Need:
    """Of evaluations of so many questions each, by the seconds of the answers that are stored;
    unknown before the first."""
    left = sum(bool(missing_answers(folder)) for folder in folders)
    if not left:
        return Need("hours", "time", True, "all evaluations are finished")
    seconds = [
        answer.seconds
        for folder in folders
        if (folder / PLAN).is_file()
        for answer in EvaluationWork(folder).answers()
        if answer.seconds is not None
    ]
    if not seconds:
        detail = f"not known for {left} evaluations: no stored answer tells the pace"
        return Need("hours", "time", None, detail, "the same command with a smaller --limit")
    hours = left * questions * fmean(seconds) / 3600
    detail = f"at most {hours:,.1f} h for {left} evaluations, by {len(seconds):,} stored answers"
    return Need("hours", "time", True, detail)


def missing_answers(folder: Path) -> int:
    """How many questions of an evaluation have no answer yet; 1 before it has begun."""
    if not (folder / PLAN).is_file():
        return 1
    state = state_of(EvaluationFolder(folder))
    return state.total - state.done


def unanswered_note(folder: Path) -> str:
    """How many questions of an evaluation failed, in a sentence; empty where none did."""
    failed = state_of(EvaluationFolder(folder)).failed if (folder / PLAN).is_file() else 0
    if not failed:
        return ""
    return (
        "1 question has no answer and counts as incorrect."
        if failed == 1
        else f"{failed:,} questions have no answer and count as incorrect."
    )
