"""Examples for the first screen: scenes of the reference renderer, rendered on first request and
stored with the source ``example``, so that they differ from people's images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import TypedDict

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import RENDERER_VERSION
from truehue.core.generation.request import GeneratedImage, GenerationRequest
from truehue.core.images.pixels import Mask
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.prompts.prompt import ObjectTarget
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import EXAMPLE, Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.verdicts.question import Question, VerdictQuestion

_DRAWING = Lock()


@dataclass(frozen=True)
class Example:
    """One scene: ``objects`` are names with their asked colors, ``asked`` the place of the object
    that the question is about. ``box`` is ``(x0, y0, x1, y1)`` in pixels where the object is marked
    as in a photograph, with no exact mask at hand."""

    key: str
    title: str
    says: str
    objects: tuple[tuple[str, str], ...]
    asked: int = 0
    light: str = "studio"
    failure: str = "none"
    seed: int = 0
    box: tuple[int, int, int, int] | None = None

    def request(self) -> GenerationRequest:
        """What the renderer is asked for."""
        targets = tuple(ObjectTarget(name, parse_target(color)) for name, color in self.objects)
        return GenerationRequest(
            RENDERER,
            self.title,
            seed=self.seed,
            width=SIZE_PX,
            height=SIZE_PX,
            targets=targets,
            options={"light": self.light, "failure": self.failure},
        )

    def question(self) -> Question:
        """The object and the color that are asked first."""
        name, color = self.objects[self.asked]
        return Question(name, color)


SIZE_PX = 400
EXAMPLES = (
    Example(
        "mug",
        "A mug of known color",
        "Shaded by one lamp: is it still the requested vivid reddish orange?",
        (("mug", "l3:Vivid reddish orange"),),
    ),
    Example(
        "boxed",
        "A scene with a box selection",
        "A render, selected like a photograph: a box around the banana, whose edge GrabCut finds.",
        (("banana", "l3:Vivid yellow"), ("teapot", "l3:Strong green")),
        light="window",
        seed=2,
        box=(11, 183, 191, 281),
    ),
    Example(
        "leaked",
        "Two objects, one leaked",
        "The prompt asks for a red apple and a blue mug. The apple's color leaked to the mug.",
        (("apple", "l3:Vivid red"), ("mug", "l3:Vivid blue")),
        asked=1,
        failure="leaked",
        seed=3,
    ),
)


def example_of(key: str) -> Example:
    """The example of that key; raises BadInput where there is none."""
    match = next((example for example in EXAMPLES if example.key == key), None)
    if match is None:
        raise BadInput(f"There is no example {key!r}.")
    return match


class ExampleJson(TypedDict):
    """An example. One that is not drawn yet has no ``question``, and its ``image`` is empty."""

    key: str
    title: str
    says: str
    image: str
    question: VerdictQuestion | None


class ExamplesView(TypedDict):
    """All examples; ``first`` says that nobody has brought an image yet."""

    examples: list[ExampleJson]
    first: bool


class ExampleImage(TypedDict):
    """The image of an example, and the link of it in Inspect as a record."""

    image_id: str
    question: VerdictQuestion


def listed(context: Context) -> ExamplesView:
    """The examples of the first page."""
    stored = _stored_examples(context)
    rows: list[ExampleJson] = []
    for example in EXAMPLES:
        image = stored.get(example.key, "")
        rows.append(
            {
                "key": example.key,
                "title": example.title,
                "says": example.says,
                "image": image,
                "question": _question(context, example, image) if image else None,
            }
        )
    return {"examples": rows, "first": context.example and context.own_images() == 0}


def make_example(context: Context, key: str) -> str:
    """The image of an example, drawn and stored if it is not there; returns its id.

    Raises BadInput for an unknown example and StorageError where it cannot be stored.
    """
    example = example_of(key)
    with _DRAWING:
        return _stored_examples(context).get(key) or _draw(context, example)


class NamedExample(PageRequest):
    """An example by its key."""

    example: str = ""


@requires("look")
def generate_example(context: Context, actor: Actor, request: NamedExample) -> ExampleImage:
    """Renders an example where it is not stored yet; its question opens it in Inspect."""
    example, image_id = example_of(request.example), make_example(context, request.example)
    return {"image_id": image_id, "question": _question(context, example, image_id)}


def _question(context: Context, example: Example, image_id: str) -> VerdictQuestion:
    masks = context.storage.masks.for_image(image_id) if example.box else ()
    return example.question().as_json(image_id, masks[0].mask_id if masks else "")


def _stored_examples(context: Context) -> dict[str, str]:
    """The stored examples of this version of the renderer: key to id."""
    records = context.storage.images.recent(4 * len(EXAMPLES), 0, EXAMPLE)
    return {
        str(record.origin.get("example")): record.image_id
        for record in records
        if record.origin.get("renderer_version") == RENDERER_VERSION
    }


def _draw(context: Context, example: Example) -> str:
    request = example.request()
    drawing = ReferenceRenderer().draw([request], lambda _: None, Event())[0]
    name, color = example.objects[example.asked]
    origin = {**drawing.origin, "example": example.key, "object_name": name, "target": color}
    image = context.storage.images.add(
        drawing.srgb8, f"Example: {example.title}", EXAMPLE, drawing.notes, origin
    )
    for mask in _masks(example, drawing, request.targets):
        context.storage.masks.add(image.image_id, mask)
    return image.image_id


def _masks(
    example: Example, drawing: GeneratedImage, targets: Sequence[ObjectTarget]
) -> Sequence[Mask]:
    if example.box is not None:
        return [mask_from_marks(drawing.srgb8, [{"type": "box", "box": list(example.box)}])]
    return [
        Mask(
            mask.mask.pixels,
            mask.mask.maker,
            {**mask.mask.parameters, "target": mask.target, "object": targets[mask.target].name},
        )
        for mask in drawing.masks
    ]
