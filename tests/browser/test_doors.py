"""A page of another site, in a real browser, against the app on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from tests.browser.still_life import png
from tests.running import App

pytestmark = pytest.mark.browser

ATTACKS = """async ([app, picture]) => {
  const png = new Uint8Array(picture);
  const form = new FormData();
  form.append('files', new Blob(['x'.repeat(1000)]), 'filled.txt');
  const asked = {
    script: [app + '/api/images', {method: 'POST', body: png, headers: {'X-TrueHue': '1'}}],
    simple: [app + '/gradio_api/queue/join', {method: 'POST', body: '{}', mode: 'no-cors'}],
    disk: [app + '/gradio_api/upload', {method: 'POST', body: form, mode: 'no-cors'}],
    read: [app + '/api/ready', {}],
    config: [app + '/config', {}],
  };
  const out = {};
  for (const [name, [url, how]] of Object.entries(asked)) {
    out[name] = await fetch(url, how).then(answer => 'answered ' + answer.type, () => 'failed');
  }
  return out;
}"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of an empty page on a port of its own."""

    class Empty(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *values: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_of_another_port_reads_and_changes_nothing(
    app: App, browser: Browser, elsewhere: str
) -> None:
    """The nearest that a foreign page comes: same name, other port, so the browser sends cookies
    and Gradio would grant what it asks."""
    stored = png(np.random.default_rng(76).integers(0, 256, (8, 8, 3), dtype=np.uint8))
    before = app.ask("/api/images").json["total"]
    with browser.new_context() as opened:
        page = opened.new_page()
        page.goto(elsewhere)
        evaluation = page.evaluate(ATTACKS, [app.address, list(stored)])
    # Not even that there was an answer.
    assert set(evaluation.values()) == {"failed"}
    assert app.ask("/api/images").json["total"] == before
    assert [item for item in (app.data / "gradio").rglob("*") if item.is_file()] == []
    # The very same from a program, which browsers do not speak for, is taken.
    assert app.ask("/api/images", stored, {"X-TrueHue": "1"}).status == 200
    assert app.ask("/api/images").json["total"] == before + 1
