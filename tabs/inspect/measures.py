"""The measures of a whole image, beside its verdict: as stored, else computed when it is seen."""

from __future__ import annotations

from truehue.core.cache import LruCache
from truehue.core.scores.measures import measures_of
from truehue.core.scores.records import IMAGE, Measure
from truehue.core.scores.scoring import score_image
from truehue.tabs.page.context import Context


class ImageMeasures:
    """What measures say of the images that were looked at last; a stroke asks nothing anew."""

    def __init__(self) -> None:
        self._saved: LruCache[list[dict[str, str]]] = LruCache(64)

    def of(self, context: Context, image_id: str) -> list[dict[str, str]]:
        """What each measure says of a stored image (a whole id), in words; those that only people
        or a file could give stand there once there is a score. Nothing is stored. Raises
        NotStored."""
        key = image_id, context.storage.scores.changes, context.deletions
        return self._saved.get(key, lambda: _rows(context, image_id))


def _rows(context: Context, image_id: str) -> list[dict[str, str]]:
    rows = []
    for measure in measures_of(IMAGE):
        text, reason = _text(context, measure, image_id)
        if text or reason:
            about = f"{measure.formula} ({measure.bounds_text}). {measure.source}. "
            rows.append(
                {
                    "name": measure.name,
                    "text": text or "unscored",
                    "title": reason or f"{about}Version {measure.version}.",
                }
            )
    return rows


def _text(context: Context, measure: Measure, image_id: str) -> tuple[str, str]:
    """The value in words, or why there is none; both empty where nobody has looked."""
    scores = context.storage.scores
    value = scores.values(measure, IMAGE, [image_id]).get(image_id)
    if value is None and measure.of is not None and measure.quick:
        record = score_image(measure, image_id, context.srgb8(image_id))
        value, reason = record.value, record.reason
    elif value is None:
        reason = scores.reasons(measure, IMAGE, [image_id]).get(image_id, "")
    return ("", reason) if value is None else (measure.text(value), "")
