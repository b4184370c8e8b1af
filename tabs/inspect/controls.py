"""Two inputs of Inspect and Generate: the color picker, and the choice of a rule.

The picker reads a name of four systems, a hex, an rgb triple or a function such as
``lab(52 40 30)``, and has the a*b* plane at a chosen lightness to pick from. Its value is the
string that `core.color.systems.parse_target` reads: ``"l3:Vivid reddish orange"``, ``"#E83B1B"`` or
``"lab(52 40 30)"``, and ``""`` while nothing was picked. A page's event ``th-ask-color`` with
``{picker: elem_id, text}`` picks a color as if it had been typed. Gradio sends ``change`` whenever
the value changes, from Python too; ``input`` comes only when a person picked.

The value of the choice is the rule's id; main rules are in sight, variants folded.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from core.verdict.rules import RULES
from tabs.page.templates import html
from tabs.page.widgets import asset, on_load, widget


def color_picker(label: str, value: str | None = None, elem_id: str | None = None) -> gr.HTML:
    """A color input called ``label``; ``value`` is any text that `parse_target` reads."""
    return gr.HTML(
        value or "",
        label=label,
        html_template=html("picker/picker"),
        css_template=asset("css/picker/picker.css"),
        js_on_load=on_load("picker/picker"),
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
