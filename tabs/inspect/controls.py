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
from tabs.page.widgets import asset, on_load, widget

RULE_CHOICE = """<fieldset class="th-rule th-segments"><legend>Rule</legend>
<div class="wrap th-rule-main"></div>
<button type="button" class="th-rule-more" aria-expanded="false">Variants</button>
<div class="wrap th-rule-variants" hidden></div></fieldset>"""

# Constant, with no user text in it: Gradio evaluates templates as code, and a template that
# changes is drawn anew, which would drop what the person is typing.
TEMPLATE = """
<div class="th-picker">
  <label class="th-picker-label"></label>
  <div class="th-picker-box">
    <span class="th-picker-swatch" aria-hidden="true"></span>
    <input class="th-picker-input" type="text" role="combobox" aria-autocomplete="list"
      aria-expanded="false" autocomplete="off" autocapitalize="off" autocorrect="off"
      spellcheck="false" maxlength="80" placeholder="Name, #hex, rgb, lab(…)">
    <span class="th-picker-tag" aria-hidden="true"></span>
    <button type="button" class="th-picker-open" aria-label="Pick in the a*b* plane"
      aria-expanded="false" title="Pick in the a*b* plane">a*b*</button>
    <div class="th-picker-popup" hidden>
      <div class="th-picker-list" role="listbox"></div>
      <div class="th-picker-foot" aria-hidden="true"></div>
    </div>
    <div class="th-picker-plane" role="group" aria-label="a*b* plane" hidden>
      <div class="th-plane-field"><canvas tabindex="0" role="application"
        aria-roledescription="color plane" aria-label="a*b* plane: arrows move, with Shift by 10;
        Page Up and Page Down change L*; Enter takes the color"></canvas>
        <i class="th-plane-cross" aria-hidden="true"></i>
        <i class="th-plane-a" aria-hidden="true">a*</i>
        <i class="th-plane-b" aria-hidden="true">b*</i></div>
      <label><span class="th-plane-level"></span><input type="range" min="0" max="100" step="1"
        aria-label="Lightness L*"></label>
      <div class="th-plane-line" role="status"></div>
    </div>
  </div>
  <div class="th-picker-line" role="status" aria-live="polite"></div>
</div>
"""


def color_picker(label: str, value: str | None = None, elem_id: str | None = None) -> gr.HTML:
    """A color input called ``label``; ``value`` is any text that `parse_target` reads."""
    return gr.HTML(
        value or "",
        label=label,
        html_template=TEMPLATE,
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
    return widget("inspect/rule_choice", RULE_CHOICE, value, elem_id=elem_id, rules=rules)
