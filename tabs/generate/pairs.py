"""An image generated with CFR beside the image of the same request without it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import numpy as np

from truehue.core.color.spaces import hex_of
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.fidelity.vividness import saturation_histogram
from truehue.core.images.difference import (
    delta_e00_map,
    difference_image,
    difference_summary,
    scale_srgb8,
    scale_top,
)
from truehue.core.images.load import encode_png
from truehue.core.records import GenerationRecord
from truehue.core.refinement.settings import NATURAL_SATURATION, Refinement, rows_of, saturation_map
from truehue.core.scores.cfm import CFM, map_rows
from truehue.core.scores.measures import measures_of
from truehue.core.scores.records import IMAGE, LOW, NEITHER, Measure
from truehue.core.scores.scoring import score_image
from truehue.tabs.generate.realism import details_of, refinement_in
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.figures import INK, SOFT
from truehue.tabs.verdicts.generation import model_name

BINS = 25
HEIGHT_PX = 210


def histograms(before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    """HSV saturation of all pixels of both pictures in 25 bins, percent of the pixels in each."""
    series = []
    for name, srgb8, color, dash in (
        ("without CFR", before, SOFT, "dot"),
        ("with CFR", after, INK, "solid"),
    ):
        percent = (100 * saturation_histogram(srgb8, BINS)).tolist()
        # The last step ends where its bin ends.
        steps = [*percent, percent[-1]]
        series.append(
            {
                "name": name,
                "mode": "lines",
                "rows": [{"x": index / BINS, "y": value} for index, value in enumerate(steps)],
                "line": {"color": color, "dash": dash, "width": 2, "shape": "hv"},
                "hovertemplate": f"{name}: %{{y:.1f}}% from S = %{{x:.2f}}<extra></extra>",
            }
        )
    natural = {
        "x": NATURAL_SATURATION,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "text": f"{NATURAL_SATURATION:g}, mean of photographs",
        "font": {"size": 10, "color": SOFT},
    }
    return {
        "height": HEIGHT_PX,
        "margin": {"l": 46, "r": 10, "t": 30, "b": 38},
        "series": series,
        "lines": [{"x": NATURAL_SATURATION}],
        "notes": [natural],
        "x": {"title": "HSV saturation", "range": [0, 1], "dtick": 0.2},
        "y": {"title": "% of pixels", "rangemode": "tozero"},
        "legend": {"y": 1.02, "itemclick": "toggle", "itemdoubleclick": "toggleothers"},
    }


_LIKE = 200
"""So many drawings of one text and seed are looked through."""
_NO_PAIR = (
    "The image without CFR is not available. Generate it with CFR switched off and the same seed, "
    "guidance, steps and size to see it here."
)
_SCALE_COLORS = 17


class PairImage(TypedDict):
    """One of the two images."""

    image_id: str
    url: str


class PairDifference(TypedDict, total=False):
    """CIEDE2000 between the two images; ``problem`` says why there is none."""

    problem: str
    url: str
    top: float
    scale: list[str]
    mean: float
    median: float
    percentile_95: float
    most: float
    equal_share: float


class PairMeasure(TypedDict):
    """What a measure says of both images."""

    name: str
    title: str
    better: str
    before: str
    after: str
    change: str
    toward: str


class PairJson(TypedDict):
    """The image with CFR and the one without; ``reason`` says why there is none."""

    drawing_id: str
    text: str
    about: str
    width: int | None
    height: int | None
    settings: list[list[str]]
    map: str
    after: PairImage
    before: PairImage | None
    reason: str
    difference: NotRequired[PairDifference]
    measures: NotRequired[list[PairMeasure]]
    figure: NotRequired[dict[str, Any]]


class RefinementMaps(TypedDict):
    """Maps of an image as rows of cells; ``cfm`` is None where CFM has not scored it."""

    saturation: list[str]
    cfm: list[str] | None


def pair_json(context: Context, drawing_id: str) -> PairJson:
    """Before and after of an image generated with CFR, for the page: images, map, differences,
    measures.

    Where the picture without CFR is not stored, ``before`` is None and ``reason`` says what to do.
    Raises NotStored, and BadInput for a drawing that was made without CFR or has no picture.
    """
    after = context.storage.drawings.get(drawing_id)
    refinement = _refinement(after)
    if refinement is None or after.image_id is None:
        raise BadInput("This image was generated without CFR: there is nothing to compare.")
    pair: PairJson = {
        "drawing_id": after.drawing_id,
        "text": after.text,
        "about": _about(after),
        "width": after.width,
        "height": after.height,
        "settings": [list(row) for row in details_of(refinement)],
        "map": _map_url(refinement),
        "after": _image_json(after.image_id),
        "before": None,
        "reason": _NO_PAIR,
    }
    before = without_cfr(context, after)
    if before is None or before.image_id is None:
        return pair
    before_srgb8, after_srgb8 = context.srgb8(before.image_id), context.srgb8(after.image_id)
    return {
        **pair,
        "before": _image_json(before.image_id),
        "reason": "",
        "difference": _difference(before_srgb8, after_srgb8),
        "measures": [
            row
            for measure in measures_of(IMAGE)
            if (row := _measured(context, measure, before.image_id, after.image_id))
        ],
        "figure": histograms(before_srgb8, after_srgb8),
    }


def without_cfr(context: Context, after: GenerationRecord) -> GenerationRecord | None:
    """The newest stored drawing of the same request without CFR, by the same weights, libraries and
    device: what the first of two passes is. None where there is none."""
    wanted = _plain(after)
    candidates = context.storage.drawings.of_seed(after.model, after.text, after.seed or 0, _LIKE)
    return next(
        (
            candidate
            for candidate in candidates
            if "cfr" not in candidate.origin and _plain(candidate) == wanted
        ),
        None,
    )


def maps_of(context: Context, image_id: str) -> RefinementMaps:
    """Maps of a stored image (a whole id) as rows of cells, to begin painting with: its saturation,
    and CFM's where it was scored by the registered CFM, else None."""
    scores = context.storage.scores.of_items(IMAGE, [image_id]).get(image_id, ())
    versions = [measure.version for measure in measures_of(IMAGE) if measure.id == CFM]
    return {
        "saturation": rows_of(saturation_map(context.srgb8(image_id))),
        "cfm": map_rows(scores, versions[0]) if versions else None,
    }


