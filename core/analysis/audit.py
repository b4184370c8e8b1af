"""A run's accuracy by people: a random sample is judged, and the rule's verdicts do the rest.

People judge n images that were chosen at random in every stratum (task and color system); the rule
judges all N. Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023,
Science 382: 669-674) estimates the accuracy that people would give all images: the rule's accuracy
over all, plus the mean of what people say less what the rule says over the sample. It needs no
assumption about the rule: with a useless rule the interval is as wide as without it. λ, 0 to 1, says
how much the rule is used, and is tuned to the narrowest interval (PPI++, Angelopoulos, Duchi and
Zrnic 2023, arXiv:2311.01453, section 6).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeVar

import numpy as np

from truehue.core.analysis.intervals import wilson
from truehue.core.errors import BadInput

Key = TypeVar("Key", bound=Hashable)
ROUNDING = 1e-12
"""A variance of shares below this is none: equal shares such as 2/3 leave one by rounding."""
IMAGES, ANSWERS = 200, 3
"""Images of an audit, and answers to each, where nobody says otherwise."""
MIN_JUDGED = 10
"""Below so many judged images there is no estimate."""


@dataclass(frozen=True)
class PeopleAccuracy:
    """In percent: the accuracy by people with its 95% interval, and by people's images alone
    (``sample_percent``). ``judged`` images of the ``images`` that the rule scored, of which the rule
    passes ``rule_percent``; ``weight`` is λ."""

    percent: float
    low: float
    high: float
    judged: int
    images: int
    rule_percent: float
    sample_percent: float
    weight: float


def sample(strata: Mapping[Key, Sequence[int]], count: int, seed: int) -> dict[Key, list[int]]:
    """``count`` images at random, each stratum its share of them by largest remainders. At least two
    of each that has two, so there may be a few more. The same seed chooses the same images."""
    total = sum(map(len, strata.values()))
    if count < 1:
        raise BadInput("Give the number of images to judge, 1 or more.", "n")
    if count >= total:
        return {key: sorted(images) for key, images in strata.items()}
    quotas = {key: count * len(images) / total for key, images in strata.items()}
    sizes = {key: max(min(2, len(strata[key])), int(quota)) for key, quota in quotas.items()}
    for key in sorted(quotas, key=lambda key: int(quotas[key]) - quotas[key]):
        if sum(sizes.values()) >= count:
            break
        sizes[key] = min(sizes[key] + 1, len(strata[key]))
    rng = np.random.default_rng(seed)
    return {
        key: sorted(int(i) for i in rng.choice(sorted(images), sizes[key], replace=False))
        for key, images in sorted(strata.items(), key=lambda item: repr(item[0]))
    }


@dataclass(frozen=True)
class _Stratum:
    """``verdicts`` of all its images, 0 or 1; of the judged ones ``labels`` by people, 0 to 1, and
    ``predicted`` by the rule."""

    verdicts: np.ndarray
    labels: np.ndarray
    predicted: np.ndarray


def people_accuracy(
    passes: Mapping[Key, Mapping[int, bool]], people: Mapping[int, float], prompts: int
) -> PeopleAccuracy | None:
    """The estimate for all images that the rule scored.

    ``passes`` has of each stratum its images by position, with whether the rule passes each.
    ``people`` has of each judged position the share of people who say that the color is right, 0 to
    1; positions that the rule did not score are left out. ``prompts`` is how many prompts the images
    are of: images of one prompt are alike. None for fewer than MIN_JUDGED judged images.

    The judged images are some of all N, so the variance is that of two-phase sampling (Cochran 1977,
    Sampling Techniques, section 12.6): Var(y) / prompts + Var(y - λf) Σ w² (1/n - 1/N) over strata of
    weight w, with variances pooled within strata.
    """
    strata = _strata(passes, people)
    images = sum(map(len, passes.values()))
    judged = sum(stratum.labels.size for stratum in strata)
    if judged < MIN_JUDGED:
        return None
    weight = _tuned(strata)
    value = sample_share = chosen = 0.0
    for stratum in strata:
        share = stratum.verdicts.size / images
        residual = stratum.labels - weight * stratum.predicted
        value += share * (weight * stratum.verdicts.mean() + residual.mean())
        sample_share += share * stratum.labels.mean()
        chosen += share * share * (1.0 / stratum.labels.size - 1.0 / stratum.verdicts.size)
    value = float(min(max(value, 0.0), 1.0))
    spread = _variance([stratum.labels for stratum in strata])
    residuals = _variance([stratum.labels - weight * stratum.predicted for stratum in strata])
    variance = spread / max(prompts, 1) + residuals * chosen
    if residuals > ROUNDING:
        half = _quantile(judged - len(strata)) * sqrt(variance)
        low, high = 100.0 * max(value - half, 0.0), 100.0 * min(value + half, 1.0)
    else:  # people and the rule never differ in a way that varies: the sample alone has a width
        low, high = wilson(value, judged)
    passed = sum(sum(own.values()) for own in passes.values())
    return PeopleAccuracy(
        100.0 * value,
        low,
        high,
        judged,
        images,
        100.0 * passed / images,
        100.0 * float(sample_share),
        weight,
    )


def _strata(
    passes: Mapping[Key, Mapping[int, bool]], people: Mapping[int, float]
) -> list[_Stratum]:
    """The strata; those with fewer than two judged images are one, or part of the largest."""
    whole: list[Mapping[int, bool]] = []
    rest: dict[int, bool] = {}
    for own in passes.values():
        if len(own.keys() & people.keys()) < 2:
            rest.update(own)
        elif own:
            whole.append(own)
    if rest and whole and len(rest.keys() & people.keys()) < 2:
        largest = max(whole, key=len)
        whole = [own for own in whole if own is not largest]
        rest.update(largest)
    strata = []
    for own in [*whole, *([rest] if rest else [])]:
        judged = sorted(own.keys() & people.keys())
        strata.append(
            _Stratum(
                np.array(list(own.values()), dtype=np.float64),
                np.array([people[position] for position in judged], dtype=np.float64),
                np.array([own[position] for position in judged], dtype=np.float64),
            )
        )
    return strata


def _tuned(strata: Sequence[_Stratum]) -> float:
    """λ: the slope of people's answers on the verdicts within strata, 0 to 1."""
    covariance = variance = 0.0
    for stratum in strata:
        verdicts = stratum.predicted - stratum.predicted.mean()
        covariance += float(verdicts @ (stratum.labels - stratum.labels.mean()))
        variance += float(verdicts @ verdicts)
    return min(max(covariance / variance, 0.0), 1.0) if variance else 0.0


def _variance(values: Sequence[np.ndarray]) -> float:
    """The pooled variance within strata."""
    squares = sum(float(((own - own.mean()) ** 2).sum()) for own in values)
    return squares / max(sum(own.size for own in values) - len(values), 1)


def _quantile(freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, max(freedom, 1)))
