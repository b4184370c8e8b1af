"""The participants' page: its shell, scripts and style, separate from the workbench's.

``/assets/participants/VERSION/js/participants/page.js``: VERSION is a digest of the files that the
page can load, so that a browser can cache them permanently.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, lru_cache

from fastapi import APIRouter
from rcssmin import cssmin
from rjsmin import jsmin
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.tabs.page.asset_files import FOREVER, KINDS, NO_FILE, Body, asset_files
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.templates import html

MODULE = "js/participants/page.js"
LATER = "js/participants/participation.js"
STYLE = "css/participants/participants.css"


@dataclass(frozen=True)
class Work:
    """What the page needs for what is done in a study: its ``module``, the ``parts`` of a language,
    and style besides the page's own."""

    module: str
    parts: tuple[str, ...]
    styles: tuple[str, ...] = ()


VOTES = Work("js/participants/votes.js", ("votes",), ("css/participants/votes.css",))
COLORINGS = Work(
    "js/participants/coloring.js",
    ("colorings",),
    ("css/canvas/canvas.css", "css/participants/coloring.css"),
)
QUESTIONS = Work(
    "js/participants/questions.js",
    (*VOTES.parts, "questions"),
    (*VOTES.styles, "css/participants/questions.css"),
)
WORKS = {Kind.COLORINGS: COLORINGS, Kind.QUESTIONS: QUESTIONS}
"""By kind of study; all others are votes."""
ICON = "favicon.svg"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
PAGE_HEADERS = {
    "Content-Security-Policy": CSP,
    "Cache-Control": "private, no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "X-Robots-Tag": "noindex, nofollow",
}


class ParticipantFiles:
    """The files that the participants' page can load, by their path below ``assets/``."""

    def __init__(self) -> None:
        everything = asset_files()
        # Parts of the canvas come when they are wanted: nothing that is there at first names them.
        own = [*everything.under("js/participants/"), *everything.under("js/canvas/")]
        modules = everything.with_imports(own)
        bodies = {name: _slim(everything.body(everything.version, name)) for name in modules}
        self._bodies = {name: body for name, body in bodies.items() if body is not None}
        for name in dict.fromkeys(
            (STYLE, *(name for work in (VOTES, *WORKS.values()) for name in work.styles))
        ):
            style = ROOT / "assets" / name
            small = cssmin(style.read_text("utf-8"))
            self._bodies[name] = Body(small.encode(), KINDS[style.suffix])
        self._bodies[ICON] = Body((ROOT / "assets" / ICON).read_bytes(), "image/svg+xml")
        digest = hashlib.sha256()
        for name, body in sorted(self._bodies.items()):
            digest.update(f"{name}\0{len(body.plain)}\0".encode() + body.plain)
        self.version = digest.hexdigest()[:16]

    def address(self, path: str) -> str:
        """Where a file is served; raises KeyError of one that is not there."""
        if path not in self._bodies:
            raise KeyError(path)
        return f"/assets/participants/{self.version}/{path}"

    def body(self, version: str, path: str) -> Body | None:
        """The file under an address, or None."""
        return self._bodies.get(path) if version == self.version else None

    def first(self, kind: Kind) -> list[str]:
        """The addresses of all modules of a study of this kind, those of the first screen first: a
        browser fetches six files at once."""
        names = [MODULE, LATER, work_of(kind).module]
        modules = (name for text in names for name in asset_files().with_imports([text]))
        return [self.address(name) for name in dict.fromkeys(modules)]

    def styles(self, kind: Kind) -> list[str]:
        """The addresses of the style of a study of this kind."""
        return [self.address(name) for name in (STYLE, *work_of(kind).styles)]


def work_of(kind: Kind) -> Work:
    """What is done in a study of this kind: what another kind needs is not loaded."""
    return WORKS.get(kind, VOTES)


def _slim(body: Body | None) -> Body | None:
    return body and Body(jsmin(body.plain.decode()).encode(), body.media_type)


@cache
def participant_files() -> ParticipantFiles:
    """Those of this app, read once."""
    return ParticipantFiles()


@lru_cache(maxsize=256)
def shell(language: str, kind: Kind, token: str, plain: bool = True) -> Body:
    """The page of a link, before it knows anything of the study but its kind; ``token`` is a known
    one, or a word of ours for a link that leads nowhere. ``plain``: nothing stands behind the link,
    which the page would ask with."""
    files = participant_files()
    spoken = language_of(language)
    texts = spoken.wording("page", "survey", *work_of(kind).parts)
    canvas = {"canvas": dict(spoken.canvas)} if kind is Kind.COLORINGS else {}
    page = html(
        "participants/page",
        language=language or ENGLISH,
        direction=spoken.direction,
        texts=texts | canvas,
        title=texts["study"],
        no_scripts=spoken.no_scripts,
        icon=files.address(ICON),
        styles=files.styles(kind),
        module=files.address(MODULE),
        preloads=files.first(kind),
        state=f"/study/{token}/state",
        plain=plain,
    )
    return Body(page.encode(), "text/html")


def participant_asset_routes(_: Context) -> APIRouter:
    """The route of the page's files; it comes before the one of the workbench's."""
    router = APIRouter(include_in_schema=False)

    @router.get("/assets/participants/{version}/{path:path}")
    def asset(version: str, path: str, request: Request) -> Response:
        body = participant_files().body(version, path)
        if body is None:
            return JSONResponse({"error": NO_FILE}, 404)
        return body.answer(request.headers.get("accept-encoding", ""), FOREVER)

    return router
