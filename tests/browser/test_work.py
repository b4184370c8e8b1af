"""All that is at work, and a backup, in the header of the page. The list of work itself is in
``tests/assets/page``."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.running import running
from truehue.storage.backup.restore import restore

pytestmark = pytest.mark.browser
RUN = """async () => {
  const body = { set: 'mini', models: ['reference-renderer'], limit: 60, size: '256', steps: '' };
  const answer = await fetch('/api/runs', {
    method: 'POST',
    headers: { 'X-TrueHue': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.ok ? '' : (await answer.json()).error;
}"""

# Buttons of the header that leave the window or do not hold their text.
CUT = """() => [...document.querySelectorAll('.th-header button')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth
    || one.scrollWidth > one.clientWidth)
  .map((one) => one.className)"""


def test_a_run_is_cancelled_and_the_data_backed_up_from_any_room(
    tmp_path: Path, visit: Visit
) -> None:
    with running(tmp_path / "data") as app:
        page = visit(f"{app.address}/?tab=inspect")
        button = page.locator(".th-work-button")
        expect(button).to_be_hidden()
        assert page.evaluate(RUN) == ""
        expect(button).to_have_text("1 job running")
        for width in (390, 440):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(CUT) == [], width
        page.set_viewport_size({"width": 1360, "height": 1000})
        button.click()
        panel = page.get_by_role("region", name="Jobs")
        expect(panel).to_contain_text("Reference renderer")
        expect(panel.get_by_role("progressbar")).to_be_visible()
        panel.get_by_role("button", name="Cancel").click()
        expect(button).to_have_text("All jobs done")
        expect(panel).to_contain_text("Cancelled")
        panel.get_by_role("button", name="Clear finished jobs").click()
        expect(button).to_be_hidden()

        # The owner backs the data up and gets the file.
        page.get_by_role("button", name="Back up", exact=True).click()
        backup = page.get_by_role("region", name="Backup")
        with page.expect_download() as sent:
            backup.get_by_role("button", name="Back up now").click()
        expect(backup).to_contain_text("checked.")
        expect(backup.get_by_role("link")).to_have_text(sent.value.suggested_filename)
        sent.value.save_as(tmp_path / "a.zip")
        assert restore(tmp_path / "a.zip", tmp_path / "new").problems == ()
        page.keyboard.press("Escape")
        expect(backup).to_be_hidden()
        visit.leave()
