"""The real app and one Chromium, for the tests that use them as a person does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.browser import chromium
from tests.running import App, running

# Chromium takes one such list: all but the last two are Playwright's own.
FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    # Pages of the browser's own address bar, which cost each window 0.7 s of processor time.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=" + ",".join(FEATURES_OFF),
    # A canvas must give back the very bytes of an sRGB image, whatever the screen is.
    "--force-color-profile=srgb",
]
# A machine that builds something else at the same time is slow, not broken.
expect.set_options(timeout=60_000)
# What a page stores itself; what the browser has fetched and compiled for it is kept.
STORED = "cookies,file_systems,indexeddb,local_storage,websql,service_workers,cache_storage"
VIEWPORT: Any = {"width": 1360, "height": 1000}
DELAY_MS = int(os.environ.get("TEST_DELAY_MS", "0"))
"""By so much at most each answer to a page comes late, at random; ``make test-nightly`` sets it."""


class Chromium:
    """The Chromium of the tests: profiles that stay, and contexts that know nothing.

    A profile keeps on disk what was fetched and compiled; a context of ``browser`` compiles plotly
    anew on every page, for a second of processor time.
    """

    def __init__(self, playwright: Playwright, folder: Path) -> None:
        self._start = playwright.chromium
        self._folder = folder
        executable = chromium.find()
        if executable is None:
            pytest.fail("No Chromium: run python -m tests.browser.chromium")
        self._executable = executable
        self._browser: Browser | None = None
        self._profiles: list[BrowserContext] = []

    @property
    def browser(self) -> Browser:
        """One with nothing on disk, begun when it is wanted."""
        if self._browser is None:
            self._browser = self._start.launch(executable_path=self._executable, args=ARGUMENTS)
        return self._browser

    def profile(self, index: int) -> BrowserContext:
        """The profile with this number, begun when it is wanted; they are begun in order."""
        if index == len(self._profiles):
            opened = self._start.launch_persistent_context(
                self._folder / str(index),
                executable_path=self._executable,
                args=ARGUMENTS,
                viewport=VIEWPORT,
            )
            self._profiles.append(_delayed(opened))
        return self._profiles[index]

    def context(self, **options: Any) -> BrowserContext:
        """One that knows nothing; ``options`` are Playwright's."""
        return _delayed(self.browser.new_context(viewport=VIEWPORT, **options))

    def close(self) -> None:
        for profile in self._profiles:
            profile.close()
        if self._browser is not None:
            self._browser.close()


def _delayed(context: BrowserContext) -> BrowserContext:
    if DELAY_MS:
        script = (Path(__file__).parent / "delay.js").read_text("utf-8")
        context.add_init_script(f"{{ const MAX_DELAY_MS = {DELAY_MS};\n{script} }}")
    return context


# Of the package and not of the session: while Playwright runs, its event loop counts as running in
# this thread, which other libraries' tests would stumble over.
@pytest.fixture(scope="package")
def chromium_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """One Chromium for all browser tests."""
    with sync_playwright() as playwright:
        opened = Chromium(playwright, tmp_path_factory.mktemp("chromium"))
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def browser(chromium_here: Chromium) -> Browser:
    """Where tests open contexts of their own."""
    return chromium_here.browser


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One app for the tests that leave it running; each brings images of its own."""
    with running(tmp_path_factory.mktemp("workbench") / "data") as started:
        yield started


class Watch:
    """Everything on the opened pages that nobody should have to see.

    Errors in the console, exceptions, answers of 500 and more, and requests to other machines.
    ``refused`` holds the endings of addresses that a test has refused by the app on purpose:
    Chromium reports each of these in the console too.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.refused: set[str] = set()

    def follow(self, page: Page, address: str) -> Callable[[], None]:
        """Notes the faults of a page that opens this address, until what is returned is called."""
        host = urlsplit(address).netloc

        def console(message: ConsoleMessage) -> None:
            url = str(message.location.get("url", ""))
            expected = "Failed to load resource" in message.text and any(
                url.endswith(end) for end in self.refused
            )
            if message.type == "error" and not expected:
                self.faults.append(f"console: {message.text} ({url})")

        def request(request: Request) -> None:
            parts = urlsplit(request.url)
            if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != host:
                self.faults.append(f"asks another machine: {request.url}")

        def response(response: Response) -> None:
            if response.status >= 500:
                self.faults.append(f"answer {response.status}: {response.url}")

        def pageerror(error: Error) -> None:
            self.faults.append(f"exception: {error}")

        listeners: dict[Any, Any] = {
            "console": console,
            "request": request,
            "response": response,
            "pageerror": pageerror,
        }
        for event, listener in listeners.items():
            page.on(event, listener)

        def unfollow() -> None:
            for event, listener in listeners.items():
                page.remove_listener(event, listener)

        return unfollow


