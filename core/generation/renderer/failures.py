"""Simulated failures of models: the color in which every object is actually rendered.

A modifier shifts an object's usual color: "rotten" makes it darker and browner. The shifts are our
own choice of the words' associations. They simulate a model that follows modifiers, one that does
not and one that exaggerates them, and are no data about people. The words are those of
ColorConceptBench's table 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from truehue.core.color.spaces import chroma, hex_of, lab_to_srgb8, srgb8_to_lab
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.checks import in_srgb
from truehue.core.generation.renderer.usual import Rgb8, choose_usual_color, delta_e00_of, rgb8_of

OVERSHOT_FACTOR = 2.2
"""How many times its move a color goes when a modifier is overdone. Black, white and the border of
sRGB end the way of strong moves earlier."""

# Black and white have no chroma left: a color that goes there would lose its hue.
_LOWEST, _HIGHEST = 2.0, 98.0


@dataclass(frozen=True)
class Move:
    """A way in CIELAB: ``share`` (0 to 1) of the straight way to the color ``toward``, sRGB as hex
    (empty for none), then ``lightness`` added to L*, and a* and b* times ``chroma``.
    ``says`` is what it does, in words."""

    says: str
    toward: str = ""
    share: float = 0.0
    lightness: float = 0.0
    chroma: float = 1.0

    def way(self, lab: np.ndarray) -> np.ndarray:
        """From CIELAB ``(3,)`` to where the move ends, the difference ``(3,)``."""
        end = np.asarray(lab, dtype=np.float64)
        if self.toward:
            end = (1.0 - self.share) * end + self.share * _lab(rgb8_of(self.toward))
        end = end * (1.0, self.chroma, self.chroma) + (self.lightness, 0.0, 0.0)
        return np.asarray(end - lab)


@dataclass(frozen=True)
class ModifiedColor:
    """A usual color ``base`` under a modifier: ``color`` as the move has it, ``overshot`` with the
    move times :data:`OVERSHOT_FACTOR`. Where the word moves no color, all three are the same and
    ``says`` is empty."""

    modifier: str
    base: Rgb8
    color: Rgb8
    overshot: Rgb8
    says: str


def _toward(says: str, toward: str, share: float, lightness: float = 0.0) -> Move:
    return Move(says, toward, share, lightness)


MOVES: MappingProxyType[str, Move] = MappingProxyType(
    {
        # Fruits, vegetables, plants.
        "fresh": Move("a little lighter and more colorful", lightness=4.0, chroma=1.15),
        "unripe": _toward("greener", "#8DB04A", 0.65),
        "overripe": _toward("darker, toward brown", "#7A4A22", 0.4),
        "rotten": _toward("darker and browner", "#4A3826", 0.6),
        "juiceless": Move("paler and drier", "#B39B6B", 0.4, chroma=0.7),
        "shrivelled": _toward("duller and browner", "#7A6242", 0.6),
        # Food.
        "browned": _toward("browner", "#8A5A2E", 0.6),
        "buttery": _toward("toward butter yellow", "#F2D675", 0.5),
        "charred": _toward("toward black", "#1F1A17", 0.65),
        "chocolaty": _toward("toward dark brown", "#4A2C1A", 0.75),
        "cinnamon": _toward("toward reddish brown", "#9C5A2A", 0.6),
        "cooled": _toward("cooler and paler", "#B8D0DC", 0.35),
        "nutty": _toward("toward light brown", "#B07B48", 0.5),
        "stale": _toward("grayer and duller", "#A79C80", 0.45),
        "toasted": _toward("toward golden brown", "#A8703A", 0.5),
        "vanilla": _toward("toward cream", "#F3E5B8", 0.6),
        # Weather, seasons and light.
        "autumnal": _toward("toward orange and brown", "#C4701F", 0.6),
        "clear": _toward("toward clear blue", "#58A9E0", 0.45),
        "cloudless": _toward("toward sky blue", "#4FA0E6", 0.5),
        "cloudy": _toward("toward light gray", "#B4BAC0", 0.6),
        "frozen": _toward("toward pale icy blue", "#CFE6F2", 0.65),
        "misty": _toward("paler and grayer", "#C9CED2", 0.6),
        "moonlit": _toward("darker and bluer", "#8FA3C8", 0.5, -12.0),
        "rainy": _toward("grayer and cooler", "#7C8893", 0.5),
        "spring": _toward("toward fresh green", "#9CCB5A", 0.45),
        "starry": _toward("toward night blue", "#141B3F", 0.7),
        "stormy": _toward("toward dark slate", "#4A5560", 0.65),
        "summery": _toward("toward warm yellow", "#F2C84B", 0.4),
        "sunny": _toward("toward sunlit yellow", "#F7D85A", 0.45),
        "thunderous": _toward("almost black", "#34363F", 0.7),
        "tropical": _toward("toward turquoise", "#1FA59A", 0.5),
        # The state of a place.
        "ancient": _toward("weathered, toward gray-brown", "#9C8B6C", 0.45),
        "arid": _toward("toward sand", "#D2A86A", 0.6),
        "barren": _toward("toward bare earth", "#A8957A", 0.55),
        "dense": Move("darker and more colorful", lightness=-12.0, chroma=1.1),
        "desolate": _toward("grayer, toward dust", "#9A8F80", 0.55),
        "dirty": _toward("browner and grayer", "#6B5B45", 0.5),
        "faded": Move("lighter, with less color", lightness=10.0, chroma=0.4),
        "fiery": _toward("toward flame red", "#E2451B", 0.65),
        "grassy": _toward("toward grass green", "#6FA03A", 0.6),
        "lush": _toward("toward deep green", "#2F7F35", 0.6),
        "muddy": _toward("toward mud brown", "#6B4E2E", 0.6),
        "murky": _toward("darker, toward gray-green", "#5A5F48", 0.6),
        "olive": _toward("toward olive", "#7B7B32", 0.65),
        "pale": Move("lighter, with less color", lightness=15.0, chroma=0.4),
        "polluted": _toward("toward dull gray-brown", "#6F6A4A", 0.55),
        "sumptuous": _toward("toward deep red", "#8A1F3D", 0.4),
        "turbulent": _toward("grayer and darker", "#5C7482", 0.5),
        "verdant": _toward("toward green", "#3E8F3A", 0.65),
        "vibrant": Move("more colorful", chroma=1.5),
        "vintage": _toward("toward sepia", "#B09A78", 0.45),
        # Moods.
        "blushing": _toward("toward pink", "#E79AA8", 0.6),
        "brooding": _toward("darker, toward slate", "#3A4150", 0.5),
        "cozy": _toward("warmer", "#C9843F", 0.55),
        "dreamy": _toward("toward pale violet", "#CDB6E6", 0.5),
        "ethereal": _toward("toward pale bluish white", "#E3E8F5", 0.55),
        "forbidding": _toward("darker and grayer", "#2E3036", 0.55),
        "hopeful": _toward("lighter and warmer", "#F6DE9A", 0.4),
        "lonely": _toward("grayer and darker", "#6E7684", 0.55, -5.0),
        "magical": _toward("toward violet", "#8A5BD6", 0.5),
        "mysterious": _toward("darker, toward violet", "#4B3F72", 0.5),
        "oppressive": Move("darker and grayer", lightness=-25.0, chroma=0.5),
        "serene": _toward("lighter, toward pale blue", "#A9C9DC", 0.45),
        "solemn": Move("darker and almost gray", lightness=-15.0, chroma=0.35),
        "somber": Move("darker and grayer", lightness=-22.0, chroma=0.4),
        "terrifying": _toward("almost black, reddish", "#2A1214", 0.6),
        "warm": _toward("warmer", "#E39A4B", 0.5),
        "wistful": _toward("toward grayish blue", "#8E93B5", 0.45),
    }
)
"""The modifiers that move a color. Others ("stylish") say something, but no color."""


def modify_color(color: Rgb8, modifier: str) -> ModifiedColor:
    """What becomes of a usual color under a modifier. Colors that sRGB does not hold are brought
    into it by less chroma; L* stays within 2 and 98."""
    move = MOVES.get(modifier.strip().lower())
    if move is None:
        return ModifiedColor(modifier, color, color, color, "")
    lab = _lab(color)
    way = move.way(lab)
    return ModifiedColor(
        modifier, color, _end(lab + way), _end(lab + OVERSHOT_FACTOR * way), move.says
    )


def note_of(name: str, modification: ModifiedColor) -> str:
    """A sentence on a modifier's effect on an object."""
    if not modification.says:
        return (
            f"{modification.modifier.capitalize()!r} names no color: the {name} keeps its usual "
            "one."
        )
    return (
        f"{modification.modifier.capitalize()!r} makes the {name} {modification.says}: "
        f"{hex_of(modification.base)} becomes {hex_of(modification.color)}."
    )


