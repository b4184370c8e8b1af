"""Askings among the other long work."""

from __future__ import annotations

from truehue.core.vlm.evaluation.plan import AskingFolder
from truehue.tabs.page.turns import ASKING
from truehue.tabs.runs.jobs import LineJobs
from truehue.tabs.vlm.keeper import AskingKeeper
from truehue.tabs.vlm.list import progress_words, set_id_of
from truehue.tabs.vlm.words import model_name


def asking_jobs(keeper: AskingKeeper) -> LineJobs[AskingFolder]:
    """Askings as long work."""
    return LineJobs(
        ASKING,
        keeper,
        lambda folder: f"{model_name(folder.model())}: evaluation",
        progress_words,
        lambda folder: {"asking": folder.run_id, "set": set_id_of(folder)},
    )
