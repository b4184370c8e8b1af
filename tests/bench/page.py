"""``python -m tests.bench.page [--against CHECKOUT]``: what a load of the workbench costs.

Each load is a Chromium of its own that opens the address of a fresh app: a first load with nothing
kept, and a second one with what the first has left in the browser's cache. It is over when the
stage is seen and nothing was asked for in the last second. Printed are medians of

* what came over the wire (CDP ``Network.loadingFinished``: headers, and bodies as compressed), by
  kind. The page, all scripts and all styles count, Gradio's own bundle among them; pictures and
  answers of the app's own routes are shown apart, and are in ``all``;
* the seconds of work in the page's main thread (CDP ``Performance.getMetrics``: ``TaskDuration``).

With ``--against``, the loads of this checkout and of the other one alternate, so that whatever else
the machine does meets both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.bench.startup import free_port
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS, VIEWPORT

ROOT = Path(__file__).resolve().parents[2]
LOADS = 5
CALM_S = 1.0
FIRST_KB, SECOND_KB = 600, 100
CODE = ("page", "script", "style")
KINDS = (*CODE, "picture", "answer", "other")


@dataclass
class Load:
    """One load: bytes and requests by kind, and the main thread's seconds."""

    size: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    requests: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    busy_s: float = 0.0
    by_path: dict[str, int] = field(default_factory=dict)

    @property
    def code(self) -> int:
        """Bytes of the page, its scripts and its styles."""
        return sum(self.size[kind] for kind in CODE)


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


def load(context: BrowserContext, address: str) -> Load:
    """Opens the address in a new page of ``context`` and closes it again."""
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
    page.locator("#stage .th-stage").wait_for(state="visible", timeout=60_000)
    while time.monotonic() - last < CALM_S:
        page.wait_for_timeout(50)
    metrics = session.send("Performance.getMetrics")["metrics"]
    out.busy_s = next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
    page.close()
    return out


@contextmanager
def served(checkout: Path, data: Path) -> Iterator[str]:
    """The address of the app of a checkout, until the end of the block."""
    port = free_port()
    command = [sys.executable, "app.py", "--data", str(data), "--port", str(port)]
    process = subprocess.Popen(
        command,
        cwd=checkout,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )
    address = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(1200):
            if process.poll() is not None:
                raise SystemExit(f"the app of {checkout} ended with status {process.returncode}")
            try:
                with urllib.request.urlopen(address, timeout=30):
                    break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


def loads(browser: Browser, address: str) -> tuple[Load, Load]:
    """A first load and the second one after it."""
    context = browser.new_context(viewport=VIEWPORT)
    try:
        return load(context, address), load(context, address)
    finally:
        context.close()


def line(name: str, values: Sequence[Load]) -> str:
    """One row of the table: medians of these loads."""
    kb = {kind: statistics.median(value.size[kind] for value in values) / 1000 for kind in KINDS}
    code = statistics.median(value.code for value in values) / 1000
    total = statistics.median(sum(value.size.values()) for value in values) / 1000
    requests = statistics.median(sum(value.requests.values()) for value in values)
    busy = statistics.median(value.busy_s for value in values)
    return (
        f"{name:<22}{code:8.0f}{kb['page']:8.0f}{kb['script']:8.0f}{kb['style']:8.0f}"
        f"{kb['picture']:9.0f}{kb['answer']:8.0f}{total:8.0f}{requests:10.0f}{busy * 1000:9.0f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table, and whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--against", type=Path, help="the folder of another checkout")
    parser.add_argument("--loads", type=int, default=LOADS)
    parser.add_argument("--paths", action="store_true", help="the heaviest requests too")
    parse_args = parser.parse_args(arguments)
    sides = {
        "this": ROOT,
        **({"other": parse_args.against.resolve()} if parse_args.against else {}),
    }
    used: dict[str, tuple[list[Load], list[Load]]] = {name: ([], []) for name in sides}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
        addresses = {
            name: stack.enter_context(served(checkout, Path(folder) / name))
            for name, checkout in sides.items()
        }
        for number in range(parse_args.loads + 1):
            for name, address in addresses.items():
                first, second = loads(browser, address)
                if number:  # what the app makes ready for its first visitor is not what it costs
                    used[name][0].append(first)
                    used[name][1].append(second)
        browser.close()
    print(f"medians of {parse_args.loads}, kB of 1000 bytes: page, scripts and styles are the code")
    print(
        f"{'':<22}{'code':>8}{'page':>8}{'scripts':>8}{'styles':>8}{'pictures':>9}{'answers':>8}"
        f"{'all':>8}{'requests':>10}{'busy ms':>9}"
    )
    for name, (first_loads, second_loads) in used.items():
        print(line(f"{name}: first load", first_loads))
        print(line(f"{name}: second load", second_loads))
    if parse_args.paths:
        print_heaviest(used["this"][0][-1])
    ours = used["this"]
    for values, limit, word in zip(ours, (FIRST_KB, SECOND_KB), ("first", "second"), strict=True):
        kilobytes = statistics.median(value.code for value in values) / 1000
        print(
            f"{word} load {kilobytes:.0f} kB, goal at most {limit}: "
            f"{'met' if kilobytes <= limit else 'NOT met'}"
        )
    if "other" in used:
        pairs = zip(ours[0], used["other"][0], strict=True)
        ratio = statistics.median(mine.busy_s / theirs.busy_s for mine, theirs in pairs)
        print(
            f"main thread of a first load, this over other {ratio:.2f}, goal below 0.5: "
            f"{'met' if ratio < 0.5 else 'NOT met'}"
        )


def print_heaviest(entry: Load, limit: int = 25) -> None:
    """The requests that weighed most."""
    for path, size in sorted(entry.by_path.items(), key=lambda item: -item[1])[:limit]:
        print(f"{size / 1000:9.1f}  {path}")


if __name__ == "__main__":
    main()
