"""The protocols as named, versioned rules. One explicit list; a number never stands without one."""

from __future__ import annotations

from dataclasses import dataclass

from truehue.core.errors import BadInput

MATCHES, DIFFERS = "matches", "differs"
"""What a question requires: the object must have the color, or must not have it."""

RELATIONS = (MATCHES, DIFFERS)
"""What an object has to do with a color: have it, or (COA's second object) not have it."""


@dataclass(frozen=True)
class Thresholds:
    """A metric passes strictly below its threshold; without one it is reported, not judged."""

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
    the light of the image before it is compared (truehue.core.verdict.truehue). ``reconstructed``:
    Munsell samples of our own reconstruction are accepted too, and no file of the user's.
    ``variant_of`` is the rule that this one is a variant of, empty for a main rule.
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
    reconstructed: bool = False
    thresholds: Thresholds = Thresholds()
    variant_of: str = ""

    @property
    def main(self) -> bool:
        """True for a rule that stands by itself, False for a variant of one."""
        return not self.variant_of


RULES: tuple[Rule, ...] = (
    Rule(
        id="truehue",
        version="1.1",
        name="truehue",
        description=(
            "Ours: the lit part of the largest material is compared with the target color as the "
            "light of this image would show it. Shade and haze are excused the less, the less "
            "likely they are; another hue or more vividness never."
        ),
        dominant="truehue",
        same_candidate=False,
        lit=True,
        thresholds=Thresholds(None, None, None, misfit=3.6),
    ),
    Rule(
        id="paper",
        version="1.0",
        name="paper",
        description=(
            "The paper's text: mean of the pixels projected on the first chromatic component "
            "through the neutral axis; each metric takes its minimum over the candidates."
        ),
        dominant="paper",
        same_candidate=False,
    ),
    Rule(
        id="released",
        version="1.1",
        name="released",
        description=(
            "The released code: shadows and grays are left out, then only the tenth of the pixels "
            "nearest to the target color counts; all metrics must pass on one candidate."
        ),
        dominant="released",
        same_candidate=True,
        guided=True,
        cleanup=True,
    ),
    Rule(
        id="paper-centred",
        version="1.0",
        name="paper-centred",
        description=(
            "The paper's text with the component taken through the mean chromaticity: "
            "the plain mean color."
        ),
        dominant="paper-centred",
        same_candidate=False,
        variant_of="paper",
    ),
    Rule(
        id="released-unguided",
        version="1.1",
        name="released-unguided",
        description=(
            "The released code without its step that keeps only the pixels nearest to the target "
            "color, as it does for second and reference objects."
        ),
        dominant="released",
        same_candidate=True,
        cleanup=True,
        variant_of="released",
    ),
    Rule(
        id="released-munsell",
        version="1.0",
        name="released-munsell",
        description=(
            "The released code with the Munsell samples of the asked category accepted too, by our "
            "own reconstruction: the authors' file is not public. It probably shows what the "
            "paper's number costs, as it accepts many colors that were not asked for."
        ),
        dominant="released",
        same_candidate=True,
        guided=True,
        cleanup=True,
        reconstructed=True,
        variant_of="released",
    ),
)
"""Main rules first, each list in the order of the screens."""

DEFAULT_RULE = "truehue"
"""The rule that a verdict is by where none was chosen."""


def rule(rule_id: str) -> Rule:
    """The rule of that id; raises BadInput naming the known ones."""
    for entry in RULES:
        if entry.id == rule_id:
            return entry
    ids = ", ".join(entry.id for entry in RULES)
    raise BadInput(f'No rule is called "{rule_id}". Known rules: {ids}.')
