"""The page's scripts and style: served from addresses that name their content, for ever the same.

``/assets/VERSION/js/explore/page.js``: VERSION is a digest of all of them, taken once at start, so
that a browser keeps every file and still sees each change at once. The scripts import each other by
relative paths and thereby share the version. Everything is held in memory; compressed bodies are
made when somebody first asks for them.

A tab's ``page.js`` and all that it imports come in a few files: ``assets/bundle``, which esbuild
makes of ``assets/js`` (``make bundle``). A checkout whose scripts have changed since then serves
the scripts themselves, so that nobody needs npm to change one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import brotli
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from truehue.core.color.systems import SEARCH_ORDER, SYSTEMS, system
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.tabs.page.context import ROOT
from truehue.tabs.page.style_sheet import css_paths, picker_sheet, style_sheet

KINDS: Mapping[str, str] = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
}
FOREVER = "public, max-age=31536000, immutable"
PARTICIPANTS = "js/participants/"
_IMPORT = re.compile(r"^(?:import|export) [^;]*? from '(\.[^']+)';", re.MULTILINE)
CATALOG = "js/picker/catalog.json"
STYLE = "css/page.css"
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
        self._imports = {
            name: _imports(name, body.plain.decode()) for name, body in self._bodies.items()
        } | imports
        self._bodies |= {name: _script(folder / "bundle" / name) for name in imports}
        self.bundled = bool(imports)
        for name, content in (contents or {}).items():
            self._bodies[name] = Body(content, KINDS[posixpath.splitext(name)[1]])
        self.version = digest_of(self._bodies)[:16]

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
        closure: dict[str, None] = {}
        waiting = list(modules)
        while waiting:
            name = waiting.pop(0)
            if name not in closure:
                closure[name] = None
                waiting += self._imports[name]
        return list(closure)

    def body(self, version: str, path: str) -> Body | None:
        """The file under an address, or None. Only names that were listed at start are known."""
        return self._bodies.get(path) if version == self.version else None


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
    sheets = [path.read_text(encoding="utf-8") for path in css_paths()]
    style = style_sheet([*sheets, picker_sheet()])
    return AssetFiles(ROOT / "assets", {CATALOG: names.encode(), STYLE: style.encode()})


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
        return body.answer(request.headers.get("accept-encoding", ""), {"Cache-Control": FOREVER})

    return router


@cache
def catalog() -> dict[str, Any]:
    """All names for the browser, which fetches them once: the systems in search order, and their
    colors in that order.

    ``systems`` is a list of ``[id, name]``, ``colors`` one of ``[id, name, hex, L*, a*, b*]``.
    """
    return {
        "systems": [[key, SYSTEMS[key]] for key in SEARCH_ORDER],
        "colors": [
            [key, color.name, color.hex, *(round(value, 4) for value in color.lab)]
            for key in SEARCH_ORDER
            for color in system(key).colors
        ],
    }
