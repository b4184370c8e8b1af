"""The routes of Colorize in an app of their own, and a drawing of two squares."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from truehue.tabs.colorize.routes import colorize_routes
from truehue.tabs.page.context import Context

OURS = {"X-TrueHue": "1"}
API = "/api/colorize"

Ask = Callable[..., Any]


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(colorize_routes(context))
    with TestClient(app, headers=OURS) as opened:
        yield opened


@pytest.fixture
def ask(client: TestClient) -> Ask:
    """The JSON of a route that answers; POST where there is a body."""

    def asked(path: str, body: dict[str, Any] | None = None, **query: Any) -> Any:
        url = f"{API}{path}"
        answer = client.get(url, params=query) if body is None else client.post(url, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return asked


def squares(side: int = 256) -> np.ndarray:
    """Ink uint8 ``(side, side)``: two squares beside each other on paper."""
    ink = np.full((side, side), 255, np.uint8)
    for left in (side // 8, side * 9 // 16):
        ink[side // 4 : side * 3 // 4, left : left + side * 5 // 16] = 0
        ink[side // 4 + 6 : side * 3 // 4 - 6, left + 6 : left + side * 5 // 16 - 6] = 255
    return ink


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


def bring(client: TestClient, content: bytes, name: str) -> Any:
    headers = {"X-File-Name": quote(name)}
    return client.post(f"{API}/import", content=content, headers=headers)


def fill(x: int, y: int, color: str | None, closing: int = 0) -> dict[str, Any]:
    return {"do": "fill", "x": x, "y": y, "closing": closing, "color": color}
