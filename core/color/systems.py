"""Color names: parse a typed color, and find the nearest names of a color.

Names are compared in two readings, the closer one first over all systems: by *words* (case
ignored, any run of spaces, hyphens and underscores is one space, no apostrophes, grey is gray)
and *folded* (the same without the spaces). So "dark gray" is the level 3 color of that name and
"darkgray" the CSS one, and "Vivid-Red" finds "Vivid red".
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.notation import read_function, read_hex, read_rgb, shorten
from truehue.core.color.spaces import hex_of, srgb8_to_lab
from truehue.core.errors import BadInput, TrueHueError, UnknownColor

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "color_systems"

SYSTEMS: dict[str, str] = {
    "css": "CSS Color Level 4",
    "l1": "ISCC-NBS level 1",
    "l2": "ISCC-NBS level 2",
    "l3": "ISCC-NBS level 3",
    "people": "People (XKCD survey)",
}

ISCC_NBS = ("l1", "l2", "l3")
STANDARDS = ("css", *ISCC_NBS)
"""Those of a standard, whose nearest names stand beside a color. What people call it is counted from
their answers (truehue.core.color.people), and is no matter of distance."""

# File and SHA-256 of each system: a score is only comparable while these are the very same
# coordinates. Sources are in the folder's README.
FILES: dict[str, tuple[str, str]] = {
    "css": ("css.csv", "f7656546e87931eac48edfcd7cf462a5e62173f77600f213721642486d9e633d"),
    "l1": ("iscc_nbs_l1.csv", "e4cf5ec5db15877be1db2251e10f82dd80e75720879cbcc9551f96316afc289f"),
    "l2": ("iscc_nbs_l2.csv", "f5d37bfa929050ede8e6f349d55fae6f981f9db9fa062ff183b8f9630c3f1a14"),
    "l3": ("iscc_nbs_l3.csv", "105af8f73cdbcd76c6a984802bcd45ffd2c1559a47a29474491a8eb2c07962ea"),
    "people": ("people.csv", "d4b9b3df96f377a6027f414ce4db06313c3c70e5770244f3ed96d8d52c88cf84"),
}

Srgb8 = tuple[int, int, int]
Lab = tuple[float, float, float]


@dataclass(frozen=True)
class NamedColor:
    """One color of one system. ``id`` is the publisher's number; ``lab`` is D65, 2 degrees."""

    system: str
    id: int
    name: str
    srgb8: Srgb8
    lab: Lab

    @property
    def hex(self) -> str:
        """``"#E83B1B"``."""
        return hex_of(self.srgb8)


@dataclass(frozen=True, eq=False)
class ColorSystem:
    """A system's colors in the publisher's order; ``lab`` is float64 (N, 3), read-only, alike."""

    id: str
    name: str
    colors: tuple[NamedColor, ...]
    lab: NDArray[np.float64]


@cache
def system(system_id: str) -> ColorSystem:
    """The system of an id of :data:`SYSTEMS`.

    Raises BadInput for any other id, and TrueHueError when the file is missing or is not the
    published one, byte for byte.
    """
    if system_id not in SYSTEMS:
        raise BadInput(
            f'There is no color system "{system_id}". The systems are: '
            + ", ".join(f"{key} ({name})" for key, name in SYSTEMS.items())
            + "."
        )
    rows = list(csv.DictReader(io.StringIO(_verified(system_id).decode("utf-8"))))
    codes = np.array([[int(row[c]) for c in "rgb"] for row in rows], dtype=np.uint8)
    lab = np.array(srgb8_to_lab(codes), dtype=np.float64)
    lab.setflags(write=False)
    colors = tuple(
        NamedColor(
            system=system_id,
            id=int(row["id"]),
            name=row["name"],
            srgb8=(int(r), int(g), int(b)),
            lab=(float(point[0]), float(point[1]), float(point[2])),
        )
        for row, (r, g, b), point in zip(rows, codes, lab, strict=True)
    )
    return ColorSystem(system_id, SYSTEMS[system_id], colors, lab)


def _verified(system_id: str) -> bytes:
    """The bytes of a system's file, once their checksum is the published file's."""
    name, expected = FILES[system_id]
    return verified(FOLDER / name, expected, SYSTEMS[system_id])


def verified(path: Path, sha256: str, name: str) -> bytes:
    """The bytes of a file of the assets, which has the data called ``name``; raises TrueHueError
    where it is missing, or its SHA-256 is another."""
    restore = f"Restore it with: git checkout -- assets/{path.parent.name}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrueHueError(f"{name} cannot be read from {path}. {restore}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise TrueHueError(
            f"{path} was changed: its SHA-256 is not that of {name} as published, "
            f"so results would not be comparable. {restore}"
        )
    return content


__all__ = [
    "ISCC_NBS",
    "STANDARDS",
    "SYSTEMS",
    "ColorSystem",
    "ColorTarget",
    "NamedColor",
    "all_nearest",
    "candidates",
    "find",
    "nearest_names",
    "parse_target",
    "system",
    "verified",
]

