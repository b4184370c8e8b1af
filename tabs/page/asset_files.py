"""The page's scripts and style sheets, served from addresses that identify their content.

``/assets/VERSION/js/explore/page.js``: VERSION is a digest of all files, computed once at start, so
that a browser caches every file and still sees each change at once. The scripts import each other
by relative paths and thereby share the version. All files are held in memory; bodies are compressed
on their first request.

A tab's ``page.js`` and its imports come in a few files: ``assets/bundle``, which esbuild makes of
``assets/js`` (``make bundle``). A checkout whose scripts have changed since then serves the scripts
themselves, so that nobody needs npm to change one.

The page's style sheets become one file, as Gradio would rewrite them.

Gradio 6.31 takes style sheets as text in the page's configuration, and its script writes every rule
twice: unchanged, and below ``.gradio-container-VERSION .contain``, where it is stronger than the
rules of Gradio's own components. In the browser, that is a large part of a page's work. This module
does it once, and the page links the file. The result equals Gradio's except for rules of ``@media``
and ``@container``, which Gradio writes in the stronger form alone: rules that could never match in
it, because they begin above ``.contain``, match in this file.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import brotli
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from truehue.core.color.systems import FORMS, SEARCH_ORDER, SYSTEMS, system
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.tabs.page.context import ROOT

SHEETS = (
    "page/page",
    "page/fields",
    "inspect/verdict",
    "inspect/differences",
    "inspect/evidence",
    "inspect/fidelity",
    "generate/generate_button",
    "generate/form",
    "inspect/library",
    "page/widths",
    "page/messages",
    "generate/models",
    "generate/realism",
    "page/unseen",
    "page/work",
    "page/backup",
    "page/vision",
    "stage/stage",
    "stage/messages",
    "stage/bar",
    "stage/proposals",
    "inspect/confidence",
    "generate/prompts",
    "generate/prompt_source",
    "generate/queue",
    "generate/gallery",
    "page/imports",
    "page/tour",
    "generate/widths",
    "generate/reading",
    "generate/result",
    "generate/search",
    "explore/explore",
    "explore/leaderboard",
    "shared/gap",
    "explore/failures",
    "generate/pair",
    "explore/analyses",
    "inspect/film",
    "compare/sweep",
    "inspect/examples",
    "page/drop",
    "page/enlarge",
    "shared/verdict_actions",
)
"""The page's style sheets below ``assets/css``. Of two rules that are equally strong the later one
holds, so that their order means something: those of narrow windows come after what they change."""
TAB_SHEETS: Mapping[str, tuple[str, ...]] = {
    "explore": ("explore/runs", "explore/judgments"),
    "compare": ("compare/compare", "compare/concept", "compare/tables", "compare/people"),
    "colorize": ("compare/concept", "canvas/canvas", "colorize/colorize", "colorize/sketches"),
    "vlm": ("vlm/vlm", "vlm/results", "vlm/questions"),
    "studies": (
        "studies/studies",
        "studies/form",
        "studies/colorings",
        "studies/questions",
        "studies/results",
    ),
}
"""Sheets of one tab, which the page links behind the others when the tab is opened."""

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


def sheets(names: Iterable[str]) -> list[str]:
    """The texts of sheets below ``assets/css``."""
    return [(ROOT / "assets/css" / f"{name}.css").read_text(encoding="utf-8") for name in names]


def picker_sheet() -> str:
    """The color picker's style, for each of its places."""
    text = (ROOT / "assets/css/picker/picker.css").read_text(encoding="utf-8")
    return f".th-picker-block {{ {text} }}"


KINDS: Mapping[str, str] = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""For an address whose content never changes."""
PRIVATE_FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""The same where only the visitor's own browser may keep it."""
PARTICIPANTS = "js/participants/"
_IMPORT = re.compile(r"^(?:import|export) [^;]*? from '(\.[^']+)';", re.MULTILINE)
CATALOG = "js/picker/catalog.json"
STYLE, REVIEW_STYLE = "css/page.css", "css/review.css"
NO_FILE = "There is no such file of the page. Reload the page: it may be from before a restart."


@dataclass(frozen=True)
class Body:
    """A file's bytes, plain and compressed."""

    plain: bytes
    media_type: str

    @cached_property
    def brotli(self) -> bytes:
        # The highest quality takes a second for half a megabyte, and gains a tenth.
        quality = 11 if len(self.plain) < 2**17 else 9
        return bytes(brotli.compress(self.plain, quality=quality))

    @cached_property
    def gzip(self) -> bytes:
        return gzip.compress(self.plain, compresslevel=9, mtime=0)

    def answer(self, accepted: str, headers: Mapping[str, str]) -> Response:
        """The body in the best way that the header ``Accept-Encoding`` names."""
        coding = accepted_coding(accepted)
        body = {"br": lambda: self.brotli, "gzip": lambda: self.gzip, "": lambda: self.plain}
        headers_out = {**headers, "Vary": "Accept-Encoding"}
        if coding:
            headers_out["Content-Encoding"] = coding
        return Response(body[coding](), media_type=self.media_type, headers=headers_out)


def accepted_coding(accepted: str) -> str:
    """``br``, ``gzip`` or nothing, as a browser's ``Accept-Encoding`` allows."""
    parts = [part.replace(" ", "").partition(";q=") for part in accepted.lower().split(",")]
    names = {name for name, _, weight in parts if weight not in ("0", "0.0", "0.00", "0.000")}
    return next((name for name in ("br", "gzip") if name in names), "")


