"""Who reaches the app of a test's context."""

from __future__ import annotations

from tabs.page.context import Context


def as_demo(context: Context, demo: bool = True) -> None:
    """From now on it is a demonstration, where everybody is a visitor; or it is not."""
    object.__setattr__(context, "local", not demo)
    object.__setattr__(context, "demo", demo)
