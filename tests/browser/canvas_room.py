"""The coloring canvas alone on a page, with a drawing, for tests and to look at.

``python -m tests.browser.canvas_room`` serves it until it is interrupted.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from string import Template

import cv2
import numpy as np
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from tests.browser.stage_app import serving
from truehue.annotation.studies.languages import language_of
from truehue.core.sketches.images import ink_png
from truehue.core.sketches.regions import encode, regions
from truehue.tabs.page.asset_files import asset_files, asset_routes
from truehue.tabs.page.context import ROOT

PAGE = Template("""<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Canvas</title>
<link rel="stylesheet" href="canvas.css"><link rel="icon" href="data:,">
<style>body { margin: 0; } main { height: 100vh; height: 100dvh; } h1 { position: absolute;
  clip-path: inset(50%); } body.dark { color-scheme: dark; --th-panel: #262626; --th-ink: #ececec;
  --th-soft: #a3a3a3; --th-line: #3b3b3b; --th-control: #303030; }</style></head>
<body><main><h1>Canvas</h1></main><script type="module">
import { ColoringCanvas } from '$canvas';
const language = new URLSearchParams(location.search).get('language');
const texts = await (await fetch('texts?language=' + (language || 'en'))).json();
window.log = JSON.parse(sessionStorage.getItem('log') || '[]');
window.canvas = new ColoringCanvas({
  sketch: { id: 's', width: $width, height: $height, closing: 1, ink: 'ink.png',
    regions: 'regions' },
  actions: window.log,
  texts,
  onAction: (action) => {
    window.log.push(action);
    sessionStorage.setItem('log', JSON.stringify(window.log));
  },
});
document.querySelector('main').append(canvas.node);
</script></body></html>""")


def house_drawing(side: int = 1024) -> np.ndarray:
    """Ink uint8 ``(side, side)``: a house, a tree with a gap in its crown, a hill and the sun."""
    ink = np.full((side, side), 255, np.uint8)

    def at(*positions: tuple[float, float]) -> np.ndarray:
        return np.array([[round(x * side), round(y * side)] for x, y in positions], np.int32)

    width = max(2, side // 128)

    def line(*positions: tuple[float, float], closed: bool = True) -> None:
        cv2.polylines(ink, [at(*positions)], closed, 0, width, cv2.LINE_AA)

    def ellipse(x: float, y: float, a: float, b: float, start: int = 0, end: int = 360) -> None:
        center, axes = at((x, y))[0].tolist(), at((a, b))[0].tolist()
        cv2.ellipse(ink, center, axes, 0, start, end, 0, width, cv2.LINE_AA)

    ellipse(0.5, 1.0, 0.75, 0.28, 180, 360)
    line((0.18, 0.78), (0.18, 0.48), (0.56, 0.48), (0.56, 0.78))
    line((0.12, 0.49), (0.37, 0.24), (0.62, 0.49))
    line((0.31, 0.78), (0.31, 0.6), (0.42, 0.6), (0.42, 0.78))
    for x in (0.21, 0.46):
        line((x, 0.54), (x + 0.07, 0.54), (x + 0.07, 0.63), (x, 0.63))
        line((x + 0.035, 0.54), (x + 0.035, 0.63), closed=False)
        line((x, 0.585), (x + 0.07, 0.585), closed=False)
    line((0.47, 0.335), (0.47, 0.22), (0.53, 0.22), (0.53, 0.395), closed=False)
    line((0.74, 0.8), (0.75, 0.55), (0.79, 0.55), (0.8, 0.8), closed=False)
    line((0.74, 0.8), (0.8, 0.8), closed=False)
    ellipse(0.77, 0.43, 0.13, 0.14, 10, 368)
    ellipse(0.84, 0.13, 0.07, 0.07)
    for angle in np.linspace(0, 2 * np.pi, 12, endpoint=False):
        away = np.array([np.cos(angle), np.sin(angle)])
        line(*(tuple(np.array([0.84, 0.13]) + far * away) for far in (0.085, 0.115)), closed=False)
    return ink


def canvas_app(ink: np.ndarray) -> FastAPI:
    """An app with the canvas of this drawing at its root."""
    app = FastAPI()
    app.include_router(asset_routes())
    height, width = ink.shape
    bodies = ink_png(ink), encode(regions(ink).labels)
    files = asset_files()
    page = PAGE.substitute(
        canvas=files.address("js/canvas/canvas.js"),
        width=width,
        height=height,
    )
    style = (ROOT / "assets/css/canvas/canvas.css").read_text("utf-8")
    app.get("/", response_class=HTMLResponse)(lambda: page)
    app.get("/canvas.css")(lambda: PlainTextResponse(style, media_type="text/css"))
    app.get("/texts")(lambda language: JSONResponse(dict(language_of(language).canvas)))
    app.get("/ink.png")(lambda: Response(bodies[0], media_type="image/png"))
    app.get("/regions")(lambda: Response(bodies[1], media_type="application/octet-stream"))
    return app


@contextmanager
def canvas_room(ink: np.ndarray) -> Iterator[str]:
    """The address of a page with the canvas of this drawing, on a port of this machine."""
    with serving(canvas_app(ink)) as address:
        yield address


def main() -> None:
    with canvas_room(house_drawing()) as address:
        print(address, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
