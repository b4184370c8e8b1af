"""The Inspect tab: an image, a mark, an asked color; a verdict and all that led to it.

The inputs of Inspect: the color picker, the choice of a rule, and the stage where
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

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gradio as gr

from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.verdict.audit import read_limits
from truehue.core.verdict.rules import DEFAULT_RULE, DIFFERS, MATCHES, RULES
from truehue.tabs.inspect import find as inspect_find
from truehue.tabs.inspect.score import NO_IMAGE, judge, last_question, open_on_stage, question_of
from truehue.tabs.inspect.view import problem, waiting
from truehue.tabs.page.context import Context, Page
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.events import QUIET, Cause, on, on_last_edit
from truehue.tabs.page.links import read
from truehue.tabs.page.roles import may
from truehue.tabs.page.templates import html
from truehue.tabs.page.widgets import on_load, refresh, widget
from truehue.tabs.verdicts.question import MAX_K, NEIGHBORS_OF, Question, question


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


IN_ORDER: dict[str, Any] = {"concurrency_id": "inspect", "concurrency_limit": 1}
"""One at a time and in order: the answer to an old question never covers that to a new one."""


@dataclass(frozen=True)
class View:
    """The tab's components."""

    stage: Any
    object_name: Any
    target: Any
    rule: Any
    neighbors: Any
    show_measured: Any
    neighbors_of: Any
    relation: Any
    verdict: Any
    evidence: Any
    library: Any
    find: inspect_find.FindView

    @property
    def asked(self) -> list[Any]:
        """The question's controls, in the order of
        :func:`truehue.tabs.verdicts.question.question`."""
        return [
            self.object_name,
            self.target,
            self.rule,
            self.neighbors,
            self.show_measured,
            self.neighbors_of,
            self.relation,
        ]

    @property
    def results(self) -> list[Any]:
        """What judge() fills."""
        return [self.stage, self.verdict, self.evidence]

    @property
    def outputs(self) -> list[Any]:
        """What open_image() and restore() fill."""
        return [
            *self.results,
            self.object_name,
            self.target,
            self.rule,
            self.neighbors,
            self.neighbors_of,
            self.relation,
        ]


class _Neighbors(gr.Slider):  # type: ignore[misc]
    """A slider that hands on what was typed into its field: what is wrong with it is said by
    :func:`truehue.tabs.verdicts.question.question`, in words, and not by an error without any."""

    is_template = True

    def preprocess(self, payload: Any) -> Any:
        return payload


def layout(page: Page) -> View:
    """Draws the tab; nothing is wired yet."""
    with gr.Row(elem_classes="th-inspect"):
        with gr.Column(elem_classes="th-card th-stage-card", min_width=320):
            stage_view = stage("stage")
        with gr.Column(elem_classes="th-card th-verdict-card", min_width=320):
            with gr.Row(elem_classes="th-ask"):
                object_name = gr.Textbox(
                    label="Object",
                    placeholder="name, e.g. mug",
                    elem_id="object-name",
                    max_length=80,
                    max_lines=1,
                    min_width=90,
                    scale=2,
                )
                with gr.Column(min_width=180, scale=4):
                    target = color_picker("Target color", elem_id="asked-color")
            with gr.Row(elem_classes="th-ask th-ask-how"):
                relation = gr.Radio(
                    [("must be", MATCHES), ("must not be", DIFFERS)],
                    value=MATCHES,
                    label="Requirement",
                    elem_id="relation",
                    elem_classes="th-segments",
                )
                rule = rule_choice(DEFAULT_RULE, elem_id="rule")
            # Without a link: the address bar still holds the one that is about to be opened.
            verdict = widget(
                "inspect/verdict",
                elem_id="verdict",
                events=("rule", "ready"),
                view=waiting(NO_IMAGE, ""),
                limits="",
            )
            find = inspect_find.layout(page.context.sources)
            with gr.Accordion("Rule settings", open=False, elem_classes="th-settings"):
                neighbors = _Neighbors(
                    0,
                    MAX_K,
                    value=0,
                    step=1,
                    elem_id="neighbors",
                    label="Neighbors accepted by paper, paper-centred and truehue, k",
                    info="The paper accepts the k nearest names of the same system, but does not "
                    "say k. 0 accepts the target color alone.",
                )
                neighbors_of = gr.Radio(
                    [(key.upper(), key) for key in SYSTEMS],
                    value=NEIGHBORS_OF,
                    label="Color system used for neighbors of a hex or RGB target",
                    elem_id="neighbors-of",
                    elem_classes="th-segments",
                )
                show_measured = gr.Checkbox(
                    value=True,
                    elem_id="show-measured",
                    label="Hatch the mask pixels that this rule excludes",
                )
    evidence = widget("inspect/evidence", elem_id="evidence", view=None, image="")
    library = widget("inspect/library", elem_id="library", events=("open",), open=0)
    return View(
        stage_view,
        object_name,
        target,
        rule,
        neighbors,
        show_measured,
        neighbors_of,
        relation,
        verdict,
        evidence,
        library,
        find,
    )


