"""The marking stage: the photograph in exact pixels, the marks on it, and the mask they make.

Its value is ``{"image_id", "marks", "seq"}`` after every finished change of the marks (Gradio's
``change``), and ``{"opened", "seq"}`` with the event ``open`` when a photograph was uploaded.
``browse`` asks for the stored images, ``find`` for the object's automatic mask, ``points`` for what
``props.points`` need. The scripts are under ``assets/js/stage/``, the look is in
``assets/css/stage/``, which the page loads with its other style sheets.
"""

from __future__ import annotations

from typing import Any

from tabs.page.widgets import on_load

# What can be read; not image/*, which would offer HEIC and SVG only to refuse them.
ACCEPTED = (
    "image/png,image/jpeg,image/tiff,image/webp,image/avif,image/bmp,image/gif,"
    ".png,.jpg,.jpeg,.tif,.tiff,.webp,.avif,.bmp,.gif,.ppm,.pgm"
)

# (name, kind, words, tooltip, key). A tool stays pressed; an action happens at once.
_FIND = (
    "find",
    "action",
    "Find",
    "Find the object named in the field Object, and cut it out (needs weights)",
    "F",
)
_POINTS = (
    ("point-in", "tool", "+", "Click on the object: what is there is added (Alt: taken away)", "I"),
    ("point-out", "tool", "−", "Click beside it: what is there is taken away (Alt: added)", "O"),
)
_BUTTONS = (
    ("box", "tool", "Box", "Draw a box around the object", "B"),
    ("keep", "tool", "Keep", "Draw over what belongs to the object; the edge is found", "K"),
    ("cut", "tool", "Cut", "Draw over what does not belong to it; the edge is found", "C"),
    ("brush", "tool", "Brush", "Paint pixels into the mask, exactly these", "P"),
    ("erase", "tool", "Erase", "Take pixels out of the mask, exactly these", "E"),
    ("whole", "action", "Whole", "Measure the whole image", "W"),
    ("exact", "action", "Exact", "Use the exact mask that came with the image", ""),
    ("pick", "tool", "Pick", "The color of one pixel; press it once more to ask for it", "Q"),
)
_TEXTS = {
    "find": "Find the object",
    "box": "Box",
    "point-in": "Point to add",
    "point-out": "Point to take away",
    "whole": "Whole image",
    "exact": "Exact mask",
    "pick": "Pick a color",
}


def _button(name: str, kind: str, words: str, tip: str, key: str) -> str:
    shortcut = f' aria-keyshortcuts="{key}"' if key else ""
    tip = f"{tip} ({key})" if key else tip
    label = _TEXTS.get(name, words)
    # What happens at once is not pressed: of tools one is, and the start of the mask is marked.
    pressed = ' aria-pressed="false"' if kind == "tool" else ""
    return (
        f'<button type="button" data-{kind}="{name}" aria-label="{label}"{pressed}'
        f'{shortcut} title="{tip}">{words}</button>'
    )


