"""The form of Inspect by its routes: what the page sends, and what comes back."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from tests.browser.still_life import box_around, phone_jpeg, still_life
from tests.core.photographs import object_photograph
from tests.tabs.drawn import drawn
from tests.tabs.inspect.test_tab import box, kept, link_query, value_of, view_of
from truehue.core.color.systems import STANDARDS, parse_target
from truehue.core.concepts.palette import describe_colors
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.load import load_image
from truehue.core.images.pixels import masked_colors
from truehue.core.masks.grounded.variants import VARIANTS
from truehue.core.records import ImageRecord
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import DEFAULT_RULE, RULES
from truehue.tabs.inspect.mask_request import FIRST_VARIANT, first_of
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.inspect.tab import form_html
from truehue.tabs.page.context import Context
from truehue.tabs.page.routes import routes

pytestmark = pytest.mark.slow

Photograph = tuple[np.ndarray, list[int]]
QUESTION: dict[str, Any] = {
    "object": "",
    "target": "css:orange",
    "rule": "paper",
    "k": 0,
    "show_measured": True,
    "neighbors_of": "l3",
    "relation": "matches",
}
NO_TARGET = {**QUESTION, "target": ""}


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (inspect_routes, routes):
        app.include_router(make(context))
    with TestClient(app, headers={"X-TrueHue": "1"}) as made:
        yield made


def scored(client: TestClient, value: dict[str, Any], **changes: Any) -> Any:
    """The answer to marks, with the question as it stands but for ``changes``."""
    return client.post("/api/inspect/score", json={**value, **QUESTION, **changes}).json()


def opened(client: TestClient, image_id: str, **changes: Any) -> Any:
    """The answer to an image that is opened."""
    sent = {"image": image_id, **NO_TARGET, **changes}
    return client.post("/api/inspect/open", json=sent).json()


def followed(client: TestClient, **query: str) -> Any:
    """The answer to a link."""
    return client.post("/api/inspect/link", json={"query": query}).json()


def test_a_mark_is_judged_and_the_header_counts(
    context: Context, client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph), seq=3)
    answer = scored(client, value)
    assert answer["stage"]["seq"] == 3
    assert view_of(answer["verdict"])["status"] in ("pass", "fail")
    assert answer["data"] == context.data_text() == "data · 1 image · 0 verdicts"
    kept(context, answer["verdict"])
    assert scored(client, value)["data"] == f"data · 1 image · {len(RULES)} verdicts"


def test_without_an_image_the_question_waits_for_one(client: TestClient) -> None:
    answer = scored(client, {})
    assert view_of(answer["verdict"])["status"] == "waiting"
    assert (answer["stage"], answer["evidence"]) == ({}, {"view": "", "image": ""})


def test_without_a_question_the_colors_are_told(
    client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    for mark, pixels, title in (
        ([], np.ones((128, 128), bool), "Colors of the whole image"),
        ([box(photograph)], object_photograph(128)[1], "What color is it?"),
    ):
        answer = scored(client, value_of(stored, *mark), target="")
        view = view_of(answer["verdict"])
        assert (view["status"], view["colors"]["of"]) == ("waiting", title)
        # A box is not quite the object, so the numbers are near.
        wanted = describe_colors(masked_colors(photograph[0], pixels)).lit_lab
        lab = re.findall(r"-?[\d.]+", view["colors"]["rows"][0]["lab"].replace("−", "-"))
        np.testing.assert_allclose([float(item) for item in lab], wanted, atol=2.5)
        assert len(view["colors"]["rows"][0]["names"]) == len(STANDARDS) == 4
        assert bool(view_of(answer["evidence"])) == bool(mark)


def test_what_the_fields_cannot_hold_is_refused_in_words(
    client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    assert view_of(scored(client, value, rule="released")["verdict"])["question"]["rule"] == (
        "released"
    )
    for wrong, text in (
        ({"rule": "mine"}, "Reload the page"),
        ({"rule": 5}, "Reload the page"),
        ({"neighbors_of": "l9"}, "Reload the page"),
        ({"relation": []}, "Reload the page"),
        ({"k": 99}, "a whole number from 0 to"),
        ({"k": 2.5}, "a whole number from 0 to"),
        ({"k": ""}, "a whole number from 0 to"),
    ):
        answer = scored(client, value, **wrong)
        assert view_of(answer["verdict"])["status"] == "unscored"
        assert text in answer["stage"]["message"], wrong


def test_a_photograph_opens_without_the_question_of_the_one_before(
    context: Context, client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    answer = scored(client, value_of(stored, box(photograph)), object="jar")
    fresh = opened(client, stored.image_id)
    assert fresh["stage"]["image_name"] == "photograph.png"
    question = fresh["question"]
    assert (question["object"], question["target"], question["rule"]) == ("", "", "paper")
    assert fresh["data"] == context.data_text()
    # From the drawer it comes with its last question, mask and all.
    row = kept(context, answer["verdict"])
    again = opened(client, stored.image_id, last=True)
    assert (again["question"]["object"], again["question"]["target"]) == ("jar", "css:orange")
    assert view_of(again["verdict"])["evidence_id"] == row.evidence_id
    assert len(again["stage"]["marks"]) == 1


def test_a_stored_image_without_a_verdict_opens_without_a_question(
    client: TestClient, stored: ImageRecord
) -> None:
    answer = opened(client, stored.image_id, last=True)
    assert answer["stage"]["image_name"] == "photograph.png"
    assert (answer["question"]["object"], answer["question"]["target"]) == ("", "")
    assert answer["stage"]["marks"] == []


def test_another_room_opens_an_image_with_rule_color_and_mask(
    context: Context, client: TestClient
) -> None:
    record = drawn(context, "mug", "css:teal")
    (mask,) = context.storage.masks.for_image(record.image_id)
    sent = {"object": "mug", "target": "css:orange", "mask": mask.mask_id, "rule": "released"}
    answer = opened(client, record.image_id, **sent, k=2)
    assert (answer["question"]["rule"], answer["question"]["k"]) == ("released", 2)
    shown = view_of(answer["verdict"])["question"]
    assert (shown["rule"], shown["mask"], shown["object"]) == ("released", mask.mask_id, "mug")
    assert parse_target(shown["target"]).name == "orange"
    assert "1 image" in answer["data"]
    answer = opened(client, record.image_id, **sent, relation="differs")
    assert answer["question"]["relation"] == "differs"
    assert view_of(answer["verdict"])["relation"] == "differs"


def test_what_cannot_be_opened_is_said(client: TestClient) -> None:
    assert "Nothing is stored" in opened(client, "f" * 64)["error"]
    missing = client.post("/api/inspect/open", json=QUESTION)
    assert (missing.status_code, missing.json()["field"]) == (400, "image")
    assert opened(client, "f" * 65)["field"] == "image"


def test_the_address_of_a_page_is_opened(client: TestClient, stored: ImageRecord) -> None:
    query = {"image": stored.image_id[:16], "target": "css:tomatto", "rule": "released"}
    answer = followed(client, **query)
    assert answer["stage"]["image_id"] == stored.image_id
    question = answer["question"]
    assert (question["target"], question["rule"]) == ("css:tomatto", "released")
    assert followed(client, **{**query, "tab": "generate"}) == {}


def test_limits_of_a_link_are_tried_and_wrong_ones_are_told(
    client: TestClient, stored: ImageRecord
) -> None:
    answer = followed(client, image=stored.image_id, limits="delta_e00:8.0")
    assert answer["verdict"]["limits"] == "delta_e00:8"
    answer = followed(client, image=stored.image_id, limits="nonsense")
    assert answer["verdict"]["limits"] == ""
    assert "nonsense" in answer["stage"]["message"]


def test_a_link_with_a_color_that_is_none_names_the_nearest(
    client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    answer = scored(client, value_of(stored, box(photograph)))
    query = link_query(view_of(answer["verdict"])["link"]) | {"target": "css:tomatto"}
    view = view_of(followed(client, **query)["verdict"])
    assert view["title"] == "Not scored"
    assert "tomato" in view["reason"]


def test_neighbors_are_accepted_by_the_rules_that_take_them(
    client: TestClient, stored: ImageRecord, photograph: Photograph
) -> None:
    def shown(k: int) -> dict[str, Any]:
        value = value_of(stored, box(photograph))
        answer = scored(client, value, target="css:tomato", rule="truehue", k=k)
        return dict(view_of(answer["verdict"]))

    alone, wide = shown(0), shown(9)
    assert "accepted color" in wide["reason"]
    assert "accepted color" not in alone["reason"]
    assert "k=9" in wide["link"]
    misfits = [view["metrics"][0] for view in (alone, wide)]
    assert misfits[0]["name"] == misfits[1]["name"] == "misfit"
    assert misfits[1]["value"] <= misfits[0]["value"]


def test_marks_that_leave_nothing_are_explained(client: TestClient, stored: ImageRecord) -> None:
    brush = {"type": "brush", "radius": 5, "points": [[40, 40], [60, 40]]}
    erase = {"type": "erase", "radius": 40, "points": [[30, 40], [70, 40]]}
    answer = scored(client, value_of(stored, brush, erase, seq=2))
    assert "leave no pixel" in answer["stage"]["message"]
    assert (answer["stage"]["outline"], answer["stage"]["seq"]) == ("", 2)
    assert view_of(answer["verdict"])["title"] == "Not scored"


# ── Find and Point ──────────────────────────────────────────────────────────────────────────────


def test_find_and_point_say_what_hinders_them(
    context: Context, client: TestClient, stored: ImageRecord
) -> None:
    find = {
        "image_id": stored.image_id,
        "detector": first_of(context.sources, "detector"),
        "segmenter": first_of(context.sources, "segmenter"),
        "variant": FIRST_VARIANT,
        "box_threshold": 0.3,
        "negative_threshold": 0.3,
    }
    for _ in range(2):
        nameless = client.post("/api/inspect/find", json=find)
        assert nameless.status_code == 400
        assert nameless.json()["error"].startswith("Enter an object in the field Object")
    marks = [{"type": "point", "x": 9e5, "y": 1}]
    sent = {"image_id": stored.image_id, "marks": marks, "segmenter": "no-segmenter"}
    assert "no segmenter" in client.post("/api/inspect/points", json=sent).json()["error"]


def test_labels_follow_the_object_and_thresholds_the_variant(
    context: Context, client: TestClient
) -> None:
    labels = client.get("/api/inspect/labels", params={"object": "mug"}).json()
    assert labels == {"labels": "handle, rim, base"}
    for variant_id, fur in (("truehue", False), ("paper", True)):
        asked = {"object": "cat", "variant": variant_id}
        answer = client.get("/api/inspect/labels", params=asked).json()
        assert ("fur" in answer["labels"].split(", ")) is fur
    text = form_html(context.sources)
    for variant in VARIANTS:
        thresholds = variant.box_threshold, variant.negative_threshold
        assert all(0 < number < 1 for number in thresholds)
        assert (
            f'value="{variant.id}" data-box="{thresholds[0]}" data-negative="{thresholds[1]}"'
        ) in text


def test_models_of_ones_own_can_be_typed() -> None:
    text = form_html(Sources.local())
    for name in ("detector", "segmenter", "presence-model"):
        assert f'<input type="text" list="{name}-choices"' in text


# ── files ───────────────────────────────────────────────────────────────────────────────────────


def uploaded(client: TestClient, content: bytes, name: str) -> str:
    answer = client.post("/api/images", content=content, headers={"X-File-Name": name})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["image_id"])


def test_a_phone_photograph_is_measured_upright_by_the_colors_that_it_encodes(
    context: Context, client: TestClient
) -> None:
    srgb8, truth = still_life(albedo=(205, 60, 45), seed=21)
    jpeg, raw = phone_jpeg(srgb8)
    image_id = uploaded(client, jpeg, "IMG_0021.jpg")
    assert np.array_equal(context.srgb8(image_id), load_image(jpeg, "IMG_0021.jpg").srgb8)
    staged = opened(client, image_id, rule=DEFAULT_RULE)["stage"]
    assert (staged["width"], staged["height"]) == (520, 400)
    notes = " ".join(staged["notes"])
    assert "Turned upright" in notes
    assert "“Display P3” to sRGB" in notes
    corners = [float(part) for corner in box_around(truth) for part in corner]
    value = {"image_id": image_id, "marks": [{"type": "box", "box": corners}], "seq": 1}
    verdict = scored(client, value, target="#CD3C2D", rule=DEFAULT_RULE)["verdict"]
    lab = np.array(kept(context, verdict).numbers["lab"])
    target = parse_target("#CD3C2D")
    encoded, taken_raw = (measure(pixels, truth, target).verdict for pixels in (srgb8, raw))
    assert encoded.lab is not None
    assert taken_raw.lab is not None
    # JPEG and the edge of the mask cost little; the profile left out would cost much.
    assert np.linalg.norm(lab - encoded.lab) < 1.0
    assert np.linalg.norm(lab - taken_raw.lab) > 6.0
    # The link has to hold a color in hex as well.
    assert "target=%23CD3C2D" in view_of(verdict)["link"]


def test_a_cutout_brings_its_mask(context: Context, client: TestClient) -> None:
    srgb8, truth = still_life(seed=41)
    out = io.BytesIO()
    alpha = np.where(truth, 255, 0).astype(np.uint8)
    Image.fromarray(np.dstack([srgb8, alpha])).save(out, format="PNG")
    image_id = uploaded(client, out.getvalue(), "cutout.png")
    staged = opened(client, image_id)["stage"]
    assert "From the file's transparency" in staged["mask_text"]
    value = {"image_id": image_id, "marks": staged["marks"], "seq": 1}
    verdict = scored(client, value, target="l3:Vivid reddish orange")["verdict"]
    laid = np.where(truth[..., None], srgb8, 255).astype(np.uint8)
    wanted = measure(laid, truth, parse_target("l3:Vivid reddish orange"), "paper")
    row = kept(context, verdict)
    assert row.mask_id is not None
    assert np.array_equal(context.storage.masks.pixels(row.mask_id), truth)
    assert row.numbers == wanted.numbers()


# ── a pixel ─────────────────────────────────────────────────────────────────────────────────────


def test_the_color_of_a_pixel_is_named_in_four_systems(client: TestClient) -> None:
    named = client.get("/api/color/FF6347").json()
    refused = client.get("/api/color/nothing")
    assert named["lab"].replace("\N{NO-BREAK SPACE}", " ").startswith("L* 62.2 ")
    assert named["lch"].replace("\N{NO-BREAK SPACE}", " ") == "C* 74.18 · h 38.7°"
    assert (named["names"][0]["name"], named["names"][0]["delta_e00"]) == ("tomato", "0.0")
    assert len(named["names"]) == len(STANDARDS)
    assert refused.status_code == 400
    assert "error" in refused.json()


@pytest.mark.parametrize(
    ("code", "hue"),
    [("FFFFFF", r"–"), ("808080", "–"), ("000000", "–"), ("86807E", r"[345]\d\.\d°")],
)
def test_a_neutral_has_no_hue(client: TestClient, code: str, hue: str) -> None:
    lch = client.get(f"/api/color/{code}").json()["lch"]
    assert re.fullmatch(rf"C\*\s[0-5]\.\d\d\s· h\s{hue}", lch)
