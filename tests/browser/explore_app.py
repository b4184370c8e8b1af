"""The app with a diagnosis small enough to wait for, and with a report that a test chooses.

The file of the report may be missing. Everything else is the app as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.nursery import Forked, nursery
from tests.running import App, quick, served

OBJECTS, LIGHTS, SIZE_PX = ("cube", "mug"), ("overcast", "hard"), 96


@contextmanager
def small_app(folder: Path, shipped: Path) -> Iterator[App]:
    """The app in a process of its own, with its data below ``folder``."""

    def begin(arguments: Sequence[str], log: Path) -> Forked:
        return nursery().start((str(shipped), *arguments), log, quick(), __name__)

    with served(folder / "data", begin=begin) as app:
        yield app


def main(arguments: list[str]) -> int:
    """Sets what a test needs and runs the app."""
    # Here and not above: the workers of a diagnosis import this module too.
    import functools

    import app
    from tabs.diagnosis import run as explore_run
    from tabs.diagnosis import store
    from tabs.explore import routes as routes_explore

    store.SHIPPED_FILE = Path(arguments[0])
    explore_run.OBJECTS, explore_run.DEFAULT_LIGHTS = OBJECTS, LIGHTS  # type: ignore[assignment]
    routes_explore.start_run = functools.partial(explore_run.start_run, size_px=SIZE_PX)
    return app.main(arguments[1:])
