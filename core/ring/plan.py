"""The plan of a ring test: its scenes and questions, all of them drawn from one seed.

Each image shows an object of exactly known color. Each question is "does this object have that
color?". A third of the images is rated, the others are probed.

A rated image has four candidates: colors near each other, two of each system, each asked by name and
by code. A quarter of these images has a second object, a quarter a backdrop, and a fifth candidate
that is far from the others. The true color is drawn among the candidates after them, and the second
object or the backdrop has another one. So the questions alone do not tell which color is true: given
all of them, each candidate is equally probable.

Probes ask for a color at a known distance from the true one, always in pairs: the same ΔE00 lighter
and darker, more and less colorful, and turned in hue to both sides, and for the true color itself. A
scorer without bias accepts both of a pair equally often. Probes are neither hits nor false accepts,
because how near is near enough is a matter of the scorer. They lie around the true color and so tell
it: therefore probed images have no other questions.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import chroma, hex_of, hue_deg, lab_to_srgb8, srgb8_to_lab, triple
from truehue.core.color.systems import NamedColor, find
from truehue.core.diagnosis.colors import (
    APART_DELTA_E00,
    DEFAULT_LIGHTS,
    NEAR_COUNT,
    NEUTRAL_CHROMA,
    set_colors,
)
from truehue.core.errors import BadInput
from truehue.core.generation.renderer.objects import OBJECTS

RIGHT, SAME_SYSTEM, OTHER_SYSTEM, LEAKED, SWAPPED, PROBE = KINDS = (
    "right",
    "same_system",
    "other_system",
    "leaked",
    "swapped",
    "probe",
)
FALSE_KINDS = (SAME_SYSTEM, OTHER_SYSTEM, LEAKED, SWAPPED)
"""The kinds whose right answer is no; accepting one is a false accept."""

AXES = ("lightness", "chroma", "hue")
LEVELS = (3.0, 6.0, 9.0, 12.0, 15.0)
"""Distances of probes from the true color in ΔE00. They are evenly spaced: bias needs that."""
STEP = 3.0
PAIRS = 2
"""Pairs of probes of each axis about each probed image."""

SYSTEMS = ("l2", "css")
HEX = "hex"
OTHER_APART = 20.0
"""A backdrop or a second object differs from the true color by at least this ΔE00."""
DEFAULT_IMAGES = 360
DEFAULT_SIZE_PX = 384
MIN_IMAGES, MAX_IMAGES = 12, 5_000
MAX_SEED = 2**63 - 1

HUES: tuple[tuple[str, float, float], ...] = (
    ("red", 350.0, 50.0),
    ("orange", 50.0, 80.0),
    ("yellow", 80.0, 110.0),
    ("green", 110.0, 180.0),
    ("cyan", 180.0, 230.0),
    ("blue", 230.0, 310.0),
    ("purple and pink", 310.0, 350.0),
)
"""Names of sectors of h_ab, low and high end in degrees; of our own choice."""
NEUTRAL = "near neutral"


@dataclass(frozen=True)
class RingScene:
    """One image. ``neighbor`` is the second object, empty for none; ``neighbor_hex`` and
    ``backdrop_hex`` are the colors of that object and of the backdrop, empty for none."""

    image: str
    object: str
    light: str
    view: int
    system: str
    color: str
    hex: str
    neighbor: str = ""
    neighbor_hex: str = ""
    backdrop_hex: str = ""

    @property
    def mask(self) -> str:
        """The file of the object's mask."""
        return self.image.replace("images/", "masks/")

    @property
    def lab(self) -> tuple[float, float, float]:
        """CIELAB of the true color."""
        return find(self.color, self.system).lab


@dataclass(frozen=True)
class RingQuestion:
    """One question and its answer. ``system`` is "hex" where the color is given as a code.

    Of a probe, ``displacement`` is the signed ΔE00 of its color from the true one along ``axis``,
    and ``hue_deg`` its signed turn of h_ab; 0 and empty for the true color and for other kinds.
    """

    id: str
    image: str
    kind: str
    object: str
    system: str
    color: str
    hex: str
    axis: str = ""
    displacement: float = 0.0
    hue_deg: float = 0.0

    @property
    def answer(self) -> str:
        """``yes`` for the true color, else ``no``."""
        is_true = self.kind == RIGHT or (self.kind == PROBE and not self.axis)
        return "yes" if is_true else "no"

    @property
    def text(self) -> str:
        """The question as a sentence."""
        name = {"l2": "ISCC-NBS level 2", "css": "CSS"}.get(self.system)
        color = f"{name} color {self.color}" if name else f"color {self.hex}"
        return f"Does the {self.object} in the image have the {color}?"


@dataclass(frozen=True)
class RingPlan:
    """All scenes and questions. The questions are in a random order."""

    seed: int
    size_px: int
    scenes: tuple[RingScene, ...]
    questions: tuple[RingQuestion, ...]