SEARCH_ORDER = ("css", "l2", "l3", "l1", "people")
SUGGESTIONS = 5
FORMS = (
    'Write a name ("vivid red"), a hex ("#D51C3C"), an rgb triple ("213, 28, 60"), lab(46 66 33) '
    "with CIELAB for D65, lch(), oklab(), oklch() or hsl(). Munsell notation is not read."
)


@dataclass(frozen=True)
class ColorTarget:
    """A color that was asked for. ``name`` and ``system`` are None for one given in numbers.

    ``lab`` is D65, 2 degrees; ``text`` is what was typed, without the blanks around it.
    ``notation`` is ``"lab(52 40 30)"`` for a color that was given so: then ``lab`` is that very
    color, and ``srgb8`` the nearest code.
    """

    name: str | None
    system: str | None
    srgb8: Srgb8
    lab: Lab
    text: str
    notation: str = ""

    @property
    def hex(self) -> str:
        """``"#E83B1B"``."""
        return hex_of(self.srgb8)

    @property
    def label(self) -> str:
        """The name; of a color without one, its numbers as they were given, or its hex."""
        return self.name or self.notation or self.hex

    @property
    def value(self) -> str:
        """The form that `parse_target` reads back to the same color: ``"l3:Vivid red"``."""
        return f"{self.system}:{self.name}" if self.name else self.notation or self.hex


def find(name: str, system_id: str | None = None) -> NamedColor:
    """The color called ``name``, however spelled, of one system or of the first that has it.

    The order without a system is that of SEARCH_ORDER. Raises UnknownColor with the nearest names, and
    BadInput for an unknown system.
    """
    order = SEARCH_ORDER if system_id is None else (system(system_id).id,)
    for reading, read in enumerate((_text, _fold)):
        spelling = read(name)
        for key in order:
            matches = _index(key)[reading].get(spelling)
            if matches:
                # CSS has both gray and grey: the one that was typed, not the first of the two.
                typed = _letters(name)
                return next((c for c in matches if _letters(c.name) == typed), matches[0])
    raise _unknown(name, system_id)


def parse_target(text: str, system_id: str | None = None) -> ColorTarget:
    """Reads a name, ``#RRGGBB``, ``#RGB``, ``RRGGBB`` with a digit, ``rgb(1, 2, 3)`` or ``1,2,3``,
    and the functions of :mod:`truehue.core.color.notation`, CIELAB there being for D65.

    ``l3:vivid red`` names the system too, and goes before ``system_id``. Raises UnknownColor that
    says what is wrong, with the nearest names where it was a name, and BadInput for an unknown
    ``system_id``.
    """
    typed = unicodedata.normalize("NFKC", text or "").strip()
    if not typed:
        raise UnknownColor(f"No color was given. {FORMS}")
    if system_id is not None:
        system(system_id)
    prefixed = re.fullmatch(r"([A-Za-z0-9]+)\s*:\s*(.*)", typed)
    rest = typed
    if prefixed:
        key, rest = prefixed[1].lower(), prefixed[2]
        if key not in SYSTEMS:
            raise UnknownColor(
                f'"{shorten(prefixed[1])}" is no color system: write '
                f"{', '.join(f'{key}:' for key in SYSTEMS)} before the name."
            )
        if not rest:
            raise UnknownColor(f"A color of {SYSTEMS[key]} should follow the colon. {FORMS}")
        system_id = key
    written = read_function(rest)
    if written is not None:
        return ColorTarget(None, None, written.srgb8, written.lab, typed, written.notation)
    srgb8 = read_hex(rest) or read_rgb(rest)
    if srgb8 is None:
        color = find(rest, system_id)
        return ColorTarget(color.name, color.system, color.srgb8, color.lab, typed)
    lab = np.asarray(srgb8_to_lab(np.array(srgb8, dtype=np.uint8)), dtype=np.float64)
    return ColorTarget(None, None, srgb8, (float(lab[0]), float(lab[1]), float(lab[2])), typed)


def nearest_names(lab: ArrayLike, system_id: str, n: int) -> list[tuple[NamedColor, float]]:
    """The ``n`` names of a system nearest to ``lab`` (3,) by CIEDE2000, with the distance.

    Nearest first, equal distances in the publisher's order. Names that share one color (CSS gray
    and grey) count once, under the first. Raises BadInput for an unknown system, an ``n`` below
    0 or a ``lab`` that is not three finite numbers.
    """
    point = np.asarray(lab, dtype=np.float64)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise BadInput("A Lab color is three finite numbers: L*, a* and b*.")
    if n < 0:
        raise BadInput(f"The number of names cannot be {n}; it is 0 or more.")
    chosen = system(system_id)
    distance = np.asarray(delta_e00(chosen.lab, point), dtype=np.float64)
    nearest: list[tuple[NamedColor, float]] = []
    seen: set[Srgb8] = set()
    for index in np.argsort(distance, kind="stable"):
        color = chosen.colors[int(index)]
        if len(nearest) == n:
            break
        if color.srgb8 not in seen:
            seen.add(color.srgb8)
            nearest.append((color, float(distance[index])))
    return nearest


