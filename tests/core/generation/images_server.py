"""A real HTTP server on this machine that speaks OpenAI's images API, well or badly."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from truehue.core.images.load import encode_png

Answer = tuple[int, dict[str, str], bytes]


def picture(text: str, size: str) -> np.ndarray:
    """What the server draws: a flat field whose color follows from the text."""
    width, height = (int(side) for side in size.split("x"))
    color = np.frombuffer(hashlib.sha256(text.encode()).digest()[:3], np.uint8)
    return np.broadcast_to(color, (height, width, 3)).copy()


def answer_json(status: int, body: Any, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"Content-Type": "application/json", **named}, json.dumps(body).encode()


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """An error as OpenAI's server words it."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return answer_json(status, {"error": error}, **headers)


class ImagesServer:
    """Answers with the next of ``answers``, and draws once there are none.

    ``got`` holds the headers and the JSON of every request. While ``hold`` is set, answers wait.
    """

    def __init__(self, port: int = 0) -> None:
        self.answers: list[Answer] = []
        self.got: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.hold = threading.Event()
        self.asked = threading.Event()
        self.hang_ups = 0
        self.item: dict[str, Any] = {}
        self._let_go = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                loads = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.got.append(({k.lower(): v for k, v in self.headers.items()}, loads))
                outer.asked.set()
                while outer.hold.is_set() and not outer._let_go.wait(0.02):
                    pass
                status, headers, body = outer._next(self.path, loads)
                try:
                    self.send_response(status)
                    for name, value in {**headers, "Content-Length": str(len(body))}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    outer.hang_ups += 1

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _next(self, path: str, target: dict[str, Any]) -> Answer:
        if path != "/v1/images/generations":
            return failure(404, f"Unknown request URL: POST {path}")
        if self.answers:
            return self.answers.pop(0)
        png = encode_png(picture(target["prompt"], target["size"]))
        item = {"b64_json": base64.b64encode(png).decode(), **self.item}
        return answer_json(200, {"created": 1_700_000_000, "data": [item]})

    @contextmanager
    def running(self) -> Iterator[ImagesServer]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            self._let_go.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()
