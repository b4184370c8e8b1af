"""Labels of tasks, systems, colors and runs, and their groups.

The paper (arXiv:2510.20586) groups level 2 names into basic and intermediate ones (4.4, Fig. 5
left) and level 3 names by the modifiers light, dark and -ish (4.5, Fig. 5 right).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from truehue.core.analysis.records import NEUTRAL, SECTORS, RunRecord
from truehue.core.color.difference import HUE_GATE_CHROMA, delta_e00
from truehue.core.color.spaces import hex_of, lab_to_srgb8
from truehue.core.color.systems import ColorTarget, modifiers_of, system
from truehue.core.errors import BadInput
from truehue.core.generation.registry import name_of
from truehue.core.prompts.sets import PROMPT_SETS

LIGHTNESS, CHROMA = 68.0, 38.0
"""The lightness and about the largest chroma at which sRGB shows every hue."""
WIDTH_DEG = 30

BASIC, INTERMEDIATE = "basic", "intermediate"
BASIC_NAMES = (
    "Red",
    "Orange",
    "Brown",
    "Yellow",
    "Olive",
    "Green",
    "Blue",
    "Purple",
    "White",
    "Gray",
    "Black",
)
"""The level 2 names that the paper's 4.4 lists as basic (it prints Yellow twice); all others are
intermediate there, so Pink and Violet too, although they are single words."""

_CHUNK = 20_000  # colors a pass: 29 times as many differences


def basic_of(name: str) -> str:
    """Whether a level 2 name is ``basic`` or ``intermediate``."""
    return BASIC if name in BASIC_NAMES else INTERMEDIATE


def traits_of(color: ColorTarget) -> tuple[str, ...]:
    """The group of a color by its own name: modifiers at level 3, basic or not at level 2."""
    if color.name and color.system == "l3":
        return modifiers_of(color.name)
    if color.name and color.system == "l2":
        return (basic_of(color.name),)
    return ()


def sector_codes(lab: np.ndarray) -> np.ndarray:
    """Places in SECTORS of CIELAB colors ``(..., 3)``; below C*ab 5 a hue says nothing."""
    a, b = lab[..., 1], lab[..., 2]
    # An angle a hair below 0 becomes 360 itself when it is rounded.
    turn = np.floor(np.degrees(np.arctan2(b, a)) % 360.0 / 30.0).astype(np.int64) % 12
    return np.where(np.hypot(a, b) < HUE_GATE_CHROMA, SECTORS.index(NEUTRAL), turn)


@cache
def l2_names() -> tuple[str, ...]:
    """The 29 names of ISCC-NBS level 2 in the publisher's order."""
    return tuple(color.name for color in system("l2").colors)


def nearest_l2(lab: np.ndarray) -> np.ndarray:
    """Places in :func:`l2_names` of the names nearest by CIEDE2000 to CIELAB colors ``(N, 3)``.

    Of names that are equally near the first counts, as in
    ``truehue.core.color.systems.nearest_names``.
    """
    lab = np.asarray(lab, dtype=np.float64).reshape(-1, 3)
    l2_lab = system("l2").lab
    indices = np.empty(len(lab), dtype=np.int64)
    for start in range(0, len(lab), _CHUNK):
        span = slice(start, start + _CHUNK)
        indices[span] = delta_e00(l2_lab[:, None, :], lab[None, span, :]).argmin(axis=0)
    return indices


def sector_hex(sector: str) -> str:
    """sRGB of the middle of a sector of :data:`SECTORS`; all have one lightness and, but for the
    gray of ``neutral``, one chroma. Raises BadInput for any other word."""
    if sector not in SECTORS:
        raise BadInput(f"There is no hue sector {sector!r}: {', '.join(SECTORS)}.")
    chroma = 0.0 if sector == NEUTRAL else CHROMA
    angle = 0.0 if sector == NEUTRAL else math.radians(int(sector) + WIDTH_DEG / 2)
    lab = np.array([LIGHTNESS, chroma * math.cos(angle), chroma * math.sin(angle)])
    return hex_of(lab_to_srgb8(lab))


def sector_label(sector: str) -> str:
    """``30–60°``, or ``neutral``."""
    return sector if sector == NEUTRAL else f"{sector}–{int(sector) + WIDTH_DEG}°"


