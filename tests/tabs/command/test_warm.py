"""What the app gets ready by itself after its start."""

from __future__ import annotations

import pytest

from truehue.tabs.command import serve
from truehue.tabs.compare import example
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context


def test_renders_of_the_example_wait_until_nobody_asks_for_anything(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(serve, "WARM_S", 0.0)
    monkeypatch.setattr(serve, "freeze_gc", lambda: done.append("freeze"))
    monkeypatch.setattr(Library, "warm", lambda library: done.append("prompts"))
    monkeypatch.setattr(example, "has_example", lambda context: True)
    monkeypatch.setattr(example, "make_renders", lambda context: done.append("renders"))
    counts = [1, 1, 2, 5, 5]

    def count_requests() -> int:
        done.append("asked")
        return counts.pop(0)

    serve.warm(context, count_requests)
    assert done == ["asked", "prompts", "freeze", *["asked"] * 4, "renders"]
