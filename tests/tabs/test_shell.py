"""The page around the tabs."""

from __future__ import annotations

import asyncio
from typing import Any

import gradio as gr
import pytest
from fastapi.testclient import TestClient

from tabs import shell
from tabs.context import Context


def test_more_pages_can_be_open_than_gradio_has_places(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every open page holds one event that does not end: with 40 places the 41st stood still."""
    built: list[Any] = []
    build = shell.build

    def kept(given: Context) -> Any:
        built.append(build(given))
        return built[-1]

    monkeypatch.setattr(shell, "build", kept)
    with TestClient(shell.mount(context)) as client:
        (demo,) = built
        hold = next(fn.fn_id if hasattr(fn, "fn_id") else at for at, fn in demo.fns.items()
                    if fn.fn is shell.hold_stream or fn.name == "hold_stream")  # fmt: skip
        for page in range(45):
            asked = {"data": [], "fn_index": hold, "session_hash": f"page{page}"}
            assert client.post("/gradio_api/queue/join", json=asked).status_code == 200
        assert len(demo._queue.active_jobs) == shell.MOST_PAGES

        def running() -> int:
            return sum(job is not None for job in demo._queue.active_jobs)

        for _ in range(100):
            if running() >= 45:
                break
            client.portal.call(asyncio.sleep, 0.1)  # type: ignore[union-attr]
        assert running() >= 45
    assert isinstance(demo, gr.Blocks)
