"""Finding prompts, drawing them, and bringing images of one's own, in a real Chromium."""

from __future__ import annotations

import re
import time
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from core.color.systems import parse_target
from core.generation.backends.reference import ReferenceRenderer
from core.generation.request import GenerationRequest
from core.images.load import image_id
from core.prompts.prompt import ObjectTarget
from core.prompts.sets import prompt_set
from storage import Storage
from tests.browser.conftest import Visit, Watch
from tests.browser.generate_page import DRAWN_MS, LINK, GeneratePage
from tests.browser.workbench import Workbench, drawn_pixels
from tests.running import App, running
from tests.tiny_models.pipelines import build

pytestmark = pytest.mark.browser
MOVED_S = 20


def rendered(request: GenerationRequest) -> np.ndarray:
    """What the renderer draws for a request, uint8 ``(H, W, 3)``."""
    from threading import Event

    (made,) = ReferenceRenderer().draw([request], lambda _: None, Event())
    return made.srgb8


def small(tab: GeneratePage) -> None:
    """Small pictures: these tests are not about the renderer."""
    tab.choose("generate-size", "256 × 256")


def test_from_a_search_to_pictures_and_inspect(tmp_path: Path, visit: Visit) -> None:
    """The way of a researcher who looks for prompts that break a model."""
    with running(tmp_path / "data") as app:
        tab = GeneratePage(visit(app.address + LINK))
        tab.find("vivid green", re.compile(r"^\d+ of 44,464 prompts$"))
        tab.filter("Task", "Multi-object color composition")
        expect(tab.matches).to_have_text(re.compile(r"^\d\d of 44,464"))
        ids = tab.into_basket(3)
        assert all(name.startswith("moc-") for name in ids)
        expect(tab.page.locator("#ask").get_by_role("tab", name="Basket · 3")).to_have_attribute(
            "aria-selected", "true"
        )
        # Large enough that it can be cancelled while it draws.
        tab.choose("generate-size", "2048 × 2048")
        job = tab.draw("Draw 3 images")
        expect(job.get_by_role("progressbar")).to_be_visible()
        expect(job).to_contain_text(re.compile(r"\d of 3 images"))
        job.get_by_role("button", name="Cancel").click()
        expect(job).to_contain_text("Cancelled", timeout=DRAWN_MS)
        kept = re.search(r"Cancelled: (\d+)", str(job.text_content()))
        assert kept is not None
        small(tab)
        job = tab.draw("Draw 3 images")
        tab.drawn(job)
        expect(job).to_contain_text("3 images in")
        # All are there before one of them is looked at: the newest stands first.
        expect(tab.shots).to_have_count(int(kept[1]) + 3)
        shot = tab.shots.first
        text = str(shot.locator(".th-shot-text").text_content())
        prompts = {prompt.text: prompt for prompt in prompt_set("gencolorbench").prompts()}
        prompt = prompts[text]
        assert prompt.id in ids
        expect(shot.locator(".th-shot-target")).to_have_count(len(prompt.targets))
        # Every object was judged by its own exact mask.
        expect(shot.locator(".th-badge")).to_have_count(len(prompt.targets))
        row = tab.page.locator(f'#prompts [data-prompt="{prompt.id}"] .th-row-state')
        expect(row).to_have_text(re.compile("pass|fail"))
        second = prompt.targets[1]
        assert second.color is not None
        shot.locator(".th-shot-target").nth(1).click()
        bench = Workbench(tab.page)
        expect(tab.page.get_by_role("tab", name="Inspect")).to_have_attribute(
            "aria-selected", "true"
        )
        bench.shown()
        expect(bench.object_name).to_have_value(second.name)
        expect(bench.asked).to_have_value(str(second.color.name))
        expect(bench.mask).to_contain_text("Exact mask from the renderer")
        again = rendered(
            GenerationRequest(
                "reference-renderer",
                text,
                width=256,
                height=256,
                targets=prompt.targets,
                prompt_id=prompt.id,
            )
        )
        assert np.array_equal(drawn_pixels(bench.picture), again)
        visit.leave()
        app.stop()
        with Storage.open(app.data) as storage:
            rows = storage.drawings.recent()
            assert {row.prompt_id for row in rows[:3]} == set(ids)
            assert storage.check() == []


