"""The transport problem between the UW-71 bins, solved by POT's network simplex.

POT: Flamary et al., "POT: Python Optimal Transport", JMLR 22 (2021) 1-8; its solver: Bonneel, van
de Panne, Paris, Heidrich, "Displacement Interpolation Using Lagrangian Mass Transport", ACM TOG 30
(2011) 158.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from threading import Lock
from types import ModuleType

import numpy as np

from truehue.core.color.uw71 import COUNT, distances71
from truehue.core.errors import TrueHueError

_MOST_PIVOTS = 100_000
_OPTIMAL = 1
_BACKENDS = ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")
_importing = Lock()

Solver = Callable[..., tuple[np.ndarray, float, object, object, int]]


def transport(supply: np.ndarray, demand: np.ndarray) -> tuple[np.ndarray, float]:
    """An optimal flow float64 ``(71, 71)``, from rows to columns, and its cost in CIELAB units.

    ``supply`` and ``demand`` are float64 ``(71,)`` from 0 on with sum 1; bins with nothing take no
    time. Raises TrueHueError where POT finds no optimum.
    """
    ground, potentials = _work_arrays()
    solver = _solver()
    if solver is not None:
        flow, cost, _, _, code = solver(
            supply, demand, ground, _MOST_PIVOTS, 1, potentials, potentials
        )
        if code == _OPTIMAL:
            return flow, cost
    flow, log = _pot().emd(supply, demand, ground, numItermax=_MOST_PIVOTS, log=True)
    if log["warning"] is not None:
        raise TrueHueError(f"The earth mover's distance could not be solved: {log['warning']}")
    return np.asarray(flow), float((flow * ground).sum())


@cache
def _work_arrays() -> tuple[np.ndarray, np.ndarray]:
    """The ground distances and zero potentials in arrays that POT may take for its own."""
    return distances71().copy(), np.zeros(COUNT)


@cache
def _solver() -> Solver | None:
    """The solver itself, where this release of POT has it under that name with those arguments: a
    problem of ten bins takes a fifth of the checks around it. None where it has not."""
    _pot()
    try:
        from ot.lp.emd_wrap import emd_c

        trial = np.full(COUNT, 1.0 / COUNT)
        ground, potentials = _work_arrays()
        *_, code = emd_c(trial, trial, ground, _MOST_PIVOTS, 1, potentials, potentials)
    except (ImportError, TypeError, ValueError):
        return None
    return emd_c if code == _OPTIMAL else None


@cache
def _pot() -> ModuleType:
    """POT, imported without the frameworks that it would import for arrays of theirs.

    Torch alone takes seconds, and only arrays of numpy come here.
    """
    with _importing:
        names = [f"POT_BACKEND_DISABLE_{backend}" for backend in _BACKENDS]
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(names, "1"))
        try:
            import ot
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return ot
