"""The events of Inspect as Gradio calls them: what each component causes, and what comes back."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gradio as gr
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from tests.browser.still_life import box_around, phone_jpeg, still_life
from tests.core.photographs import object_photograph
from tests.tabs.inspect.test_tab import box, filled, kept, plain, untouched, value_of, view_of
from truehue.core.color.systems import SYSTEMS, parse_target
from truehue.core.concepts.palette import describe_colors
from truehue.core.images.load import load_image
from truehue.core.images.pixels import masked_colors
from truehue.core.records import ImageRecord
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import DEFAULT_RULE, RULES
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page import context as page_context
from truehue.tabs.page.context import Context
from truehue.tabs.page.routes import routes

pytestmark = pytest.mark.slow

Photograph = tuple[np.ndarray, list[int]]
CONTROLS = ("", "css:orange", "paper", 0, True, "l3", "matches")


@dataclass(frozen=True)
class Page:
    """The tab of a page, with what its events call."""

    demo: gr.Blocks
    view: inspect.View
    header: Any

    def handlers(self, component: Any) -> dict[str, Any]:
        """The functions behind the events of a component, by the event's name."""
        return {
            event: fn.fn
            for fn in self.demo.fns.values()
            for target, event in fn.targets
            if target == component._id
        }

    def cause(self, component: Any, event: str, *values: Any, **query: str) -> Any:
        """What the event brings back when a person at this page causes it."""
        request: Any = SimpleNamespace(query_params=query, cookies={})
        return self.handlers(component)[event](request, *values)

    def send(self, event: str, data: Any, *values: Any) -> Any:
        """The same of an event with which the stage sends data."""
        request: Any = SimpleNamespace(query_params={}, cookies={})
        simple_namespace: Any = SimpleNamespace(_data=data)
        return self.handlers(self.view.stage)[event](request, simple_namespace, *values)


@pytest.fixture
def page(context: Context) -> Page:
    with gr.Blocks() as demo:
        header = gr.HTML(data="")
        parts = page_context.Page(context, header, None)
        parts.views["inspect"] = view = inspect.layout(parts)
        inspect.wire(parts)
    return Page(demo, view, header)


def test_every_control_of_the_question_judges_again(page: Page) -> None:
    view = page.view
    for component, events in (
        (view.object_name, {"submit", "blur"}),
        (view.target, {"input"}),
        (view.rule, {"input"}),
        (view.neighbors, {"input"}),
        (view.neighbors_of, {"input"}),
        (view.relation, {"input"}),
        (view.show_measured, {"input"}),
        (view.stage, {"change", "open", "browse", "find", "points"}),
        (view.verdict, {"rule", "ready"}),
        (view.library, {"open"}),
    ):
        assert events <= set(page.handlers(component)), component
    # What is chosen is judged by: with other neighbors, other numbers may decide.
    judged = [
        fn
        for fn in page.demo.fns.values()
        if (view.neighbors._id, "input") in fn.targets or (view.stage._id, "change") in fn.targets
    ]
    wanted = [view.stage, *view.asked]
    assert [[item._id for item in fn.inputs] for fn in judged] == [
        [item._id for item in wanted]
    ] * 2
    filled_by = [item._id for item in (*view.results, page.header)]
    assert [[output._id for output in fn.outputs] for fn in judged] == [filled_by] * 2


def test_a_mark_is_judged_and_the_header_counts(
    context: Context, page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph), seq=3)
    staged, verdict, _, header = page.cause(page.view.stage, "change", value, *CONTROLS)
    assert staged["seq"] == 3
    assert view_of(verdict)["status"] in ("pass", "fail")
    assert header["data"] == context.data_text() == "data · 1 image · 0 verdicts"
    kept(context, verdict)
    *_, header = page.cause(page.view.neighbors, "input", value, *CONTROLS)
    assert header["data"] == f"data · 1 image · {len(RULES)} verdicts"
    # That an image was opened or restored is no mark: it is answered elsewhere.
    for message in ({"opened": stored.image_id, "seq": 4}, {**value, "restored": 5}):
        answer = page.cause(page.view.stage, "change", message, *CONTROLS)
        assert all(map(untouched, answer))
        assert len(answer) == 4


