"""Inspect's stage and verdict card on a page without Gradio, with the real maskers behind it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import socket
import threading
import time
from collections.abc import Iterator
from string import Template
from typing import Any
from urllib.parse import unquote

import gradio as gr
import numpy as np
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from PIL import Image

from truehue.core.errors import TrueHueError
from truehue.core.images.pixels import Mask
from truehue.core.masks.display import outline_path
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.registry import describe
from truehue.tabs.page.asset_files import STYLE, asset_files, asset_routes
from truehue.tabs.page.templates import html

# What the form does for its parts: a value that is another one goes to the app, an answer sets props.
# Gradio's version is in our styles.
PAGE = Template("""<!doctype html><html lang="en"><meta charset="utf-8"><title>Inspect</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="$style">
<style>body { font-family: system-ui, sans-serif; }</style>
<body class="gradio-container $scope">
<div class="contain"><main class="th-inspect"><div class="th-card th-stage-card">
<div id="stage" inert>$stage</div></div>
<div class="th-card th-verdict-card"><input id="object-name" aria-label="Object">
<div id="verdict">$verdict</div></div></main>
<div id="evidence">$evidence</div></div><script type="module">
const { mountPart } = await import('$widget_script');
const part = (id, { mount }, held, on) => mountPart(document.getElementById(id), mount, held, on);
const widgets = {};
let waiting = Promise.resolve();
// One at a time and in order, as the app answers.
function send(event, value) {
  waiting = waiting.then(async () => {
    const body = JSON.stringify(value);
    const answer = await fetch('/event/' + event, { method: 'POST', body });
    widgets.stage(await answer.json());
  });
}
widgets.stage = part(
  'stage',
  await import('$stage_script'),
  { image_id: null, marks: [], seq: 0, outline: '', found: '', notes: [] },
  {
    change: () => send('change', widgets.stage.props.value),
    open: (opened) => send('open', opened),
  },
);
const none = { view: null, limits: '', image: '' };
for (const [name, module] of [
  ['verdict', await import('$verdict_script')], ['evidence', await import('$evidence_script')],
]) widgets[name] = part(name, module, none);
window.widgets = widgets;
document.getElementById('stage').inert = false;
</script></body></html>""")


class Bench:
    """What the page's app holds and what the stage sent, for the test to look at."""

    def __init__(self) -> None:
        self.images: dict[str, tuple[str, np.ndarray, bytes]] = {}
        self.sent: list[Any] = []
        self.masks: list[Mask] = []

    def store(self, data: bytes, name: str) -> str:
        pixels = np.array(Image.open(io.BytesIO(data)).convert("RGB"))
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, format="PNG")
        image_id = hashlib.sha256(pixels.tobytes()).hexdigest()
        self.images[image_id] = (name, pixels, out.getvalue())
        return image_id

    def changed(self, value: Any) -> dict[str, Any]:
        """The answer to marks."""
        self.sent.append(value)
        try:
            pixels = self.images[value["image_id"]][1]
            mask = mask_from_marks(pixels, value["marks"])
        except TrueHueError as error:
            text = str(error) if value["marks"] else ""
            return {"outline": "", "mask_text": "", "message": text, "seq": value["seq"]}
        self.masks.append(mask)
        return {
            "outline": outline_path(mask.pixels),
            "mask_text": f"{describe(mask.maker, mask.parameters)} · {mask.area_px:,} px · "
            f"{mask.area_percent:.1f}%",
            "message": "",
            "seq": value["seq"],
        }

    def opened(self, value: Any) -> dict[str, Any]:
        name, pixels, _ = self.images[value["image"]]
        height, width = pixels.shape[:2]
        return {
            "value": {"image_id": value["image"], "marks": [], "seq": 0},
            "image_url": f"/media/images/{value['image']}.png",
            "image_id": value["image"],
            "width": width,
            "height": height,
            "image_name": name,
            "marks": [],
            "outline": "",
            "mask_text": "",
            "message": "",
            "seq": 0,
        }

    def app(self) -> FastAPI:
        app = FastAPI()
        app.include_router(asset_routes())
        files = asset_files()
        scripts = {
            f"{name}_script": files.address(f"js/{module}.js")
            for name, module in {
                "stage": "stage/stage",
                "verdict": "inspect/verdict",
                "evidence": "inspect/evidence",
                "widget": "shared/widget",
            }.items()
        }
        page = PAGE.substitute(
            scripts,
            style=files.address(STYLE),
            scope=f"gradio-container-{gr.__version__.replace('.', '-')}",
            stage=html("stage/stage"),
            verdict=html("inspect/verdict"),
            evidence=html("inspect/evidence"),
        )
        app.get("/", response_class=HTMLResponse)(lambda: page)

        @app.post("/api/images")
        async def upload(request: Request) -> JSONResponse:
            assert request.headers["x-truehue"] == "1"
            name = unquote(request.headers["x-file-name"])
            return JSONResponse({"image_id": self.store(await request.body(), name)})

        @app.post("/event/{name}")
        async def event(name: str, request: Request) -> JSONResponse:
            value = await request.json()
            return JSONResponse({"change": self.changed, "open": self.opened}[name](value))

        @app.get("/api/color/{code}")
        def color(code: str) -> JSONResponse:
            names = [{"system": "CSS", "name": code, "delta_e00": "0.0"}]
            people = "people say gray 50%"
            return JSONResponse({"lab": "L* 1", "lch": "C* 2", "people": people, "names": names})

        @app.get("/media/images/{image_id}.png")
        def image(image_id: str) -> Response:
            return Response(self.images[image_id][2], media_type="image/png")

        return app


@contextlib.contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of ``app`` on a free port of this machine, while it runs."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    with socket.socket() as bound:
        # The server takes the socket itself: nobody else can have the port in between.
        bound.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        end = time.monotonic() + 30
        while not server.started and time.monotonic() < end:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)
