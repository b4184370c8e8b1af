"""Targets of a user's own prompt: parsed from its text, unless the user set them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.generation.backends.reference import shapes_for
from truehue.core.prompts.parts import object_target
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.sentences import read_sentence

FIRST = ("mug", "l3:Vivid reddish orange")
"""Object and color of the page's first picture, while no words are written."""

MAX_SHOWN = 6
"""Objects and notes that the form lists: a long text must not push the button away."""

NOTHING_TO_JUDGE = "No color to score: the prompt names no object with a color."
NOTHING_TO_DRAW = (
    "The renderer does not read sentences, it draws objects, and these words name none: choose an "
    "object and a color for it, or another model."
)


@dataclass(frozen=True)
class OwnPrompt:
    """A prompt in one's own words, and the fields of its object and color.

    ``edited`` says which of the two a person edited: those go before the words, and of the others
    the words alone count, whatever the fields hold. None: all that is given was.
    """

    text: str = ""
    object_name: str = ""
    target_text: str = ""
    edited: tuple[bool, bool] | None = None

    @property
    def hand(self) -> tuple[bool, bool]:
        """Whether object and color were set by hand, to something else than the words say."""
        fields = (self.object_name.strip(), self.target_text.strip())
        if self.edited is None:
            return bool(fields[0]), bool(fields[1])
        text = fields_of(self.text)
        return (
            self.edited[0] and fields[0] != text[0],
            self.edited[1] and fields[1] != text[1],
        )


@dataclass(frozen=True)
class OwnReading:
    """``targets`` are what the engine and the judge get; ``hand`` says which words were overruled,
    empty where none were; ``notes`` is what the words name and nobody can be asked for."""

    targets: tuple[ObjectTarget, ...] = ()
    hand: str = ""
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> tuple[ObjectTarget, ...]:
        """The objects that a color is asked of."""
        return tuple(target for target in self.targets if target.color is not None)


def own_reading(own: OwnPrompt) -> OwnReading:
    """What is drawn and judged. Raises UnknownColor for a color that cannot be read."""
    if not own.text.strip():
        name = " ".join(own.object_name.split())
        return OwnReading((object_target(name, _color(own.target_text)),) if name else ())
    reading = read_sentence(own.text)
    object_by_hand, color_by_hand = own.hand
    if not (object_by_hand or color_by_hand):
        return OwnReading(reading.targets, "", reading.notes)
    first = _first(reading.targets)
    name = " ".join(own.object_name.split()) if object_by_hand else first.name if first else ""
    color = _color(own.target_text) if color_by_hand else first.color if first else None
    rest = [target for target in reading.targets if target is not first and target.name != name]
    targets = ((object_target(name, color),) if name else ()) + tuple(rest)
    label = [
        word for word, is_so in (("object", object_by_hand), ("color", color_by_hand)) if is_so
    ]
    hand = f"You set the {' and '.join(label)} manually; the prompt says {_text(first)}."
    return OwnReading(targets, hand, reading.notes)


def fields_of(text: str) -> tuple[str, str]:
    """Object and color that the page fills in for a text; those of the first picture for none."""
    if not text.strip():
        return FIRST
    first = _first(read_sentence(text).targets)
    if first is None:
        return "", ""
    return first.name, first.color.value if first.color else ""


def fill_fields(own: OwnPrompt) -> tuple[str, str]:
    """What the fields hold once they have followed the words: what was set by hand stays."""
    name, color = fields_of(own.text)
    object_by_hand, color_by_hand = own.hand
    return (
        own.object_name if object_by_hand else name,
        own.target_text if color_by_hand else color,
    )


class ScoredObject(TypedDict):
    """An object that will be scored, and its color."""

    object: str
    label: str
    hex: str


class PromptReading(TypedDict, total=False):
    """What will be scored of a prompt: the first objects and how many ``more``."""

    text: str
    judged: list[ScoredObject]
    more: int
    hand: str
    notes: list[str]
    problem: str


def reading_view(own: OwnPrompt, renderer: bool, only_renderer: bool) -> PromptReading:
    """What will be judged, in words, before anything is drawn. Raises UnknownColor."""
    reading = own_reading(own)
    notes = list(reading.notes)
    problem = ""
    if not reading.judged and (own.text.strip() or reading.targets):
        is_generated = bool(reading.targets) or not renderer
        notes.insert(
            0, NOTHING_TO_JUDGE + (" The image will still be generated." if is_generated else "")
        )
    unasked = [target.name for target in reading.targets if target.color is None]
    if unasked and reading.judged:
        verb = "has" if len(unasked) == 1 else "have"
        names = f"The {' and the '.join(unasked[:MAX_SHOWN])}"
        if len(unasked) > MAX_SHOWN:
            names = f"The {', the '.join(unasked[:MAX_SHOWN])} and {len(unasked) - MAX_SHOWN} more"
        notes.append(f"{names} {verb} no target color and will not be scored.")
    if renderer and reading.targets:
        notes += [shape.note for shape in shapes_for(reading.targets) if shape.note]
    elif renderer and own.text.strip():
        problem = NOTHING_TO_DRAW if only_renderer else ""
        notes += [] if only_renderer else [NOTHING_TO_DRAW]
    return {
        "text": own.text,
        "judged": [
            {"object": target.name, "label": target.color.label, "hex": target.color.hex}
            for target in reading.judged[:MAX_SHOWN]
            if target.color
        ],
        "more": max(0, len(reading.judged) - MAX_SHOWN),
        "hand": reading.hand,
        "notes": list(dict.fromkeys(notes))[:MAX_SHOWN],
        "problem": problem,
    }


def _first(targets: tuple[ObjectTarget, ...]) -> ObjectTarget | None:
    """The object that the fields speak of: the first with a color, else the first of all."""
    return next((target for target in targets if target.color), targets[0] if targets else None)


def _text(target: ObjectTarget | None) -> str:
    if target is None:
        return "no object"
    return f"{target.name}, {target.color.label}" if target.color else f"{target.name}, no color"


def _color(text: str) -> ColorTarget | None:
    return parse_target(text) if text.strip() else None
