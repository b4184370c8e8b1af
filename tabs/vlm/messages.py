"""Labels and messages of questions, sets and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from truehue.core.color.spaces import hex_of
from truehue.core.vlm.baselines import written_color
from truehue.core.vlm.evaluation.plan import EvaluationSettings, Version
from truehue.core.vlm.models.records import CHANCE, PIXELS, VisionModel
from truehue.core.vlm.models.registry import KNOWN
from truehue.core.vlm.presentation import RELEASED
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import LETTERS, Question
from truehue.core.vlm.released import family_settings
from truehue.core.vlm.tasks import TASKS

STYLES = {
    Style.PLAIN: ("Plain", "Only the answer, as in ColorBench."),
    Style.REASONED: ("Reasoned", "The model reasons first, then answers."),
}
IMAGES = {
    Version.COLORED: ("In color", "The image as it is."),
    Version.GRAY: ("Grayscale", "Shows how much the answers depend on color."),
    Version.BLACK: ("Blank (black)", "No image: shows what the text alone gives away."),
}
BASELINE_NAMES = {PIXELS: "Pixel reader", CHANCE: "Chance"}
BASELINE_WORDS = {
    PIXELS: "A baseline, not a language model: reads codes, shares and counts from the pixels.",
    CHANCE: "No model: guesses among the allowed answers.",
}
_ABOUT = {
    "color_extraction": "Which code has this flat color? RGB, HSV and hex in turn.",
    "color_proportion": "How much of the image has a given color, and which color is most common?",
    "color_comparison": "Which shape is darkest, lightest, most saturated, warmest?",
    "color_counting": "How many different colors are in the mosaic?",
    "object_counting": "How many of the shapes have this color?",
    "color_illusion": "Are the two patches the same color, regardless of surround?",
    "color_blindness": "Which number or letters are in the dots?",
}
_LABELS = {
    "difficulty": "Difficulty",
    "notation": "Notation",
    "pattern": "Pattern",
    "percents": "Shares of the pixels",
    "asked": "Target",
    "margin": "Ahead by",
    "number": "Number",
    "least_delta_e00": "Smallest color difference, ΔE00",
    "choices_delta_e00": "Distance of choices from the correct one, ΔE00",
    "color": "Color",
    "illusion": "Illusion",
    "equal": "Patches equal, code by code",
    "delta_e00": "ΔE00",
    "counteracts": "Difference opposing the illusion",
    "left_srgb8": "Left patch",
    "right_srgb8": "Right patch",
    "srgb8": "Color code",
    "axis": "Confusion line",
    "text": "Shown",
    "pair_delta_ab": "Distance of figure and ground in a*b*",
    "objects": "Shapes",
    "region": "Recolored region",
    "hue_turn_deg": "Hue shift, degrees",
    "changed_share": "Share of the pixels changed",
    "object": "Object",
    "name": "Name",
    "system": "Color system",
    "light": "Light",
    "filename": "File",
    "source": "Source",
    "seed": "Seed",
    "index": "Number in its task",
    "also": "Also correct",
}
"""What of a construction is told, in this order; the rest (boxes, linear light) is in the set."""


class AnswerChoice(TypedDict):
    """A choice with its letter, and the color that it writes."""

    letter: str
    text: str
    hex: str | None


def task_title(task_id: str) -> str:
    """``Color Counting``; the id itself of a task that is not known."""
    return TASKS[task_id].name if task_id in TASKS else task_id


def about_task(task_id: str) -> str:
    """What is asked, in a sentence."""
    return _ABOUT.get(task_id, "")


def set_facts(question_set: QuestionSet) -> str:
    """How a set was made, in a few words."""
    made = question_set.settings
    parts = []
    if made.get("source") == HUB_ID:
        parts.append("published, from its Parquet files")
    if made.get("appendix_e"):
        parts.append("GenColorBench, Appendix E, on diagnostic renders")
    if "difficulty" in made:
        parts.append(str(made["difficulty"]))
    if "seed" in made:
        parts.append(f"seed {made['seed']}")
    if "generator_version" in made:
        parts.append(f"generators {made['generator_version']}")
    return " · ".join([*parts, f"SHA-256 {question_set.sha256[:12]}"])


def model_name(model: VisionModel) -> str:
    """What people call a model."""
    if model.kind == "baseline":
        return BASELINE_NAMES[model.location]
    if model.kind == "served":
        return model.served().model
    for known in KNOWN:
        if model.id == known.id:
            return known.repo.partition("/")[2]
    return model.id


def settings_text(settings: EvaluationSettings, model: VisionModel) -> str:
    """``plain · in color · at most 512 tokens``."""
    version = IMAGES[settings.version][0].lower()
    if model.kind == "baseline":
        return f"{version} · seed {settings.seed}" if model.location == CHANCE else version
    parts = [settings.style, version, f"max. {settings.max_tokens:,} tokens"]
    parts += protocol_parts(settings)
    if settings.temperature:
        parts.append(f"temperature {settings.temperature:g}, seed {settings.seed}")
    if model.kind == "local":
        parts.append(model.local().dtype)
    return " · ".join(parts)


def protocol_parts(settings: EvaluationSettings) -> list[str]:
    """``colorbench-released (qwen)``, or what is not TrueHue's; nothing where all is."""
    presentation = settings.presentation
    if presentation.family:
        released = family_settings(presentation.family, Style(settings.style))
        if released.presentation() == presentation:
            return [f"{RELEASED} ({presentation.family})"]
    return presentation.differences()


def choices_json(question: Question) -> list[AnswerChoice]:
    """The choices with their letters, and the color that each writes."""
    rows: list[AnswerChoice] = []
    for index, choice in enumerate(question.choices):
        srgb8 = written_color(choice)
        rows.append(
            {
                "letter": LETTERS[index],
                "text": choice,
                "hex": None if srgb8 is None else hex_of(srgb8),
            }
        )
    return rows


def facts_json(construction: Mapping[str, Any]) -> list[list[str]]:
    """How the answer is known: label and words of what the construction says."""
    return [
        [label, text]
        for key, label in _LABELS.items()
        if key in construction and (text := _text(key, construction[key]))
    ]


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key == "objects" and isinstance(value, Sequence):
        return f"{len(value)}: " + ", ".join(f"{item['color']} {item['shape']}" for item in value)
    if key == "percents" and isinstance(value, Mapping):
        return ", ".join(f"{name} {percent}%" for name, percent in value.items())
    if key == "changed_share":
        return f"{100 * float(value):.1f}%"
    if key.endswith("srgb8"):
        return _colors(value)
    if isinstance(value, int | float):
        return _number(key, value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {inner}" for name, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(
            _number(key, item) if isinstance(item, int | float) else str(item) for item in value
        )
    return str(value)


def _number(key: str, value: float) -> str:
    """Differences of color with one decimal, as everywhere."""
    return f"{value:.1f}" if "delta" in key else f"{value:g}"


def _colors(value: Any) -> str:
    """Codes as hex: of one color, of several, or by the shapes that have them."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_colors(item)}" for name, item in value.items())
    if isinstance(value, str):
        return value
    if value and isinstance(value[0], int):
        return hex_of(tuple(value))
    return ", ".join(_colors(item) for item in value)
