"""The columns of an exported table: the one list that the tables and their codebook are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.prompts.prompt import LEVELS, ROLES, TASKS
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.expectations import STEPS

TEXT, WHOLE, NUMBER, TRUTH = "text", "integer", "number", "boolean"
RUN, PROMPT, PICTURE, OBJECT, RULE, MASK = (
    "the run's plan",
    "the prompt",
    "the image",
    "the target object",
    "the rule's verdict",
    "the object's mask",
)


@dataclass(frozen=True)
class Column:
    """One column. ``unit`` holds the unit or the range, ``allowed`` the values where they are few,
    ``source`` whom it speaks of. ``always`` is False where a row may have nothing there."""

    name: str
    kind: str
    source: str
    meaning: str
    unit: str = ""
    allowed: tuple[str, ...] = ()
    always: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain JSON for ``codebook.json``."""
        return {
            "name": self.name,
            "type": self.kind,
            "source": self.source,
            "meaning": self.meaning,
            "unit_or_range": self.unit,
            "allowed_values": list(self.allowed),
            "may_be_empty": not self.always,
        }


_DE = "ΔE00 units, 0 upward"
_LIT = (
    "By truehue the target color is first put into the light of the image: its linear light times "
    "light_factor, haze_percent of white over it, clipped at 1."
)
MEASURED, UNMEASURED = "measured", "unmeasured"
STATUSES = ("pass", "fail", "unscored", MEASURED, UNMEASURED)
_NO_COLOR = (
    "A concept's prompt names no color and no rule scores its image: measured says that the "
    "colors of its object stand in the table of colors, unmeasured that they could not be measured."
)
COLUMNS: tuple[Column, ...] = (
    Column(
        "run_id",
        TEXT,
        RUN,
        "Id of the run: the first 16 hex digits of the SHA-256 of its "
        "plan. Equal plans are one run.",
        always=True,
    ),
    Column("run_name", TEXT, RUN, "Name of the run.", always=True),
    Column(
        "model",
        TEXT,
        RUN,
        "Id of the model that generated the image, or the name given to that of existing images.",
        always=True,
    ),
    Column(
        "kind",
        TEXT,
        RUN,
        "Whether the run generated its images or scored existing ones.",
        allowed=("drawn", "stored"),
        always=True,
    ),
    Column("position", WHOLE, PICTURE, "Place of the image in the run.", "0 upward", always=True),
    Column("prompt_source", TEXT, PROMPT, "Id of the prompt set."),
    Column("prompt_id", TEXT, PROMPT, "Id of the prompt, unique in its set.", always=True),
    Column(
        "image",
        WHOLE,
        PICTURE,
        "Number of the image among those of its prompt.",
        "0 upward",
        always=True,
    ),
    Column("text", TEXT, PROMPT, "The prompt.", always=True),
    Column(
        "task",
        TEXT,
        PROMPT,
        "Task of GenColorBench (arXiv:2510.20586, section 3.2), or concept or free.",
        allowed=tuple(TASKS),
        always=True,
    ),
    Column(
        "level",
        TEXT,
        PROMPT,
        "Level of difficulty of the task.",
        allowed=tuple(dict.fromkeys(LEVELS.values())),
    ),
    Column("system", TEXT, PROMPT, "Color system of the prompt: l1, l2, l3 (ISCC-NBS) or css."),
    Column(
        "notation", TEXT, PROMPT, "How the prompt writes its color.", allowed=("name", "hex", "rgb")
    ),
    Column("template", TEXT, PROMPT, "Pattern of the prompt's sentence."),
    Column("prompt_category", TEXT, PROMPT, "Category that the set gives the prompt."),
    Column("concept", TEXT, PROMPT, "Color concept that the prompt names."),
    Column("modifier", TEXT, PROMPT, "Modifier of the concept."),
    Column("style", TEXT, PROMPT, "Style of the prompt."),
    Column(
        "drawing_status",
        TEXT,
        PICTURE,
        "Whether there is an image. A failed one is unscored in every rule.",
        allowed=("drawn", "failed"),
        always=True,
    ),
    Column("drawing_reason", TEXT, PICTURE, "Why there is no image, as a sentence."),
    Column(
        "attempt",
        WHOLE,
        PICTURE,
        "Which attempt this is; the latest one is exported.",
        "1 upward",
        always=True,
    ),
    Column(
        "image_id", TEXT, PICTURE, "SHA-256 of the image's size and sRGB pixels.", "64 hex digits"
    ),
    Column("width_px", WHOLE, PICTURE, "Width of the image.", "pixels"),
    Column("height_px", WHOLE, PICTURE, "Height of the image.", "pixels"),
    Column("seed", WHOLE, PICTURE, "Seed that the image was generated with."),
    Column(
        "drawing_seconds",
        NUMBER,
        PICTURE,
        "Time to generate and save the image.",
        "seconds",
    ),
    Column("scoring_seconds", NUMBER, PICTURE, "Time that masks and verdicts took.", "seconds"),
    Column(
        "rule",
        TEXT,
        RULE,
        "Id of the rule; the codebook has its version and thresholds. "
        "Empty where no rule scores the image.",
    ),
    Column("rule_version", TEXT, RULE, "Version of the rule."),
    Column(
        "target",
        WHOLE,
        OBJECT,
        "Place of the object in the prompt; empty where there is no image to look at.",
        "0 upward",
    ),
    Column("object", TEXT, OBJECT, "The object's name."),
    Column("category", TEXT, OBJECT, "The object's category."),
    Column(
        "role",
        TEXT,
        OBJECT,
        "main; reference: has to share the main object's color; bystander: must not take it.",
        allowed=ROLES,
    ),
    Column(
        "relation",
        TEXT,
        OBJECT,
        "Whether the object has to have the target color, or must not.",
        allowed=("matches", "differs"),
    ),
    Column(
        "color",
        TEXT,
        OBJECT,
        "Color that the prompt asks of this object: system:name, or "
        "hex. Empty where it takes another object's.",
    ),
    Column(
        "asked_hex", TEXT, RULE, "The color that the object was scored against.", "#RRGGBB in sRGB"
    ),
    Column("asked_l", NUMBER, RULE, "L* of asked_hex.", "CIELAB D65/2°, 0 to 100"),
    Column("asked_a", NUMBER, RULE, "a* of asked_hex.", "CIELAB D65/2°"),
    Column("asked_b", NUMBER, RULE, "b* of asked_hex.", "CIELAB D65/2°"),
    Column(
        "leads",
        TRUTH,
        RULE,
        "True in exactly one row per image and rule: the object that "
        "decided. Count images by these rows.",
        always=True,
    ),
    Column(
        "picture_status",
        TEXT,
        RULE,
        f"The whole image by this rule, the same in all its rows. {_NO_COLOR}",
        allowed=STATUSES,
        always=True,
    ),
    Column("picture_reason", TEXT, RULE, "Why, as a sentence."),
    Column(
        "status",
        TEXT,
        RULE,
        "This object by this rule. unscored is neither pass nor fail. "
        "measured and unmeasured as in picture_status.",
        allowed=STATUSES,
        always=True,
    ),
    Column("step", TEXT, RULE, "Where scoring ended.", allowed=("image", *STEPS)),
    Column(
        "cause",
        TEXT,
        RULE,
        "Why it is no pass, in a word; the codebook has the meanings.",
        allowed=tuple(CAUSES),
    ),
    Column("told", TEXT, RULE, "The verdict on this object as a sentence."),
    Column("found_hex", TEXT, RULE, "The measured color, the nearest in sRGB.", "#RRGGBB in sRGB"),
    Column("found_l", NUMBER, RULE, "L* of the measured color.", "CIELAB D65/2°, 0 to 100"),
    Column("found_a", NUMBER, RULE, "a* of the measured color.", "CIELAB D65/2°"),
    Column("found_b", NUMBER, RULE, "b* of the measured color.", "CIELAB D65/2°"),
    Column(
        "delta_e00",
        NUMBER,
        RULE,
        f"CIEDE2000 between the found and the accepted color that was nearest. {_LIT}",
        _DE,
    ),
    Column(
        "delta_chroma",
        NUMBER,
        RULE,
        f"Distance of both in the a*b* plane. {_LIT}",
        "CIELAB units, 0 upward",
    ),
    Column(
        "hue_deg",
        NUMBER,
        RULE,
        f"Difference of h_ab; 0 where a color is near neutral. {_LIT}",
        "degrees, 0 to 180",
    ),
    Column(
        "misfit", NUMBER, RULE, "The rule truehue's distance after the light is accounted for.", _DE
    ),
    Column(
        "confidence_percent",
        NUMBER,
        RULE,
        "How sure the rule is, where it says so.",
        "percent, 50 to 100",
    ),
    Column(
        "light_factor",
        NUMBER,
        RULE,
        "By truehue: the light in which the target color comes "
        "nearest, as a factor of its linear light.",
        "0.45 to 1.4",
    ),
    Column(
        "haze_percent",
        NUMBER,
        RULE,
        "By truehue: white over it.",
        "percent of white's linear light, 0 to 8",
    ),
    Column("mask_area_px", WHOLE, MASK, "Pixels of the object's mask.", "pixels"),
    Column("mask_maker", TEXT, MASK, "Who made the mask."),
    Column("mask_sha256", TEXT, MASK, "SHA-256 of the mask's size and pixels.", "64 hex digits"),
)
NAMES = tuple(column.name for column in COLUMNS)


def arrow_schema(columns: Sequence[Column] = COLUMNS) -> Any:
    """The columns as a pyarrow schema, in their order."""
    import pyarrow as pa

    kinds = {TEXT: pa.string(), WHOLE: pa.int64(), NUMBER: pa.float64(), TRUTH: pa.bool_()}
    return pa.schema([pa.field(column.name, kinds[column.kind]) for column in columns])
