"""The stage alone in a small app, with the real maskers behind it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import gradio as gr
import numpy as np
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from PIL import Image, UnidentifiedImageError

from core.errors import TrueHueError
from core.images.mask import Mask
from core.masks.describe import describe
from core.masks.display import outline_path
from core.masks.from_marks import mask_from_marks
from tabs.inspect.controls import stage
from tabs.page.asset_files import asset_routes
from tabs.page.theme import css_paths, theme


class Bench:
    """What the app holds and what the stage sent, for the test to look at."""

    def __init__(self) -> None:
        self.images: dict[str, tuple[str, np.ndarray, bytes]] = {}
        self.base: Mask | None = None
        self.sent: list[Any] = []
        self.masks: list[Mask] = []
        self.browsed = 0
        self.answers = threading.Event()
        self.answers.set()

    def store(self, data: bytes, name: str) -> str:
        pixels = np.array(Image.open(io.BytesIO(data)).convert("RGB"))
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, format="PNG")
        image_id = hashlib.sha256(pixels.tobytes()).hexdigest()
        self.images[image_id] = (name, pixels, out.getvalue())
        return image_id

    def changed(self, value: Any) -> Any:
        """The answer to marks; while ``answers`` is cleared it waits, 30 s at most."""
        self.sent.append(value)
        if not isinstance(value, dict) or "image_id" not in value:
            return gr.skip()
        self.answers.wait(30.0)
        try:
            pixels = self.images[value["image_id"]][1]
            mask = mask_from_marks(pixels, value["marks"], base=self.base)
        except TrueHueError as error:
            text = str(error) if value["marks"] else ""
            return gr.update(outline="", mask_text="", message=text, seq=value["seq"])
        self.masks.append(mask)
        return gr.update(
            outline=outline_path(mask.pixels),
            mask_text=f"{describe(mask.maker, mask.parameters)} · {mask.area_px:,} px · "
            f"{mask.area_percent:.1f}%",
            message="",
            seq=value["seq"],
        )

    def opened(self, value: Any) -> Any:
        name, pixels, _ = self.images[value["opened"]]
        height, width = pixels.shape[:2]
        return gr.update(
            value={"image_id": value["opened"], "marks": [], "seq": 0},
            image_url=f"/media/images/{value['opened']}.png",
            image_id=value["opened"],
            width=width,
            height=height,
            image_name=name,
            notes=["Display P3 was converted to sRGB.", "<b>16 bits</b> became 8."],
            marks=[],
            exact_mask_id="m1" if self.base is not None else None,
            outline="",
            mask_text="",
            message="",
            seq=0,
        )

    def browse(self) -> None:
        self.browsed += 1

    def app(self) -> FastAPI:
        app = FastAPI()
        app.include_router(asset_routes())

        @app.post("/api/images")
        async def upload(request: Request) -> JSONResponse:
            assert request.headers["x-truehue"] == "1"
            name = unquote(request.headers["x-file-name"])
            try:
                return JSONResponse({"image_id": self.store(await request.body(), name)})
            except UnidentifiedImageError:
                return JSONResponse({"error": f"{name} is no image that can be read."}, 400)

        @app.get("/media/images/{image_id}.png")
        def image(image_id: str) -> Response:
            return Response(self.images[image_id][2], media_type="image/png")

        with gr.Blocks(fill_width=True, analytics_enabled=False) as demo:
            with gr.Row(elem_classes="th-inspect"):
                with gr.Column(elem_classes="th-card th-stage-card", min_width=320):
                    view = stage()
                gr.Textbox(label="Object", elem_id="object-name")
            quiet: dict[str, Any] = {"show_progress": "hidden"}
            view.change(self.changed, view, view, trigger_mode="multiple", **quiet)
            view.open(self.opened, view, view, trigger_mode="multiple", **quiet)
            view.browse(self.browse, None, None, **quiet)
        return gr.mount_gradio_app(
            app,
            demo,
            path="/",
            theme=theme(),
            css_paths=list(css_paths()),
            ssr_mode=False,
            footer_links=[],
            run_history=False,
        )


@contextlib.contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of ``app`` on a free port of this machine, while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started and time.monotonic() < end:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
