"""What the columns of ``verdicts.csv.gz`` mean; written beside it."""

from __future__ import annotations

from core.diagnosis.judging import COLUMNS

MEANING: dict[str, str] = {
    "object": "Object of the renderer, or of the manifest.",
    "light": "Light of the renderer, or of the manifest.",
    "seed": "Seed of viewpoint, turn, light direction and backdrop; 0 for pictures of a manifest.",
    "system": "Color system: l1, l2, l3 (ISCC-NBS) or css.",
    "color": "True color of the asked material: name in the system, or hex.",
    "second": "Hex of the second material inside the mask; empty where there is one material.",
    "asked": "Color that the picture was judged against.",
    "relation": "true: asked is the true color. near: it is one of the five nearest distinct "
    "colors of the system that lie at least 10 ΔE00 from the true one.",
    "rule": "Id of the rule; report.json has its version and parameters.",
    "status": "pass, fail or unscored. near with pass is a false accept.",
    "delta_e00": "CIEDE2000 between the found color and the asked one.",
    "delta_chroma": "Distance in the a*b* plane (CIELAB, D65, 2 degrees).",
    "hue_deg": "Difference of h_ab in degrees, 0 to 180; 0 where a color is near neutral.",
    "margin": "Largest value over threshold of the judged metrics: a pass is below 1.",
    "confidence_percent": "How sure the rule is of its verdict, 50 to 100, where it says.",
}
assert tuple(MEANING) == COLUMNS


def codebook() -> str:
    """The text of ``codebook.md``."""
    lines = "\n".join(f"| {name} | {meaning} |" for name, meaning in MEANING.items())
    return (
        "# verdicts.csv.gz\n\n"
        "One line a picture, rule and color that it was judged against. UTF-8, comma separated, "
        "one header line; an empty field is no value. Numbers have six significant digits.\n\n"
        f"| column | meaning |\n|---|---|\n{lines}\n\n"
        "Rates in report.json count unscored judgments as asked, so they are no hits. "
        "Their intervals are Wilson's, 95%.\n"
    )
