"""The protocols of runs: named presets of everything that decides a paper's numbers.

A preset says what a run does unless somebody says otherwise; what was said otherwise is named
beside it (:func:`changes`). Without a preset a run uses TrueHue's own defaults. What the papers and
their code say is in the sources of :mod:`truehue.core.generation.registry` (steps, guidance),
:mod:`truehue.core.masks.grounded.variants` (masks) and :mod:`truehue.core.verdict.rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.registry import RELEASED, RELEASED_SEED, RENDERER
from truehue.core.runs.records import DRAWN, GROUNDED, SHARED, MaskerSpec

ALL_RULES = ("paper", "released", "truehue")
"""Every preset stores them all, so that the rule can be switched without another run."""


@dataclass(frozen=True)
class Protocol:
    """A named preset of a run.

    ``images`` is the number of seeds, from ``seed`` on, each with every one of ``guidances``.
    ``released``: steps, guidance and size of each model are those of GenColorBench's public code;
    else they are ``steps``, ``size_px`` and the guidances, or each model's own. ``masker`` finds the
    objects of all images but the renderer's, whose masks are exact. ``rule`` decides in the
    paper's tables, among ``rules``.
    ``set`` is the prompt set that the paper used. ``summary`` is one sentence, ``unmet`` says what
    of the paper no preset can bring back.
    """

    id: str
    name: str
    summary: str
    images: int
    masker: MaskerSpec
    set: str = ""
    seed: int = 0
    guidances: tuple[float, ...] = ()
    steps: int | None = None
    size_px: int | None = None
    released: bool = False
    rule: str = "paper"
    rules: tuple[str, ...] = ALL_RULES
    k: int = 0
    unmet: tuple[str, ...] = ()


_PROMPTS_UNMET = (
    "The authors' list of 44,464 prompts is not public; the set gencolorbench is a reconstruction."
)
_K_UNMET = "The paper does not say how many neighbors k it accepts; here k is 0."

PROTOCOLS: tuple[Protocol, ...] = (
    Protocol(
        id="gencolorbench-paper",
        name="GenColorBench, as the paper says",
        summary="Each model's own settings, 4 images a prompt, presence by VQA, rule paper.",
        images=4,
        masker=MaskerSpec(
            GROUNDED, "grounding-dino-base", "sam-vit-h", "janus-pro-1b", variant="paper"
        ),
        set="gencolorbench",
        unmet=(
            _PROMPTS_UNMET,
            _K_UNMET,
            "Presence was asked of Janus-1.3B, which is not available in a layout that loads "
            "here; Janus-Pro-1B stands in.",
            "The seeds are not given.",
        ),
    ),
    Protocol(
        id=RELEASED,
        name="GenColorBench, as its code does",
        summary=(
            "The released code's steps, guidance and seeds 42 to 45; SAM 2.1, bfloat16 autocast, "
            "its presence question and cleaned masks; not found is incorrect."
        ),
        images=4,
        masker=MaskerSpec(
            GROUNDED,
            "grounding-dino-base",
            "sam2.1-hiera-large",
            "janus-pro-1b",
            variant="released",
        ),
        set="gencolorbench",
        seed=RELEASED_SEED,
        released=True,
        rule="released",
        unmet=(
            _PROMPTS_UNMET,
            "The file of Munsell samples is not public; runs start --munsell takes one.",
            "The code draws noise on the GPU and TrueHue on the CPU: the same seed is another "
            "image.",
        ),
    ),
    Protocol(
        id="colorconceptbench",
        name="ColorConceptBench",
        summary="50 steps, 1024 pixels, guidance 3 to 9, 5 seeds, Grounding DINO and SAM.",
        images=5,
        masker=MaskerSpec(GROUNDED, "grounding-dino-base", "sam-vit-h"),
        set="concepts",
        guidances=(3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
        steps=50,
        size_px=1024,
        unmet=(
            "The paper does not list its seven guidance scales.",
            "The colorings by people are not public: color concepts in a study, or import "
            "distributions.",
            "Two of its 1,281 concepts are not printed.",
        ),
    ),
    Protocol(
        id="cfd",
        name="Color Fidelity Dataset (CFD)",
        summary="One image a caption at each of six guidance scales from 7.5 to 30.",
        images=1,
        masker=MaskerSpec("whole"),
        guidances=(7.5, 10.0, 15.0, 20.0, 25.0, 30.0),
        unmet=("The photographs and their captions are not public: bring your own.",),
    ),
)


def protocol(protocol_id: str) -> Protocol:
    """The preset of that id. Raises BadInput, naming those there are."""
    for entry in PROTOCOLS:
        if entry.id == protocol_id:
            return entry
    known = ", ".join(entry.id for entry in PROTOCOLS)
    raise BadInput(f"There is no protocol {protocol_id[:40]!r}. There is: {known}.", "protocol")


def changes(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """What a run has otherwise than the preset that it names, such as ``1 image`` or ``32 steps``;
    nothing for a run without one. ``summary`` as truehue.core.runs.plan.plan_json writes it.

    A preset of another version of TrueHue is none that is known: nothing is said.
    """
    known = {entry.id: entry for entry in PROTOCOLS}
    preset = known.get(str(summary.get("protocol") or ""))
    if preset is None:
        return ()
    parts = []
    scales = tuple(summary.get("guidances") or ())
    is_renderer = summary["model"] == RENDERER
    if summary["kind"] == DRAWN:
        seeds = summary["images"] // max(len(scales), 1)
        if seeds != preset.images:
            parts.append(f"{seeds:,} image{'' if seeds == 1 else 's'} a prompt")
        if summary["seed"] != preset.seed:
            parts.append(f"first seed {summary['seed']}")
        if is_renderer:
            parts.append("the renderer's own settings and masks")
        elif not preset.released:
            if scales != preset.guidances or (not scales and summary["guidance"] is not None):
                parts.append("other guidance")
            if summary["steps"] != preset.steps:
                parts.append(f"{summary['steps'] or 'its own'} steps")
            if summary["size_px"] != preset.size_px:
                parts.append(f"{summary['size_px']} px" if summary["size_px"] else "its own size")
    if not is_renderer and MaskerSpec(**summary["masker"]) != preset.masker:
        parts.append("other masks")
    if summary["k"] != preset.k:
        parts.append(f"k = {summary['k']}")
    rules = tuple(rule_id for rule_id, _ in summary["rules"])
    if rules and set(rules) != set(preset.rules):
        parts.append(f"rules {', '.join(rules)}")
    return (*parts, *_additions(summary))


def _additions(summary: Mapping[str, Any]) -> list[str]:
    """What no preset has: how images were generated elsewhere, and settings of the run's own."""
    options = summary["options"]
    batch = int(options.get("batch", 1))
    additions = {
        "images that were stored before": summary["kind"] != DRAWN,
        "seeds per prompt": summary.get("seed_mode", SHARED) != SHARED,
        f"batches of {batch}": batch > 1,
        "a negative prompt": bool(summary["negative_text"]),
        "CFR": bool(options.get("cfr")),
    }
    return [text for text, is_so in additions.items() if is_so]


def protocol_text(summary: Mapping[str, Any]) -> str:
    """``protocol cfd``, with what is otherwise in brackets; empty for a run without a preset."""
    if not summary.get("protocol"):
        return ""
    others = changes(summary)
    return f"protocol {summary['protocol']}" + (f" (but {', '.join(others)})" if others else "")
