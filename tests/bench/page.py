"""``python -m tests.bench.page [--against CHECKOUT]``: what a load of the workbench costs.

An empty Gradio app is loaded beside it, and with ``--against`` the app of another checkout, in
turn: whatever else the machine does meets all. Each load is a Chromium profile of its own that
opens the address of a fresh app: a first load with nothing kept, and a second one with what the
first has left in the browser's cache. It is over when the page is seen and nothing was asked for in
the last second. Printed are medians of

* what came over the wire (CDP ``Network.loadingFinished``: headers, and bodies as compressed), by
  kind. The page, all scripts and all styles are the code, Gradio's own among them;
* the processor time of the page's main thread, and the part of it that scripts take (CDP
  ``Performance.getMetrics``: ``TaskDuration`` and ``ScriptDuration``).

Goals of a first load: at most 45 requests, 400 kB, and 1.6 times the main thread of an empty app.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.bench.startup import ROOT, empty_app, free_port, serving, truehue
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS, VIEWPORT

LOADS = 5
CALM_S = 1.0
MAX_REQUESTS, MAX_KB, MAX_RATIO = 45, 400, 1.6
SECOND_KB = 100
EMPTY = "empty Gradio app"
CODE = ("page", "script", "style")
KINDS = (*CODE, "picture", "answer", "other")


@dataclass
class Load:
    """One load: bytes and requests by kind, and the seconds of the main thread and its scripts."""

    size: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    requests: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    busy_s: float = 0.0
    script_s: float = 0.0
    by_path: dict[str, int] = field(default_factory=dict)

    @property
    def code(self) -> int:
        """Bytes of the page, its scripts and its styles."""
        return sum(self.size[kind] for kind in CODE)

    @property
    def bytes(self) -> int:
        """All bytes that came over the wire."""
        return sum(self.size.values())

    @property
    def number(self) -> int:
        """All requests."""
        return sum(self.requests.values())


def kind_of(resource: str, path: str) -> str:
    """What a request was for, by Chromium's word for it and its path."""
    if resource in ("Document", "Script", "Stylesheet"):
        return {"Document": "page", "Script": "script", "Stylesheet": "style"}[resource]
    # What a page asks for ahead of its use has no kind of its own until then.
    if path.endswith((".js", ".css")):
        return "script" if path.endswith(".js") else "style"
    if path.startswith("/assets/") and path.endswith(".json"):
        return "script"
    if resource == "Image":
        return "picture"
    return "answer" if path.startswith(("/api/", "/gradio_api/")) else "other"


