"""The Generate tab on a page, by the words and places that a person uses."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

LINK = "/?tab=generate"
# Rendering shares two cores with Chromium here.
DRAWN_MS = 150_000


class GeneratePage:
    """One page of the app with Generate in front."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.search = page.get_by_role("searchbox", name="Search prompts")
        self.rows = page.locator("#prompts .th-row[data-prompt]")
        self.matches = page.locator("#prompts .th-matches")
        self.draw_button = page.locator("#generate-button .th-primary")
        self.note = page.locator("#generate-button .th-request-note")
        self.queue = page.locator("#queue .th-queue")
        self.shots = page.locator("#gallery .th-shot")
        self.status = page.locator("#gallery .th-gallery-status")
        self.color = page.locator("#generate-color").get_by_role("combobox")
        self.seed = page.locator("#generate-seed input")
        expect(self.draw_button).to_be_visible(timeout=DRAWN_MS)
        expect(self.rows.first).to_be_visible(timeout=DRAWN_MS)

    def find(self, text: str, matches: str | re.Pattern[str]) -> None:
        """Searches, and waits until the count is as expected."""
        self.search.fill(text)
        expect(self.matches).to_have_text(matches)

    def facet(self, title: str) -> Locator:
        """A group of filters, opened."""
        box = self.page.locator("#prompts details").filter(
            has=self.page.locator("summary", has_text=re.compile(f"^{title}"))
        )
        if box.get_attribute("open") is None:
            box.locator("summary").click()
        return box

    def tick(self, title: str, label: str) -> Locator:
        """The box of one value of a group of filters; ``label`` is how the value begins."""
        return self.facet(title).get_by_role("checkbox", name=re.compile(f"^{label}"))

    def box(self, row: Locator) -> Locator:
        """The box at the left of a row; to assistive technology the row itself is checked."""
        return row.locator("input[type=checkbox]")

    def into_basket(self, count: int) -> list[str]:
        """Puts the first prompts of the list into the basket; returns their ids."""
        ids = []
        for index in range(count):
            row = self.rows.nth(index)
            ids.append(str(row.get_attribute("data-prompt")))
            self.box(row).check()
        return ids

    def mode(self, name: str) -> None:
        """Chooses what to draw: ``Your prompt``, ``From the list`` or ``Selection``."""
        tab = self.page.locator("#prompt-source").get_by_role("tab", name=re.compile(f"^{name}"))
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")

    def unfold(self, control: str) -> None:
        """Opens More settings, where the control is one of them."""
        fold = self.page.locator("#settings-fold button")
        inside = self.page.locator(f"#more-settings #{control}").count()
        if inside and fold.get_attribute("aria-expanded") == "false":
            fold.click()
            expect(self.page.locator("#more-settings")).to_be_visible()

    def fill_seed(self, seed: int) -> None:
        """The first seed."""
        self.unfold("generate-seed")
        self.seed.fill(str(seed))
        self.seed.blur()

    def choose(self, control: str, text: str) -> None:
        """Picks from a list of choices."""
        self.unfold(control)
        self.page.locator(f"#{control} select").select_option(label=text)

    def write(self, control: str, text: str) -> None:
        """Types into a field and leaves it."""
        self.unfold(control)
        box = self.page.locator(f"#{control} input, #{control} textarea").first
        box.fill(text)
        box.blur()

    def light(self, name: str) -> None:
        """Chooses the renderer's light."""
        self.unfold("generate-light")
        self.page.locator("#generate-light label").filter(has_text=name).click()
        expect(self.page.locator(f"#generate-light input[value={name}]")).to_be_checked()

    def draw(self, button: str = "Generate") -> Locator:
        """Presses Generate and returns the job in the queue."""
        expect(self.draw_button).to_have_text(button)
        before = self.queue.locator("[data-mine=true]").evaluate_all(
            "(nodes) => nodes.map((node) => node.dataset.job)"
        )
        self.draw_button.click()
        self.page.wait_for_function(
            "(before) => [...document.querySelectorAll('#queue [data-mine=true]')]"
            ".some((node) => !before.includes(node.dataset.job))",
            arg=before,
        )
        jobs = self.queue.locator("[data-mine=true]").evaluate_all(
            "(nodes) => nodes.map((node) => node.dataset.job)"
        )
        (new,) = [job for job in jobs if job not in before]
        return self.page.locator(f'#queue [data-job="{new}"]')

    def drawn(self, job: Locator) -> None:
        """Waits until a job has drawn all its images."""
        expect(job).to_have_class(re.compile("th-job-done"), timeout=DRAWN_MS)
