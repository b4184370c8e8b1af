"""Examples for the first screen: scenes of the reference renderer, drawn when they are first asked
for, stored with the source ``example`` and told apart from what people brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

from core.color.systems import parse_target
from core.errors import BadInput
from core.generation.backends.reference import ReferenceRenderer
from core.generation.registry import RENDERER
from core.generation.renderer import RENDERER_VERSION
from core.generation.request import GeneratedImage, GenerationRequest
from core.images.mask import Mask
from core.masks.from_marks import mask_from_marks
from core.prompts.prompt import ObjectTarget
from tabs.inspect import tab as inspect
from tabs.judging.question import Question
from tabs.page.context import EXAMPLE, Context
from tabs.page.errors import message_of
from tabs.page.widgets import widget

ROW = """<nav class="th-examples" aria-label="Examples" hidden>
<span>Examples, drawn by the reference renderer:</span><span class="th-examples-list" role="group" aria-label="Examples"></span>
<span class="th-examples-own">or drop a photograph of your own anywhere.</span>
<span class="th-examples-status" role="status"></span></nav>"""  # noqa: E501
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
            RENDERER, self.title, seed=self.seed, width=SIZE_PX, height=SIZE_PX, targets=targets,
            options={"light": self.light, "failure": self.failure},
        )  # fmt: skip

    def question(self) -> Question:
        """The object and the color that are asked first."""
        name, color = self.objects[self.asked]
        return Question(name, color)


SIZE_PX = 400
EXAMPLES = (
    Example(
        "mug", "A mug of known color",
        "Shaded by one lamp: is it still the vivid reddish orange that was asked for?",
        (("mug", "l3:Vivid reddish orange"),),
    ),
    Example(
        "boxed", "A scene with a box mark",
        "A render, not a photograph, marked as one marks a photograph: a box around the banana, "
        "whose edge was found.",
        (("banana", "l3:Vivid yellow"), ("teapot", "l3:Strong green")), light="window", seed=2,
        box=(11, 183, 191, 281),
    ),
    Example(
        "leaked", "Two objects, one leaked",
        "A red apple and a blue mug were asked for. The apple's color went over to the mug.",
        (("apple", "l3:Vivid red"), ("mug", "l3:Vivid blue")), asked=1, failure="leaked", seed=3,
    ),
)  # fmt: skip


def example_of(key: str) -> Example:
    """The example of that key; raises BadInput where there is none."""
    found = next((one for one in EXAMPLES if one.key == key), None)
    if found is None:
        raise BadInput(f"There is no example {key!r}.")
    return found


def listed(context: Context) -> dict[str, Any]:
    """``{"examples": [{"key", "title", "says", "image"}, …], "first"}``: ``image`` is empty for
    one that is not drawn yet, ``first`` says that nobody has brought a picture yet."""
    stored = _stored(context)
    rows = [
        {"key": one.key, "title": one.title, "says": one.says, "image": stored.get(one.key, "")}
        for one in EXAMPLES
    ]
    return {"examples": rows, "first": context.example and context.own_images() == 0}


def drawn(context: Context, key: str) -> str:
    """The image of an example, drawn and stored if it is not there; returns its id.

    Raises BadInput for an unknown example and StorageError where it cannot be stored.
    """
    example = example_of(key)
    with _DRAWING:
        return _stored(context).get(key) or _draw(context, example)


def _stored(context: Context) -> dict[str, str]:
    """The stored examples of this version of the renderer: key to id."""
    records = context.storage.images.recent(4 * len(EXAMPLES), 0, EXAMPLE)
    return {
        str(one.origin.get("example")): one.image_id
        for one in records
        if one.origin.get("renderer_version") == RENDERER_VERSION
    }


def _draw(context: Context, example: Example) -> str:
    request = example.request()
    made = ReferenceRenderer().draw([request], lambda _: None, Event())[0]
    name, color = example.objects[example.asked]
    origin = {**made.origin, "example": example.key, "object_name": name, "target": color}
    image = context.storage.images.add(
        made.srgb8, f"Example: {example.title}", EXAMPLE, made.notes, origin
    )
    for mask in _masks(example, made, request.targets):
        context.storage.masks.add(image.image_id, mask)
    return image.image_id


def _masks(
    example: Example, made: GeneratedImage, targets: Sequence[ObjectTarget]
) -> Sequence[Mask]:
    if example.box is not None:
        return [mask_from_marks(made.srgb8, [{"type": "box", "box": list(example.box)}])]
    return [
        Mask(
            one.mask.pixels, one.mask.maker,
            {**one.mask.parameters, "target": one.target, "object": targets[one.target].name},
        )
        for one in made.masks
    ]  # fmt: skip


def row() -> Any:
    """The row of examples above the stage; hidden where an image of one's own is open."""
    return widget("inspect/examples", ROW, elem_id="examples", events=("open",))


def wire(view: Any, inspect_view: inspect.View, context: Context) -> None:
    """Opens the example that was pressed in Inspect, with its own question."""

    def opened(value: Any) -> list[Any]:
        key = str(value.get("example", "")) if isinstance(value, Mapping) else ""
        try:
            example, image_id = example_of(key), drawn(context, key)
            masks = context.storage.masks.for_image(image_id) if example.box else ()
            mask_id = masks[0].mask_id if masks else ""
            return inspect.open_image(context, inspect_view, image_id, example.question(), mask_id)
        except Exception as error:
            return inspect.refused(inspect_view, message_of(error))

    view.open(
        opened, view, inspect_view.outputs, show_progress="hidden", api_visibility="private",
        trigger_mode="always_last", **inspect.IN_ORDER,
    )  # fmt: skip