def test_without_a_question_the_colors_are_told(
    context: Context, page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    target = ("", "", *CONTROLS[2:])
    for mark, pixels, title in (
        ([], np.ones((128, 128), bool), "Colors of the whole image"),
        ([box(photograph)], object_photograph(128)[1], "What color is it?"),
    ):
        value = value_of(stored, *mark)
        _, verdict, evidence, _ = page.cause(page.view.stage, "change", value, *target)
        view = view_of(verdict)
        assert (view["status"], view["colors"]["of"]) == ("waiting", title)
        # A box is not quite the object, so the numbers are near.
        wanted = describe_colors(masked_colors(photograph[0], pixels)).lit_lab
        lab = re.findall(r"-?[\d.]+", view["colors"]["rows"][0]["lab"].replace("−", "-"))
        np.testing.assert_allclose([float(item) for item in lab], wanted, atol=2.5)
        assert len(view["colors"]["rows"][0]["names"]) == len(SYSTEMS) == 4
        assert bool(view_of(evidence)) == bool(mark)


def test_a_rule_of_the_card_is_chosen_and_judged_by(
    page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    rule, _, verdict, *_ = page.cause(
        page.view.verdict, "rule", {"rule": "released"}, value, *CONTROLS
    )
    assert rule == "released"
    assert view_of(verdict)["question"]["rule"] == "released"
    for nonsense in ({"rule": "mine"}, None):
        rule, *_ = page.cause(page.view.verdict, "rule", nonsense, value, *CONTROLS)
        assert rule == "paper"


def test_a_photograph_opens_without_the_question_of_the_one_before(
    context: Context, page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    target = ("jar", *CONTROLS[1:])
    value = value_of(stored, box(photograph))
    _, verdict, *_ = page.cause(page.view.stage, "change", value, *target)
    *updates, header = page.cause(page.view.stage, "open", {"opened": stored.image_id}, *target)
    opened = filled(page.view, updates)
    assert opened["stage"]["image_name"] == "photograph.png"
    assert (plain(opened["object_name"]), plain(opened["target"])) == ("", "")
    assert plain(opened["rule"]) == "paper"
    assert header["data"] == context.data_text()
    # From the drawer it comes with its last question, mask and all.
    row = kept(context, verdict)
    *updates, _ = page.cause(
        page.view.library, "open", {"opened": stored.image_id}, "", "", *CONTROLS[2:]
    )
    opened = filled(page.view, updates)
    assert (plain(opened["object_name"]), plain(opened["target"])) == ("jar", "css:orange")
    assert view_of(opened["verdict"])["evidence_id"] == row.evidence_id
    assert len(opened["stage"]["marks"]) == 1


def test_a_stored_image_without_a_verdict_opens_without_a_question(
    page: Page, stored: ImageRecord
) -> None:
    target = ("mug", "css:blue", *CONTROLS[2:])
    *updates, _ = page.cause(page.view.library, "open", {"opened": stored.image_id}, *target)
    opened = filled(page.view, updates)
    assert opened["stage"]["image_name"] == "photograph.png"
    assert (plain(opened["object_name"]), plain(opened["target"])) == ("", "")
    assert opened["stage"]["marks"] == []


def test_what_cannot_be_opened_is_said_and_nothing_else_changes(
    context: Context, page: Page, stored: ImageRecord
) -> None:
    answer = page.cause(page.view.stage, "open", {"opened": "f" * 64}, *CONTROLS)
    staged, verdict, *rest, header = answer
    assert "Nothing is stored" in staged["message"]
    assert set(staged) == {"__type__", "message"}
    assert view_of(verdict)["status"] == "unscored"
    assert all(map(untouched, rest))
    assert header["data"] == context.data_text()
    for nothing in (None, {"image_id": stored.image_id}, {"opened": 5}):
        answer = page.cause(page.view.stage, "open", nothing, *CONTROLS)
        assert all(map(untouched, answer))


def test_the_address_of_a_page_is_opened_when_its_card_is_drawn(
    page: Page, stored: ImageRecord
) -> None:
    query = {"image": stored.image_id[:16], "target": "css:tomatto", "rule": "released"}
    opened = filled(page.view, page.cause(page.view.verdict, "ready", **query))
    assert opened["stage"]["image_id"] == stored.image_id
    assert (plain(opened["target"]), plain(opened["rule"])) == ("css:tomatto", "released")
    answer = page.cause(page.view.verdict, "ready", **{**query, "tab": "generate"})
    assert all(map(untouched, answer))


def test_a_link_with_a_color_that_is_none_names_the_nearest(
    page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    _, verdict, *_ = page.cause(page.view.stage, "change", value, *CONTROLS)
    query = dict(pair.split("=", 1) for pair in view_of(verdict)["link"].lstrip("?").split("&")) | {
        "target": "css:tomatto"
    }
    opened = filled(page.view, page.cause(page.view.verdict, "ready", **query))
    assert view_of(opened["verdict"])["title"] == "Not scored"
    assert "tomato" in view_of(opened["verdict"])["reason"]


def test_neighbors_are_accepted_by_the_rules_that_take_them(
    page: Page, stored: ImageRecord, photograph: Photograph
) -> None:
    def shown(k: int) -> dict[str, Any]:
        target = ("", "css:tomato", "truehue", k, *CONTROLS[4:])
        value = value_of(stored, box(photograph))
        return view_of(page.cause(page.view.neighbors, "input", value, *target)[1])

    alone, wide = shown(0), shown(9)
    assert "accepted color" in wide["reason"]
    assert "accepted color" not in alone["reason"]
    assert "k=9" in wide["link"]
    misfits = [view["metrics"][0] for view in (alone, wide)]
    assert misfits[0]["name"] == misfits[1]["name"] == "misfit"
    assert misfits[1]["value"] <= misfits[0]["value"]


def test_the_drawer_opens_each_time(page: Page) -> None:
    first, second = (page.cause(page.view.stage, "browse", None) for _ in range(2))
    assert first["open"] > 0
    assert second["open"] >= first["open"]


def test_marks_that_leave_nothing_are_explained(page: Page, stored: ImageRecord) -> None:
    brush = {"type": "brush", "radius": 5, "points": [[40, 40], [60, 40]]}
    erase = {"type": "erase", "radius": 40, "points": [[30, 40], [70, 40]]}
    value = value_of(stored, brush, erase, seq=2)
    staged, verdict, *_ = page.cause(page.view.stage, "change", value, *CONTROLS)
    assert "leave no pixel" in staged["message"]
    assert (staged["outline"], staged["seq"]) == ("", 2)
    assert view_of(verdict)["title"] == "Not scored"


# ── Find and Point ──────────────────────────────────────────────────────────────────────────────


def test_find_and_point_say_what_hinders_them_each_time_anew(
    page: Page, stored: ImageRecord
) -> None:
    values = [item.value for item in page.view.find.asked]
    nameless = page.send("find", {"image_id": stored.image_id}, "", *values)["work"]
    assert nameless["problem"].startswith("Enter an object in the field Object")
    assert (nameless["image_id"], nameless["kind"]) == (stored.image_id, "find")
    # The same words twice are two answers.
    again = page.send("find", {"image_id": stored.image_id}, "", *values)["work"]
    assert again["at"] > nameless["at"]
    data = {"image_id": stored.image_id, "marks": [{"type": "point", "x": 9e5, "y": 1}]}
    pointed = page.send("points", data, "no-segmenter")["work"]
    assert pointed["kind"] == "points"
    assert pointed["problem"]


def test_labels_follow_the_object_and_thresholds_the_variant(page: Page) -> None:
    assert page.cause(page.view.object_name, "change", "mug") == "handle, rim, base"
    paper = page.cause(page.view.find.variant, "input", "paper")
    released = page.cause(page.view.find.variant, "input", "released")
    assert all(0 < number < 1 for number in (*paper, *released))
    assert paper != released


def test_models_of_ones_own_can_be_typed(page: Page) -> None:
    find = page.view.find
    for choice in (find.detector, find.segmenter, find.presence):
        assert choice.allow_custom_value


# ── files ───────────────────────────────────────────────────────────────────────────────────────


def uploaded(context: Context, content: bytes, name: str) -> dict[str, Any]:
    app = FastAPI()
    app.include_router(routes(context))
    headers = {"X-TrueHue": "1", "X-File-Name": name}
    with TestClient(app) as client:
        answer = client.post("/api/images", content=content, headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_phone_photograph_is_measured_upright_by_the_colors_that_it_encodes(
    context: Context, page: Page
) -> None:
    srgb8, truth = still_life(albedo=(205, 60, 45), seed=21)
    jpeg, raw = phone_jpeg(srgb8)
    image_id = uploaded(context, jpeg, "IMG_0021.jpg")["image_id"]
    assert np.array_equal(context.srgb8(image_id), load_image(jpeg, "IMG_0021.jpg").srgb8)
    requested = ("", "#CD3C2D", DEFAULT_RULE, *CONTROLS[3:])
    *updates, _ = page.cause(page.view.stage, "open", {"opened": image_id}, *requested)
    staged = filled(page.view, updates)["stage"]
    assert (staged["width"], staged["height"]) == (520, 400)
    notes = " ".join(staged["notes"])
    assert "Turned upright" in notes
    assert "“Display P3” to sRGB" in notes
    corners = [float(part) for corner in box_around(truth) for part in corner]
    value = {"image_id": image_id, "marks": [{"type": "box", "box": corners}], "seq": 1}
    _, verdict, *_ = page.cause(page.view.stage, "change", value, *requested)
    lab = np.array(kept(context, verdict).numbers["lab"])
    target = parse_target("#CD3C2D")
    encoded, taken_raw = (measure(pixels, truth, target).verdict for pixels in (srgb8, raw))
    assert encoded.lab is not None
    assert taken_raw.lab is not None
    # JPEG and the edge of the mask cost little; the profile left out would cost much.
    assert np.linalg.norm(lab - encoded.lab) < 1.0
    assert np.linalg.norm(lab - taken_raw.lab) > 6.0
    # The link has to hold a color in hex as well.
    link = view_of(verdict)["link"]
    assert "target=%23CD3C2D" in link


def test_a_cutout_brings_its_mask(context: Context, page: Page) -> None:
    srgb8, truth = still_life(seed=41)
    out = io.BytesIO()
    alpha = np.where(truth, 255, 0).astype(np.uint8)
    Image.fromarray(np.dstack([srgb8, alpha])).save(out, format="PNG")
    image_id = uploaded(context, out.getvalue(), "cutout.png")["image_id"]
    *updates, _ = page.cause(page.view.stage, "open", {"opened": image_id}, *CONTROLS)
    staged = filled(page.view, updates)["stage"]
    assert "From the file's transparency" in staged["mask_text"]
    value = {"image_id": image_id, "marks": staged["marks"], "seq": 1}
    target = ("", "l3:Vivid reddish orange", *CONTROLS[2:])
    _, verdict, *_ = page.cause(page.view.stage, "change", value, *target)
    laid = np.where(truth[..., None], srgb8, 255).astype(np.uint8)
    wanted = measure(laid, truth, parse_target("l3:Vivid reddish orange"), "paper")
    row = kept(context, verdict)
    assert row.mask_id is not None
    assert np.array_equal(context.storage.masks.pixels(row.mask_id), truth)
    assert row.numbers == wanted.numbers()


# ── a pixel ─────────────────────────────────────────────────────────────────────────────────────


def test_the_color_of_a_pixel_is_named_in_four_systems(context: Context) -> None:
    app = FastAPI()
    app.include_router(inspect_routes(context))
    with TestClient(app) as client:
        named = client.get("/api/color/FF6347").json()
        refused = client.get("/api/color/nothing")
    assert named["lab"].replace("\N{NO-BREAK SPACE}", " ").startswith("L* 62.2 ")
    assert named["lch"]
    assert (named["names"][0]["name"], named["names"][0]["delta_e00"]) == ("tomato", "0.0")
    assert len(named["names"]) == len(SYSTEMS)
    assert refused.status_code == 400
    assert "error" in refused.json()