MAX_CHARACTERS = 30
_SETS = {prompt_set.id: prompt_set.title for prompt_set in PROMPT_SETS}


def _failure(run: RunRecord) -> str:
    acted = str(run.summary.get("options", {}).get("failure") or "")
    return "no failure" if acted in ("", "none") else acted


def _guidance(run: RunRecord) -> str:
    scales = run.summary.get("guidances") or [run.summary.get("guidance")]
    scale_words = [f"{scale:g}" for scale in scales if scale is not None]
    return f"guidance {', '.join(scale_words)}" if scale_words else "own guidance"


def _per_prompt(run: RunRecord) -> str:
    # Only a plan whose seeds are not shared says so.
    return " per prompt" if run.summary.get("seed_mode") else ""


def _model(run: RunRecord) -> str:
    return name_of(run.model).partition(" (")[0]


FEATURES: Sequence[Callable[[RunRecord], str]] = (
    _model,
    _failure,
    lambda run: f"seed {run.summary.get('seed', 0)}{_per_prompt(run)}",
    lambda run: f"{run.summary['size_px']} px" if run.summary.get("size_px") else "own size",
    _guidance,
    lambda run: f"{run.summary['steps']} steps" if run.summary.get("steps") else "own steps",
    lambda run: str(run.summary.get("options", {}).get("light") or ""),
    lambda run: str(run.summary.get("masker", {}).get("kind") or ""),
    lambda run: f"k = {run.summary.get('k', 0)}",
    lambda run: f"{run.summary.get('prompts', 0):,} prompts",
    lambda run: _SETS.get(run.set_name, run.set_name),
    lambda run: "scored" if run.kind == "stored" else "drawn",
)
"""Features that distinguish runs, the most important first."""


def run_labels(runs: Iterable[RunRecord]) -> dict[str, str]:
    """A name of at most 30 characters for each run, by its id; no two are alike.

    A name that a person gave stays. Of the others, those of one model are told apart by as few of
    :data:`FEATURES` as it takes, and by a piece of the id where nothing else differs.
    """
    listed = list(runs)
    own_names = {run.run_id: run.name for run in listed if not _has_made_name(run)}
    labels = {**_by_features([run for run in listed if run.run_id not in own_names]), **own_names}
    short = {run_id: shorten(text) for run_id, text in labels.items()}
    often = Counter(short.values())
    return {
        run.run_id: short[run.run_id]
        if often[short[run.run_id]] == 1
        else f"{shorten(short[run.run_id], MAX_CHARACTERS - 9)} ({run.run_id[:6]})"
        for run in listed
    }


def shorten(text: str, limit: int = MAX_CHARACTERS) -> str:
    """The words, cut at the end where they are too long."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip(' ·,')}…"


def _has_made_name(run: RunRecord) -> bool:
    """Whether the name was made of the model and the set, and not given by a person."""
    return name_of(run.model) in run.name or run.model in run.name


def _by_features(runs: Sequence[RunRecord]) -> dict[str, str]:
    groups: Mapping[str, list[RunRecord]] = {"": list(runs)}
    parts: dict[str, list[str]] = {run.run_id: [] for run in runs}
    for feature in FEATURES:
        next_groups: dict[str, list[RunRecord]] = defaultdict(list)
        for key, own in groups.items():
            values = {run.run_id: feature(run) for run in own}
            apart = len(own) > 1 and len(set(values.values())) > 1
            for run in own:
                if apart and values[run.run_id]:
                    parts[run.run_id].append(values[run.run_id])
                next_groups[f"{key}|{values[run.run_id]}" if apart else key].append(run)
        groups = next_groups
    labels = {}
    for run in runs:
        texts, model = parts[run.run_id], _model(run)
        if not texts:
            labels[run.run_id] = model
        elif texts[0] != model:
            labels[run.run_id] = " · ".join(texts)
        else:
            # What differs is said whole; a long name of a model gives way.
            rest = " · ".join(texts[1:])
            room = MAX_CHARACTERS - len(rest) - 3
            labels[run.run_id] = f"{rest} · {shorten(model, max(room, 6))}" if rest else model
    return labels
