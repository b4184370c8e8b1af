"""The engine's queue in the app's list of long work."""

from __future__ import annotations

import base64
import io
from datetime import UTC, datetime

from truehue.core.engine import Engine, JobState
from truehue.core.records import JobRecord
from truehue.tabs.feature import AppParts
from truehue.tabs.generate import DRAWING
from truehue.tabs.page.errors import count_noun
from truehue.tabs.verdicts.generation import model_name


class Queue:
    """Drawings as records of long work, those of one ``owner`` where it is given; a
    :class:`truehue.tabs.page.jobs.Source`."""

    kind = DRAWING

    def __init__(self, engine: Engine, owner: str | None = None) -> None:
        self._engine, self._owner = engine, owner
        self._preview: tuple[object, str] = (None, "")

    @classmethod
    def of(cls, parts: AppParts) -> Queue:
        """The one of an app."""
        return cls(parts.engine, parts.owner)

    def records(self) -> list[JobRecord]:
        """What waits and is drawn, and of what has ended the last 200 jobs."""
        states = self._engine.states()
        return [self._record(state) for state in states if self._owner in (None, state.owner)]

    def cancel(self, job_id: str) -> None:
        """Ends a job within a step."""
        self._engine.cancel(job_id)

    def version(self) -> int:
        """Grows with every image, step and model."""
        return self._engine.changes(timeout=0.0)

    def _record(self, state: JobState) -> JobRecord:
        return JobRecord(
            state.id,
            DRAWING,
            state.title,
            state.owner,
            state.status,
            state.done,
            state.total,
            problem=state.message if state.status == "failed" else "",
            began_at=datetime.fromtimestamp(state.submitted_at, UTC),
            details={
                "in_short": count_noun(state.total, "image"),
                "place": state.place,
                "failed": state.failed,
                "model_name": model_name(state.model),
                "step": state.step,
                "steps": state.steps,
                "elapsed_s": state.elapsed_s,
                "left_s": state.eta_s,
                "eta_s": state.eta_s,
                "message": state.message,
                "problems": [_problem(problem.text, problem.count) for problem in state.problems],
                "preview": self._preview_of(state),
            },
        )

    def _preview_of(self, state: JobState) -> str:
        """The preview as a data URL: by the time that a page asked for it, it could be gone."""
        from PIL import Image

        pixels = state.preview_srgb8
        if pixels is None or state.finished:
            return ""
        before, url = self._preview
        if before is not pixels:
            buffer = io.BytesIO()
            Image.fromarray(pixels).save(buffer, format="PNG", compress_level=1)
            url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
            self._preview = (pixels, url)
        return url


def _problem(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({count_noun(count, 'image')})"
