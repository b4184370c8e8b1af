"""The named, versioned procedures from boxes to a mask (GenColorBench, section 3.4 and its code).

Both segment every box above the threshold and unite the segments, as the Grounded SAM pipeline that
the paper cites does. They differ in thresholds, in the pixels that a negative label may remove, and
in the separation of a second object from the first.

**Negative labels.** M is the object's mask, S one segment of the label, and S ∩ M the pixels that S
would remove. Their share, |S ∩ M| / |M|, is also the IoU of S ∩ M with M. Above
``most_covered_share`` the segment is ignored: the detector has then found the object itself under
another word, or a region that contains the object. A segment below it is removed from M.

- ``released`` ignores segments that cover more than 0.95, and restores M if less than 0.30 of it
  would remain (moatifbutt/gen-color-bench @ 802a3ba).
- ``paper``: "we apply negative Intersection-over-Union (IoU) filtering over positive mask", without
  a number. Ours is 0.5, the usual bound above which two regions count as the same thing (PASCAL
  VOC): negative labels are "subcomponents or associated elements" (its Appendix), and a segment of
  more than half of an object is the object. M is restored only if nothing of it would remain. Its
  box threshold is not given either: ours is 0.3, with 0.25 for words, as in the published example
  of Grounded SAM.

**Second and third objects.** ``released`` cleans the masks of earlier objects
(:mod:`truehue.core.masks.cleanup`), paints their remaining pixels gray, detects again, removes the
overlap with them, and fails objects that overlap by an IoU over 0.2. It computes that IoU after the
removal, when it is 0 except for pixels that the mask's clean-up adds; so in practice it fails only
objects without remaining pixels. ``paper`` does not specify this: ours detects in the unchanged
image, and applies the same limit before the removal, where it can distinguish two objects from one
object found twice.

**Presence.** Both ask a model that answers questions. ``truehue`` has the numbers of ``paper``, and lets
a detector's score say whether an object is there, which is not what the paper or its code did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from truehue.core.errors import BadInput
from truehue.core.masks.grounded.weights import COCO_PRESENCE

GRAY_SRGB8 = 128
"""The gray level that replaces earlier objects, in all three channels."""


@dataclass(frozen=True)
class MaskVariant:
    """One way from boxes to a mask; thresholds and shares 0 to 1.

    ``least_left_share``: everything that negative labels took is given back when less than this
    share of the object would be left (or nothing at all). ``paint_earlier``: earlier objects are
    painted gray before the detector looks. ``clean_earlier``: their masks go through the released
    clean-up first, and what it drops is neither painted nor removed. ``most_iou``: an object that
    overlaps an earlier one by more fails, measured before or after the shared pixels are removed.
    ``presence_wording``: how it is asked whether an object is in the image, where that is asked.
    ``autocast``: on a GPU the models compute as :mod:`truehue.core.masks.grounded.transformers_loading` says,
    else in float32. ``version`` changes when the same numbers would give another mask.
    """

    id: str
    version: int
    name: str
    box_threshold: float
    text_threshold: float
    negative_threshold: float
    most_covered_share: float
    least_left_share: float
    paint_earlier: bool
    most_iou: float
    iou_measured: Literal["before", "after"]
    # Masks of version 1 were stored without these.
    clean_earlier: bool = False
    autocast: bool = False
    presence_wording: Literal["paper", "released"] = "paper"

    def __post_init__(self) -> None:
        for field, value in asdict(self).items():
            if isinstance(value, float) and not 0 <= value <= 1:
                raise BadInput(f"{field} is from 0 to 1, not {value}.")

    def with_settings(self, settings: Mapping[str, Any]) -> MaskVariant:
        """The same with other numbers; its id says so. Raises BadInput for an unknown setting."""
        unknown = sorted(settings.keys() - (asdict(self).keys() - {"id", "version", "name"}))
        if unknown:
            raise BadInput(f"A masking variant has no setting {', '.join(unknown)}.")
        changed = replace(self, **settings)
        if changed == self:
            return self
        return replace(changed, id=f"{self.id}*", name=f"{self.name}, with other settings")

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return asdict(self)


_PAPER = MaskVariant(
    id="paper",
    version=1,
    name="Paper",
    box_threshold=0.3,
    text_threshold=0.25,
    negative_threshold=0.3,
    most_covered_share=0.5,
    least_left_share=0.0,
    paint_earlier=False,
    most_iou=0.2,
    iou_measured="before",
)
VARIANTS: tuple[MaskVariant, ...] = (
    _PAPER,
    MaskVariant(
        id="released",
        version=2,
        name="Released code",
        box_threshold=0.35,
        text_threshold=0.25,
        negative_threshold=0.25,
        most_covered_share=0.95,
        least_left_share=0.30,
        paint_earlier=True,
        most_iou=0.2,
        iou_measured="after",
        clean_earlier=True,
        autocast=True,
        presence_wording="released",
    ),
    replace(_PAPER, id="truehue", name="TrueHue"),
)


def check_presence(variant: MaskVariant, presence: str) -> None:
    """Raises BadInput for a presence model, by its id, that the variant did not ask."""
    name = variant.id.rstrip("*")
    if presence == COCO_PRESENCE and name != "truehue":
        raise BadInput(
            f"The variant {variant.name} asks a model that answers questions, and {presence} answers by "
            "a detector's score. Choose the variant TrueHue, or another presence model.",
            "presence",
        )


def mask_variant(variant_id: str) -> MaskVariant:
    """The variant of that id; raises BadInput that lists the known ones."""
    for variant in VARIANTS:
        if variant.id == variant_id:
            return variant
    known_ids = ", ".join(variant.id for variant in VARIANTS)
    raise BadInput(f"No masking variant {variant_id!r}; known are {known_ids}.")