# Constant: Gradio draws a template anew when it changes, which would blank all that was drawn.
TEMPLATE = f"""<section class="th-stage empty" aria-label="Image and mask">
<div class="th-stage-main">
<div class="th-stage-tools" role="toolbar" aria-label="Marking tools">
{_button(*_FIND)}
{_button(*_BUTTONS[0])}
<span class="th-stage-points" role="group" aria-label="Points"><span>Point</span>
{"".join(_button(*button) for button in _POINTS)}</span>
{"".join(_button(*button) for button in _BUTTONS[1:])}
<span class="th-stage-gap"></span>
<span class="th-stage-steps"><button type="button" data-action="undo" aria-label="Undo" aria-keyshortcuts="Control+Z"
 title="Undo (Ctrl+Z)">↶</button>
<button type="button" data-action="redo" aria-label="Redo" aria-keyshortcuts="Control+Shift+Z"
 title="Redo (Ctrl+Shift+Z)">↷</button></span>
<button type="button" data-action="clear" aria-label="Clear all marks"
 title="Clear all marks; Undo brings them back">Clear</button>
</div>
<div class="th-stage-view">
<div class="th-stage-scroll" tabindex="0" role="application" aria-roledescription="picture to mark"
 aria-label="Picture: Enter starts the chosen tool, arrows move, Enter takes, Escape leaves"><div class="th-stage-sheet">
<img class="th-stage-picture" alt="The image to mark" draggable="false">
<img class="th-stage-hatch" alt="" draggable="false" hidden>
<div class="th-stage-tags" aria-hidden="true"></div>
<svg class="th-stage-overlay" preserveAspectRatio="none" aria-hidden="true">
<path class="th-stage-veil" fill-rule="evenodd"/>
<path class="th-stage-outline black"/><path class="th-stage-outline white"/>
<g class="th-stage-boxes"></g><g class="th-stage-live"></g>
<g class="th-stage-cursor"></g>
<circle class="th-stage-ring black" style="display:none"/>
<circle class="th-stage-ring white" style="display:none"/>
</svg></div></div>
<div class="th-stage-empty">
<p class="th-stage-invite">Open a photograph</p>
<p>Drop it here, paste it with Ctrl+V, or choose a file.</p>
<div class="th-stage-doors">
<button type="button" class="primary" data-action="choose">Choose a photograph</button>
<button type="button" data-action="browse">Stored images</button></div>
<p class="th-stage-small">Then draw a box around the object whose color you want to know. Color
profile and orientation are read; a note says what was converted.</p>
</div>
<div class="th-stage-progress" role="status" hidden><span class="th-stage-progress-text"></span>
<span class="th-stage-progress-track"><span class="th-stage-progress-bar"></span></span></div>
<div class="th-stage-work" role="status" hidden><span class="th-stage-work-text"></span>
<button type="button" data-action="stop">Cancel</button></div>
<div class="th-stage-message" role="alert" hidden><span class="th-stage-message-text"></span>
<button type="button" data-action="dismiss" aria-label="Close this message">✕</button></div>
<div class="th-stage-drop" aria-hidden="true">Drop to open</div>
</div></div>
<div class="th-stage-bar">
<div class="th-stage-pick" role="group" aria-label="Color of a pixel" hidden>
<i class="th-stage-pick-swatch"></i><div role="status"><span class="th-stage-pick-words"></span>
<small class="th-stage-pick-names"></small></div>
<button type="button" class="th-stage-pick-ask">Ask for it</button></div>
<div class="th-stage-line">
<span class="th-stage-mask" aria-live="polite"></span>
<span class="th-stage-status" role="status"></span>
<span class="th-stage-space"></span>
<span class="th-stage-file"><span class="th-stage-name"></span>
<span class="th-stage-size"></span>
<span class="th-stage-info" hidden><button type="button" aria-label="About this file"
 aria-describedby="th-stage-about">i</button>
<span class="th-stage-about" id="th-stage-about" role="tooltip"><b>On opening</b>
<ul class="th-stage-notes"></ul>
<span>Shown is the stored file itself, without compression. From 1:1 upward every pixel appears
as it is; below, the browser averages neighbors, for the eye only.</span></span></span>
<span class="th-stage-exact">exact pixels</span></span>
</div>
<div class="th-stage-line th-stage-legend" hidden>
<span class="left-out"><i></i>left out by the rule</span>
<span class="negative"><i></i>negative parts, taken away</span></div>
<div class="th-stage-line th-stage-controls">
<label>Overlay <input type="range" class="th-stage-veil-size" min="0" max="100" value="35"
 aria-label="Overlay: how much the outside of the mask is veiled, in percent"></label>
<label>Brush <input type="range" class="th-stage-brush-size" min="1" max="200" value="24"
 aria-label="Brush size in image pixels" aria-keyshortcuts="[ ]"
 title="Brush size in image pixels ([ and ])">
<span class="th-stage-brush-text"></span></label>
<span class="th-stage-space"></span>
<span class="th-stage-zooms" role="group" aria-label="Zoom">
<button type="button" data-action="out" aria-label="Zoom out" title="Zoom out (Ctrl+wheel)">−</button>
<span class="th-stage-zoom" aria-live="off"></span>
<button type="button" data-action="in" aria-label="Zoom in"
 title="Zoom in (Ctrl+wheel); hold Space and drag to move">+</button>
<button type="button" data-action="fit" aria-label="Fit the image" aria-pressed="true"
 title="Show the whole image">Fit</button>
<button type="button" data-action="one" aria-label="One image pixel to one screen pixel"
 aria-pressed="false" title="One image pixel to one screen pixel">1:1</button></span>
<span class="th-stage-doors">
<button type="button" data-action="choose" title="Open another photograph">Open…</button>
<button type="button" data-action="browse" title="Open a stored image">Stored…</button></span>
</div></div>
<section class="th-found" aria-label="Found" hidden></section>
<input class="th-stage-input" type="file"
 accept="{ACCEPTED}" hidden aria-label="Photograph to open">
</section>"""  # noqa: E501


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
        html_template=TEMPLATE,
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
