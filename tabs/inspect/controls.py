"""The inputs of Inspect: the color picker, the choice of a rule, and the stage where
a photograph is marked.

The picker reads a name of four systems, a hex, an rgb triple or a function such as ``lab(52 40
30)``, and has the a*b* plane at a chosen lightness to pick from. Its value is the string that
`truehue.core.color.systems.parse_target` reads: ``"l3:Vivid reddish orange"``, ``"#E83B1B"`` or
``"lab(52 40 30)"``, and ``""`` while nothing was picked. A page's event ``th-ask-color`` with
``{picker: elem_id, text}`` picks a color as if it had been typed. Gradio sends ``change`` whenever
the value changes, from Python too; ``input`` comes only when a person picked.

The value of the choice is the rule's id; main rules are in sight, variants folded.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from truehue.core.verdict.rules import RULES
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import on_load, widget


def color_picker(label: str, value: str | None = None, elem_id: str | None = None) -> gr.HTML:
    """A color input called ``label``; ``value`` is any text that `parse_target` reads."""
    return gr.HTML(
        value or "",
        label=label,
        html_template=html("picker/picker"),
        js_on_load=on_load("inspect/picker"),
        apply_default_css=False,
        elem_id=elem_id,
        elem_classes=["th-picker-block"],
    )


def rule_choice(value: str, elem_id: str) -> Any:
    """The component, with the rule ``value`` chosen."""
    rules = [
        {"id": by.id, "name": by.name, "description": by.description, "variant_of": by.variant_of}
        for by in RULES
    ]
    return widget("inspect/rule_choice", value, elem_id=elem_id, rules=rules)


def stage(elem_id: str = "stage") -> gr.HTML:
    """The marking stage: the photograph in exact pixels, the marks on it, and their mask.

    Its value is ``{"image_id", "marks", "seq"}`` after every finished change of the marks (Gradio's
    ``change``), and ``{"opened", "seq"}`` with the event ``open`` when a photograph was uploaded.
    ``browse`` asks for the stored images, ``find`` for the object's automatic mask, ``points`` for
    what ``props.points`` need. Its tools and buttons are in ``assets/html/stage/stage.html``, the
    scripts under ``assets/js/stage/``, and the look in ``assets/css/stage/``.

    Python sets these props with ``gr.update(name=value)``.

    ``image_url``, ``image_id``, ``width``, ``height``, ``image_name``, ``notes`` (list of str):
    the image; a new ``image_id`` starts over. ``marks``: what to begin with. ``exact_mask_id``:
    offers the tool Exact. ``work``: what was started for ``find`` or ``points``, to be watched. Of
    the marks numbered ``seq``: ``outline`` (SVG path of the mask), ``measured_url`` (PNG that
    hatches unmeasured pixels and negative parts), ``hatched`` (which of both: ``left-out``,
    ``negative``), ``mask_text``, ``message`` (an error), ``found`` (boxes, negative labels and
    answers of an automatic mask). What belongs to an older ``seq`` than the last one sent is
    ignored.
    """
    return gr.HTML(
        value=None,
        html_template=html("stage/stage"),
        js_on_load=on_load("inspect/stage", ("open", "browse", "find", "points")),
        apply_default_css=False,
        elem_id=elem_id,
        image_url=None,
        image_id=None,
        width=0,
        height=0,
        image_name="",
        notes=[],
        marks=[],
        exact_mask_id=None,
        outline="",
        measured_url=None,
        mask_text="",
        seq=0,
        message="",
        found="",
        hatched="",
        work="",
    )
