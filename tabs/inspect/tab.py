"""The Inspect tab: an image, a selection, a target color; a verdict and all steps to it."""

from __future__ import annotations

from truehue.core.color.systems import SYSTEMS
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.coco import CLASSES
from truehue.core.masks.grounded.variants import VARIANTS, mask_variant
from truehue.core.masks.grounded.weights import Role
from truehue.core.verdict.rules import DEFAULT_RULE, DIFFERS, MATCHES, RULES
from truehue.tabs.inspect.mask_request import FIRST_VARIANT, available_models, first_of
from truehue.tabs.inspect.score import NO_IMAGE
from truehue.tabs.inspect.view import waiting
from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import tab_widget
from truehue.tabs.verdicts.question import MAX_K, NEIGHBORS_OF


def form_html(sources: Sources) -> str:
    """The tab with its fields, and what there is to choose from; ``sources`` tell which weights
    are installed."""
    roles: tuple[Role, ...] = ("detector", "segmenter", "presence")
    models = {role: available_models(sources, role) for role in roles}
    models["presence"].insert(0, ("nobody", ""))
    return html(
        "inspect/form",
        relations=[("must be", MATCHES), ("must not be", DIFFERS)],
        rules=RULES,
        default_rule=DEFAULT_RULE,
        max_k=MAX_K,
        systems=[(key.upper(), key) for key in SYSTEMS],
        neighbors_of=NEIGHBORS_OF,
        variants=VARIANTS,
        first_variant=mask_variant(FIRST_VARIANT),
        models=models,
        known_names=sorted(CLASSES),
        first={"presence": "", **{role: first_of(sources, role) for role in roles[:2]}},
    )


def layout(context: Context) -> None:
    """Draws the tab; it fills itself over HTTP."""
    tab_widget(
        "inspect/form",
        template=form_html(context.sources),
        elem_id="inspect",
        # Without a link: the address bar still holds the one that is about to be opened.
        waiting=waiting(NO_IMAGE, ""),
    )
