"""Tabs whose files come when they are opened, and those whose files do not come. The message in the
tab is in ``tests/assets/page``; that Chromium asks for a script again is seen here alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, Watch
from tests.running import App

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("missing", ["js/explore/page.js", "css/explore.css", "html/explore.html"])
def test_a_tab_that_did_not_load_is_tried_again(
    app: App, visit: Visit, watch: Watch, missing: str
) -> None:
    watch.refused |= {missing, f"{missing}?attempt=1"}
    page = visit(f"{app.address}/?tab=studies", fresh=True)
    expect(page.locator("#studies")).to_contain_text("Studies with people")
    files = re.compile(rf"/assets/\w+/{re.escape(missing)}")
    page.route(files, lambda route: route.abort())
    page.get_by_role("tab", name="Explore").click()
    problem = page.get_by_role("alert").filter(has_text="This tab did not load.")
    expect(problem).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(problem).to_be_visible()
    page.unroute(files)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#explore-leaderboard .th-leaderboard-published")).to_be_visible()
    expect(problem).to_be_hidden()
    # Its own style holds, and its script works.
    page.locator(".th-explore-switch [data-view=runs]").click()
    expect(page.locator("#explore-runs form.th-runs-form")).to_be_visible()
    expect(page).to_have_url(re.compile("tab=explore&view=runs"))
