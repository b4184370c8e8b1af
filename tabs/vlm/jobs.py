"""Askings among the other long work."""

from __future__ import annotations

from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.tabs.page.concurrency import ASKING
from truehue.tabs.runs.jobs import QueueJobs
from truehue.tabs.vlm.list import progress_text, set_id_of
from truehue.tabs.vlm.messages import model_name
from truehue.tabs.vlm.service import EvaluationService


def evaluation_jobs(evaluation_service: EvaluationService) -> QueueJobs[EvaluationFolder]:
    """Askings as long work."""
    return QueueJobs(
        ASKING,
        evaluation_service,
        lambda folder: f"{model_name(folder.model())}: evaluation",
        progress_text,
        lambda folder: {"asking": folder.run_id, "set": set_id_of(folder)},
    )
