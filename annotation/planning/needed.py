"""How many people, and so how many votes, find a difference as often as is wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from truehue.annotation.planning.power import AnyDesign, Power, power_of

MOST_PEOPLE = 2_000
_FIRST = 40
"""Simulations of each size while the right one is looked for."""
_PARTS = (0.55, 0.7, 0.85, 1.0, 1.2, 1.45, 1.8)
"""Sizes about the right one, as parts of it, of which the power is simulated at last."""
_MOST_WINDOWS = 5
"""How often sizes are simulated, about another number where the right one is not among them."""
_SLOPE_Z = 3.0
"""Standard errors by which power has to rise with people, so that a number can be given at all."""
_BUDGET = 40_000_000
"""Draws at most, about a second."""


@dataclass(frozen=True)
class Needed:
    """``participants`` find the difference with the ``wanted`` power, and as many as ``low`` to
    ``high`` with what chance did in the simulations (95%); all None where :data:`MOST_PEOPLE` do
    not, or more than can be simulated. ``votes`` are theirs. ``curve`` are simulated sizes with
    their power, by rising size.
    """

    wanted: float
    participants: int | None
    low: int | None
    high: int | None
    votes: int | None
    curve: tuple[tuple[int, Power], ...]


def people_needed(design: AnyDesign, wanted: float, seed: int) -> Needed:
    """The least number of participants with that power, 0.5 to 0.99.

    ``design`` says everything but the number of participants. Sizes are doubled until one has the
    power, sizes around that are simulated more often, and Φ(a + b√n), which is the power of a mean
    of n people, is fitted to their shares (probit regression); the interval is the delta method's.
    Where cases differ much, power levels off, and chance may find it at once at a size that is far
    too large: a number outside of the simulated sizes, or from a power that does not clearly rise
    there, is not taken, but looked for elsewhere, and none is given where it is not found.
    """
    if not 0.5 <= wanted <= 0.99:
        raise ValueError("A power is asked for between 0.5 and 0.99.")
    budget = _BUDGET // design.draws_per_person
    tried, center = _first_with(design, wanted, seed, budget // 2)
    curves = dict(tried)
    for window in range(_MOST_WINDOWS):
        if center is None or center > MOST_PEOPLE:
            break
        sizes = sorted({max(2, round(center * part)) for part in _PARTS})
        curve = _curve(design, tuple(sizes), seed + 1 + 10 * window, budget // (4 if window else 2))
        crossing = _crossing(curve, wanted)
        if crossing is not None:
            number, low, high = crossing
            if sizes[0] <= number <= sizes[-1]:
                votes = number * design.votes_a_person
                return Needed(wanted, number, low, high, votes, curve)
            center = min(max(number, center // 4), center * 4)
        else:  # about as much power everywhere: the size sought is not here
            enough = float(np.mean([power.power for _, power in curve])) >= wanted
            center = center // 2 if enough else center * 2
        center = max(3, center)
        curves |= dict(curve)
    return Needed(wanted, None, None, None, None, tuple(sorted(curves.items())))


def _first_with(
    design: AnyDesign, wanted: float, seed: int, budget: int
) -> tuple[tuple[tuple[int, Power], ...], int | None]:
    """Sizes that were tried, and about how many people have that power: between the last size
    without and the first with, None where there is none."""
    tried: list[tuple[int, Power]] = []
    people = 4
    while people <= MOST_PEOPLE and people * _FIRST <= budget:
        power = power_of(replace(design, participants=people), seed, _FIRST)
        tried.append((people, power))
        if power.power >= wanted:
            return tuple(tried), max(3, round(people / 2**0.5))
        budget -= people * _FIRST
        people *= 2
    return tuple(tried), None


def _curve(
    design: AnyDesign, sizes: tuple[int, ...], seed: int, budget: int
) -> tuple[tuple[int, Power], ...]:
    """The power of each size, with as many simulations as the budget of participants allows."""
    simulations = int(np.clip(budget // sum(sizes), 40, 1_000))
    return tuple(
        (size, power_of(replace(design, participants=size), seed + i, simulations))
        for i, size in enumerate(sizes)
    )


def _crossing(curve: tuple[tuple[int, Power], ...], wanted: float) -> tuple[int, int, int] | None:
    """Where the fitted power is the wanted one, with its 95% interval, in people; None where the
    power does not clearly rise."""
    from scipy.stats import norm

    root = np.sqrt([size for size, _ in curve])
    number = np.array([power.simulations for _, power in curve], dtype=np.float64)
    share = np.array([power.power for _, power in curve])
    # Half a study more of either outcome, so that no share is 0 or 1.
    share = (share * number + 0.5) / (number + 1)
    design = np.column_stack([np.ones_like(root), root])
    beta = np.linalg.lstsq(design, norm.ppf(share), rcond=None)[0]
    information = np.eye(2)
    for _ in range(25):
        eta = design @ beta
        fitted, density = np.clip(norm.cdf(eta), 1e-9, 1 - 1e-9), norm.pdf(eta)
        weight = number * density**2 / (fitted * (1 - fitted)) + 1e-9
        information = (design * weight[:, None]).T @ design
        working = eta + (share - fitted) / np.maximum(density, 1e-9)
        beta = np.linalg.solve(information, (design * weight[:, None]).T @ working)
    if not beta[1] > _SLOPE_Z * np.sqrt(np.linalg.inv(information)[1, 1]):
        return None
    index = (norm.ppf(wanted) - beta[0]) / beta[1]
    gradient = np.array([1.0, index]) / beta[1]
    error = float(np.sqrt(gradient @ np.linalg.inv(information) @ gradient))
    bounds = [min(float(max(index + z * error, 0.0)) ** 2, 1e9) for z in (0.0, -1.96, 1.96)]
    number_, low, high = (max(2, int(np.ceil(value - 1e-9))) for value in bounds)
    return number_, low, high
