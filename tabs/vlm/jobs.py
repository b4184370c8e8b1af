"""Askings among the other long work."""

from __future__ import annotations

from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.tabs.page.feature import AppParts
from truehue.tabs.runs.jobs import QueueJobs
from truehue.tabs.vlm import ASKING
from truehue.tabs.vlm.list import progress_text, set_id_of
from truehue.tabs.vlm.messages import model_name
from truehue.tabs.vlm.service import EvaluationService


def evaluation_jobs(parts: AppParts) -> QueueJobs[EvaluationFolder]:
    """Askings as long work."""
    return QueueJobs(
        ASKING,
        parts.service(EvaluationService),
        lambda folder: f"{model_name(folder.model())}: evaluation",
        progress_text,
        lambda folder: {"asking": folder.run_id, "set": set_id_of(folder)},
    )
