"""Looking again stores nothing new."""

from __future__ import annotations

from tests.tabs.drawn import drawn
from tests.tabs.inspect.test_tab import opened
from truehue.core.verdict.rules import RULES
from truehue.tabs.inspect.score import judge
from truehue.tabs.page.context import Context


def test_opening_an_image_again_makes_no_new_mask_and_no_new_evidence(context: Context) -> None:
    record = drawn(context, "sphere", "l2:blue")
    storage = context.storage
    for _ in range(3):
        opened(context, record.image_id)
    (mask,) = storage.masks.for_image(record.image_id)
    assert mask.maker == "renderer"
    opened(context, record.image_id, mask=mask.mask_id)
    assert storage.masks.count() == 1
    # One row a rule, from when it was drawn; looking asks the very same question.
    assert storage.evidence.count() == len(RULES)


def test_a_stroke_on_the_exact_mask_is_a_new_mask(context: Context) -> None:
    record = drawn(context, "sphere", "l2:blue")
    (mask,) = context.storage.masks.for_image(record.image_id)
    marks = [
        {"type": "stored", "mask_id": mask.mask_id},
        {"type": "erase", "radius": 5, "points": [[64, 64]]},
    ]
    value = {"image_id": record.image_id, "marks": marks, "seq": 1}
    judge(context, value, "sphere", "l2:blue", "paper", 0, False)
    masks = {result.maker: result for result in context.storage.masks.for_image(record.image_id)}
    assert set(masks) == {"renderer", "brush"}
    assert masks["brush"].area_px < masks["renderer"].area_px
