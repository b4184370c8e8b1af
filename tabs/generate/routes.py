"""HTTP routes of the queue and of the pictures that came of it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from core.engine import JobState
from core.errors import BadInput
from core.generation.truth import true_color_words
from core.prompts.prompt import ObjectTarget
from core.records import DrawingRecord, EvidenceRecord, MaskRecord
from core.verdict.expectations import Expectation, expectations_of
from tabs.judging.generation import model_name
from tabs.judging.judging import masks_of
from tabs.judging.summary import Said, said_of_objects, said_of_picture
from tabs.page.answers import guarded, posted
from tabs.page.context import Context
from tabs.page.errors import many

MOST_ITEMS = 96
MOST_JOBS = 30


def job_json(state: JobState, owner: str) -> dict[str, Any]:
    """A job as the queue shows it; what others ask for is not told."""
    mine = bool(owner) and state.owner == owner
    return {
        "id": state.id, "title": state.title if mine else many(state.total, "image"),
        "mine": mine, "status": state.status, "place": state.place, "total": state.total,
        "done": state.done, "failed": state.failed, "model_name": model_name(state.model),
        "step": state.step, "steps": state.steps, "elapsed_s": state.elapsed_s,
        "eta_s": state.eta_s, "message": state.message if mine else "",
        "problems": [_problem(one.text, one.count) for one in state.problems] if mine else [],
        "preview": _preview(state) if mine else "",
    }  # fmt: skip


def _problem(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({many(count, 'image')})"


def _preview(state: JobState) -> str:
    """The preview as a data URL: by the time that a page asked for it, it could be gone."""
    from PIL import Image

    if state.preview_srgb8 is None or state.finished:
        return ""
    out = io.BytesIO()
    Image.fromarray(state.preview_srgb8).save(out, format="PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode("ascii")


def drawing_json(context: Context, row: DrawingRecord) -> dict[str, Any]:
    """A drawing as the gallery shows it, with the verdicts on it and on each of its objects."""
    evidence: list[EvidenceRecord] = []
    masks: dict[int, MaskRecord] = {}
    notes = [str(note) for note in row.origin.get("notes") or ()]
    if row.image_id:
        if row.source == "imported":
            notes = list(context.storage.images.get(row.image_id).notes)
        evidence = context.storage.evidence.for_image(row.image_id)
        masks = masks_of(context.storage.masks.for_image(row.image_id), row.targets)
    asked = {one.position: one for one in expectations_of(row.targets)}
    said = said_of_objects(row.targets, evidence)
    settings = [
        f"seed {row.seed}" if row.seed is not None else "",
        f"guidance {row.guidance:g}" if row.guidance is not None else "",
        f"{row.steps} steps" if row.steps else "",
        str(row.options.get("light") or "") and f"{row.options['light']} light",
        f"failure: {row.options['failure']}"
        if row.options.get("failure", "none") != "none"
        else "",
    ]
    about = [model_name(row.model), *(text for text in settings if text)]
    size = f"{row.width} × {row.height} pixels" if row.width and row.height else ""
    return {
        "drawing_id": row.drawing_id, "job": row.job_id, "image_id": row.image_id,
        "status": row.status,
        "reason": row.reason, "text": row.text, "about": " · ".join(about),
        "details": "\n".join(text for text in (row.prompt_id, size, row.source) if text),
        "notes": notes, "truth": truth_of(row),
        "thumb": f"/media/thumbs/{row.image_id}.png?side=384" if row.image_id else "",
        "targets": [
            _target_json(target, position, asked.get(position), said.get(position, ()), masks)
            for position, target in enumerate(row.targets)
        ],
        "verdicts": [one.as_json() for one in said_of_picture(row.targets, said)],
    }  # fmt: skip


def truth_of(row: DrawingRecord) -> str:
    """The true colors of a render's objects beside the asked ones; empty for other pictures."""
    wanted = expectations_of(row.targets)
    words = {
        asked.label: true_color_words(row.origin, asked.color, position=asked.position)
        for asked in wanted
    }
    if len(wanted) == 1:
        return next(iter(words.values()))
    told = [f"{label[:1].upper()}{label[1:]}: {one}" for label, one in words.items() if one]
    return " ".join(told)


def _target_json(
    target: ObjectTarget, position: int, asked: Expectation | None, said: Sequence[Said],
    masks: Mapping[int, MaskRecord],
) -> dict[str, Any]:  # fmt: skip
    color = target.color
    mine = masks.get(position)
    return {
        "object": target.name, "role": target.role, "color": color.value if color else "",
        "hex": color.hex if color else "", "color_label": color.label if color else "",
        "mask": mine.mask_id if mine else "",
        "asked": _asked_json(asked) if asked else None,
        "verdicts": [one.as_json() for one in said],
    }  # fmt: skip


def _asked_json(asked: Expectation) -> dict[str, str]:
    """What is asked of an object: to have a color, or not to have it."""
    return {"hex": asked.color.hex, "label": asked.color.label, "relation": asked.relation}


def drawing_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api")

    @router.get("/jobs")
    def jobs(owner: str = "") -> JSONResponse:
        def listed() -> dict[str, Any]:
            states = context.engine.states()
            running = [state for state in states if not state.finished]
            ended = [state for state in states if state.finished and state.owner == owner]
            shown = sorted(running, key=lambda state: state.place or 0) + ended
            return {
                "jobs": [job_json(state, owner) for state in shown[:MOST_JOBS]],
                "version": context.engine.changes(timeout=0.0),
            }

        return guarded(listed)

    @router.post("/jobs/{job_id}/cancel")
    async def cancel(job_id: str, request: Request) -> JSONResponse:
        def stop(given: dict[str, Any]) -> dict[str, Any]:
            if context.engine.state(job_id).owner != given.get("owner"):
                raise BadInput("Only who asked for these images can cancel them.")
            context.engine.cancel(job_id)
            return {}

        return await posted(request, stop)

    @router.get("/drawings")
    def drawings(
        limit: int = 24,
        offset: int = 0,
        status: str = "",
        verdict: str = "",
        model: str = "",
        rule: str = "",
    ) -> JSONResponse:
        def listed() -> dict[str, Any]:
            wanted: dict[str, Any] = {
                "status": status or None, "verdict": verdict or None, "model": model or None,
                "rule": rule or None,
            }  # fmt: skip
            rows = context.storage.drawings.recent(
                min(max(limit, 1), MOST_ITEMS), min(max(offset, 0), 2**31), **wanted
            )
            return {
                "items": [drawing_json(context, row) for row in rows],
                "total": context.storage.drawings.count(**wanted),
                "models": [
                    {"id": name, "name": model_name(name), "count": count}
                    for name, count in context.storage.drawings.models()
                ],
            }

        return guarded(listed)

    return router