def hue_name(lab: Sequence[float]) -> str:
    """The sector of :data:`HUES`, or "near neutral" for C*ab below 5."""
    if chroma(np.array(lab)) < NEUTRAL_CHROMA:
        return NEUTRAL
    angle = float(hue_deg(np.array(lab)))
    for name, low, high in HUES:
        if low <= angle < high or (low > high and (angle >= low or angle < high)):
            return name
    raise AssertionError("the sectors leave no gap")


def make_plan(seed: int, images: int = DEFAULT_IMAGES, size_px: int = DEFAULT_SIZE_PX) -> RingPlan:
    """The plan of that seed; the same arguments give the same plan.

    Colors are balanced over hues, levels of probes over the images of a hue. Raises BadInput for a
    number of images or a seed outside of what is possible.
    """
    if not MIN_IMAGES <= images <= MAX_IMAGES:
        raise BadInput(f"A set has {MIN_IMAGES} to {MAX_IMAGES:,} images, not {images}.", "n")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(f"The seed is 0 to {MAX_SEED}, not {seed}.", "seed")
    draws = Random(seed)
    usage: Counter[tuple[str, str, float]] = Counter()
    scenes: list[RingScene] = []
    drafts: list[_Draft] = []
    for scene, candidates in _scenes(draws, images):
        scenes.append(scene)
        drafts += _rated(scene, candidates) if candidates else _probes(draws, scene, usage)
    draws.shuffle(drafts)
    questions = tuple(
        RingQuestion(f"q{number:05d}-{_digest(seed, number)}", *draft)
        for number, draft in enumerate(drafts, 1)
    )
    return RingPlan(seed, size_px, tuple(scenes), questions)


def _digest(*parts: object) -> str:
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()[:6]


def _scenes(draws: Random, images: int) -> Iterator[tuple[RingScene, tuple[NamedColor, ...]]]:
    """The scenes with their candidates, none for a probed one.

    Hues, systems, objects, lights, uses and failures take turns, each in an order of its own.
    """
    pools = _pools()
    hues = _turns(draws, list(dict.fromkeys(hue for hue, _ in pools)), images)
    systems = _turns(draws, list(SYSTEMS), images)
    objects = _turns(draws, list(OBJECTS), images)
    lights = _turns(draws, list(DEFAULT_LIGHTS), images)
    is_rated = _turns(draws, [True, False, False], images)
    failures = iter(_turns(draws, ["", "", LEAKED, SWAPPED], sum(is_rated)))
    for number in range(images):
        pool = pools.get((hues[number], systems[number])) or pools[hues[number], "css"]
        color = draws.choice(pool)
        candidates: tuple[NamedColor, ...] = ()
        neighbor = other = backdrop = ""
        if is_rated[number]:
            failure = next(failures)
            candidates, color, wrong = _candidates(draws, color, bool(failure))
            if failure == SWAPPED:
                neighbor = draws.choice([name for name in OBJECTS if name != objects[number]])
                other = wrong
            elif failure == LEAKED:
                backdrop = wrong
        scene = RingScene(
            f"images/{number + 1:04d}.png",
            objects[number],
            lights[number],
            draws.randrange(2**31),
            color.system,
            color.name,
            color.hex,
            neighbor,
            other,
            backdrop,
        )
        yield scene, candidates


def _candidates(
    draws: Random, first: NamedColor, with_far: bool
) -> tuple[tuple[NamedColor, ...], NamedColor, str]:
    """The candidates of a rated image, the true one, and the code of the second object or backdrop
    (empty for none).

    They are chosen before the true one, and that is drawn evenly: this is what keeps the answers
    out of the questions.
    """
    other_system = SYSTEMS[1 - SYSTEMS.index(first.system)]
    chosen = [first]
    for system_id in (first.system, other_system, other_system):
        chosen.append(draws.choice(_apart(chosen, system_id, APART_DELTA_E00)[:NEAR_COUNT]))
    if not with_far:
        return tuple(chosen), draws.choice(chosen), ""
    far = draws.choice(_apart(chosen, first.system, OTHER_APART))
    true = draws.choice([*chosen, far])
    return (*chosen, far), true, (draws.choice(chosen) if true is far else far).hex


def _apart(chosen: Sequence[NamedColor], system_id: str, least: float) -> list[NamedColor]:
    """Colors of a system at least that ΔE00 from all chosen ones, those nearest to the first one
    first, one a code."""
    colors = set_colors(system_id)
    labs = np.array([color.lab for color in colors])
    distance = np.array([delta_e00(labs, np.array(color.lab)) for color in chosen])
    by_code: dict[str, NamedColor] = {}
    for index in np.argsort(distance[0], kind="stable").tolist():
        if distance[:, index].min() >= least:
            by_code.setdefault(colors[index].hex, colors[index])
    return list(by_code.values())


_Value = TypeVar("_Value")


