"""The colors that a rule accepts for a target color: itself, its neighbors, its Munsell samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truehue.core.color.munsell import MunsellSamples, reconstructed
from truehue.core.color.spaces import hex_of, lab_to_srgb8, triple
from truehue.core.color.systems import ISCC_NBS, ColorTarget, candidates, find, nearest_names
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import Rule

MAX_NEIGHBORS = 20


@dataclass(frozen=True)
class Candidate:
    """One accepted color: the nominal one first. ``name`` is empty for a bare hex or rgb."""

    name: str
    hex: str
    lab: tuple[float, float, float]


@dataclass(frozen=True)
class Acceptance:
    """Which colors count as the asked one beside itself, whatever the rule.

    ``k``, 0 to 20, is the number of neighbors that the paper's rules take, ``system`` where those
    of a bare hex or rgb value come from, ``munsell`` the user's samples for the released rules.
    ``by_number``: the prompt asked for numbers (NCU); see :func:`samples_for`.
    """

    k: int = 0
    munsell: MunsellSamples | None = None
    system: str | None = None
    by_number: bool = False


AS_ASKED = Acceptance()
"""No neighbors, and of samples those alone that a rule has of its own."""

_CATEGORIES: dict[tuple[str, str, int], tuple[Candidate, ...]] = {}


def accepted(
    target: ColorTarget, by: Rule, acceptance: Acceptance = AS_ASKED
) -> tuple[tuple[Candidate, ...], str]:
    """The colors that a rule accepts for a target, nominal first, and how they were chosen.

    The paper takes the nominal color and its k nearest in the same system; it does not say k, and
    0 adds nothing to what it says. The released code takes the Munsell samples of the category,
    where there are any (:func:`samples_for`); CSS names map to their nearest level 3 category, and so
    do here those of people.
    Raises BadInput for a k outside 0 to 20, or k > 0 without a system to take neighbors from.
    """
    nominal = Candidate(target.name or "", target.hex, target.lab)
    k, munsell = acceptance.k, acceptance.munsell
    if by.same_candidate:
        samples = samples_for(target, by, munsell, acceptance.by_number)
        if samples is None:
            return (nominal,), f"the target color alone ({_why_alone(target, by, munsell)})"
        category, name = str(target.system), str(target.name)
        if category not in ISCC_NBS:
            category, name = "l3", nearest_names(np.array(target.lab), "l3", 1)[0][0].name
        more = _of_category(samples, category, find(name, category).id)
        whose = " of our reconstruction" if by.reconstructed else ""
        samples_text = f"{len(more)} Munsell samples of {name}{whose}"
        return (nominal, *more), f"the target color and {samples_text}"
    if not 0 <= k <= MAX_NEIGHBORS:
        raise BadInput(f"k, the number of neighbors, must lie between 0 and {MAX_NEIGHBORS}.")
    if k == 0:
        return (nominal,), "the target color alone (k = 0)"
    system = target.system or acceptance.system
    if system is None:
        raise BadInput(
            f"{target.hex} belongs to no color system, so it has no neighbors. "
            "Choose a system or set k to 0."
        )
    named, _ = candidates(target, system, k)
    neighbors = named[1:] if target.name else named
    return (
        (nominal, *(Candidate(c.name, c.hex, c.lab) for c in neighbors)),
        f"the target color and its {k} nearest in {system}",
    )


def _why_alone(target: ColorTarget, by: Rule, munsell: MunsellSamples | None) -> str:
    if munsell is None and not by.reconstructed:
        return "no Munsell samples imported"
    if target.name is None:
        return "a bare color has no category"
    return "a color asked for by numbers has no category in the released code"


def _of_category(samples: MunsellSamples, system: str, category_id: int) -> tuple[Candidate, ...]:
    """The samples of a category in the order of their file; made once, for every verdict."""
    key = (samples.sha256, system, category_id)
    if key not in _CATEGORIES:
        positions = samples.indices(system, category_id)
        lab = samples.lab[positions]
        named = samples.names or tuple(f"sample {index + 1}" for index in range(len(samples.lab)))
        _CATEGORIES[key] = tuple(
            Candidate(f"Munsell {named[index]}", hex_of(srgb8), triple(sample_lab))
            for index, sample_lab, srgb8 in zip(positions, lab, lab_to_srgb8(lab), strict=True)
        )
    return _CATEGORIES[key]


def samples_for(
    target: ColorTarget, by: Rule, munsell: MunsellSamples | None, by_number: bool = False
) -> MunsellSamples | None:
    """The Munsell samples among which a rule looks for neighbors of a color, if it has any.

    A rule of the reconstruction has its own; ``munsell`` are the user's. ``by_number``: the prompt
    asked for numbers (NCU). There the released code looks up an empty name, also where a name
    stands beside the numbers, and finds no category; only CSS, where the category is that of the
    nearest level 3 color, needs no name. A bare hex or rgb value has no category at all.
    """
    if not by.same_candidate or target.system is None or target.name is None:
        return None
    if by_number and target.system != "css":
        return None
    return reconstructed() if by.reconstructed else munsell