@pytest.fixture
def watch() -> Iterator[Watch]:
    """What the pages of this test must not show; checked at the end of the test."""
    out = Watch()
    yield out
    assert out.faults == []


PROFILES = 2
"""So many pages of a test are opened in profiles: few tests open more, and each is a process."""


class Visit:
    """Opens addresses, each as another person or another day would: with nothing stored.

    The first pages of a test are opened in the tabs where those of earlier tests were, each in a
    profile of its own, for what the browser has fetched and compiled and for the process that is
    there; what is stored there is cleared. Further pages, and those with ``options`` or ``fresh``,
    know nothing: so are those that a test gives what it cannot take back, such as a script that
    runs before the page's, a named function or a slow network.
    """

    def __init__(self, chromium_here: Chromium, watch: Watch) -> None:
        self._chromium = chromium_here
        self._watch = watch
        self._profiles = 0
        self._opened: list[BrowserContext] = []
        self._tabs: list[tuple[Page, str, Callable[[], None]]] = []

    def __call__(
        self, address: str, wait_until: Any = "load", fresh: bool = False, **options: Any
    ) -> Page:
        """The page; ``options`` are those of a Playwright context."""
        if options or fresh or self._profiles == PROFILES:
            context = self._chromium.context(**options)
            page = context.new_page()
            self._opened.append(context)
            self._watch.follow(page, address)
        else:
            context = self._chromium.profile(self._profiles)
            self._profiles += 1
            page = context.pages[0]
            page.set_viewport_size(VIEWPORT)
            context.clear_cookies()
            parts = urlsplit(address)
            origin = f"{parts.scheme}://{parts.netloc}"
            session = context.new_cdp_session(page)
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORED})
            session.detach()
            self._tabs.append((page, origin, self._watch.follow(page, address)))
        context.set_default_timeout(60_000)
        page.goto(address, wait_until=wait_until, timeout=90_000)
        return page

    def leave(self) -> None:
        """Closes all that was opened, and leaves the tabs that stay without anything in them."""
        while self._opened:
            self._opened.pop().close()
        for page, origin, unfollow in self._tabs:
            for other in page.context.pages:
                if other is not page:
                    other.close()
            unfollow()
            _empty(page, origin)
        self._tabs.clear()
        self._profiles = 0


def _empty(page: Page, origin: str) -> None:
    """Takes a tab away from its page, and what the page kept for this tab alone; where that cannot
    be done, because its app has ended, another tab takes its place."""
    page.unroute_all(behavior="ignoreErrors")
    try:
        page.goto(f"{origin}/assets/favicon.svg", timeout=60_000)
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
    except Error:
        page.context.new_page()
        page.close()


@pytest.fixture(scope="package")
def modules(browser: Browser) -> Iterator[Page]:
    """A page of an app that serves the page's scripts and nothing else, to import them in."""
    from fastapi import FastAPI
    from fastapi.responses import HTMLResponse

    from tests.browser.stage_app import serving
    from truehue.tabs.page.asset_files import asset_routes

    app = FastAPI()
    app.include_router(asset_routes())
    app.get("/", response_class=HTMLResponse)(lambda: "<!doctype html><title>Modules</title>")
    with serving(app) as address:
        page = browser.new_page()
        page.goto(address)
        yield page
        page.close()


@pytest.fixture
def visit(chromium_here: Chromium, watch: Watch) -> Iterator[Visit]:
    """Pages for this test, closed at its end."""
    out = Visit(chromium_here, watch)
    yield out
    out.leave()
