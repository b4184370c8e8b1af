"""The one list of metrics between two distributions; all other lists derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from truehue.core.color.distances import Comparison

PAPER = "ColorConceptBench, section 4.3"
TABLE_1, TABLE_2 = "alignment", "dominant"
"""The two tables of the paper, by the ids of ours that are like them."""


@dataclass(frozen=True)
class PairNumber:
    """How a metric is shown for one pair of distributions.

    ``id`` is its column in a CSV and its key in JSON. ``decimals`` 0 is for what is yes or no.
    ``plain`` says in one line what it tells, for who has not read the paper; ``undefined`` says why
    a pair has no such number, where that can be.
    """

    id: str
    name: str
    unit: str
    decimals: int
    formula: str
    source: str
    plain: str = ""
    undefined: str = ""


@dataclass(frozen=True)
class ScoreMetric:
    """A number that two distributions are compared by.

    ``id`` is what tables, links and files call it, ``field`` that of
    :class:`truehue.core.color.distances.Comparison`. ``better`` is ``high`` or ``low``; ``unit`` is
    empty for a plain number. A metric with a ``meaning``, in words, is one that tables of many
    concepts show; ``table`` is the paper's that has it, or empty. With ``interval`` it has a
    bootstrap interval for one pair, and with ``pair`` it is shown there.
    """

    id: str
    field: str
    name: str
    better: str
    unit: str
    meaning: str = ""
    table: str = ""
    interval: bool = False
    pair: PairNumber | None = None

    def of(self, comparison: Comparison) -> float | None:
        """Its value; a yes is 1. None where it is not defined for the two."""
        value = getattr(comparison, self.field)
        return None if value is None else float(value)


_METRICS = (
    ScoreMetric(
        "pcc",
        "pcc",
        "PCC",
        "high",
        "",
        meaning="Pearson correlation of the two distributions",
        table=TABLE_1,
        interval=True,
        pair=PairNumber(
            "pcc",
            "PCC",
            "",
            3,
            "Pearson's correlation of the shares over the 71 bins, −1 to 1",
            f"{PAPER}, equation 1",
            "do both have the same colors? 1 is the same profile",
            "One of the two has the same share in every bin, so the correlation is undefined.",
        ),
    ),
    ScoreMetric(
        "emd_lab",
        "emd_lab",
        "EMD",
        "low",
        "Lab",
        meaning="Earth mover's distance, ΔE*ab",
        table=TABLE_1,
        interval=True,
        pair=PairNumber(
            "emd",
            "EMD",
            "Lab",
            1,
            "Earth mover's distance: the least of Σ mass × distance that turns one distribution "
            "into the other; the distance of two bins is Euclidean in CIELAB. Solved exactly",
            f"{PAPER}, equation 2; Rubner et al. 2000",
            "how far colors move to turn one distribution into the other, in CIELAB units",
        ),
    ),
    ScoreMetric(
        "entropy_difference",
        "entropy_difference",
        "ED",
        "low",
        "nats",
        meaning="Absolute difference of the entropies, nats",
        table=TABLE_1,
        interval=True,
        pair=PairNumber(
            "ed",
            "ED",
            "nats",
            3,
            "Difference of the entropies, |H(A) − H(B)| with H = −Σ p ln p: compares how "
            "varied the colors are, not which colors they are",
            f"{PAPER}, equation 3",
            "is one more varied than the other? 0 is equally varied",
        ),
    ),
    ScoreMetric(
        "dca",
        "dominant_equal",
        "DCA",
        "high",
        "",
        meaning="Share of concepts whose most common color is people's",
        table=TABLE_2,
        pair=PairNumber(
            "dominant_equal",
            "Dominant bin",
            "",
            0,
            "Whether both have the same largest bin. DCA is the share of concepts for which "
            "this is true. If bins are equally large, the first counts",
            f"{PAPER}, equation 4",
        ),
    ),
    ScoreMetric(
        "delta_hue_deg",
        "delta_hue_deg",
        "ΔHue",
        "low",
        "degrees",
        meaning="Hue angle between the most common colors, degrees; concepts where one of them is "
        "neutral are excluded and counted",
        table=TABLE_2,
        interval=True,
        pair=PairNumber(
            "hue_deg",
            "ΔHue",
            "°",
            1,
            "Angle between the hues of the two largest bins, 0 to 180°. A neutral bin has no "
            "hue: then the number is undefined",
            f"{PAPER}, equation 5",
            undefined="The largest bin of one of the two is neutral, and a neutral has no hue.",
        ),
    ),
    ScoreMetric(
        "delta_hue_literal_deg",
        "delta_hue_literal_deg",
        "ΔHue as written",
        "low",
        "degrees",
        meaning="The same with the hue of a neutral taken as 0, as equation 5 is written, degrees",
        table=TABLE_2,
    ),
    ScoreMetric(
        "total_variation",
        "total_variation",
        "Total variation",
        "low",
        "",
        interval=True,
        pair=PairNumber(
            "tv",
            "TV",
            "",
            3,
            "Total variation: ½ Σ |p − q|, the share of color that differs, 0 to 1; the "
            "distance between the colors does not count",
            "TrueHue, beside the paper's",
        ),
    ),
    ScoreMetric(
        "jensen_shannon",
        "jensen_shannon",
        "Jensen-Shannon",
        "low",
        "nats",
        interval=True,
        pair=PairNumber(
            "js",
            "JS",
            "nats",
            3,
            "Jensen–Shannon divergence (not its root), 0 to ln 2 = 0.693",
            "Lin 1991, IEEE Trans. Inf. Theory 37, 145; beside the paper's",
        ),
    ),
)

METRICS: Mapping[str, ScoreMetric] = MappingProxyType({metric.id: metric for metric in _METRICS})
"""By id. DCA is a share, 0 to 1. ΔHue leaves out concepts with a neutral dominant color on either
side and counts them; "as written" (equation 5 to the letter) takes the hue of a neutral as 0."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {metric.id: metric.meaning for metric in _METRICS if metric.meaning}
)
"""Descriptions of the metrics in tables of many concepts, by id."""


def of_table(table: str) -> tuple[str, ...]:
    """The ids of the metrics that a table of the paper has, in its order."""
    return tuple(metric.id for metric in _METRICS if metric.table == table)
