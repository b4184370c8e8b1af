"""The marking stage: the photograph in exact pixels, the marks on it, and the mask they make.

Its value is ``{"image_id", "marks", "seq"}`` after every finished change of the marks (Gradio's
``change``), and ``{"opened", "seq"}`` with the event ``open`` when a photograph was uploaded.
``browse`` asks for the stored images, ``find`` for the object's automatic mask, ``points`` for what
``props.points`` need. Its tools and buttons are in ``assets/html/stage/stage.html``, the
scripts under ``assets/js/stage/``, and the look in ``assets/css/stage/``.
"""

from __future__ import annotations

from typing import Any

from tabs.page.templates import html
from tabs.page.widgets import on_load


def stage(elem_id: str = "stage") -> Any:
    """The stage as a ``gr.HTML``; Python sets its props with ``gr.update(name=value)``.

    ``image_url``, ``image_id``, ``width``, ``height``, ``image_name``, ``notes`` (list of str):
    the image; a new ``image_id`` starts over. ``marks``: what to begin with. ``exact_mask_id``:
    offers the tool Exact. ``work``: what was started for ``find`` or ``points``, to be watched. Of
    the marks numbered ``seq``: ``outline`` (SVG path of the mask), ``measured_url`` (PNG that
    hatches unmeasured pixels and negative parts), ``hatched`` (which of both: ``left-out``,
    ``negative``), ``mask_text``, ``message`` (an error), ``found`` (boxes, negative labels and
    answers of an automatic mask). What belongs to an older ``seq`` than the last one sent is
    ignored.
    """
    import gradio as gr

    return gr.HTML(
        value=None,
        html_template=html("stage/stage"),
        js_on_load=on_load("stage/stage", ("open", "browse", "find", "points")),
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
