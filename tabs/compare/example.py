"""What Compare opens with: people's ratings of 70 concepts, and one concept beside a few renders."""

from __future__ import annotations

from threading import Event, Lock
from typing import TypedDict

from truehue.core.color.systems import parse_target, verified
from truehue.core.concepts.matching import concept_of
from truehue.core.concepts.reading import RATINGS, read_distributions
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.request import GenerationRequest
from truehue.core.prompts.prompt import ObjectTarget
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import EXAMPLE, ROOT, UPLOAD, Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor

FILE = ROOT / "assets/concepts/uw71_ratings.csv"
SHA256 = "3402b25742dce02746592e9a5d027ba4fbb0d6b04e54759b9b46e1598435c7d6"
NAME = "UW-71 association ratings"
SOURCE = (
    "Mean ratings of 70 concepts, Schloss Visual Reasoning Lab, gpt-cca "
    "(github.com/SchlossVRL/gpt-cca at 3141b6b, MIT)"
)
RENDERS = "Example: three renders of a banana, yellow to green"
CONCEPT = "banana"
COLORS = ("l3:Vivid yellow", "l3:Brilliant greenish yellow", "l3:Strong yellow green")
SIZE_PX = 256
_DRAWING = Lock()


def store_ratings(context: Context) -> None:
    """Stores the ratings that TrueHue brings, where no set of people's colors was ever stored: who
    hides them does not get them again. Raises TrueHueError where the file is missing or was
    changed."""
    sets = context.storage.distributions
    if not sets.all(hidden=True):
        content = verified(FILE, SHA256, NAME)
        file = read_distributions(FILE.name, content, normalize=RATINGS)
        sets.add(file, NAME, FILE.name, SOURCE, of_people=True)


def has_example(context: Context) -> bool:
    """Whether Compare has only what TrueHue brings: then it opens with its example. A photograph that
    was dropped somewhere is nothing that it would open with."""
    people = [record.name for record in context.storage.distributions.all()]
    images = {record.name for record in context.storage.picture_sets.all()}
    own = context.own_images()
    if not context.demo:
        own -= context.storage.images.counts().get(UPLOAD, 0)
    return context.example and people == [NAME] and images <= {RENDERS} and own == 0


class ComparedExample(TypedDict):
    """The concept of the example; empty where there are own data."""

    concept: str


@requires("look")
def compare_example(context: Context, actor: Actor, request: EmptyRequest) -> ComparedExample:
    """The concept that Compare opens with, as long as it has no own data: its renders are made where
    they are not stored yet."""
    if not has_example(context):
        return {"concept": ""}
    make_renders(context)
    concept = concept_of(CONCEPT)
    return {"concept": concept.id if concept else ""}


def make_renders(context: Context) -> None:
    """Renders and stores the images of the example, where no set of images was ever stored."""
    with _DRAWING:
        if context.storage.picture_sets.all(hidden=True):
            return
        images = [(*_render(context, seed, color), "") for seed, color in enumerate(COLORS)]
        context.storage.picture_sets.add(RENDERS, CONCEPT, images, of_people=False)


def _render(context: Context, seed: int, color: str) -> tuple[str, str]:
    """The ids of a stored render and of its exact mask."""
    targets = (ObjectTarget(CONCEPT, parse_target(color)),)
    request = GenerationRequest(
        RENDERER, CONCEPT, seed=seed, width=SIZE_PX, height=SIZE_PX, targets=targets
    )
    render = ReferenceRenderer().draw([request], lambda _: None, Event())[0]
    origin = {**render.origin, "example": f"compare-{seed}"}
    image = context.storage.images.add(
        render.srgb8, f"Example: {CONCEPT} {seed + 1}", EXAMPLE, render.notes, origin
    )
    return image.image_id, context.storage.masks.add(image.image_id, render.masks[0].mask).mask_id