def _turns(draws: Random, values: list[_Value], count: int) -> list[_Value]:
    """``count`` values, each as often as the others, in a random order."""
    out: list[_Value] = []
    while len(out) < count:
        out += draws.sample(values, len(values))
    out = out[:count]
    draws.shuffle(out)
    return out


@cache
def _pools() -> dict[tuple[str, str], tuple[NamedColor, ...]]:
    """The colors of both systems by hue and system, one a code."""
    pools: dict[tuple[str, str], dict[str, NamedColor]] = {}
    for system_id in SYSTEMS:
        for color in set_colors(system_id):
            pool = pools.setdefault((hue_name(color.lab), system_id), {})
            pool.setdefault(color.hex, color)
    return {key: tuple(pool.values()) for key, pool in pools.items()}


_Draft = tuple[str, str, str, str, str, str, str, float, float]
"""A question without its id."""


def _rated(scene: RingScene, candidates: Sequence[NamedColor]) -> Iterator[_Draft]:
    """Every candidate by name and by code."""
    kinds = {scene.neighbor_hex: SWAPPED, scene.backdrop_hex: LEAKED, scene.hex: RIGHT}
    for color in candidates:
        by_system = SAME_SYSTEM if color.system == scene.system else OTHER_SYSTEM
        kind = kinds.get(color.hex, by_system)
        for system, name in ((color.system, color.name), (HEX, color.hex)):
            yield scene.image, kind, scene.object, system, name, color.hex, "", 0.0, 0.0


def _probes(
    draws: Random, scene: RingScene, usage: Counter[tuple[str, str, float]]
) -> Iterator[_Draft]:
    """The true color and pairs around it, all by code."""

    def draft(code: str, axis: str = "", x: float = 0.0, turn: float = 0.0) -> _Draft:
        return scene.image, PROBE, scene.object, HEX, code, code, axis, x, turn

    yield draft(scene.hex)
    color = find(scene.color, scene.system)
    hue = hue_name(color.lab)
    for axis in AXES:
        pairs = probe_pairs(color.srgb8, axis)
        order = draws.sample(sorted(pairs), len(pairs))
        order.sort(key=lambda level: usage[hue, axis, level])
        for level in order[:PAIRS]:
            usage[hue, axis, level] += 1
            for sign, (code, turn) in zip((1.0, -1.0), pairs[level], strict=True):
                yield draft(code, axis, sign * level, turn)


_REACH = {"lightness": 45.0, "chroma": 90.0, "hue": 110.0}


@cache
def probe_pairs(
    srgb8: tuple[int, int, int], axis: str
) -> dict[float, tuple[tuple[str, float], tuple[str, float]]]:
    """By level, the codes at that ΔE00 above and below a color along an axis, each with its turn
    of h_ab in degrees. A level is left out where sRGB does not hold both; near neutral colors have
    only lightness."""
    lab = np.asarray(srgb8_to_lab(np.array(srgb8, dtype=np.uint8)), dtype=np.float64)
    if axis != "lightness" and chroma(lab) < NEUTRAL_CHROMA:
        return {}
    out = {}
    for level in LEVELS:
        ends = [_displaced(lab, axis, sign, level) for sign in (1.0, -1.0)]
        if ends[0] is not None and ends[1] is not None:
            out[level] = (ends[0], ends[1])
    return out


def _displaced(lab: np.ndarray, axis: str, sign: float, level: float) -> tuple[str, float] | None:
    """The code and its turn; None where the way leaves sRGB before the level."""
    line, apart = _line(triple(lab), axis, sign)
    beyond = np.flatnonzero(apart >= level)
    if not beyond.size:
        return None
    end = line[beyond[0]]
    code = lab_to_srgb8(end)
    back = np.asarray(srgb8_to_lab(code), dtype=np.float64)
    if float(delta_e00(end, back)) > 0.6:  # outside of sRGB it was clipped
        return None
    turn = (float(hue_deg(back)) - float(hue_deg(lab)) + 180.0) % 360.0 - 180.0
    return hex_of(code), round(turn, 2) if axis == "hue" else 0.0


@cache
def _line(lab: tuple[float, float, float], axis: str, sign: float) -> tuple[np.ndarray, np.ndarray]:
    """Colors along an axis, CIELAB ``(N, 3)``, and their ΔE00 from where it begins."""
    way = sign * np.linspace(0.0, _REACH[axis], 901)
    line = np.tile(np.array(lab), (way.size, 1))
    if axis == "lightness":
        line[:, 0] += way
        line = line[(line[:, 0] >= 0.0) & (line[:, 0] <= 100.0)]
    else:
        radius, angle = float(np.hypot(lab[1], lab[2])), float(np.arctan2(lab[2], lab[1]))
        radii = radius + way if axis == "chroma" else np.full(way.size, radius)
        angles = angle + np.deg2rad(way) if axis == "hue" else np.full(way.size, angle)
        line[:, 1], line[:, 2] = radii * np.cos(angles), radii * np.sin(angles)
        line = line[radii >= 0.0]
    return line, np.asarray(delta_e00(line, np.array(lab)))
