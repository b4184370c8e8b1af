"""Color fidelity in Inspect: CFM's score of an image and its map, and the image's rank among the
others of its prompt."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import HOW_TO, register
from truehue.core.prompts.prompt import MAX_PROMPT_CHARACTERS
from truehue.core.scores.cfm import CFM, MAP_WORDS, NO_PROMPT, map_rows, scored_by_cfm
from truehue.core.scores.measures import measure_of, measures_of
from truehue.core.scores.records import HIGH, IMAGE, LOW, Measure
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.fidelity import Fidelity
from truehue.tabs.page.links import ID_LENGTH, link
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, authorize

MAX_OTHERS = 60
"""Images of one prompt that are ranked at most."""
BUSY_S = 600.0
"""So long a request waits for the device."""


class ScoreImage(PageRequest):
    """An image to be scored by CFM; ``prompt`` counts where none is known of it."""

    image: str = Field(max_length=64, title="The image")
    prompt: str = Field("", max_length=MAX_PROMPT_CHARACTERS, title="The prompt")


class RegisterCfm(PageRequest):
    """A checkpoint of CFM on this machine, by folder or id of the hub."""

    model: str = Field(max_length=1000, title="The folder of CFM")
    base: str = Field("", max_length=1000, title="The folder of Qwen2-VL")


class ImageScore(TypedDict):
    """The score of an image by a measure, in words."""

    name: str
    text: str
    title: str


class NamedMeasure(TypedDict):
    """A measure by its id and name."""

    id: str
    name: str


class RankedImage(TypedDict):
    """An image of the same prompt; ``rank`` is None where it has no score."""

    image: str
    thumb: str
    text: str
    rank: int | None
    here: bool
    href: str


class FidelityView(TypedDict):
    """The color fidelity of an image; ``map`` are the rows of CFM's map."""

    image: str
    url: str
    prompt: str
    no_prompt: str
    cfm: str
    how_to: str
    scores: list[ImageScore]
    map: list[str] | None
    map_words: str
    measures: list[NamedMeasure]
    by: str
    others: list[RankedImage]


class RegisteredCfm(TypedDict):
    """The CFM that was registered."""

    cfm: str
    version: str


def fidelity_view(context: Context, image: str, measure_id: str = "") -> FidelityView:
    """An image's color fidelity, and the other images of its prompt ranked by a measure: CFM where
    it is registered, else ΔSat, unless one is named. Raises NotStored and BadInput."""
    storage = context.storage
    image_id = storage.images.get(image).image_id
    registration = context.service(Fidelity).registration()
    records = storage.scores.of_items(IMAGE, [image_id]).get(image_id, [])
    prompt = storage.results.prompt_texts([image_id]).get(image_id, "")
    rows = None if registration is None else map_rows(records, registration.version)
    measures = [measure for measure in measures_of(IMAGE) if measure.better in (HIGH, LOW)]
    by = measure_of(measure_id or (CFM if registration else "delta_sat"))
    return {
        "image": image_id,
        "url": f"/media/images/{image_id}.png",
        "prompt": prompt,
        "no_prompt": "" if prompt else NO_PROMPT,
        "cfm": "" if registration is None else registration.name,
        "how_to": "" if registration else HOW_TO,
        "scores": [
            {"name": measure.name, "text": text, "title": f"{measure.formula}. {measure.source}."}
            for measure in measures_of(IMAGE)
            if measure.computed
            for text in [_text(context, measure, image_id)]
        ],
        "map": rows,
        "map_words": MAP_WORDS,
        "measures": [{"id": measure.id, "name": measure.name} for measure in measures],
        "by": by.id,
        "others": _ranked(context, by, image_id, prompt),
    }


def _text(context: Context, measure: Measure, image_id: str) -> str:
    value = context.storage.scores.values(measure, IMAGE, [image_id]).get(image_id)
    if value is not None:
        return measure.text(value)
    if measure.of is not None and measure.quick:
        return measure.text(measure.of(context.srgb8(image_id))[0])
    reason = context.storage.scores.reasons(measure, IMAGE, [image_id]).get(image_id)
    return f"unscored: {reason}" if reason else "not scored yet"


def _ranked(context: Context, by: Measure, image_id: str, prompt: str) -> list[RankedImage]:
    """The images of a prompt, best first, this one among them; those without a score last. Empty
    where there is no other."""
    storage = context.storage
    images = storage.results.images_of_text(prompt, MAX_OTHERS) if prompt else []
    images = list(dict.fromkeys([image_id, *images]))
    if len(images) < 2:
        return []
    values = storage.scores.values(by, IMAGE, images)
    for other in images:
        # Quick ones are computed as they are seen; they are stored by the job that scores runs.
        if other not in values and by.of is not None and by.quick:
            values[other] = by.of(context.srgb8(other))[0]
    sign = -1.0 if by.better == HIGH else 1.0
    scored = sorted((other for other in images if other in values), key=lambda x: sign * values[x])
    unscored = [other for other in images if other not in values]
    return [
        {
            "image": other,
            "thumb": f"/media/thumbs/{other}.png",
            "text": by.text(values[other]) if other in values else "not scored",
            "rank": index if other in values else None,
            "here": other == image_id,
            "href": link("inspect", {"image": other[:ID_LENGTH]}),
        }
        for index, other in enumerate([*scored, *unscored], start=1)
    ]


@requires("compute")
def score_by_cfm(context: Context, actor: Actor, request: ScoreImage) -> FidelityView:
    """Scores an image by the registered CFM, stores the score, and returns :func:`fidelity_view`.
    Waits for the device. Raises BadInput where no CFM is registered or no prompt is known, and
    NotStored."""
    storage, fidelity = context.storage, context.service(Fidelity)
    registration = fidelity.required()
    image_id = storage.images.get(request.image).image_id
    prompt = storage.results.prompt_texts([image_id]).get(image_id, "") or request.prompt
    if not prompt.strip():
        raise BadInput(f"{NO_PROMPT} Enter a description.", "prompt")
    stored = (image_id, context.srgb8(image_id), prompt)
    answer = fidelity.ask(
        context.engine,
        lambda held: scored_by_cfm(held.scorer, registration, [stored]),
        "Color fidelity of an image",
        actor.id,
    )
    storage.scores.add_many(answer.result(BUSY_S))
    return fidelity_view(context, image_id)


@requires("name-folder")
def register_cfm(context: Context, actor: Actor, request: RegisterCfm) -> RegisteredCfm:
    """Registers a CFM for the app. Only users who may name folders of this machine may do this."""
    authorize(actor, "name-folder", field="model")
    fidelity = context.service(Fidelity)
    registration = register(fidelity.data, request.model, request.base, sources=context.sources)
    fidelity.registration()
    return {"cfm": registration.name, "version": registration.version}
