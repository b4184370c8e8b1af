"""The page's style sheets, and as one file what Gradio would make of them.

Gradio 6.31 takes style sheets as text in the page's configuration, and its script writes every
rule twice: as it stands, and below ``.gradio-container-VERSION .contain``, where it is stronger
than the rules of Gradio's own components. Done by the browser, that is a good part of a page's
work. Here it is done once, and the page links the file. The outcome is Gradio's but for rules of
``@media`` and ``@container``, which Gradio writes in the stronger form alone: those that could
never hold in it, as they begin above ``.contain``, hold here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from truehue.tabs.page.context import ROOT

SHEETS = (
    "page/page",
    "page/fields",
    "inspect/verdict",
    "inspect/evidence",
    "inspect/fidelity",
    "generate/draw",
    "generate/form",
    "inspect/library",
    "page/widths",
    "page/messages",
    "generate/models",
    "generate/realism",
    "page/unseen",
    "page/work",
    "page/backup",
    "stage/stage",
    "stage/messages",
    "stage/bar",
    "stage/found",
    "inspect/confidence",
    "generate/prompts",
    "generate/ask",
    "generate/queue",
    "generate/gallery",
    "page/imports",
    "page/tour",
    "generate/widths",
    "generate/reading",
    "generate/result",
    "generate/search",
    "explore/explore",
    "explore/board",
    "explore/wall",
    "generate/pair",
    "explore/analyses",
    "explore/runs",
    "inspect/film",
    "compare/sweep",
    "inspect/examples",
    "page/drop",
    "page/enlarge",
    "compare/compare",
    "compare/concept",
    "compare/tables",
    "compare/people",
    "canvas/canvas",
    "colorize/colorize",
    "colorize/sketches",
    "vlm/vlm",
    "vlm/results",
    "vlm/questions",
    "shared/judging",
    "explore/judgments",
    "studies/studies",
    "studies/form",
    "studies/colorings",
    "studies/questions",
    "studies/results",
)
"""The page's style sheets below ``assets/css``. Of two rules that are equally strong the later one
holds, so that their order means something: those of narrow windows come after what they change."""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ABOVE = re.compile(r"(:root|html|body|\.gradio-container)(?![-\w])")
"""How selectors begin of what lies above ``.contain``."""


def rules(text: str) -> Iterator[tuple[str, str]]:
    """``(head, body)`` of each rule of a sheet or of a block: ``.a .b``, ``color: red``."""
    text = _COMMENT.sub("", text)
    start, depth, opened = 0, 0, 0
    for index, sign in enumerate(text):
        if sign == "{":
            depth += 1
            if depth == 1:
                opened = index
        elif sign == "}":
            depth -= 1
            if depth == 0:
                yield text[start:opened].strip(), text[opened + 1 : index].strip()
                start = index + 1
    if depth or text[start:].strip():
        raise ValueError(f"a rule that does not end: {text[start:][:60]!r}")


def stronger(selectors: str, within: str) -> str:
    """A list of selectors with ``within`` before each, as Gradio puts it there; Gradio also cuts at
    a comma in brackets, and puts it there once more."""
    dark = ".dark " if ".dark" in selectors else ""
    parts = selectors_of(selectors.replace(".dark", "", 1))
    return ", ".join(f"{dark}{within} {part}" for part in parts)


def selectors_of(text: str) -> list[str]:
    """The selectors of a list, cut at the commas that are in no brackets."""
    out, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            out.append("")
        else:
            out[-1] += sign
    return [part.strip() for part in out]


def stronger_that_holds(selectors: str, within: str) -> str:
    """The stronger form of a list that has no other: what begins at the page's container is made as
    strong there, what begins above it stands as it is."""
    page = within.replace(" .contain", ".gradio-container")
    out = []
    for part in selectors_of(selectors):
        if not _ABOVE.match(part):
            dark = ".dark " if ".dark" in part else ""
            part = f"{dark}{within} {part.replace('.dark', '', 1).strip()}"
        elif part.startswith(".gradio-container"):
            part = page + part.removeprefix(".gradio-container")
        out.append(part)
    return ", ".join(out)


def written_twice(text: str, within: str) -> Iterator[str]:
    """The rules of a sheet and their stronger forms; those of ``@media`` and ``@container`` in that
    form alone."""
    for head, body in rules(text):
        if head.startswith(("@media", "@container")):
            inner = "".join(
                f"{stronger_that_holds(selector, within)}{{{has}}}" for selector, has in rules(body)
            )
            yield f"{head}{{{inner}}}"
        elif head.startswith("@"):
            yield f"{head}{{{body}}}"
        else:
            yield f"{head},{stronger(head, within)}{{{body}}}"


def style_sheet(texts: Iterable[str]) -> str:
    """All sheets in one, for this version of Gradio."""
    name = "gradio-container-" + version("gradio").replace(".", "-")
    within = f".gradio-container.{name} .contain"
    return "\n".join(rule for text in texts for rule in written_twice(text, within))


def css_paths() -> list[Path]:
    """The files of :data:`SHEETS`."""
    return [ROOT / "assets" / "css" / f"{name}.css" for name in SHEETS]


def picker_sheet() -> str:
    """The color picker's style, for each of its places."""
    text = (ROOT / "assets/css/picker/picker.css").read_text(encoding="utf-8")
    return f".th-picker-block {{ {text} }}"
