"""Store a generated image with its masks and its row, and score it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truehue.core.engine import Delivery
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.registry import name_of as name_of_model
from truehue.core.generation.request import GenerationRequest
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.records import GenerationRecord
from truehue.core.verdict.rules import RULES
from truehue.tabs.library.service import canonical
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.verdicts.scoring import StoredImage, judge_image

log = logging.getLogger("truehue")

SOURCE = {RENDERER: "render"}
"""The source of a model's images in storage; every other model's are ``generated``."""


def enqueue_generation(
    context: Context,
    prompts: Sequence[Prompt],
    requests: Sequence[GenerationRequest],
    title: str,
    actor: Actor,
) -> str:
    """Puts a job into the queue and returns its id; its images are stored as they come.

    ``requests`` are requests for these prompts. Raises BadInput for what no model could draw,
    and where too much waits already.
    """
    waiting = [state.owner for state in context.engine.states() if not state.finished]
    context.limits.check_job(len(requests), waiting, actor.id)
    by_id = {prompt.id: prompt for prompt in prompts}
    # Eight bits of three colors, as PNG a third less; masks and rows are small beside it.
    size_bytes = sum(2 * (request.width or 512) * (request.height or 512) for request in requests)
    context.require_space(size_bytes, len(requests))
    deliver = deliver_to(context.bound(), actor, by_id)
    return context.engine.submit(requests, deliver, title=title, owner=actor.id)


def deliver_to(
    context: Context, actor: Actor, by_id: Mapping[str, Prompt]
) -> Callable[[Delivery], None]:
    """The function that the engine calls with each result, in its own thread."""

    def deliver(delivery: Delivery) -> None:
        store_generation(context, delivery, by_id.get(delivery.request.prompt_id), actor.id)

    return deliver


def store_generation(
    context: Context, delivery: Delivery, prompt: Prompt | None, maker: str
) -> GenerationRecord:
    """Stores a result that ``maker`` asked for: image, masks, and the row that says how to draw it
    again; then judges it.

    Raises StorageError when it cannot be stored.
    """
    request = delivery.request
    row = GenerationRecord(
        text=request.text,
        model=request.model,
        job_id=delivery.job_id,
        prompt_source=canonical(prompt.source) if prompt else "",
        prompt_id=request.prompt_id,
        task=prompt.task if prompt else "",
        targets=request.targets,
        seed=request.seed,
        guidance=request.guidance,
        steps=request.steps,
        width=request.width,
        height=request.height,
        negative_text=request.negative_text,
        options=request.options,
        seconds=delivery.seconds,
    )
    generated_image = delivery.image
    if generated_image is None:
        reason = delivery.problem or "The model returned no image and no reason."
        return context.storage.drawings.add(replace(row, status="failed", reason=reason))
    height, width, _ = generated_image.srgb8.shape
    context.require_space(2 * height * width, images=1)
    origin = {**generated_image.origin, **_first_target(request.targets)}
    image = context.storage.images.add(
        generated_image.srgb8,
        name_of(request),
        SOURCE.get(request.model, "generated"),
        origin=origin,
        maker=maker,
    )
    masks = {
        mask.target: context.storage.masks.add(
            image.image_id, mask.mask.of_target(mask.target, request.targets[mask.target].name)
        )
        for mask in generated_image.masks
    }
    # The notes are of this drawing; another one may have led to the very same pixels.
    origin = {**generated_image.origin, "notes": list(generated_image.notes)}
    stored = context.storage.drawings.add(
        replace(row, image_id=image.image_id, origin=origin, width=width, height=height)
    )
    stored_image = StoredImage(
        image.image_id, stored.task, stored.targets, masks, request.model, request.options
    )
    try:
        judge_exact(context, stored_image)
    except Exception:
        # The image is stored and can be judged later; the drawing did not fail.
        log.exception("the verdicts on the image %s could not be stored", image.image_id)
    return stored


def judge_exact(context: Context, stored: StoredImage) -> None:
    """Judges every object that something is asked of, by every rule, where exact masks came along.

    An object that the renderer did not draw is not in the picture: that is a fail, for the picture
    does not show what was asked. What breaks is stored as ``unscored``, with what broke.
    """
    if stored.masks:
        judge_image(context, stored, [by.id for by in RULES])


def name_of(request: GenerationRequest) -> str:
    """How an image is called: its prompt, shortened, its model, its seed, and whether with CFR."""
    text = request.text if len(request.text) <= 90 else request.text[:89] + "…"
    refined = " · CFR" if "cfr" in request.options else ""
    return f"{text} · {model_name(request.model)} · seed {request.seed}{refined}"


def model_name(model_id: str) -> str:
    """The name of a model as people know it, or its id when it is not listed any more."""
    return name_of_model(model_id)


def _first_target(targets: Sequence[ObjectTarget]) -> dict[str, Any]:
    """Object and color that Inspect starts with."""
    for target in targets:
        if target.color is not None:
            return {"object_name": target.name, "target": target.color.value}
    return {"object_name": targets[0].name} if targets else {}
