"""OpenAI's images API in front of one function, for the servers beside this file.

It runs in the environment of the model and needs only Pillow. One request is answered at a time.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Generate = Callable[[dict[str, Any], int, int], Any]
"""The request's JSON, width and height in pixels, to a Pillow image."""


def answer(body: bytes, generate: Generate) -> tuple[int, dict[str, Any]]:
    """Status and JSON of one request. What is wrong with it is an error of the API's form."""
    try:
        request = json.loads(body)
        if not isinstance(request, dict) or not str(request.get("prompt", "")).strip():
            raise ValueError("prompt is empty")
        if request.get("n", 1) != 1:
            raise ValueError("n must be 1")
        width, height = (int(side) for side in str(request.get("size", "1024x1024")).split("x"))
    except (ValueError, TypeError) as error:
        return 400, {"error": {"message": str(error), "type": "invalid_request_error"}}
    try:
        image = generate(request, width, height)
    except Exception as error:  # the model's own errors have no family
        message = f"{type(error).__name__}: {error}"
        return 500, {"error": {"message": message, "type": "server_error"}}
    png = io.BytesIO()
    image.save(png, "PNG")
    return 200, {"data": [{"b64_json": base64.b64encode(png.getvalue()).decode()}]}


def server(generate: Generate, port: int) -> HTTPServer:
    """A server at 127.0.0.1 that answers POST /v1/images/generations."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = 404, {"error": {"message": "unknown address"}}
            if self.path == "/v1/images/generations":
                status, content = answer(body, generate)
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return HTTPServer(("127.0.0.1", port), Handler)