def all_nearest(lab: ArrayLike, n: int) -> dict[str, list[tuple[NamedColor, float]]]:
    """The ``n`` nearest names of a CIELAB color ``(3,)`` with their ΔE00, by the id of a
    standard system, as :func:`nearest_names` gives them."""
    return {key: nearest_names(lab, key, n) for key in STANDARDS}


def candidates(
    target: ColorTarget, system_id: str | None, k: int
) -> tuple[list[NamedColor], NDArray[np.float64]]:
    """The colors that count as the asked one: it first, then its ``k`` nearest in a system.

    ``system_id`` None is the target's own system. A target without a name is no color of any
    system: its candidates are the ``k`` nearest names alone. Names that share one color count
    once. Returns the colors and their Lab, float64 (M, 3). Raises BadInput for an unknown system,
    for none with a target that has none, and for ``k`` below 0.
    """
    if k < 0:
        raise BadInput(f"The number of neighbors cannot be {k}; it is 0 or more.")
    key = system_id or target.system
    if key is None:
        raise BadInput(f"{target.label} belongs to no color system: name the system to search.")
    nominal = [find(target.name, target.system)] if target.name else []
    # One more is asked for, because the nominal color itself is the nearest of its own system.
    others = [color for color, _ in nearest_names(target.lab, key, k + 1)]
    used = {color.srgb8 for color in nominal}
    colors = nominal + [color for color in others if color.srgb8 not in used][:k]
    return colors, np.array([color.lab for color in colors], dtype=np.float64).reshape(-1, 3)


@cache
def _index(system_id: str) -> tuple[dict[str, list[NamedColor]], dict[str, list[NamedColor]]]:
    """The colors of a system by the words of their name, and by their folded name."""
    by_words: dict[str, list[NamedColor]] = {}
    by_fold: dict[str, list[NamedColor]] = {}
    for color in system(system_id).colors:
        by_words.setdefault(_text(color.name), []).append(color)
        by_fold.setdefault(_fold(color.name), []).append(color)
    return by_words, by_fold


def _text(name: str) -> str:
    """``"Dark-GREYISH  Red"`` as ``"dark grayish red"``."""
    plain = re.sub(r"['’`]", "", unicodedata.normalize("NFKC", name).casefold())
    return re.sub(r"[\s_\-‐-―]+", " ", plain).strip().replace("grey", "gray")


def _letters(name: str) -> str:
    """``"Dark-GREYISH  Red"`` as ``"darkgreyishred"``."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"['’`\s_\-‐-―]+", "", plain)


def _fold(name: str) -> str:
    """``"Dark-GREYISH  Red"`` as ``"darkgrayishred"``."""
    return _letters(name).replace("grey", "gray")


def _unknown(name: str, system_id: str | None) -> UnknownColor:
    """The error for a name that no system has, or that only another system has."""
    if not _fold(name):
        return UnknownColor(f"No color was given. {FORMS}")
    location = "" if system_id is None else f" in {SYSTEMS[system_id]}"
    message = f'No color is called "{shorten(name)}"{location}.'
    suggestions: list[str] = []
    for key in SEARCH_ORDER if system_id else ():
        same = _index(key)[1].get(_fold(name))
        if same and not suggestions:
            suggestions.append(f"{key}:{same[0].name}")
            message += f' {SYSTEMS[key]} has that name: write "{suggestions[0]}".'
    pool = [system_id] if system_id else SEARCH_ORDER
    nearest = _similar(name, (color.name for key in pool for color in system(key).colors))
    if nearest:
        message += f" Names spelled alike: {', '.join(nearest)}."
    elif not suggestions:
        message += f" {FORMS}"
    return UnknownColor(message, (*suggestions, *nearest))


def _similar(name: str, names: Iterable[str]) -> list[str]:
    """The names spelled most like ``name``, best first; few or none when nothing is like it."""
    import difflib  # which only a wrong name needs

    by_fold: dict[str, str] = {}
    for candidate in names:
        by_fold.setdefault(_fold(candidate), candidate)
    close = difflib.get_close_matches(_fold(name)[:60], by_fold, n=SUGGESTIONS, cutoff=0.7)
    return [by_fold[fold] for fold in close]


LIGHT, DARK, ISH, PLAIN = "light", "dark", "-ish", "none"
MODIFIERS = (LIGHT, DARK, ISH, PLAIN)
"""Groups of level 3 names: a word ``light``, a word ``dark``, a word that ends in ``ish``, or none
of them. They overlap: "Light grayish red" is light and -ish, so their counts add up to more than
there are colors. ``none`` is ours; the paper shows the other three. "Pale", "deep", "moderate" and
the like are none of the paper's modifiers, and "very dark" is dark."""


def modifiers_of(name: str) -> tuple[str, ...]:
    """The groups of :data:`MODIFIERS` that a level 3 name is in, ``("none",)`` where no other."""
    tokens = name.lower().split()
    modifiers = [modifier for modifier in (LIGHT, DARK) if modifier in tokens]
    if any(word.endswith("ish") for word in tokens):
        modifiers.append(ISH)
    return tuple(modifiers) or (PLAIN,)
