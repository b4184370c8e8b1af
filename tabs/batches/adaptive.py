"""How sure an adaptive order of models is, and what the rest of the whole set would take, in words."""

from __future__ import annotations

from truehue.core.runs.adaptive import Comparison, save_order
from truehue.core.runs.estimate import pace_of
from truehue.tabs.batches.messages import time_text
from truehue.tabs.page.errors import count_noun


def order_text(comparison: Comparison) -> str:
    """How sure the order is, and from how many images."""
    share = 100.0 * comparison.images / comparison.total
    return (
        f"order by {comparison.rule[0]}: {comparison.decided} of "
        f"{count_noun(comparison.pairs, 'pair')} decided, with a chance of at most 5% that any is "
        f"wrong, from {share:.2g}% of the images"
    )


def rest_seconds(comparison: Comparison, workers: int) -> float | None:
    """What the rest of the whole set would take, by the images until now; None where a model has
    none."""
    rest = 0.0
    for folder, images in zip(comparison.folders, comparison.images_each.tolist(), strict=True):
        pace = pace_of(folder)
        if pace is None:
            return None
        rest += pace * (comparison.plan.total - images)
    return rest / workers


def rest_text(rest: float | None) -> str:
    """What the whole set would cost beyond what there is."""
    known = "an unknown time" if rest is None else f"about {time_text(rest)}"
    return f"the rest of the whole set would take {known}"


def note_order(comparison: Comparison, workers: int) -> None:
    """Writes into each run's folder how sure the order is."""
    rest = rest_text(rest_seconds(comparison, workers))
    save_order(comparison, f"{order_text(comparison)}; {rest}")
