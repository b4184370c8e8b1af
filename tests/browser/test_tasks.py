"""The five tasks in a real Chromium: drawn right and wrong, with the reason beside each picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from storage import Storage
from tests.browser.conftest import Visit
from tests.browser.generate_page import LINK, GeneratePage
from tests.browser.workbench import Workbench
from tests.running import running

pytestmark = pytest.mark.browser

PROMPTS = {
    "cna-l1-00982": "A banana in a purple color",
    "ncu-hex-l1-00025": "A close-up of an apple in the color #B92842",
    "coa-l1-00001": "A pink apple on a white plate",
    "moc-l1-0001": "A red banana and a black apple on a wooden table",
    "ica-l1-0001": "An orange backpack is placed next to a suitcase that has the same color",
}
CNA, NCU, COA, MOC, ICA = PROMPTS.values()
RIGHT = {
    CNA: "✓ Pass By truehue: the banana has the asked color.",
    NCU: "✓ Pass By truehue: the apple has the asked color.",
    COA: "✓ Pass By truehue: the apple has the asked color, and the plate did not take it.",
    MOC: "✓ Pass By truehue: the banana and the apple each have the color asked of them.",
    ICA: "✓ Pass By truehue: the backpack and the suitcase have the asked color.",
}


class Tasks:
    """The five prompts in the basket, to be drawn under one failure after another."""

    def __init__(self, tab: GeneratePage) -> None:
        self.tab = tab
        self.drawn = 0
        for prompt_id in PROMPTS:
            tab.search.fill(prompt_id)
            row = tab.page.locator(f'#prompts .th-row[data-prompt="{prompt_id}"]')
            expect(row).to_be_visible()
            tab.box(row).check()
        tab.choose("generate-size", "256 × 256")
        tab.light("even")

    def draw(self, failure: str = "") -> None:
        """Draws all five; the newest five pictures are theirs."""
        if failure:
            self.tab.unfold("generate-failure")
            self.tab.page.locator("#generate-failure input").click()
            self.tab.page.get_by_role("option", name=re.compile("^" + failure + ":")).click()
        self.tab.drawn(self.tab.draw("Draw 5 images"))
        self.drawn += 5
        expect(self.tab.shots).to_have_count(self.drawn)

    def shot(self, words: str) -> Locator:
        """The newest picture of a prompt."""
        return self.tab.shots.filter(has_text=words).first

    def says(self, words: str, verdict: str | re.Pattern[str]) -> Locator:
        """Waits until the newest picture of a prompt has this verdict."""
        line = self.shot(words).locator(".th-shot-verdict")
        text = (
            re.compile("^" + re.escape(verdict).replace(r"\ ", r"\s*") + "$")
            if isinstance(verdict, str)
            else verdict
        )
        expect(line).to_have_text(text)
        return line


def test_each_task_is_shown_right_and_wrong_with_its_reason(tmp_path: Path, visit: Visit) -> None:
    with running(tmp_path / "data") as app:
        tasks = Tasks(GeneratePage(visit(app.address + LINK)))
        page = tasks.tab.page
        tasks.draw()
        for words, verdict in RIGHT.items():
            tasks.says(words, verdict)

        tasks.draw("ignored")
        for words, name in ((CNA, ""), (NCU, ""), (COA, "apple: "), (MOC, "banana: ")):
            wrong = rf"^✕ Fail\s*{name}[a-z ]+, not [a-z ]+; "
            tasks.says(words, re.compile(wrong))
        tasks.says(ICA, re.compile(r"suitcase: [a-z ]+"))

        tasks.draw("swapped")
        tasks.says(CNA, RIGHT[CNA])
        tasks.says(
            COA,
            re.compile(r"^✕ Fail\s*By truehue: the plate took the apple's color\. The color of "),
        )
        tasks.says(MOC, "✕ Fail By truehue: the banana and the apple have exchanged their colors.")
        tasks.says(ICA, RIGHT[ICA])

        tasks.draw("leaked")
        line = tasks.says(MOC, "✕ Fail By truehue: the apple took the banana's color.")
        # Which object came to which step is in the title.
        expect(line).to_have_attribute(
            "title",
            re.compile("^banana: pass at the step “color”.*\napple: fail at the step “color”"),
        )
        # Three quarters of the apple's pink on the plate: no match by the paper, seen by truehue.
        tasks.says(COA, "✕ Fail By truehue: the plate took the apple's color.")
        rule = page.get_by_role("combobox", name="Rule of the verdicts")
        rule.select_option("paper")
        tasks.says(COA, RIGHT[COA].replace("truehue", "paper"))
        rule.select_option("truehue")
        tasks.says(COA, "✕ Fail By truehue: the plate took the apple's color.")

        tasks.draw("one-missing")
        tasks.says(NCU, RIGHT[NCU])
        for words, name in ((COA, "plate"), (MOC, "apple"), (ICA, "suitcase")):
            line = tasks.says(words, f"✕ Fail The {name} is not in the picture.")
            expect(line).to_have_attribute("title", re.compile(f"{name}: fail at the step “presen"))
            badges = tasks.shot(words).locator(".th-badge")
            expect(badges).to_have_text(["pass", "fail"])
        plate = tasks.shot(COA).locator(".th-shot-target").nth(1)
        expect(plate).to_have_attribute("title", re.compile("^plate, must not be Pink: The plate"))

        # What is wrong can be listed alone, and a picture opens where its object is judged.
        page.locator("#gallery").get_by_role("button", name="Fail", exact=False).first.click()
        expect(tasks.tab.shots.locator(".th-shot-word", has_text="Pass")).to_have_count(0)
        expect(tasks.tab.shots).to_have_count(5 + 2 + 2 + 3)
        tasks.shot(MOC).locator(".th-shot-target").first.click()
        bench = Workbench(page)
        expect(bench.object_name).to_have_value("banana")
        visit.leave()
        app.stop()
        with Storage.open(app.data) as storage:
            marks = storage.drawings.marks("gencolorbench", "paper")
            assert {marks[prompt_id].verdict for prompt_id in PROMPTS} == {"fail"}
            assert storage.check() == []
