"""The choice of a rule: main ones in sight, variants folded, and all one radio group.

Its value is the rule's id; the event ``input`` comes when a person chose another one.
"""

from __future__ import annotations

from typing import Any

from core.verdict.rules import RULES
from tabs.page.widgets import widget

TEMPLATE = """<fieldset class="th-rule th-segments"><legend>Rule</legend>
<div class="wrap th-rule-main"></div>
<button type="button" class="th-rule-more" aria-expanded="false">Variants</button>
<div class="wrap th-rule-variants" hidden></div></fieldset>"""


def rule_choice(value: str, elem_id: str) -> Any:
    """The component, with the rule ``value`` chosen."""
    rules = [
        {"id": by.id, "name": by.name, "description": by.description, "variant_of": by.variant_of}
        for by in RULES
    ]
    return widget("inspect/rule_choice", TEMPLATE, value, elem_id=elem_id, rules=rules)
