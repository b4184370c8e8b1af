"""Known failures of models, acted out: which color every object is really drawn with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from truehue.core.color.spaces import chroma, hex_of, lab_to_srgb8, srgb8_to_lab
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.encode import in_srgb
from truehue.core.generation.renderer.modifiers import OVERSHOT_FACTOR, ModifiedColor
from truehue.core.generation.renderer.usual import Rgb8, apart, usual_instead

FAILURES: MappingProxyType[str, str] = MappingProxyType(
    {
        "none": "Every object has its target color.",
        "ignored": "The target color is ignored: objects have their usual color, or a gray.",
        "leaked": "The first object's color tints its neighbor, or the backdrop if it is alone.",
        "swapped": "Two objects exchange their colors.",
        "too-vivid": "Colors are more vivid than requested: same lightness and hue, more chroma.",
        "one-missing": "The second object is missing.",
        "modifier-ignored": "A concept's modifier is ignored: the rotten mango is a mango.",
        "modifier-overshot": "A concept's modifier is overdone: its change of color times "
        f"{OVERSHOT_FACTOR}.",
    }
)
"""The failures by name, each with one line for people."""

VIVID_FACTOR = 1.6
LEAK_SHARE = 0.75
STAGE_LEAK_SHARE = 0.45
_STAGE_LIGHTNESS = 88.0
# Colors nearer than this are the same to the eye: exchanging or mixing them shows nothing.
_SEEN_DELTA_E00 = 5.0
# Below this chroma a color is a gray that can neither be made more vivid nor tint a gray backdrop.
_ACHROMATIC_CHROMA = 2.0


@dataclass(frozen=True)
class Cast:
    """One object before a failure: ``color`` is what it has without one, ``asked`` what was asked
    for, None for an object that no color was asked of. ``moved`` is what a concept's modifier does
    to it, None where there is no modifier."""

    name: str
    shape: str
    color: Rgb8
    asked: Rgb8 | None
    moved: ModifiedColor | None = None


@dataclass(frozen=True)
class ActedColors:
    """What is drawn: a color an object, None for one that is not drawn; a filter on the stage;
    whether anything differs from no failure; and what happened, in sentences."""

    colors: tuple[Rgb8 | None, ...]
    stage_tint_srgb8: Rgb8 = (255, 255, 255)
    acted: bool = True
    notes: tuple[str, ...] = ()


def act(failure: str, cast: Sequence[Cast]) -> ActedColors:
    """The colors under a failure of :data:`FAILURES`; raises BadInput for any other name.

    A failure that these objects cannot show (a swap with nobody to swap with) changes nothing,
    and says so.
    """
    if failure not in FAILURES:
        raise BadInput(f"There is no failure {failure!r}. Choose one of: {', '.join(FAILURES)}.")
    plain = tuple(item.color for item in cast)
    done = _ACTS[failure](cast)
    changed = done.colors != plain or done.stage_tint_srgb8 != (255, 255, 255)
    return replace(done, acted=changed)


def more_vivid(srgb8: Rgb8) -> tuple[Rgb8, float]:
    """The color with its CIELAB chroma times :data:`VIVID_FACTOR`, then brought into sRGB by
    :func:`in_srgb` and rounded to 8 bits; and the factor that was left, at least 1.

    A gray (C*ab below 2) stays as it is, with factor 1, and so does a color at the border of sRGB.
    """
    lab = _lab(srgb8)
    before = float(chroma(lab))
    if before < _ACHROMATIC_CHROMA:
        return srgb8, 1.0
    raised = in_srgb(lab * (1.0, VIVID_FACTOR, VIVID_FACTOR))
    factor = float(chroma(raised)) / before
    # By the color's 8 bits: the last digits of a product of matrices differ between machines.
    vivid = _rgb(raised)
    return (vivid, factor) if factor > 1.0 and vivid != srgb8 else (srgb8, 1.0)


def mixed(own: Rgb8, other: Rgb8, share: float) -> Rgb8:
    """``own`` moved ``share`` of the straight way in CIELAB to ``other``, brought into sRGB."""
    return _rgb(in_srgb((1.0 - share) * _lab(own) + share * _lab(other)))


def _none(cast: Sequence[Cast]) -> ActedColors:
    return ActedColors(tuple(item.color for item in cast))


def _ignored(cast: Sequence[Cast]) -> ActedColors:
    colors, notes = [], []
    for item in cast:
        color = item.color
        if item.asked is not None:
            color = usual_instead(item.name, item.shape, item.asked)
            notes.append(
                f"Simulated: {item.name} rendered in {hex_of(color)} instead of "
                f"{hex_of(item.asked)}."
            )
        colors.append(color)
    return ActedColors(tuple(colors), notes=tuple(notes))


def _leaked(cast: Sequence[Cast]) -> ActedColors:
    colors = [item.color for item in cast]
    main = _first_requested(cast)
    if main is None:
        return ActedColors(tuple(colors), notes=("Simulated: no target color, so none can leak.",))
    name, color = cast[main].name, cast[main].color
    for number, item in enumerate(cast):
        if number != main and apart(item.color, color) >= _SEEN_DELTA_E00:
            colors[number] = mixed(item.color, color, LEAK_SHARE)
            note = f"Simulated: the color of the {name} leaks to the {item.name}."
            return ActedColors(tuple(colors), notes=(note,))
    lab = _lab(color)
    if float(chroma(lab)) < _ACHROMATIC_CHROMA:
        note = f"The {name} is gray and cannot tint the gray backdrop: nothing leaks."
        return ActedColors(tuple(colors), notes=(note,))
    tint = np.array((_STAGE_LIGHTNESS, *(STAGE_LEAK_SHARE * lab[1:])))
    note = f"Simulated: the color of the {name} leaks to the backdrop."
    return ActedColors(tuple(colors), _rgb(in_srgb(tint)), notes=(note,))


def _swapped(cast: Sequence[Cast]) -> ActedColors:
    colors = [item.color for item in cast]
    main = _first_requested(cast)
    for number, item in enumerate(cast):
        if main is not None and apart(item.color, colors[main]) >= _SEEN_DELTA_E00:
            other = cast[main]
            colors[main], colors[number] = item.color, other.color
            note = f"Simulated: the {other.name} and the {item.name} swap colors."
            return ActedColors(tuple(colors), notes=(note,))
    note = "No two objects have colors that could be told apart: nothing is swapped."
    return ActedColors(tuple(colors), notes=(note,))


def _too_vivid(cast: Sequence[Cast]) -> ActedColors:
    colors, notes = [], []
    for item in cast:
        color = item.color
        if item.asked is not None:
            color, factor = more_vivid(item.color)
            if factor > 1.0:
                notes.append(f"Simulated: {item.name} with {factor:.2f} times the target chroma.")
            elif float(chroma(_lab(color))) < _ACHROMATIC_CHROMA:
                notes.append(f"The {item.name} is gray: it has no chroma to raise.")
            else:
                notes.append(f"The {item.name} is already as vivid as sRGB allows.")
        colors.append(color)
    return ActedColors(tuple(colors), notes=tuple(notes))


def _one_missing(cast: Sequence[Cast]) -> ActedColors:
    colors: list[Rgb8 | None] = [item.color for item in cast]
    if len(cast) < 2:
        return ActedColors(
            tuple(colors), notes=("There is no second object that could be missing.",)
        )
    colors[1] = None
    return ActedColors(tuple(colors), notes=(f"Simulated: the {cast[1].name} is missing.",))


def _modifier_ignored(cast: Sequence[Cast]) -> ActedColors:
    return _modified(cast, False)


def _modifier_overshot(cast: Sequence[Cast]) -> ActedColors:
    return _modified(cast, True)


def _modified(cast: Sequence[Cast], overshot: bool) -> ActedColors:
    colors, notes = [], []
    for item in cast:
        color, moved = item.color, item.moved
        if moved is not None and moved.says:
            color = moved.overshot if overshot else moved.base
            how = f"{OVERSHOT_FACTOR} times as strong" if overshot else "ignored"
            text = f"Simulated: the modifier {moved.modifier!r} is {how}"
            notes.append(f"{text}: the {item.name} is {hex_of(color)}.")
        colors.append(color)
    if not notes:
        label = "overdone" if overshot else "ignored"
        notes.append(f"There is no modifier with a color that could be {label}.")
    return ActedColors(tuple(colors), notes=tuple(notes))


def _first_requested(cast: Sequence[Cast]) -> int | None:
    return next((number for number, item in enumerate(cast) if item.asked is not None), None)


def _lab(srgb8: Rgb8) -> np.ndarray:
    return np.asarray(srgb8_to_lab(np.array(srgb8)), dtype=np.float64)


def _rgb(lab: np.ndarray) -> Rgb8:
    red, green, blue = (int(v) for v in lab_to_srgb8(lab))
    return red, green, blue


_ACTS: dict[str, Callable[[Sequence[Cast]], ActedColors]] = {
    "none": _none,
    "ignored": _ignored,
    "leaked": _leaked,
    "swapped": _swapped,
    "too-vivid": _too_vivid,
    "one-missing": _one_missing,
    "modifier-ignored": _modifier_ignored,
    "modifier-overshot": _modifier_overshot,
}