def test_a_picture_in_own_words_is_drawn_again_from_its_link(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.mode("Own words")
    tab.choose("generate-object", "book")
    small(tab)
    tab.color.fill("#8040C0")
    tab.color.press("Enter")
    tab.light("window")
    tab.fill_seed(1234)
    expect(tab.page).to_have_url(
        re.compile("object=book.*target=%238040C0.*seed=1234.*light=window")
    )
    tab.drawn(tab.draw())
    target = ObjectTarget("book", parse_target("#8040C0"))
    wanted = rendered(
        GenerationRequest(
            "reference-renderer",
            "",
            1234,
            width=256,
            height=256,
            targets=(target,),
            options={"light": "window"},
        )
    )
    thumb = f"/media/thumbs/{image_id(wanted)}.png"
    expect(tab.shots.first.locator("img")).to_have_attribute("src", re.compile(re.escape(thumb)))
    again = GeneratePage(visit(tab.page.url))
    expect(again.page.locator("#generate-object input")).to_have_value("book")
    expect(again.color).to_have_value("#8040C0")
    expect(again.page.locator("#generate-light input[value=window]")).to_be_checked()
    expect(again.seed).to_have_value("1234")
    expect(again.page.locator("#generate-size input")).to_have_value("256 × 256")
    again.drawn(again.draw())
    expect(again.shots.first.locator("img")).to_have_attribute("src", re.compile(re.escape(thumb)))


def test_a_link_brings_back_search_filters_and_the_chosen_prompt(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.find("vivid green", re.compile("^[^4]"))
    tab.filter("Category", "Animals")
    expect(tab.page.locator("#prompts .th-chips")).to_be_visible()
    tab.rows.nth(2).locator(".th-row-text").click()
    expect(tab.rows.nth(2)).to_have_attribute("aria-selected", "true")
    chosen, count = tab.rows.nth(2).get_attribute("data-prompt"), tab.matches.text_content()
    expect(tab.page).to_have_url(re.compile(f"prompt={chosen}"))
    again = GeneratePage(visit(tab.page.url))
    expect(again.search).to_have_value("vivid green")
    expect(again.matches).to_have_text(str(count))
    text = again.page.locator(f'#prompts [data-prompt="{chosen}"] .th-row-text').text_content()
    expect(again.page.locator("#ask .th-ask-text")).to_have_text(str(text))
    small(again)
    again.drawn(again.draw())
    expect(again.shots.first.locator(".th-shot-text")).to_have_text(str(text))


def test_the_basket_stays_and_is_saved_under_a_name(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.find("frisbee", re.compile("^[^4]"))
    ids = tab.into_basket(2)
    tab.page.reload()
    tab = GeneratePage(tab.page)
    items = tab.page.locator("#ask .th-basket-list li")
    expect(items).to_have_count(2)
    tab.page.get_by_role("textbox", name="Name of the selection").fill("two frisbees")
    tab.page.get_by_role("button", name="Save", exact=True).click()
    expect(tab.page.locator("#ask")).to_contain_text("Saved as “two frisbees”")
    items.first.get_by_role("button").click()
    expect(items).to_have_count(1)
    tab.page.get_by_role("button", name="Empty the basket").click()
    expect(tab.draw_button).to_be_disabled()
    expect(tab.note).to_contain_text("boxes at the left")
    tab.page.get_by_role("combobox", name="Prompt set").select_option("selection:two frisbees")
    expect(tab.matches).to_have_text("2 prompts")
    shown = [tab.rows.nth(at).get_attribute("data-prompt") for at in range(2)]
    assert sorted(map(str, shown)) == sorted(ids)


def test_all_that_match_are_put_into_the_basket(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.find('"on a wooden table"', re.compile("^[^4]"))
    total = str(tab.matches.text_content()).split()[0]
    tab.page.get_by_role("button", name=f"Add all {total} to the basket").click()
    expect(tab.page.locator("#ask").get_by_role("tab", name=f"Basket · {total}")).to_be_visible()
    expect(tab.draw_button).to_have_text(f"Draw {total} images")


def test_the_list_is_walked_by_keys_to_its_end(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    box = tab.page.locator("#prompts .th-list")
    box.focus()
    for _ in range(3):
        box.press("ArrowDown")
    box.press("Enter")
    expect(tab.rows.nth(2)).to_have_attribute("aria-selected", "true")
    box.press(" ")
    expect(tab.box(tab.rows.nth(2))).to_be_checked()
    box.press("End")
    last = prompt_set("gencolorbench").prompts()[-1]
    expect(tab.page.locator(f'#prompts [data-prompt="{last.id}"]')).to_be_visible()


def test_two_people_are_served_in_order_and_see_their_place(tmp_path: Path, visit: Visit) -> None:
    with running(tmp_path / "data", "--demo") as app:
        two_people(app, visit)
        visit.leave()  # before the app ends, which a page would tell


def two_people(app: App, visit: Visit) -> None:
    first, second = (GeneratePage(visit(app.address + LINK)) for _ in range(2))
    for tab in (first, second):
        tab.mode("Own words")
    first.choose("generate-size", "2048 × 2048")
    first.write("generate-seeds", "4")
    small(second)
    mine = first.draw("Draw 4 images")
    expect(mine.get_by_role("progressbar")).to_be_visible()
    theirs = second.draw()
    expect(theirs).to_contain_text("Next in the queue")
    expect(second.queue).not_to_contain_text("4 images")  # which is another visitor's
    expect(second.queue.get_by_role("button", name="Cancel")).to_have_count(1)
    mine.get_by_role("button", name="Cancel").click()
    expect(mine).to_contain_text("Cancelled", timeout=DRAWN_MS)
    second.drawn(theirs)


def test_a_folder_of_images_is_imported_with_a_report(
    tmp_path: Path, app: App, visit: Visit
) -> None:
    folder = tmp_path / "from a model"
    (folder / "cna").mkdir(parents=True)
    prompts = prompt_set("mini").prompts()[:2]
    for number, prompt in enumerate(prompts):
        pixels = np.random.default_rng(number).integers(0, 256, (32, 32, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{prompt.id}_1.png")
    (folder / f"{prompts[1].id}_2.png").write_bytes(b"cut off")
    (folder / "notes.png").write_bytes(b"")
    tab = GeneratePage(visit(app.address + LINK))
    tab.page.get_by_role("button", name="Bring your own images").click()
    dialog = tab.page.get_by_role("dialog", name="Bring your own images")
    dialog.get_by_label("Folder on your computer").set_input_files(folder)
    dialog.get_by_label("Prompts", exact=True).select_option("mini")
    dialog.get_by_label("Model that drew them").fill("A model of mine")
    dialog.get_by_role("button", name="Check the folder").click()
    start = dialog.get_by_role("button", name="Import 2 images")
    expect(start).to_be_visible()
    # What was looked at is what is imported: another name asks to look again.
    dialog.get_by_label("Model that drew them").fill("A model of mine, 20 steps")
    expect(start).to_be_hidden()
    dialog.get_by_role("button", name="Check the folder").click()
    start.click()
    expect(dialog.get_by_role("status").last).to_contain_text("2images read and stored")
    expect(dialog.get_by_role("status").last).to_contain_text("2files broken, left out")
    dialog.get_by_text("Belongs to no prompt (").click()
    expect(dialog).to_contain_text("notes.png")
    # It ends in a score: nothing came with a mask here, so that every pixel counts.
    expect(dialog.get_by_label("Measure")).to_have_value("whole")
    dialog.get_by_role("button", name="Score them").click()
    report = dialog.get_by_role("status").last
    expect(report).to_contain_text("2verdicts by truehue", timeout=DRAWN_MS)
    dialog.get_by_role("button", name="Close").click()
    shot = tab.shots.filter(has_text="A model of mine").filter(has_text=prompts[0].text)
    expect(shot.first.locator("img")).to_be_visible()
    expect(shot.first.locator(".th-shot-word")).to_be_visible()
    shot.first.locator(".th-shot-picture").click()
    bench = Workbench(tab.page)
    expect(bench.object_name).to_have_value(prompts[0].targets[0].name)
    expect(bench.verdict).to_contain_text(re.compile("Pass|Fail|Unscored"))


def test_a_prompt_file_is_imported_and_opened(tmp_path: Path, app: App, visit: Visit) -> None:
    file = tmp_path / "coa_l2.csv"
    file.write_text(
        "id,color,main_obj,sec_obj,prompt\n1,Pink,mango,lemon,A Pink mango beside a lemon.\n"
        "2,Blurple,mango,lemon,A Blurple mango beside a lemon.\n"
    )
    tab = GeneratePage(visit(app.address + LINK))
    tab.page.locator("#prompts").get_by_role("button", name="Import").click()
    dialog = tab.page.get_by_role("dialog", name="Import prompts")
    dialog.get_by_label("Prompt files").set_input_files(file)
    expect(dialog).to_contain_text("1prompt taken")
    dialog.get_by_text("Could not be read (").click()
    expect(dialog).to_contain_text("Blurple")
    dialog.get_by_role("button", name="Close").click()
    expect(tab.matches).to_have_text("1 prompt")
    expect(tab.rows.first).to_contain_text("A Pink mango beside a lemon.")


def test_what_cannot_be_drawn_is_said_before_one_presses(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.mode("Own words")
    for control, text, said in (
        ("generate-seed", "", "first seed is a whole number"),
        ("generate-guidance", "strong", "'strong' is none"),
        ("generate-steps", "0", "Steps is a whole number"),
    ):
        expect(tab.draw_button).to_be_enabled()
        tab.unfold(control)
        before = tab.page.locator(f"#{control} input").first.input_value()
        tab.write(control, text)
        expect(tab.note).to_contain_text(re.compile(said, re.IGNORECASE))
        expect(tab.draw_button).to_be_disabled()
        tab.write(control, before)
    expect(tab.draw_button).to_be_enabled()
    # Words alone are no picture for the renderer.
    tab.write("generate-text", "A sunset over the sea")
    expect(tab.page.locator("#generate-object input")).to_have_value("")
    expect(tab.page.locator("#reading")).to_contain_text("Nothing here will be scored")
    expect(tab.note).to_contain_text("choose an object and a color")
    expect(tab.draw_button).to_have_attribute("aria-disabled", "true")


def test_own_words_say_what_is_judged_and_are_drawn_so(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.mode("Own words")
    small(tab)
    text = tab.page.locator("#generate-text textarea")
    text.press_sequentially("A photo of a blue unicorn riding a teapot")
    reading = tab.page.locator("#reading")
    expect(reading).to_contain_text("Judged as: unicorn, blue")
    expect(reading).to_contain_text("The teapot has no asked color")
    expect(reading).to_contain_text("A cube stands in for the unicorn")
    expect(tab.page.locator("#generate-object input")).to_have_value("unicorn")
    expect(tab.color).to_have_value("blue")
    tab.color.fill("red")
    tab.color.press("Enter")
    expect(reading).to_contain_text("Color was set by hand; the words say unicorn, blue.")
    reading.get_by_role("button", name="Follow the words").click()
    expect(reading).to_contain_text("Judged as: unicorn, blue")
    tab.drawn(tab.draw())
    result = tab.page.locator("#result")
    expect(result.locator("img")).to_be_visible()
    expect(result.locator(".th-result-verdict")).to_contain_text(re.compile("Pass|Fail|Unscored"))
    expect(tab.shots.first.locator(".th-shot-target")).to_contain_text("unicorn")
    # What was read of an earlier text is dimmed, and a lost answer is asked for again.
    asking = "**/gradio_api/queue/join**"
    tab.page.route(asking, lambda route: route.fulfill(json={"event_id": "lost"}))
    text.fill("A photo of a green dog")
    busy = reading.locator(".th-reading[aria-busy=true]")
    expect(busy).to_contain_text("unicorn")
    tab.page.unroute(asking)
    expect(reading).to_contain_text("Judged as: dog, green", timeout=10_000)
    expect(busy).to_have_count(0)


def test_the_first_picture_is_on_the_first_screen(app: App, visit: Visit) -> None:
    page = visit(app.address + LINK)
    page.set_viewport_size({"width": 1440, "height": 900})
    tab = GeneratePage(page)
    tab.mode("Own words")
    tab.drawn(tab.draw())
    expect(page.locator("#result .th-result-about")).to_contain_text("orange mug")
    expect(page.locator("#result .th-result-verdict")).to_contain_text(
        "y truehue", timeout=DRAWN_MS
    )
    assert page.evaluate("scrollY") == 0
    for part in ("#draw button", "#queue .th-queue", "#result .th-result-picture"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, part
    page.locator("#result .th-result-picture").click()
    expect(Workbench(page).object_name).to_have_value("mug")


def test_words_lead_to_filters_and_other_spellings(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.search.fill("purple fruit")
    offer = tab.page.locator("#prompts .th-suggest")
    category = offer.get_by_role("button", name=re.compile(r"^Category: Fruits and vegetables \("))
    count = re.search(r"\(([\d,]+)\)", str(category.text_content()))
    assert count is not None
    category.click()
    expect(tab.matches).to_have_text(re.compile(f"^{count[1]} of"))
    expect(tab.search).to_have_value("purple")
    tab.page.locator("#prompts .th-chip-button", has_text="Category").click()
    tab.search.fill("purpel")
    offer.get_by_role("button", name="“purple”").click()
    expect(tab.search).to_have_value("purple")


def test_shift_takes_a_range_and_an_emptied_basket_comes_back(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK))
    tab.box(tab.rows.nth(1)).click()
    tab.box(tab.rows.nth(6)).click(modifiers=["Shift"])
    basket = tab.page.locator("#ask").get_by_role("tab", name="Basket · 6")
    expect(basket).to_be_visible()
    tab.page.get_by_role("button", name="Empty the basket").click()
    expect(basket).to_be_hidden()
    tab.page.locator("#ask").get_by_role("button", name="Undo").click()
    expect(basket).to_be_visible()
    tab.box(tab.rows.nth(3)).click(modifiers=["Shift"])
    expect(tab.page.locator("#ask").get_by_role("tab", name="Basket · 2")).to_be_visible()


def test_a_model_without_weights_says_how_to_get_them(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK + "&mode=own&model=sdxl-base-1.0&object=mug"))
    missing = tab.page.locator("#models-about .th-models")
    expect(missing).to_contain_text("python -m core.generation download sdxl-base-1.0")
    expect(tab.page.locator("#generate-light")).to_be_hidden()
    expect(tab.draw_button).to_have_attribute("aria-disabled", "true")
    expect(tab.note).to_contain_text("cannot draw here yet")
    tab.page.locator("#generate-model input").click()
    expect(tab.page.get_by_role("option", name=re.compile("not here")).first).to_be_visible()


def test_a_failure_acted_out_is_seen_by_the_verdict(app: App, visit: Visit) -> None:
    tab = GeneratePage(visit(app.address + LINK + "&mode=own&light=even"))
    small(tab)
    tab.drawn(tab.draw())
    tab.page.get_by_role("combobox", name="Rule of the verdicts").select_option("released")
    expect(tab.shots.first.locator(".th-badge")).to_have_text("pass")
    tab.unfold("generate-failure")
    tab.page.locator("#generate-failure input").click()
    tab.page.get_by_role("option", name=re.compile("^ignored")).click()
    tab.drawn(tab.draw())
    expect(tab.shots.first).to_contain_text("failure: ignored")
    expect(tab.shots.first.locator(".th-badge")).to_have_text("fail")


def test_the_tour_leads_from_drawing_to_a_verdict(app: App, visit: Visit) -> None:
    page = visit(f"{app.address}{LINK}&mode=own&text=A%20vivid%20red%20cube&seed=7&failure=ignored")
    tab = GeneratePage(page)
    text = page.locator("#generate-text textarea")
    expect(page.locator("#generate-object input")).to_have_value("cube")
    page.get_by_role("button", name="Tour").click()
    card = page.get_by_role("dialog", name="Tour")
    expect(card).to_contain_text("Draw a mug of known color")
    # The tour brings its own example, whatever stood in the form.
    expect(text).to_have_value("")
    expect(page.locator("#reading")).to_contain_text("mug, Vivid reddish orange")
    expect(tab.seed).to_have_value("0")
    expect(card.get_by_role("button", name="Back")).to_be_disabled()
    small(tab)
    tab.draw_button.click()
    expect(card).to_contain_text("See the verdict", timeout=DRAWN_MS)
    expect(page.locator("#result .th-result-picture")).to_be_enabled(timeout=DRAWN_MS)
    for part in ("#draw", "#queue .th-queue", "#result .th-result-picture"):
        wait_apart(card, page.locator(part))
    follow = card.get_by_role("button", name="Next")
    follow.click()
    expect(card).to_contain_text("Change the rule")
    Workbench(page).shown()
    wait_apart(card, page.locator("#rule"))
    follow.click()
    expect(card).to_contain_text("Fill a basket")
    expect(tab.search).to_be_visible()
    tab.into_basket(3)
    expect(card).to_contain_text("Let a whole run do it")
    expect(page.locator("#explore-runs .th-draw-button")).to_be_visible()
    card.get_by_role("button", name="Back").click()
    expect(card).to_contain_text("Fill a basket")
    expect(tab.search).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    # The reader's prompt is there again, and its fields follow it.
    expect(text).to_have_value("A vivid red cube")
    expect(tab.seed).to_have_value("7")
    expect(page.locator("#generate-object input")).to_have_value("cube")


def wait_apart(one: Locator, other: Locator) -> None:
    """Waits until neither of two boxes lies over the other: the tour makes way twice a second."""
    end = time.monotonic() + MOVED_S
    while not apart(one, other):
        assert time.monotonic() < end, other
        one.page.wait_for_timeout(100)


def apart(one: Locator, other: Locator) -> bool:
    """Whether neither of two boxes lies over the other."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a is not None
    assert b is not None
    beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    return beside or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


def test_a_phone_shows_list_request_and_pictures(app: App, visit: Visit, watch: Watch) -> None:
    page = visit(app.address + LINK)
    page.set_viewport_size({"width": 390, "height": 844})
    tab = GeneratePage(page)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    page.get_by_role("button", name="Filters").click()
    expect(page.locator("#prompts .th-facets")).to_be_visible()
    page.get_by_role("button", name="Filters").click()
    expect(tab.rows.first).to_be_visible()


def test_a_pipeline_of_a_folder_draws_in_steps(tmp_path: Path, app: App, visit: Visit) -> None:
    """A real diffusers pipeline of random weights, opened as published weights are."""
    folder = tmp_path / "tiny pipeline"
    build("stable_diffusion", folder)
    where = quote(f"folder:{folder}", safe="")
    address = f"{app.address}{LINK}&mode=own&object=mug&steps=12&model={where}"
    tab = GeneratePage(visit(address))
    expect(tab.page.locator("#models-about")).to_contain_text("tiny pipeline")
    expect(tab.page.locator("#models-about")).not_to_contain_text("cannot draw")
    tab.drawn(tab.draw())
    shot = tab.shots.first
    expect(shot).to_contain_text("tiny pipeline · seed 0")
    expect(shot).to_contain_text("12 steps")
    expect(shot.locator("img")).to_be_visible()
    # Nobody knows yet which pixels are the mug: there is no verdict, and Inspect asks for a mark.
    expect(shot.locator(".th-badge")).to_have_count(0)
    shot.locator(".th-shot-picture").click()
    expect(Workbench(tab.page).verdict).to_contain_text("Mark the object")


def test_a_picture_is_compared_with_the_one_without_cfr(app: App, visit: Visit) -> None:
    """Drawn by the model that comes with the app, twice; then a map is painted over it."""
    asked = "&mode=own&text=A red mug&model=small&steps=2&guidance=1"
    tab = GeneratePage(visit(app.address + LINK + asked))
    page, realism = tab.page, tab.page.locator("#realism")
    tab.unfold("realism")
    realism.get_by_role("switch").check()
    expect(realism.get_by_role("status")).to_contain_text("has nothing to turn down")
    expect(tab.draw_button).to_be_disabled()
    tab.write("generate-guidance", "6")
    expect(realism.get_by_role("status")).to_be_hidden()
    tab.drawn(tab.draw("Draw 2 images"))
    # 64 pixels are shown five times as large, and never between.
    sides = tab.shots.first.locator("img").evaluate("(one) => one.getBoundingClientRect().width")
    assert sides % 64 == 0
    assert sides > 0

    # As from the comparison's address: More settings are folded away.
    page.locator("#settings-fold button").click()
    expect(realism).to_be_hidden()
    page.locator("#result").get_by_role("button", name="Compare without and with CFR").click()
    dialog = page.get_by_role("dialog", name="Without and with CFR")
    expect(dialog.get_by_role("row", name="ΔSat")).to_be_visible()
    expect(page).to_have_url(re.compile("&pair=[0-9a-f]{16}"))
    wipe = dialog.get_by_role("slider")
    expect(wipe).to_be_focused()
    wipe.press("ArrowRight")
    expect(wipe).to_have_value("51")
    box = dialog.locator(".th-cfr-stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.51 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    page.mouse.up()
    assert abs(int(wipe.input_value()) - 25) <= 2
    dialog.get_by_role("button", name="Difference").click()
    expect(dialog.get_by_role("img", name="The difference of every pixel")).to_be_visible()
    expect(dialog.locator(".th-cfr-scale")).to_contain_text("ΔE00 0")

    dialog.get_by_role("button", name="Paint a map of your own").click()
    expect(page).not_to_have_url(re.compile("pair="))
    paint = page.get_by_role("dialog", name="Paint where guidance is turned down")
    use = paint.get_by_role("button", name="Use this map")
    expect(use).to_be_disabled()
    picture = paint.get_by_role("application")
    expect(picture).to_be_focused()
    for key in ("Enter", "ArrowRight", "Enter"):
        picture.press(key)
    expect(paint).to_contain_text("Guidance is turned down on")
    use.click()
    expect(realism).to_contain_text("64 × 64 cells")
    expect(realism.get_by_role("radio", name="Painted by hand")).to_be_checked()


def test_an_app_that_has_ended_is_said(tmp_path: Path, visit: Visit, watch: Watch) -> None:
    with running(tmp_path / "data") as app:
        tab = GeneratePage(visit(app.address + LINK + "&mode=own"))
        tab.choose("generate-size", "2048 × 2048")
        tab.draw()
        app.stop()
        expect(tab.queue).to_contain_text("TrueHue does not answer")
        visit.leave()
        # The browser's own reports of a connection that is gone are what this test is about.
        watch.faults.clear()
