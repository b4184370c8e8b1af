"""One plain sentence for a verdict: what differs, by how much, in which direction."""

from __future__ import annotations

from core.verdict.judge import FAIL, UNSCORED, Offset, Verdict

SMALL_LIGHTNESS = 5.0
SMALL_CHROMA = 5.0


def explain(verdict: Verdict, object_name: str = "", candidates: int = 1) -> str:
    """The sentence after "Passes" or "Fails"; ``object_name`` may be empty.

    ``candidates`` is the number of accepted colors, which decides how they are spoken of.
    """
    if verdict.status == UNSCORED:
        return verdict.reason
    distance = verdict.metric("delta_e00")
    assert distance is not None
    assert verdict.offset is not None
    thing = f"the {object_name.strip()}" if object_name.strip() else "the object"
    against = "the asked color" if candidates == 1 else "the nearest accepted color"
    lead = f"{distance.value:.1f} ΔE00 from {against}"
    if verdict.status == FAIL:
        return f"{lead}; {_what_differs(verdict, verdict.offset, thing)}."
    used = {metric.candidate for metric in verdict.metrics}
    if len(used) > 1:
        return f"{lead}; each metric is met, though by different accepted colors."
    return f"{lead}; every metric is below its limit."


def _what_differs(verdict: Verdict, offset: Offset, thing: str) -> str:
    off: list[str] = []
    if abs(offset.lightness) >= SMALL_LIGHTNESS:
        off.append("lighter" if offset.lightness > 0 else "darker")
    if abs(offset.chroma) >= SMALL_CHROMA:
        off.append("more vivid" if offset.chroma > 0 else "less vivid")
    hue = verdict.metric("hue_deg")
    assert hue is not None
    direction = ""
    if off:
        direction = f"{thing} is {' and '.join(off)} than asked"
    if offset.hue_deg is None:
        hue_words = "too little color to speak of a hue"
    elif not hue.passed:
        hue_words = f"the hue is {abs(offset.hue_deg):.0f}° off"
    else:
        shift = abs(offset.hue_deg)
        # Within the limit of 30 degrees a hue can still carry the difference.
        hue_words = (
            f"the hue is within its limit but {shift:.0f}° off"
            if shift >= 5.0 and not off
            else "the hue is right"
        )
    if direction:
        return f"{hue_words}; {direction}" if offset.hue_deg is not None else direction
    if offset.hue_deg is None:
        return f"{thing} is near neutral and its tint differs from the asked one"
    failed = [metric.name for metric in verdict.metrics if not metric.passed]
    if failed == ["delta_chroma"]:
        return f"{hue_words}; a*b* differ by more than the limit"
    return f"{hue_words}; lightness and vividness are close"
