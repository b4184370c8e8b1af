"""The form and the cards of Inspect in jsdom, with what Python says of a photograph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.house import ROOT
from tests.node import run_tests
from tests.tabs.inspect.test_differences import differences_of
from tests.tabs.inspect.test_tab import value_of
from truehue.core.records import ImageRecord
from truehue.tabs.inspect.score import judge
from truehue.tabs.inspect.tab import form_html
from truehue.tabs.page.context import Context

pytestmark = pytest.mark.process

SCRIPTS = ROOT / "tests/assets/inspect"


def test_the_cards_show_what_python_says(
    context: Context, stored: ImageRecord, photograph: tuple[np.ndarray, list[int]]
) -> None:
    marked = value_of(stored, {"type": "box", "box": photograph[1]})

    def view(value: object, target: str, rule: str = "paper", *more: object) -> Any:
        requested = ("ball", target, rule, 0, True, "l3", *more)
        return judge(context, value, *requested)[1]["view"]

    views = {
        "unmarked": view(value_of(stored), ""),
        "unasked": view(marked, ""),
        "unread": view(marked, "vivd reddish orange"),
        "fails": view(marked, "lab(52 55 48)"),
        "truehue": view(marked, "css:orangered", "truehue"),
        "differs": view(marked, "css:blue", "paper", "differs"),
    }
    colors = views["truehue"]["differences"]
    views["differences"] = differences_of(
        colors["lab"], [color["lab"] for color in colors["references"]]
    )
    evidence = judge(context, marked, "ball", "css:orangered", "truehue", 0, True)[2]
    cards = {**evidence["view"], "chromaticity": None, "lightness": None}
    value = {**views, "evidence": cards}
    html = {"inspect/form": form_html(context.sources)}
    scripts = [SCRIPTS / f"{name}.js" for name in ("cards", "verdict", "differences")]
    run_tests(scripts, {}, value)
    run_tests([SCRIPTS / "form.js"], html, value)
