"""The page's scripts in jsdom, in front of the app's own routes in this process."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from tests.house import ROOT
from tests.node import node_with_jsdom
from truehue.tabs.page.answers import wrong_value
from truehue.tabs.page.asset_files import constants
from truehue.tabs.page.context import Context

PAGE = "/of-this-test"
"""Where the page finds what its test gives it."""
WAIT_S = 300


def run_live(
    script: Path,
    context: Context,
    routes: tuple[Callable[[Context], Any], ...],
    value: Any = None,
    html: Mapping[str, str] | None = None,
    steps: Mapping[str, Callable[[], Any]] | None = None,
) -> None:
    """Runs a file of tests for node (tests/assets/live.js) with the answers of these routes.

    ``html`` is what Python fills widgets with, by their names; ``value`` is the test's own;
    ``steps`` are what it can have done here meanwhile. Skips the test where there is no node.
    """
    node = node_with_jsdom()
    app = FastAPI()
    app.add_exception_handler(RequestValidationError, wrong_value)
    for make in routes:
        app.include_router(make(context))
    app.get(PAGE)(
        lambda: JSONResponse({"html": html or {}, "value": value, "constants": constants()})
    )
    for name, act in (steps or {}).items():
        app.post(f"{PAGE}/{name}")(lambda act=act: act() and None)
    with _serving(app) as address:
        try:
            done = subprocess.run(
                [node, "--no-warnings", "--test-force-exit", script],
                cwd=ROOT,
                env={**os.environ, "TRUEHUE_LIVE": address},
                capture_output=True,
                text=True,
                timeout=WAIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            pytest.fail(f"{script.name} did not end:\n{(late.stdout or b'').decode()}")
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def _serving(app: FastAPI) -> Iterator[str]:
    """The address of ``app`` while it runs. Node keeps its connections and takes them again, so
    they end with the test and not before: a question on one that just ended would fail."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        server = uvicorn.Server(
            uvicorn.Config(
                app, log_level="warning", timeout_keep_alive=2 * WAIT_S, timeout_graceful_shutdown=1
            )
        )
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=60)


def sent(name: str, content: bytes) -> list[str]:
    """A file as ``give`` of tests/assets/live.js takes it."""
    return [name, base64.b64encode(content).decode()]
