"""The protocols as named, versioned rules. One explicit list; a number never stands without one."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput


@dataclass(frozen=True)
class Thresholds:
    """A metric passes strictly below its threshold; without one it is told, and judges nothing."""

    delta_chroma: float | None = 5.0
    delta_e00: float | None = 5.0
    hue_deg: float | None = 30.0
    misfit: float | None = None


@dataclass(frozen=True)
class Rule:
    """One protocol.

    ``same_candidate``: all metrics must pass on one candidate; otherwise each metric takes its
    minimum over the candidates. ``guided``: the dominant color is found with the asked color's
    help. ``cleanup``: the released mask clean-up comes first. ``lit``: the asked color is put into
    the light of the image before it is compared (core.verdict.truehue).
    """

    id: str
    version: str
    name: str
    description: str
    dominant: str
    same_candidate: bool
    guided: bool = False
    cleanup: bool = False
    lit: bool = False
    thresholds: Thresholds = Thresholds()


RULES: tuple[Rule, ...] = (
    Rule(
        id="paper", version="1.0", name="paper",
        description=(
            "The paper's text: mean of the pixels projected on the first chromatic component "
            "through the neutral axis; each metric takes its minimum over the candidates."
        ),
        dominant="paper", same_candidate=False,
    ),
    Rule(
        id="paper-centred", version="1.0", name="paper, centered",
        description=(
            "The paper's text with the component taken through the mean chromaticity: "
            "the plain mean color."
        ),
        dominant="paper-centred", same_candidate=False,
    ),
    Rule(
        id="released", version="1.0", name="released",
        description=(
            "The released code: shadows and grays are left out, then only the tenth of the pixels "
            "nearest to the asked color counts; all metrics must pass on one candidate."
        ),
        dominant="released", same_candidate=True, guided=True, cleanup=True,
    ),
    Rule(
        id="released-unguided", version="1.0", name="released, unguided",
        description=(
            "The released code without its step that keeps only the pixels nearest to the asked "
            "color, as it does for second and reference objects."
        ),
        dominant="released", same_candidate=True, cleanup=True,
    ),
    Rule(
        id="truehue", version="1.0", name="truehue",
        description=(
            "Ours: the lit part of the largest material is compared with the asked color as the "
            "light of this image would show it. Shade and haze are excused the less, the less "
            "likely they are; another hue or more vividness never."
        ),
        dominant="truehue", same_candidate=False, lit=True,
        thresholds=Thresholds(None, None, None, misfit=4.2),
    ),
)  # fmt: skip


def rule(rule_id: str) -> Rule:
    """The rule of that id; raises BadInput naming the known ones."""
    for known in RULES:
        if known.id == rule_id:
            return known
    ids = ", ".join(known.id for known in RULES)
    raise BadInput(f'No rule is called "{rule_id}". Known rules: {ids}.')
