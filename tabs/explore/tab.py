"""The Explore tab: what runs found, can the measure be trusted, and where do the rules disagree?

Its views fill themselves over HTTP (the modules ``tabs.routes_*``); here is what belongs to Gradio:
the places that they fill, and opening a picture in Inspect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from core.errors import BadInput
from tabs.explore import board as explore_board
from tabs.explore import runs as explore_runs
from tabs.explore import wall as explore_wall
from tabs.inspect import tab as inspect
from tabs.judging.question import question
from tabs.page.context import Context
from tabs.page.errors import message_of
from tabs.page.events import Cause, on
from tabs.page.widgets import widget

SWITCH = """<h2 class="th-unseen">Explore</h2>
<nav class="th-explore-switch" role="tablist" aria-label="What to explore">
<button type="button" role="tab" data-view="board">Leaderboard</button>
<button type="button" role="tab" data-view="wall">Failures</button>
<button type="button" role="tab" data-view="runs">Runs</button>
<button type="button" role="tab" data-view="trust">Can the measure be trusted?</button>
<button type="button" role="tab" data-view="audit">Where the rules disagree</button></nav>"""
TRUST = """<div class="th-trust" hidden><section class="th-card th-trust-top">
<p class="th-trust-lead">Every picture below shows an object of exactly known color, so every rule
can be checked. A <b>hit</b> is a picture that passes for the color that it has. A <b>false accept</b> is the same
picture passing for a color that it does not have: one of the five nearest of its system that lie at
least 10 ΔE00 away. A measure that accepts everything has 100% hits, so neither number says anything alone.</p>
<div class="th-trust-empty" hidden></div>
<div class="th-trust-bar"><label class="th-trust-source" hidden><span>Report</span> <select aria-label="Report"></select></label>
<span class="th-strip th-trust-sets" role="group" aria-label="Pictures"></span>
<span class="th-trust-words"></span></div>
<div class="th-scroll"><table class="th-table th-trust-table"></table></div>
<p class="th-trust-about th-soft"></p>
<p class="th-soft">Our renderer is kind: no light passes between surfaces, and exposure is right. <b>truehue</b> undoes just that
kind of light, and its form was found while looking at such pictures, so its first row is no blind test. The path-traced rows are harder:
light between surfaces, highlights, cameras that expose wrongly. An object that is over or under exposure as a whole is missed by it.</p>
<p class="th-soft">Why <b>paper</b> finds so few where the paper reports 96.46 and 92.00%: those are other renders, and probably the released code's
help (pixels near the asked color, Munsell neighbors that are accepted too), which the text does not describe; it does not say how many wrong colors passed.</p></section>
<section class="th-card th-trust-sure"><h3>How sure truehue is, and how often it is right</h3>
<p class="th-soft">On path-traced pictures, with five near names asked for each true color. Said and right should be the same; set 1 is what the
confidence was fitted to, set 2 is not.</p><div class="th-scroll"><table class="th-table th-trust-reliability"></table></div></section>
<section class="th-card th-trust-rocs"><h3>If every limit of a rule were moved</h3>
<p class="th-soft">Up and left is better. The shape marks the rule as it is; along its line all of its limits are made
smaller or larger together, over all pictures. A double click shows the whole range.</p><div class="th-trust-figures"></div></section>
<section class="th-card th-trust-parts"><header><h3>Where it goes wrong</h3>
<span class="th-strip th-parts-system" role="group" aria-label="Color system"></span>
<span class="th-strip th-parts-what" role="group" aria-label="Number"><button type="button" data-what="hit">Hits</button><button type="button" data-what="false">False accepts</button></span>
<span class="th-soft">Percent; the stronger a cell is shaded, the more verdicts are wrong.</span></header>
<div class="th-parts"></div></section>
<section class="th-card th-trust-examples"><header><h3>Pictures that a rule gets wrong</h3>
<span class="th-strip th-examples-rule" role="group" aria-label="Rule"></span></header>
<p class="th-soft th-examples-words"></p><div class="th-examples"></div></section>
<section class="th-card th-run"><header><h3>Run it again here</h3></header>
<p class="th-soft">Draws the pictures, judges them by every rule of this version, and puts the report beside the
shipped one. It works beside everything else, goes on when this page is closed, and takes up again what was drawn before.</p>
<div class="th-run-line"><span class="th-strip th-run-size" role="group" aria-label="Size"><button type="button" data-every="10">Every 10th color</button><button type="button" data-every="1">All colors</button></span>
<button type="button" class="th-button th-run-start">Run</button></div>
<div class="th-run-job"></div></section></div>"""  # noqa: E501
AUDIT = """<div class="th-agree" hidden><section class="th-card th-agree-top">
<p class="th-agree-lead">Two rules, the same pixels, the same asked color: every image here is judged by both. Click a
number of the table to see its pictures.</p>
<div class="th-agree-bar"><label><span>Rule A</span> <select class="th-agree-a" aria-label="Rule A"></select></label>
<label><span>Rule B</span> <select class="th-agree-b" aria-label="Rule B"></select></label>
<label><span>Task</span> <select class="th-agree-task" aria-label="Task"></select></label>
<label><span>Color system</span> <select class="th-agree-system" aria-label="Color system"></select></label></div>
<div class="th-agree-sum"><table class="th-table th-agree-table"></table>
<div class="th-agree-words"><p class="th-agree-sentence"></p><p class="th-soft th-agree-kappa"></p>
<div class="th-agree-judge"><p class="th-agree-missing"></p>
<div class="th-run-line"><button type="button" class="th-button th-agree-start"></button></div><div class="th-agree-job"></div></div></div></div></section>
<section class="th-card th-agree-list"><header><h3 class="th-agree-title"></h3><span class="th-soft th-agree-count" role="status"></span></header>
<p class="th-agree-empty" hidden></p><div class="th-agree-grid"></div>
<button type="button" class="th-button th-agree-more" hidden>Show more</button></section></div>"""  # noqa: E501

JUDGMENTS = """<div class="th-agree th-people-verdicts" hidden><section class="th-card"><h3>Rules against people</h3>
<p class="th-soft th-pv-lead">What people said of verdicts, in Inspect and in the large view of a picture. Their answer is
counted against every rule that had judged the same pixels; a later answer to the same question takes its place.</p>
<p class="th-pv-empty" hidden></p><div class="th-scroll th-pv-sum"><table class="th-table th-pv-table"></table></div>
<div class="th-pv-bar"><span class="th-strip th-pv-only" role="group" aria-label="Which"></span>
<a class="th-button" href="/api/judgments.csv" download>CSV</a></div><ul class="th-pv-list"></ul>
<button type="button" class="th-button th-pv-more" hidden>Show more</button></section></div>"""  # noqa: E501


@dataclass(frozen=True)
class View:
    """The tab's components."""

    switch: Any
    board: Any
    wall: Any
    runs: Any
    trust: Any
    audit: Any
    judgments: Any


