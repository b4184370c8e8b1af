"""The cheapest way from one distribution over the UW-71 bins to another.

With POT (``truehue[app]``) its network simplex solves it: Flamary et al., "POT: Python Optimal
Transport", JMLR 22 (2021) 1-8; the solver: Bonneel, van de Panne, Paris, Heidrich, "Displacement
Interpolation Using Lagrangian Mass Transport", ACM TOG 30 (2011) 158. Without, the transportation
simplex does, to the same cost within 1e-9: Dantzig, "Application of the simplex method to a
transportation problem", in Koopmans (ed.), Activity Analysis of Production and Allocation (1951)
359-373.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from threading import Lock
from types import ModuleType

import numpy as np

from truehue.core.color.uw71 import COUNT, distances71
from truehue.core.errors import TrueHueError

_MAX_PIVOTS = 100_000
_OPTIMAL = 1
_BACKENDS = ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")
_importing = Lock()

_UNIT = 2.0**-62
"""Masses are counted in units of this much, in whole numbers: sums of them are exact."""
_UNITS_SHIFT = 8
"""A unit is split into 2**8 parts, more than there are bins: a part to each bin that gives keeps
every partial sum of supplies apart from every one of demands, so no pivot moves nothing and the
simplex cannot go round in circles (Orden's perturbation; Dantzig 1951)."""
_REDUCED_COST = 1e-11
"""An arc that saves less, in CIELAB units, is the rounding of sums of distances."""

Solver = Callable[..., tuple[np.ndarray, float, object, object, int]]


def transport(supply: np.ndarray, demand: np.ndarray) -> tuple[np.ndarray, float]:
    """An optimal flow float64 ``(71, 71)``, from rows to columns, and its cost in CIELAB units.

    ``supply`` and ``demand`` are float64 ``(71,)`` from 0 on with sum 1; bins with nothing take no
    time. Raises TrueHueError where no optimum is found.
    """
    pot = _pot()
    if pot is None:
        flow = simplex(supply, demand, distances71())
        return flow, float((flow * distances71()).sum())
    ground, potentials = _work_arrays()
    solver = _solver()
    if solver is not None:
        flow, cost, _, _, code = solver(
            supply, demand, ground, _MAX_PIVOTS, 1, potentials, potentials
        )
        if code == _OPTIMAL:
            return flow, cost
    flow, log = pot.emd(supply, demand, ground, numItermax=_MAX_PIVOTS, log=True)
    if log["warning"] is not None:
        raise TrueHueError(f"The earth mover's distance could not be solved: {log['warning']}")
    return np.asarray(flow), float((flow * ground).sum())


def simplex(supply: np.ndarray, demand: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """An optimal flow float64 ``(M, N)`` by the transportation simplex.

    ``supply`` ``(M,)`` and ``demand`` ``(N,)`` are float64 from 0 on with the same positive sum,
    ``ground`` ``(M, N)`` is what a unit costs on its way. Milliseconds for ten bins on each side,
    some hundredths of a second for seventy. Raises TrueHueError after 100,000 pivots.
    """
    rows, columns = np.flatnonzero(supply >= _UNIT), np.flatnonzero(demand >= _UNIT)
    gives = [int(mass / _UNIT) << _UNITS_SHIFT for mass in supply[rows].tolist()]
    takes = [int(mass / _UNIT) << _UNITS_SHIFT for mass in demand[columns].tolist()]
    # Rounding is borne by the largest, where it is relatively least.
    takes[int(np.argmax(demand[columns]))] += sum(gives) - sum(takes)
    gives = [units + 1 for units in gives]
    takes[-1] += len(gives)
    costs = ground[np.ix_(rows, columns)]
    units = _Basis(costs, gives, takes).optimum()
    flow = np.zeros(ground.shape)
    for (row, column), count in units.items():
        flow[rows[row], columns[column]] = (count >> _UNITS_SHIFT) * _UNIT
    return flow


class _Basis:
    """A spanning tree of rows (nodes 0 to M - 1) and columns (M to M + N - 1), and the units that
    flow on each of its M + N - 1 arcs ``(row, column)``."""

    def __init__(self, costs: np.ndarray, gives: list[int], takes: list[int]) -> None:
        """The first tree: the cheapest arcs first, each with as much as it can."""
        self.costs, self.count = costs, len(gives)
        self.prices: list[list[float]] = (
            costs.tolist()
        )  # read one by one, which lists are faster at
        self.flow: dict[tuple[int, int], int] = {}
        self.neighbors: list[set[int]] = [set() for _ in range(len(gives) + len(takes))]
        gives, takes = list(gives), list(takes)
        for arc in np.argsort(costs, axis=None, kind="stable").tolist():
            row, column = divmod(arc, len(takes))
            units = min(gives[row], takes[column])
            if units:
                gives[row] -= units
                takes[column] -= units
                self._add(row, column, units)

    def optimum(self) -> dict[tuple[int, int], int]:
        """The flow on the arcs of a tree that no other arc makes cheaper."""
        for _ in range(_MAX_PIVOTS):
            potentials, parents, depths = self._potentials()
            reduced = self.costs - potentials[: self.count, None] - potentials[None, self.count :]
            row, column = divmod(int(reduced.argmin()), reduced.shape[1])
            if reduced[row, column] >= -_REDUCED_COST:
                return self.flow
            self._enter(row, column, parents, depths)
        raise TrueHueError(
            f"The earth mover's distance could not be solved in {_MAX_PIVOTS:,} pivots."
        )

    def _add(self, row: int, column: int, units: int) -> None:
        self.flow[row, column] = units
        self.neighbors[row].add(self.count + column)
        self.neighbors[self.count + column].add(row)

    def _potentials(self) -> tuple[np.ndarray, list[int], list[int]]:
        """Of each node its potential (those of an arc's ends sum to its cost), the next node on the
        way to node 0, and how many arcs that way has."""
        prices, count = self.prices, self.count
        potentials = [0.0] * len(self.neighbors)
        parents, depths = [-1] * len(self.neighbors), [0] * len(self.neighbors)
        waiting = [0]
        while waiting:
            node = waiting.pop()
            for other in self.neighbors[node]:
                if other == parents[node]:
                    continue
                row, column = min(node, other), max(node, other) - count
                potentials[other] = prices[row][column] - potentials[node]
                parents[other], depths[other] = node, depths[node] + 1
                waiting.append(other)
        return np.array(potentials), parents, depths

    def _enter(self, row: int, column: int, parents: list[int], depths: list[int]) -> None:
        """An arc enters the tree: units go round the circle that it closes until one arc is empty,
        which leaves."""
        first, last = row, self.count + column
        up, down = [first], [last]
        while up[-1] != down[-1]:
            deeper = up if depths[up[-1]] >= depths[down[-1]] else down
            deeper.append(parents[deeper[-1]])
        path = down + up[-2::-1]  # from the column through the tree to the row
        arcs = [(min(a, b), max(a, b) - self.count) for a, b in pairwise(path)]
        less = arcs[::2]  # the first, and every other, gives up what the new arc takes
        leaving = min(less, key=self.flow.__getitem__)
        units = self.flow.pop(leaving)
        for arc in less:
            if arc != leaving:
                self.flow[arc] -= units
        for arc in arcs[1::2]:
            self.flow[arc] += units
        self.neighbors[leaving[0]].discard(self.count + leaving[1])
        self.neighbors[self.count + leaving[1]].discard(leaving[0])
        self._add(row, column, units)


@cache
def _work_arrays() -> tuple[np.ndarray, np.ndarray]:
    """The ground distances and zero potentials in arrays that POT may take for its own."""
    return distances71().copy(), np.zeros(COUNT)


@cache
def _solver() -> Solver | None:
    """The solver itself, where this release of POT has it under that name with those arguments: a
    problem of ten bins takes a fifth of the checks around it. None where it has not."""
    try:
        from ot.lp.emd_wrap import emd_c

        trial = np.full(COUNT, 1.0 / COUNT)
        ground, potentials = _work_arrays()
        *_, code = emd_c(trial, trial, ground, _MAX_PIVOTS, 1, potentials, potentials)
    except (ImportError, TypeError, ValueError):
        return None
    return emd_c if code == _OPTIMAL else None


@cache
def _pot() -> ModuleType | None:
    """POT, imported without the frameworks that it would import for arrays of theirs; None where it
    is not installed.

    Torch alone takes seconds, and only arrays of numpy come here.
    """
    with _importing:
        names = [f"POT_BACKEND_DISABLE_{backend}" for backend in _BACKENDS]
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(names, "1"))
        try:
            import ot
        except ImportError:
            return None
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return ot
