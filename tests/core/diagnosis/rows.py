"""Made-up rows, so that rates can be checked by hand."""

from __future__ import annotations

from typing import Any

from truehue.core.diagnosis.scoring import JudgmentRow

_PLAIN: dict[str, Any] = {
    "object": "mug",
    "light": "window",
    "seed": 0,
    "system": "l2",
    "color": "Red",
    "second": "",
    "asked": "Red",
    "relation": "true",
    "rule": "paper",
    "status": "pass",
    "delta_e00": 1.0,
    "delta_chroma": 1.0,
    "hue_deg": 1.0,
    "margin": 0.2,
    "confidence_percent": None,
}


def row(margin: float | None = 0.2, near: bool = False, **others: Any) -> JudgmentRow:
    """A row that passes below a margin of 1; ``near`` asks for another color."""
    status = "unscored" if margin is None else "pass" if margin < 1.0 else "fail"
    changed: dict[str, Any] = {"margin": margin, "status": status}
    if near:
        changed |= {"relation": "near", "asked": "Pink"}
    return JudgmentRow(**{**_PLAIN, **changed, **others})