def layout() -> View:
    """Draws the tab; nothing is wired yet."""
    switch = widget("explore/switch", SWITCH, elem_id="explore")
    board = widget("explore/board", explore_board.TEMPLATE, elem_id="explore-board")
    wall = widget("explore/wall", explore_wall.TEMPLATE, elem_id="explore-wall", events=("open",))
    runs = widget("explore/runs", explore_runs.TEMPLATE, elem_id="explore-runs")
    trust = widget("explore/trust", TRUST, elem_id="explore-trust", events=("open",))
    audit = widget("explore/audit", AUDIT, elem_id="explore-audit", events=("open",))
    judgments = widget(
        "explore/judgments", JUDGMENTS, elem_id="explore-judgments", events=("open",)
    )
    return View(switch, board, wall, runs, trust, audit, judgments)


def opened(context: Context, inspect_view: inspect.View, source: Any, *controls: Any) -> list[Any]:
    """Opens in Inspect what a view sent: image, mask, object, asked color and rule.

    ``controls`` are Inspect's; of them, k, hatching and the system of neighbors stay. Raises
    BadInput and NotStored for what cannot be opened.
    """
    if not isinstance(source, dict) or not source.get("opened"):
        raise BadInput("The page did not say which image to open. Reload the page.")
    screen_question = question(*controls)
    put = question(
        source.get("object"),
        source.get("target"),
        source.get("rule") or screen_question.rule_id,
        screen_question.k,
        screen_question.show_measured,
        screen_question.neighbors_of,
    )
    return inspect.open_image(
        context, inspect_view, str(source["opened"]), put, str(source.get("mask") or "")
    )


def wire(view: View, inspect_view: inspect.View, context: Context, header: Any, tabs: Any) -> None:
    """Connects the views to Inspect."""
    for source in (view.wall, view.trust, view.audit, view.judgments):
        opens(source, inspect_view, context, header, tabs)


def opens(
    source: Any, inspect_view: inspect.View, context: Context, header: Any, tabs: Any
) -> None:
    """Connects one widget to Inspect: what its ``inspectIt`` sends is opened there."""

    def shown(_: Cause, source: Any, *controls: Any) -> list[Any]:
        try:
            updates = opened(context, inspect_view, source, *controls)
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *updates, gr.update(data=context.data_text())]

    source.open(
        on(context, "look", shown),
        [source, *inspect_view.asked],
        [tabs, *inspect_view.outputs, header],
        show_progress="hidden",
        api_visibility="private",
        trigger_mode="multiple",
        **inspect.IN_ORDER,
    )