def load(context: BrowserContext, address: str, seen: str) -> Load:
    """Opens the address in a new page of ``context``, until ``seen`` is, and closes it again."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    out = Load()
    requested: dict[str, tuple[str, str]] = {}
    last = time.monotonic()

    def sent(event: dict[str, Any]) -> None:
        nonlocal last
        last = time.monotonic()
        path = urlsplit(event["request"]["url"]).path
        requested[event["requestId"]] = (event.get("type", "Other"), path)

    def answered(event: dict[str, Any]) -> None:
        if event["requestId"] in requested:
            requested[event["requestId"]] = (event["type"], requested[event["requestId"]][1])

    def finished(event: dict[str, Any]) -> None:
        nonlocal last
        last = time.monotonic()
        resource, path = requested.get(event["requestId"], ("Other", ""))
        kind, size = kind_of(resource, path), int(event["encodedDataLength"])
        out.size[kind] += size
        out.requests[kind] += size > 0  # what came from the browser's cache is no request
        out.by_path[path] = out.by_path.get(path, 0) + size

    session.on("Network.requestWillBeSent", sent)
    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", finished)
    page.goto(address, wait_until="load", timeout=90_000)
    page.locator(seen).first.wait_for(timeout=60_000)
    while time.monotonic() - last < CALM_S:
        page.wait_for_timeout(50)
    metrics = session.send("Performance.getMetrics")["metrics"]
    values = {metric["name"]: float(metric["value"]) for metric in metrics}
    out.busy_s, out.script_s = values["TaskDuration"], values["ScriptDuration"]
    page.close()
    return out


def loads(browser: Browser, address: str, seen: str) -> tuple[Load, Load]:
    """A first load and the second one after it."""
    context = browser.new_context(viewport=VIEWPORT)
    try:
        return load(context, address, seen), load(context, address, seen)
    finally:
        context.close()


def line(name: str, values: Sequence[Load]) -> str:
    """One row of the table: medians of these loads."""
    kb = {kind: statistics.median(value.size[kind] for value in values) / 1000 for kind in KINDS}
    code = statistics.median(value.code for value in values) / 1000
    total = statistics.median(value.bytes for value in values) / 1000
    requests = statistics.median(value.number for value in values)
    busy, script = (
        statistics.median(getattr(value, name) for value in values) * 1000
        for name in ("busy_s", "script_s")
    )
    return (
        f"{name:<31}{code:8.0f}{kb['page']:8.0f}{kb['script']:8.0f}{kb['style']:8.0f}"
        f"{kb['picture']:9.0f}{kb['answer']:8.0f}{total:8.0f}{requests:10.0f}{busy:9.0f}"
        f"{script:10.0f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table, and whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--against", type=Path, help="the folder of another checkout")
    parser.add_argument("--loads", type=int, default=LOADS)
    parser.add_argument("--paths", action="store_true", help="the heaviest requests too")
    parse_args = parser.parse_args(arguments)
    checkouts = {"this": ROOT}
    if parse_args.against:
        checkouts["other"] = parse_args.against.resolve()
    used: dict[str, tuple[list[Load], list[Load]]] = {
        name: ([], []) for name in (*checkouts, EMPTY)
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
        ports = {name: free_port() for name in used}
        for name, port in ports.items():
            command = empty_app(port) if name == EMPTY else truehue(folder / name, port)
            stack.enter_context(serving(command, port, checkouts.get(name, ROOT)))
        for number in range(parse_args.loads + 1):
            for name, port in ports.items():
                seen = ".gradio-container footer" if name == EMPTY else "#stage .th-stage"
                first, second = loads(browser, f"http://127.0.0.1:{port}/", seen)
                if number:  # what the app makes ready for its first visitor is not what it costs
                    used[name][0].append(first)
                    used[name][1].append(second)
        browser.close()
    print(f"medians of {parse_args.loads}, kB of 1000 bytes: page, scripts and styles are the code")
    print(
        f"{'':<31}{'code':>8}{'page':>8}{'scripts':>8}{'styles':>8}{'pictures':>9}{'answers':>8}"
        f"{'all':>8}{'requests':>10}{'busy ms':>9}{'script ms':>10}"
    )
    for name, (first_loads, second_loads) in used.items():
        print(line(f"{name}: first load", first_loads))
        print(line(f"{name}: second load", second_loads))
    if parse_args.paths:
        print_heaviest(used["this"][0][-1])
    first_loads, second_loads = used["this"]
    report("requests", statistics.median(load.number for load in first_loads), MAX_REQUESTS)
    report("kB", statistics.median(load.bytes for load in first_loads) / 1000, MAX_KB)
    second_kb = statistics.median(load.code for load in second_loads) / 1000
    report("kB of code in a second load", second_kb, SECOND_KB)
    for name in ("other", EMPTY) if "other" in used else (EMPTY,):
        goal = MAX_RATIO if name == EMPTY else None
        pairs = list(zip(first_loads, used[name][0], strict=True))
        busy = statistics.median(mine.busy_s / theirs.busy_s for mine, theirs in pairs)
        script = statistics.median(mine.script_s / theirs.script_s for mine, theirs in pairs)
        report(f"main thread over that of {name}", busy, goal)
        report(f"script over that of {name}", script)


def report(what: str, value: float, goal: float | None = None) -> None:
    """Prints a figure of a first load, and whether it meets its goal."""
    verdict = "" if goal is None else f", goal at most {goal}: "
    if goal is not None:
        verdict += "met" if value <= goal else "NOT met"
    print(f"{what:<44}{value:7.{0 if value > 10 else 2}f}{verdict}")


def print_heaviest(entry: Load, limit: int = 25) -> None:
    """The requests that weighed most."""
    for path, size in sorted(entry.by_path.items(), key=lambda item: -item[1])[:limit]:
        print(f"{size / 1000:9.1f}  {path}")


if __name__ == "__main__":
    main()