def _end(lab: np.ndarray) -> Rgb8:
    lab = np.array((np.clip(lab[0], _LOWEST, _HIGHEST), lab[1], lab[2]))
    red, green, blue = (int(v) for v in lab_to_srgb8(in_srgb(lab)))
    return red, green, blue


def _lab(srgb8: Rgb8) -> np.ndarray:
    return np.asarray(srgb8_to_lab(np.array(srgb8)), dtype=np.float64)


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
    for, None for an object that no color was asked of. ``modify_color`` is what a concept's modifier does
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
    vivid = _rgb_of(raised)
    return (vivid, factor) if factor > 1.0 and vivid != srgb8 else (srgb8, 1.0)


def mix_colors(own: Rgb8, other: Rgb8, share: float) -> Rgb8:
    """``own`` moved ``share`` of the straight way in CIELAB to ``other``, brought into sRGB."""
    return _rgb_of(in_srgb((1.0 - share) * _lab(own) + share * _lab(other)))


def _none(cast: Sequence[Cast]) -> ActedColors:
    return ActedColors(tuple(item.color for item in cast))


def _ignored(cast: Sequence[Cast]) -> ActedColors:
    colors, notes = [], []
    for item in cast:
        color = item.color
        if item.asked is not None:
            color = choose_usual_color(item.name, item.shape, item.asked)
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
        if number != main and delta_e00_of(item.color, color) >= _SEEN_DELTA_E00:
            colors[number] = mix_colors(item.color, color, LEAK_SHARE)
            note = f"Simulated: the color of the {name} leaks to the {item.name}."
            return ActedColors(tuple(colors), notes=(note,))
    lab = _lab(color)
    if float(chroma(lab)) < _ACHROMATIC_CHROMA:
        note = f"The {name} is gray and cannot tint the gray backdrop: nothing leaks."
        return ActedColors(tuple(colors), notes=(note,))
    tint = np.array((_STAGE_LIGHTNESS, *(STAGE_LEAK_SHARE * lab[1:])))
    note = f"Simulated: the color of the {name} leaks to the backdrop."
    return ActedColors(tuple(colors), _rgb_of(in_srgb(tint)), notes=(note,))


def _swapped(cast: Sequence[Cast]) -> ActedColors:
    colors = [item.color for item in cast]
    main = _first_requested(cast)
    for number, item in enumerate(cast):
        if main is not None and delta_e00_of(item.color, colors[main]) >= _SEEN_DELTA_E00:
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


def _rgb_of(lab: np.ndarray) -> Rgb8:
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