def _plain(row: GenerationRecord) -> dict[str, Any]:
    """What a drawing came of, but for CFR, and what is of no picture."""
    return {name: value for name, value in row.origin.items() if name not in ("cfr", "notes")}


def _refinement(row: GenerationRecord) -> Refinement | None:
    # The origin has the map that was drawn with; the options have what was asked for.
    return refinement_in(row.origin) or refinement_in(row.options)


def _about(row: GenerationRecord) -> str:
    origin = row.origin
    parts = [
        model_name(row.model),
        f"seed {row.seed}" if row.seed is not None else "",
        f"guidance {origin['guidance']:g}" if origin.get("guidance") is not None else "",
        f"{origin['steps']} steps" if origin.get("steps") else "",
        f"{row.width} × {row.height} pixels" if row.width and row.height else "",
    ]
    return " · ".join(part for part in parts if part)


def _image_json(image_id: str) -> PairImage:
    return {"image_id": image_id, "url": f"/media/images/{image_id}.png"}


def _map_url(refinement: Refinement) -> str:
    """The map as a picture: white where guidance is turned down most; empty where none is known."""
    if refinement.discrepancy is None:
        return ""
    gray = np.rint(refinement.discrepancy * 255).astype(np.uint8)
    return _png_url(np.repeat(gray[..., None], 3, axis=2))


def _difference(before: np.ndarray, after: np.ndarray) -> PairDifference:
    try:
        values = delta_e00_map(before, after)
    except TrueHueError as error:
        return {"problem": message_of(error)}
    top, summary = scale_top(values), difference_summary(values)
    colors = scale_srgb8()[np.linspace(0, 255, _SCALE_COLORS).astype(int)]
    return {
        "problem": "",
        "url": _png_url(difference_image(values, top)),
        "top": top,
        "scale": [hex_of(color) for color in colors],
        "mean": summary.mean,
        "median": summary.median,
        "percentile_95": summary.percentile_95,
        "most": summary.most,
        "equal_share": summary.equal_share,
    }


def _measured(
    context: Context, measure: Measure, before_id: str, after_id: str
) -> PairMeasure | None:
    """What a measure says of both; None where nobody has looked at either."""
    stored = context.storage.scores.values(measure, IMAGE, [before_id, after_id])
    values = [_value(context, measure, name, stored) for name in (before_id, after_id)]
    if values == [None, None]:
        return None
    change = None if None in values else (values[1] or 0.0) - (values[0] or 0.0)
    return {
        "name": measure.name,
        "title": f"{measure.formula} ({measure.bounds_text}). {measure.source}.",
        "better": "" if measure.better == NEITHER else f"{measure.better} is better",
        "before": "not scored" if values[0] is None else measure.text(values[0]),
        "after": "not scored" if values[1] is None else measure.text(values[1]),
        "change": "" if change is None else f"{change:+.{measure.decimals}f}".replace("-", "−"),
        "toward": _toward(measure, change),
    }


def _toward(measure: Measure, change: float | None) -> str:
    if change is None or measure.better == NEITHER or not round(change, measure.decimals):
        return ""
    return "better" if (change < 0) == (measure.better == LOW) else "worse"


def _value(
    context: Context, measure: Measure, image_id: str, stored: Mapping[str, float]
) -> float | None:
    if image_id in stored or measure.of is None or not measure.quick:
        return stored.get(image_id)
    return score_image(measure, image_id, context.srgb8(image_id)).value


def _png_url(srgb8: np.ndarray) -> str:
    return "data:image/png;base64," + base64.b64encode(encode_png(srgb8)).decode("ascii")