def open_image(
    context: Context,
    view: View,
    image_id: str,
    put: Question | None = None,
    mask_id: str = "",
    text: str = "",
    limits: str = "",
) -> list[Any]:
    """Opens a stored image, as :func:`truehue.tabs.inspect.score.open_on_stage`; fills ``outputs``.

    ``limits`` of a link are tried on the verdict by the page alone.
    """
    done = open_on_stage(context, image_id, put or Question(), mask_id, text)
    # Refreshed with all their props: this tab may never have been opened yet.
    return [
        refresh(view.stage, **done.stage),
        # The time makes them new: the same link opened again brings them back.
        refresh(
            view.verdict,
            view=done.verdict["view"],
            limits=f"{limits} {time.time_ns()}" if limits else "",
        ),
        refresh(view.evidence, view=done.evidence["view"], image=done.evidence.get("image", "")),
        done.put.object_name,
        refresh(view.target, value=done.put.target_text),
        refresh(view.rule, value=done.put.rule_id),
        done.put.k,
        done.put.neighbors_of,
        done.put.relation,
    ]


def restore(context: Context, view: View, query: dict[str, str]) -> list[Any]:
    """Opens what a link names; fills ``View.outputs``. A link to nothing says so."""
    if query.get("tab", "inspect") != "inspect" or not query.get("image"):
        return [gr.skip()] * len(view.outputs)
    try:
        put, text = question_of(query)
        limits, wrong = _limits_of(query)
        return open_image(
            context,
            view,
            query["image"],
            put,
            query.get("mask", ""),
            text=" ".join(filter(None, (text, wrong))),
            limits=limits,
        )
    except Exception as error:
        return refused(view, f"This link cannot be opened. {message_of(error)}")


def _limits_of(query: dict[str, str]) -> tuple[str, str]:
    """The limits that a link tries, in their plainest form, and what is wrong with them in words.

    They change no verdict: the page says with them who would pass.
    """
    try:
        limits = read_limits(query.get("limits", ""))
    except BadInput as error:
        return "", str(error)
    return ",".join(f"{name}:{value:g}" for name, value in limits.items()), ""


def refused(view: View, text: str) -> list[Any]:
    """Fills ``outputs`` where nothing could be opened: what is on the stage stays, and the words
    say why nothing else came."""
    rest = len(view.outputs) - 2
    return [gr.update(message=text), gr.update(view=problem(text)), *[gr.skip()] * rest]


def wire(page: Page) -> None:
    """Connects the controls; every change judges again, at once."""
    context, header = page.context, page.header
    view: View = page.views["inspect"]

    def rejudge(_: Cause, *values: Any) -> list[Any]:
        return [*judge(context, *values), gr.update(data=context.data_text())]

    def remarked(cause: Cause, *values: Any) -> list[Any]:
        # The stage also says so when it was opened or restored: those are answered elsewhere.
        value = values[0] if isinstance(values[0], dict) else {}
        if "opened" in value or value.get("restored"):
            return [gr.skip()] * (len(view.results) + 1)
        may(cause.actor, "add")
        context.require_space()
        return rejudge(cause, *values)

    def rejudge_by(
        cause: Cause,
        clicked: Any,
        value: Any,
        object_name: Any,
        target: Any,
        rule_id: Any,
        *rest: Any,
    ) -> list[Any]:
        chosen = clicked.get("rule") if isinstance(clicked, dict) else None
        rule_id = chosen if chosen in {by.id for by in RULES} else rule_id
        return [rule_id, *rejudge(cause, value, object_name, target, rule_id, *rest)]

    def opened(stored: bool, _: Cause, source: Any, *controls: Any) -> list[Any]:
        image_id = source.get("opened") if isinstance(source, dict) else None
        if not isinstance(image_id, str):
            return [gr.skip()] * (len(view.outputs) + 1)
        try:
            # Object and color on screen were asked of another picture. A drawn image brings its
            # own; a stored one its last question.
            screen_question = question(*controls)
            put = replace(screen_question, object_name="", target_text="", relation=MATCHES)
            put, mask_id = last_question(context, image_id, put) if stored else (put, "")
            updates = open_image(context, view, image_id, put, mask_id)
        except Exception as error:
            updates = refused(view, message_of(error))
        return [*updates, gr.update(data=context.data_text())]

    def linked(cause: Cause) -> list[Any]:
        return restore(context, view, read(dict(cause.query)))

    quiet: dict[str, Any] = {**QUIET, **IN_ORDER}
    view.verdict.ready(on(context, "look", linked), None, view.outputs, **quiet)
    controls, results = [view.stage, *view.asked], [*view.results, header]
    # Every mark counts, in order; with Gradio's default a quick second stroke would be dropped.
    # Experts may look: a picture that was opened for them is no mark, and nothing to refuse.
    marked = on(context, "look", remarked)
    view.stage.change(marked, controls, results, trigger_mode="multiple", **quiet)
    triggers = [
        view.object_name.submit,
        view.object_name.blur,
        view.target.input,
        view.rule.input,
        view.neighbors.input,
        view.neighbors_of.input,
        view.relation.input,
        view.show_measured.input,
    ]
    on_last_edit(triggers, on(context, "add", rejudge), controls, results, **IN_ORDER)
    view.verdict.rule(
        on(context, "add", rejudge_by),
        [view.verdict, *controls],
        [view.rule, *results],
        trigger_mode="always_last",
        **quiet,
    )
    for source, stored in ((view.stage, False), (view.library, True)):
        open_it = on(context, "look", partial(opened, stored))
        source.open(
            open_it,
            [source, *view.asked],
            [*view.outputs, header],
            trigger_mode="multiple",
            **quiet,
        )
    inspect_find.wire(view.find, view.stage, view.object_name, context)
    view.stage.browse(
        on(context, "look", _counter),
        view.library,
        view.library,
        **QUIET,
    )


def _counter(_: Cause, __: Any) -> Any:
    """A new number each time, so that the drawer notices."""
    return gr.update(open=time.time_ns() // 1_000_000)