class AssetFiles:
    """The files of ``assets/js`` by their path below ``assets/``, and those whose ``contents``
    are generated. With ``bundle``, a current ``assets/bundle`` takes the place of its sources."""

    def __init__(
        self, folder: Path, contents: Mapping[str, bytes] | None = None, bundle: bool = True
    ) -> None:
        paths = sorted(path for path in (folder / "js").rglob("*.js") if path.is_file())
        self._bodies = {path.relative_to(folder).as_posix(): _script(path) for path in paths}
        imports = _bundled_imports(folder / "bundle", self._bodies) if bundle else {}
        self._source_imports = {
            name: _imports(name, body.plain.decode()) for name, body in self._bodies.items()
        }
        self._imports = self._source_imports | imports
        self._bodies |= {name: _script(folder / "bundle" / name) for name in imports}
        self.bundled = bool(imports)
        for name, content in (contents or {}).items():
            self._bodies[name] = Body(content, KINDS[posixpath.splitext(name)[1]])
        self.version = digest_of(self._bodies)[:16]
        self._templates: dict[tuple[str, str], Body] = {}

    def serve_template(self, path: str, text: str) -> str:
        """Serves the template of a tab, which depends on what is installed; returns its address,
        whose version is its own."""
        body = Body(text.encode(), KINDS[".html"])
        version = digest_of({path: body})[:16]
        self._templates[version, path] = body
        return f"/assets/{version}/{path}"

    def address(self, path: str) -> str:
        """Where the file is served; raises ``KeyError`` of one that is not there."""
        if path not in self._bodies:
            raise KeyError(path)
        return f"/assets/{self.version}/{path}"

    def under(self, start: str) -> list[str]:
        """The paths of the scripts that begin so, in order."""
        return [name for name in self._bodies if name.startswith(start) and name.endswith(".js")]

    def with_imports(self, modules: Iterable[str]) -> list[str]:
        """These modules and all that they import, each once."""
        return _closure(modules, self._imports)

    def fetches(self, modules: Iterable[str], path: str) -> bool:
        """Whether the scripts of these modules name a file of ``js``; the bundle's chunk is of all
        tabs."""
        name = path.removeprefix("js/").encode()
        scripts = _closure(modules, self._source_imports)
        return any(name in self._bodies[script].plain for script in scripts)

    def body(self, version: str, path: str) -> Body | None:
        """The file under an address, or None. Only names that were listed at start are known."""
        if version == self.version:
            return self._bodies.get(path)
        return self._templates.get((version, path))


def _closure(modules: Iterable[str], imports: Mapping[str, Sequence[str]]) -> list[str]:
    closure: dict[str, None] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop(0)
        if name not in closure:
            closure[name] = None
            waiting += imports[name]
    return list(closure)


def digest_of(bodies: Mapping[str, Body]) -> str:
    """The SHA-256 of files, of their names and contents."""
    digest = hashlib.sha256()
    for name, body in sorted(bodies.items()):
        digest.update(f"{name}\0{len(body.plain)}\0".encode() + body.plain)
    return digest.hexdigest()


def _script(path: Path) -> Body:
    return Body(path.read_bytes(), KINDS[path.suffix])


def _imports(name: str, text: str) -> list[str]:
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, other)) for other in _IMPORT.findall(text)]


def _bundled_imports(folder: Path, scripts: Mapping[str, Body]) -> dict[str, list[str]]:
    """The files of the bundle, each with those that it imports; none where it is not of these
    ``scripts``."""
    if not (folder / "bundle.json").is_file():
        return {}
    bundle = json.loads((folder / "bundle.json").read_text("utf-8"))
    ours = {name: body for name, body in scripts.items() if not name.startswith(PARTICIPANTS)}
    return dict(bundle["files"]) if bundle["sources"] == digest_of(ours) else {}


@cache
def asset_files() -> AssetFiles:
    """Those of this app, read once."""
    names = json.dumps(catalog(), ensure_ascii=False, separators=(",", ":"))
    contents = {CATALOG: names, STYLE: style_sheet([*sheets(SHEETS), picker_sheet()])}
    contents |= {tab_style(tab): style_sheet(sheets(names)) for tab, names in TAB_SHEETS.items()}
    contents[REVIEW_STYLE] = "".join(sheets(["studies/review"]))
    return AssetFiles(
        ROOT / "assets", {path: content.encode() for path, content in contents.items()}
    )


def tab_style(tab: str) -> str:
    """The path of a tab's own style sheet, or nothing."""
    return f"css/{tab}.css" if tab in TAB_SHEETS else ""


def constants() -> str:
    """What the scripts are told once for the whole page, as JSON; see ``shared/constants.js``."""
    from truehue.core.generation.registry import RENDERER
    from truehue.tabs.page.figures import plotly_version

    return json.dumps({"rule": DEFAULT_RULE, "plotly": plotly_version(), "renderer": RENDERER})


def asset_routes() -> APIRouter:
    """The route of the page's files."""
    router = APIRouter()

    @router.get("/assets/{version}/{path:path}")
    def asset(version: str, path: str, request: Request) -> Response:
        body = asset_files().body(version, path)
        if body is None:
            return JSONResponse({"error": NO_FILE}, 404)
        return body.answer(request.headers.get("accept-encoding", ""), FOREVER)

    return router


@cache
def catalog() -> dict[str, Any]:
    """All names for the browser, which fetches them once: the systems in search order, and their
    colors in that order.

    ``systems`` is a list of ``[id, name]``, ``colors`` one of ``[id, name, hex]``;
    ``forms`` says how a color can be written.
    """
    return {
        "systems": [[key, SYSTEMS[key]] for key in SEARCH_ORDER],
        "colors": [
            [key, color.name, color.hex] for key in SEARCH_ORDER for color in system(key).colors
        ],
        "forms": FORMS,
    }
