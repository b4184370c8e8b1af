"""Gradio's API of TrueHue: a handful of named endpoints over the use cases.

They are what ``gradio_client`` and "Use via API" see. Images go in as text, base64 of a file or the
id of a stored image: nothing here reads a path, and nothing is uploaded by way of Gradio.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

import gradio as gr
import numpy as np

from core.color.distances import checked, compare
from core.color.systems import parse_target
from core.errors import BadInput
from core.generation.registry import RENDERER
from core.images.load import load_image, load_mask
from core.verdict.candidates import Acceptance
from core.verdict.measure import AskedObject, measure
from core.verdict.rules import DEFAULT_RULE
from tabs.explore.board import board_view
from tabs.generate.drawing import Draw, start_drawing
from tabs.generate.own_words import OwnPrompt
from tabs.generate.plan import Settings
from tabs.inspect.mask_request import FindObject, start_find
from tabs.page.actor import Actor, actor_of, may
from tabs.page.context import Context
from tabs.page.errors import message_of
from tabs.page.jobs_service import NamedJob, job_view
from tabs.runs.form import start_runs
from tabs.runs.list import run_json
from tabs.runs.request import RunRequest
from tabs.runs.supervisor import RunSupervisor

ID_CHARACTERS = 64


def measured(
    context: Context, image: str, target: str, mask: str, object_name: str, rule: str, k: int
) -> dict[str, Any]:
    """The verdict on an image, as ``truehue measure --json`` prints it; nothing is stored.

    ``image`` and ``mask`` are base64 of files, or ids of what is stored. Without a mask the whole
    image is measured. Raises the errors of the family.
    """
    srgb8, notes = _pixels(context, image)
    if not mask:
        inside = np.ones(srgb8.shape[:2], dtype=bool)
    elif _is_id(mask):
        inside = context.mask_pixels(mask)
    else:
        inside = load_mask(_file(context, mask, "mask"), srgb8.shape[:2])
    result = measure(
        srgb8,
        inside,
        parse_target(target),
        rule,
        acceptance=Acceptance(k, context.munsell),
        asked=AskedObject(object_name),
    )
    return {**result.as_json(), "image_notes": list(notes)}


def compared(a: list[float], b: list[float]) -> dict[str, Any]:
    """All distances of two distributions, 71 shares of the UW-71 bins each, with sum 1.

    Raises NotADistribution.
    """
    result = compare(checked(a, "The first distribution"), checked(b, "The second distribution"))
    return {
        "pcc": result.pcc,
        "emd_lab": result.emd_lab,
        "entropy_difference_nats": result.entropy_difference,
        "dominant_equal": result.dominant_equal,
        "delta_hue_deg": result.delta_hue_deg,
        "total_variation": result.total_variation,
        "jensen_shannon_nats": result.jensen_shannon,
    }


def _is_id(text: str) -> bool:
    return len(text) == ID_CHARACTERS and not set(text) - set("0123456789abcdef")


def _file(context: Context, text: str, what: str) -> bytes:
    """The bytes of a file that came as base64, with or without ``data:…,`` before it."""
    encoded = text.rpartition(",")[2]
    if len(encoded) * 3 // 4 > context.limits.image_bytes:
        most = context.limits.image_bytes // 2**20
        raise BadInput(f"The {what} has more than {most} MB. Send a smaller one.")
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(
            f"The {what} is neither base64 of a file nor the id of a stored {what} "
            f"({ID_CHARACTERS} hexadecimal characters)."
        ) from None


def _pixels(context: Context, image: str) -> tuple[np.ndarray, tuple[str, ...]]:
    if _is_id(image):
        return context.srgb8(image), context.storage.images.get(image).notes
    loaded = load_image(_file(context, image, "image"), name="the image")
    return loaded.srgb8, loaded.notes


def wire(context: Context) -> None:
    """Names the endpoints in the ``gr.Blocks`` around; their docstrings are what people read."""

    def reply(
        request: gr.Request, endpoint: Callable[..., Any], do: Callable[[Actor], dict[str, Any]]
    ) -> Any:
        try:
            actor = actor_of(context, request)
            may(actor, vars(endpoint)["action"])
            return do(actor)
        except Exception as error:
            raise gr.Error(message_of(error), print_exception=False) from None

    def measure_image(
        request: gr.Request,
        image: str,
        target: str,
        mask: str = "",
        object_name: str = "",
        rule: str = DEFAULT_RULE,
        k: int = 0,
    ) -> dict[str, Any]:
        """Does the object in an image have the asked color? The verdict with every number.

        Parameters:
            image: base64 of an image file, or the id of a stored image.
            target: the asked color: a name (css:teal, l3:vivid red), a hex (#E83B1B), rgb, lab.
            mask: base64 of a mask file (white is inside), or the id of a stored mask; empty for the
                whole image.
            object_name: what the object is, for the sentences.
            rule: the rule's id: truehue, paper, released and their variants.
            k: how many neighbors of the color are accepted, 0 to 20, by the paper's rules.
        """
        return reply(
            request,
            measure_image,
            lambda _: measured(context, image, target, mask, object_name, rule, k),
        )

    def find_mask(request: gr.Request, image_id: str, object_name: str) -> dict[str, Any]:
        """Begins to find an object in a stored image by its name; needs a detector's weights.

        Ask job_state for the end: its result has the mask's id.

        Parameters:
            image_id: the id of a stored image.
            object_name: what to look for, such as mug.
        """
        return reply(
            request,
            find_mask,
            lambda actor: {
                "job": start_find(
                    context,
                    actor,
                    FindObject(
                        image_id=image_id,
                        object_name=object_name,
                        box_threshold=0.3,
                        negative_threshold=0.3,
                    ),
                ).id
            },
        )

    def generate(
        request: gr.Request,
        prompt: str,
        model: str = RENDERER,
        seed: int = 0,
        seeds: int = 1,
        object_name: str = "",
        target: str = "",
    ) -> dict[str, Any]:
        """Puts a prompt into the queue of the device; the images are stored and judged.

        Ask job_state for the end; the images are then at /api/drawings.

        Parameters:
            prompt: what to draw.
            model: the id of a model of the list; the renderer needs no weights.
            seed: the first seed.
            seeds: how many images.
            object_name: the object, where the words do not say it.
            target: its asked color, where the words do not say it.
        """
        draw_request = Draw(
            own=OwnPrompt(prompt, object_name, target),
            how=Settings(models=(model,), seed=seed, seeds=seeds),
        )
        return reply(request, generate, lambda actor: start_drawing(context, actor, draw_request))

    def compare_distributions(
        request: gr.Request, a: list[float], b: list[float]
    ) -> dict[str, Any]:
        """The distances of two distributions of colors over the 71 bins of UW-71.

        Parameters:
            a: 71 shares with sum 1.
            b: 71 shares with sum 1.
        """
        return reply(request, compare_distributions, lambda _: compared(a, b))

    def start_run(
        request: gr.Request,
        prompt_set: str,
        model: str = RENDERER,
        limit: int = 20,
        images: int = 1,
        seed: int = 0,
        name: str = "",
    ) -> dict[str, Any]:
        """Begins a whole run: prompts of a set drawn by a model, judged by all rules.

        Parameters:
            prompt_set: the id of a set: mini, gencolorbench, concepts, or an imported one.
            model: the id of a model of the list.
            limit: how many prompts at most, at equal distances.
            images: how many images a prompt.
            seed: the first seed.
            name: what the run is called; empty for a name of its model and set.
        """
        return reply(
            request,
            start_run,
            lambda actor: start_runs(
                context,
                actor,
                RunRequest.model_validate(
                    {
                        "set": prompt_set,
                        "models": [model],
                        "limit": limit,
                        "images": images,
                        "seed": seed,
                        "name": name,
                    }
                ),
            ),
        )

    def run_state(request: gr.Request, run_id: str) -> dict[str, Any]:
        """How far a run is, and what came of it.

        Parameters:
            run_id: the id that start_run answered.
        """
        return reply(
            request,
            run_state,
            lambda actor: run_json(context, actor, context.service(RunSupervisor).folder(run_id)),
        )

    def job_state(request: gr.Request, job_id: str) -> dict[str, Any]:
        """How far a piece of long work is, and its result.

        Parameters:
            job_id: the id that find_mask or generate answered.
        """
        return reply(
            request, job_state, lambda actor: job_view(context, actor, NamedJob(job_id=job_id))
        )

    def leaderboard(request: gr.Request, rule: str = DEFAULT_RULE) -> dict[str, Any]:
        """The accuracy of every run by one rule, with 95% intervals.

        Parameters:
            rule: the rule's id.
        """
        return reply(request, leaderboard, lambda _: board_view(context, {"rule": rule}))

    actions = {
        measure_image: "compute",
        find_mask: "compute",
        generate: "compute",
        compare_distributions: "compute",
        start_run: "compute",
        run_state: "look",
        job_state: "look",
        leaderboard: "look",
    }
    for endpoint, action in actions.items():
        vars(endpoint)["action"] = action
        gr.api(endpoint, concurrency_limit=4)
