"""Labels and messages of runs: settings, progress, estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truehue.core.batch.records import BatchState
from truehue.core.export.source import imported_text
from truehue.core.generation.registry import RENDERER, model, name_of
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import CONCEPT, measured_of
from truehue.core.runs.plan import plan_json
from truehue.core.runs.protocols import changes, protocol, protocol_text
from truehue.core.runs.records import DRAWN, STORED, RunPlan
from truehue.core.runs.subsample import family_of
from truehue.core.runs.summary import (
    cfr_text,
    guidance_text,
    kept_text,
    masker_text,
    prompts_text,
    seeds_text,
)
from truehue.tabs.batches.messages import bytes_text, progress_parts
from truehue.tabs.page.errors import count_noun
from truehue.tabs.runs.request import RunRequest


def space_problem(wanted_bytes: float, free_bytes: float, root: object) -> str:
    """Why runs that take so much cannot begin there; empty where they fit."""
    if wanted_bytes <= free_bytes:
        return ""
    return (
        f"These images take about {bytes_text(wanted_bytes)}, and {bytes_text(free_bytes)} are "
        f"free in {root}. Choose fewer prompts or images, a smaller size, or make room."
    )


def money_text(seconds: float | None, price_an_hour: float) -> str:
    """What so much time of a machine costs, in the currency of the price."""
    if seconds is None:
        return "unknown"
    cost = seconds / 3600 * price_an_hour
    return f"{cost:,.2f}" if cost >= 0.01 else "less than 0.01"


def progress_text(state: BatchState) -> str:
    """``812 of 2,000 images · 14.2 per second · about 1 min left · 3 failed``."""
    parts = progress_parts(state, "image")
    if state.status == "running" and state.workers:
        parts.append(count_noun(state.workers, "worker"))
    if state.failed:
        parts.append(f"{state.failed:,} failed")
    return " · ".join(parts)


def facts_text(summary: Mapping[str, Any]) -> str:
    """What a run is of: model, prompts, settings, masks, rules."""
    options = summary["options"]
    stored = summary["kind"] == STORED
    parts = [
        f"images of {name_of(summary['model'])}" if stored else name_of(summary["model"]),
        prompts_text(summary),
        "" if stored else seeds_text(summary),
        kept_text(summary),
        protocol_text(summary),
        f"{summary['size_px']} px" if summary["size_px"] else "",
        guidance_text(summary),
        f"{summary['steps']} steps" if summary["steps"] else "",
        f"batches of {options['batch']} seeds" if options.get("batch") else "",
        f"{options['light']} light" if options.get("light") else "",
        f"failure: {options['failure']}" if options.get("failure", "none") != "none" else "",
        cfr_text(summary),
        masker_text(summary["masker"]),
        measured_text(summary),
        ", ".join(rule_id for rule_id, _ in summary["rules"])
        + (f", k = {summary['k']}" if summary["k"] else ""),
        imported_text(summary.get("imported") or {}),
    ]
    return " · ".join(part for part in parts if part)


def measured_text(summary: Mapping[str, Any]) -> str:
    """What a run with prompts of concepts measures of them; empty for any other."""
    return "colors of concepts" if (summary.get("made_with") or {}).get("profile") else ""


def images_text(plans: Sequence[RunPlan]) -> str:
    """How the number of images comes about."""
    total = sum(plan.total for plan in plans)
    first = plans[0]
    if first.kind == STORED:
        return f"{count_noun(total, 'image')} that are stored"
    parts: dict[tuple[int, int], int] = {}
    for plan in plans:
        key = len(plan.guidances), plan.seeds
        parts[key] = parts.get(key, 0) + 1
    texts = []
    for (scales, seeds), models in parts.items():
        each = f"{count_noun(len(first.prompts), 'prompt')} × {seeds:,}"
        each += f" × {count_noun(scales, 'guidance scale')}" if scales else ""
        texts.append(each + (f" × {count_noun(models, 'model')}" if models > 1 else ""))
    return f"{' + '.join(texts)} = {count_noun(total, 'image')}"


def share_text(plans: Sequence[RunPlan], percent: float) -> str:
    """How many images an adaptive comparison takes at most."""
    images = int(sum(plan.total for plan in plans) * percent / 100.0)
    return f"At most {percent:g}% of them are generated: {count_noun(images, 'image')}, all models together."


def resources_text(prompts: Sequence[Prompt]) -> str:
    """How many things the concepts of a limited run are of."""
    families = {family_of(prompt) for prompt in prompts if prompt.task == CONCEPT}
    if len(families) == 1:
        return "The limit covers one object, with as many of its modifiers as fit."
    return f"The limit covers {len(families):,} objects, each with all its modifiers."


CONCEPTS_DRAWN_WITH = (50, 1024)
"""Steps and side in pixels with which ColorConceptBench draws (C.1), whatever the model's own."""


def _protocol_of_concepts(plans: Sequence[RunPlan]) -> list[str]:
    """That models draw concepts with other steps or at another size than the paper did."""
    others = []
    for plan in plans:
        entry = model(plan.model) if plan.kind == DRAWN else None
        if entry is None or entry.defaults is None or entry.defaults.steps is None:
            continue
        steps = plan.steps or entry.defaults.steps
        side = plan.size_px or entry.defaults.width
        if (steps, side) != CONCEPTS_DRAWN_WITH:
            others.append(f"{entry.name} with {steps} steps at {side} px")
    if not others:
        return []
    steps, side = CONCEPTS_DRAWN_WITH
    return [
        f"ColorConceptBench generates every model with {steps} steps at {side} px, this run "
        f"{', '.join(others)}: set steps and size to match the paper."
    ]


def plan_remarks(request: RunRequest, plans: Sequence[RunPlan]) -> list[str]:
    """Remarks on plans: what is measured of concepts, the settings by name, and what the renderer
    does not take."""
    sentences = []
    prompts = plans[0].prompts
    count = sum(bool(measured_of(prompt.task, prompt.targets)) for prompt in prompts)
    if count == len(prompts):
        sentences.append(
            "They name no color: the colors of each object are measured, and no rule scores "
            "them. See Compare."
        )
    elif count:
        sentences.append(
            f"{count_noun(count, 'prompt')} of concepts {'name' if count > 1 else 'names'} no color: "
            "the colors of each object are measured, and no rule scores them."
        )
    if count and request.limit is not None and not request.concepts:
        sentences.append(resources_text(prompts))
    if any(prompt.task == CONCEPT for prompt in prompts):
        sentences += _protocol_of_concepts(plans)
    if request.protocol:
        preset = protocol(request.protocol)
        named = [
            f"{name_of(plan.model)} {plan.steps} steps, guidance {plan.guidance:g}, {plan.size_px} px"
            for plan in plans
            if preset.released and plan.guidance is not None
        ]
        others = dict.fromkeys(part for plan in plans for part in changes(plan_json(plan)))
        but = f" Not as the protocol has it: {', '.join(others)}." if others else ""
        each = f": {'; '.join(named)}" if named else ""
        sentences.append(f"Protocol {preset.id}{each}.{but}")
    if len(request.guidance) > 1 and any(
        plan.model == RENDERER and plan.kind == DRAWN for plan in plans
    ):
        sentences.append("The reference renderer takes no guidance: it generates every seed once.")
    return sentences
