"""Which pictures look alike: groups of dominant colors by CIEDE2000.

ColorConceptBench, appendix C.3, puts images "into the same visual group if their
dominant colors are perceptually similar (ΔE00 <= 12)". Likeness is no equivalence: A may be like B
and B like C, and A not like C. What then is one group is not said; :data:`GROUPINGS` are the
readings.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truehue.core.color.difference import delta_e00

COMPLETE, CONNECTED, LEADER = "complete", "connected", "leader"
GROUPINGS: Mapping[str, str] = {
    COMPLETE: "Any two images of a group are alike; the groups that are closest are joined first "
    "(complete linkage)",
    CONNECTED: "An image that is like one of a group belongs to it, so a group can be a chain "
    "(single linkage)",
    LEADER: "In their order, each image joins the first group whose first image it is like",
}


class Dominants:
    """The dominant colors of some pictures and how far apart they are, computed once.

    ``lab`` float64 ``(N, 3)``. Groups are made of the distinct colors in the order of L*, a*, b*,
    so neither the order of pictures nor pictures of the same color change complete or single
    linkage, where pairs of colors are equally close neither.
    """

    def __init__(self, lab: np.ndarray) -> None:
        self.lab = np.asarray(lab, dtype=np.float64)
        self.distinct, indices = np.unique(self.lab, axis=0, return_inverse=True)
        self.place = np.asarray(indices).reshape(-1)
        size = self.distinct.shape[0]
        first, second = np.triu_indices(size, 1)
        self.apart = np.zeros((size, size))
        self.apart[first, second] = delta_e00(self.distinct[first], self.distinct[second])
        self.apart[second, first] = self.apart[first, second]

    def groups(self, present: np.ndarray, most_delta_e00: float, grouping: str) -> np.ndarray:
        """The group of each picture: int64 ``(N,)`` from 0, -1 where ``present`` bool ``(N,)`` is
        not; one of them is. ``grouping`` is a key of :data:`GROUPINGS`."""
        group_of = np.full(self.place.shape, -1)
        colors = self.place[present]
        if grouping == LEADER:
            _, first = np.unique(colors, return_index=True)
            chosen = colors[np.sort(first)]  # as they come
            labels = _led(self.apart[np.ix_(chosen, chosen)], most_delta_e00)
        else:
            chosen = np.flatnonzero(np.bincount(colors, minlength=self.distinct.shape[0]))
            labels = _clusters(self.apart[np.ix_(chosen, chosen)], most_delta_e00, grouping)
        of_color = np.full(self.distinct.shape[0], -1)
        of_color[chosen] = labels
        group_of[present] = of_color[colors]
        return group_of


def _clusters(apart: np.ndarray, limit: float, grouping: str) -> np.ndarray:
    """Clusters from 0 of a square of distances."""
    if apart.shape[0] == 1:
        return np.zeros(1, dtype=np.int64)
    from scipy.cluster.hierarchy import fcluster, linkage

    method = "complete" if grouping == COMPLETE else "single"
    pairs = apart[np.triu_indices(apart.shape[0], 1)]
    return np.asarray(fcluster(linkage(pairs, method), limit, "distance"), dtype=np.int64) - 1


def _led(apart: np.ndarray, limit: float) -> np.ndarray:
    leaders: list[int] = []
    labels = np.empty(apart.shape[0], dtype=np.int64)
    for color in range(apart.shape[0]):
        near = np.flatnonzero(apart[color, leaders] <= limit)
        if near.size == 0:
            leaders.append(color)
        labels[color] = near[0] if near.size else len(leaders) - 1
    return labels
