"""Which experts review which colorings, where a researcher names the experts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

Coloring = tuple[str, int]
"""A coloring by its participant and the position of its trial."""


def assign_reviewers(
    colorings: Sequence[Coloring],
    experts: Collection[str],
    overlap: int,
    reviewed: Mapping[Coloring, Collection[str]],
    seed: int,
) -> dict[Coloring, tuple[str, ...]]:
    """The experts of every coloring: ``overlap`` different ones, as far as there are so many.

    Each coloring goes to the experts with the fewest colorings before it, and ties are drawn by the
    ``seed``: two experts differ by at most one coloring. What comes later in ``colorings`` changes
    nothing before it. ``reviewed`` has who reviewed a coloring already. They stay with it and count
    as its experts, also where they are none of ``experts``; who is behind then gets more.
    """
    load: Counter[str] = Counter()
    assigned: dict[Coloring, tuple[str, ...]] = {}
    for coloring in colorings:
        before = sorted(reviewed.get(coloring, ()))
        free = [expert for expert in experts if expert not in before]
        free.sort(key=lambda expert: (load[expert], random_key(seed, expert, coloring)))
        chosen = (*before, *free[: max(0, overlap - len(before))])
        load.update(chosen)
        assigned[coloring] = chosen
    return assigned


def random_key(seed: int, expert: str, coloring: Coloring) -> bytes:
    """A number of chance that the seed, the expert and the coloring give again."""
    participant, position = coloring
    text = f"{seed}\x1f{expert}\x1f{participant}\x1f{position}"
    return hashlib.sha256(text.encode()).digest()
