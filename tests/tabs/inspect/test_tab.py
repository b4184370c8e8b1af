"""The functions of Inspect, called as its routes call them, with a real storage."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from tests.core.photographs import bounds, object_photograph
from tests.salient import link_weights, network, weights
from tests.tabs.drawn import drawn
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, NotAllowed, ObjectNotFound
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.pixels import Mask
from truehue.core.masks.marks import NOTHING_STANDS_OUT, SALIENT
from truehue.core.records import EvidenceRecord, GenerationRecord, ImageRecord
from truehue.core.verdict.measure import TargetObject, measure
from truehue.core.verdict.rules import DEFAULT_RULE, RULES
from truehue.tabs.inspect.form import (
    FollowLink,
    MarkedImage,
    OpenImage,
    open_image,
    open_link,
    score_marks,
)
from truehue.tabs.inspect.score import judge
from truehue.tabs.inspect.view import confidence_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.verdicts.judgments import QuestionRequest, save_question

pytestmark = pytest.mark.slow

__all__ = ["network"]
Photograph = tuple[np.ndarray, list[int]]
ALL_RULES = [by.id for by in RULES]


def value_of(image: ImageRecord, *marks: dict[str, Any], seq: int = 1) -> dict[str, Any]:
    return {"image_id": image.image_id, "marks": list(marks), "seq": seq}


def box(photograph: Photograph) -> dict[str, Any]:
    return {"type": "box", "box": photograph[1]}


def view_of(update: dict[str, Any]) -> Any:
    return update["view"]


def kept(context: Context, verdict: dict[str, Any]) -> EvidenceRecord:
    """The row of the verdict that is shown, after it was kept."""
    save_question(context, OWNER, read_as(QuestionRequest, view_of(verdict)["question"]))
    return context.storage.evidence.get(view_of(verdict)["evidence_id"])


def opened(context: Context, image_id: str, **fields: Any) -> dict[str, Any]:
    """What the page shows of a stored image that is opened."""
    return open_image(context, OWNER, read_as(OpenImage, {"image": image_id, **fields}))


def followed(context: Context, query: dict[str, str]) -> dict[str, Any]:
    """What the page shows of a link."""
    return open_link(context, OWNER, FollowLink(query=query))


def test_without_an_image_it_says_what_to_do(context: Context) -> None:
    _, verdict, evidence = judge(context, None, "mug", "css:red", "paper", 0, True)
    assert view_of(verdict)["status"] == "waiting"
    assert "Open a photograph" in view_of(verdict)["reason"]
    assert view_of(evidence) == ""


def test_a_first_mask_is_asked_for_where_one_can_be_made(
    context: Context, stored: ImageRecord, tmp_path: Path, photograph: Photograph
) -> None:
    """By the page, which shows the image meanwhile; nobody but who may add a mask asks."""
    asked = read_as(OpenImage, {"image": stored.image_id})
    assert opened(context, stored.image_id)["stage"]["propose"] is False
    if weights() is None:
        return
    context = replace(context, sources=Sources(link_weights(tmp_path / "models")))
    shown = opened(context, stored.image_id)["stage"]
    assert (shown["propose"], shown["salient"], shown["marks"]) == (True, True, [])
    expert = Actor("e", Role.EXPERT)
    with pytest.raises(NotAllowed):
        open_image(context, expert, asked)
    staged, *_ = judge(context, value_of(stored, box(photograph)), "", "", "paper", 0, True)
    assert staged["proposal"] == ""


def test_the_mask_selected_last_counts_and_opens_with_the_image(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    context.storage.drawings.add(GenerationRecord("", "unknown", image_id=stored.image_id))
    masks, colors = context.storage.masks, context.storage.object_colors

    def select(*marks: dict[str, Any], selects: bool = True, **fields: Any) -> list[dict[str, Any]]:
        """The marks that the image opens with after these were sent."""
        sent = {**value_of(stored, *marks), "selects": selects, **fields}
        score_marks(context, OWNER, read_as(MarkedImage, sent))
        return opened(context, stored.image_id)["stage"]["marks"]

    cut = {"type": "erase", "radius": 30.0, "points": [[100.0, 100.0]]}
    assert select(box(photograph))[0]["type"] == "box"
    first = masks.current([stored.image_id])[stored.image_id]
    assert len(select(box(photograph), cut)) == 2
    newest = masks.for_image(stored.image_id)[0]
    assert newest != first
    assert colors.for_images([stored.image_id])[stored.image_id].mask_id == newest.mask_id
    # Undone: the same marks as before make no newer mask.
    assert len(select(box(photograph))) == 1
    assert masks.current([stored.image_id]) == {stored.image_id: first}
    assert colors.for_images([stored.image_id])[stored.image_id].mask_id == first.mask_id
    # A change of the question alone selects and clears nothing, whatever is on the stage.
    for marks in ((box(photograph), cut), ()):
        select(*marks, selects=False, rule="paper")
        assert masks.current([stored.image_id]) == {stored.image_id: first}
    assert select() == []
    assert masks.current([stored.image_id]) == colors.for_images([stored.image_id]) == {}


def test_a_mask_of_another_object_does_not_count_for_the_named_one(
    network: Path, context: Context, stored: ImageRecord
) -> None:
    """What stands out may be the other object: the page proposes nothing, and says whose mask it has."""
    masks = context.storage.masks

    def add(name: str, start: int) -> str:
        pixels = np.zeros((stored.height, stored.width), bool)
        pixels[start:] = True
        return masks.add(stored, Mask(pixels, "brush", {"object": name})).mask_id

    mug = add("mug", 8)
    shown = opened(context, stored.image_id, object="jar", target="red")
    assert (shown["stage"]["marks"], shown["stage"]["propose"]) == ([], False)
    assert view_of(shown["verdict"])["reason"] == (
        "The stored mask is of the mug. Find the jar, select it by hand, or press Salient for what "
        "stands out."
    )
    assert masks.current([stored.image_id])[stored.image_id].mask_id == mug
    # The same mask on the stage, where the object is named afterwards.
    mark = {"type": "stored", "mask_id": mug}
    _, verdict, _ = judge(context, value_of(stored, mark), "jar", "red", "paper", 0, True)
    assert view_of(verdict)["reason"] == (
        "This mask is of the mug. Find the jar, select it by hand, or enter mug as the object."
    )
    spaced = {"type": "stored", "mask_id": add(" Mug ", 30)}
    _, verdict, _ = judge(context, value_of(stored, spaced), "mug ", "red", "paper", 0, True)
    assert "This mask is of" not in view_of(verdict).get("reason", "")
    jar = add("Jar", 20)
    masks.select(stored.image_id, mug)
    for name, mask_id in (("jar", jar), ("Mug", mug), ("", mug)):
        (mark,) = opened(context, stored.image_id, object=name)["stage"]["marks"]
        assert mark == {"type": "stored", "mask_id": mask_id}


def test_salient_that_finds_nothing_clears_a_mask_of_before_selections(
    context: Context, stored: ImageRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But the page's own search for a first mask does not."""
    mask = context.storage.masks.add(
        stored, Mask(np.ones((stored.height, stored.width), bool), "brush")
    )

    def nothing(*_: Any) -> None:
        raise ObjectNotFound(NOTHING_STANDS_OUT, "", SALIENT)

    monkeypatch.setattr("truehue.tabs.inspect.state.mask_from_marks", nothing)
    sent = {**value_of(stored, {"type": SALIENT}), "selects": True}
    for proposed, current in ((True, {stored.image_id: mask}), (False, {})):
        shown = score_marks(context, OWNER, read_as(MarkedImage, {**sent, "proposed": proposed}))
        assert shown["stage"]["proposal"] == NOTHING_STANDS_OUT
        assert context.storage.masks.current([stored.image_id]) == current


def test_without_marks_it_says_what_to_do(context: Context, stored: ImageRecord) -> None:
    staged, verdict, _ = judge(context, value_of(stored), "", "css:red", "paper", 0, True)
    assert view_of(verdict)["status"] == "waiting"
    assert "draw a box" in view_of(verdict)["reason"]
    assert (staged["outline"], staged["mask_text"], staged["seq"]) == ("", "", 1)


@pytest.mark.parametrize("target", ["", "   ", None])
def test_without_a_color_the_mask_is_shown_and_the_color_asked_for(
    context: Context, stored: ImageRecord, photograph: Photograph, target: str | None
) -> None:
    staged, verdict, _ = judge(
        context, value_of(stored, box(photograph)), "", target, "paper", 0, True
    )
    assert view_of(verdict)["status"] == "waiting"
    assert "Choose the target color" in view_of(verdict)["reason"]
    assert staged["outline"].startswith("M")
    assert staged["mask_text"].startswith("GrabCut · box · ")
    assert context.storage.evidence.count() == 0


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("vivd reddish orange", "Vivid reddish orange"),
        ("#E83G1B", "digit 4"),
        ("1, 300, 4", "green"),
        ("l9:red", "no color system"),
        ("rgb(1,2)", "2 numbers"),
    ],
)
def test_a_color_that_cannot_be_read_is_explained(
    context: Context, stored: ImageRecord, photograph: Photograph, target: str, said: str
) -> None:
    staged, verdict, evidence = judge(
        context, value_of(stored, box(photograph)), "", target, "paper", 0, True
    )
    assert view_of(verdict)["status"] == "unscored"
    assert view_of(verdict)["title"] == "Not scored"
    assert said in view_of(verdict)["reason"]
    assert staged["outline"]
    assert view_of(evidence) == ""
    assert context.storage.evidence.count() == 0


@pytest.mark.parametrize("rule_id", ALL_RULES)
@pytest.mark.parametrize("target", ["l3:Vivid reddish orange", "#B45A32"])
def test_a_verdict_is_what_the_pipeline_measures_and_is_kept_so(
    context: Context, stored: ImageRecord, photograph: Photograph, rule_id: str, target: str
) -> None:
    staged, verdict, evidence = judge(
        context, value_of(stored, box(photograph), seq=7), " ball ", target, rule_id, 0, True
    )
    card = view_of(verdict)
    assert context.storage.evidence.count() == 0, "a draft until somebody asks to keep it"
    row = kept(context, verdict)
    assert row.mask_id is not None
    pixels = context.storage.masks.pixels(row.mask_id)
    wanted = measure(
        photograph[0], pixels, parse_target(target), rule_id, target_object=TargetObject("ball")
    )
    assert row.numbers == wanted.numbers()
    assert (row.status, row.reason) == (wanted.verdict.status, wanted.verdict.reason)
    assert (row.object_name, row.protocol) == ("ball", rule_id)
    assert row.target["value"] == parse_target(target).value
    assert (row.image_id, row.version) == (stored.image_id, wanted.verdict.version)
    assert card["status"] == wanted.verdict.status
    assert card["reason"] == wanted.verdict.reason
    assert [metric["value"] for metric in card["metrics"]] == [
        metric.value for metric in wanted.verdict.metrics
    ]
    assert [other["id"] for other in card["others"]] == [i for i in ALL_RULES if i != rule_id]
    message = json.loads(card["json"])
    assert message["evidence_id"] == card["evidence_id"]
    assert message["delta_e00"] == wanted.numbers()["delta_e00"]
    cards = {"chromaticity", "lightness", "offsets", "names", "names_of", "people", "steps"}
    cards |= {"colors", "measures"}
    assert set(view_of(evidence)) == cards
    assert staged["seq"] == 7
    assert f"{np.count_nonzero(pixels):,} px" in staged["mask_text"]
    assert context.storage.check() == []


def test_the_other_rules_on_the_card_are_what_they_say_when_chosen(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    cards = {}
    for rule_id in ALL_RULES:
        _, verdict, _ = judge(context, value, "", "css:chocolate", rule_id, 2, False)
        cards[rule_id] = view_of(verdict)
    for card in cards.values():
        for other in card["others"]:
            assert other["status"] == cards[other["id"]]["status"]
            for metric in cards[other["id"]]["metrics"]:
                assert metric["text"] in other["text"]


def test_the_same_verdict_twice_is_one_row_and_another_question_is_another(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    target: list[tuple[Any, ...]] = [
        (value, "ball", "css:red", "paper", 0, True),
        (value, "ball", "css:red", "paper", 0, False),
        (value, "ball", "css:red", "paper", 3, True),
        (value, "ball", "css:red", "released", 0, True),
        (value, "ball", "css:tomato", "paper", 0, True),
        (value, "apple", "css:red", "paper", 0, True),
        (value_of(stored, {"type": "whole"}), "ball", "css:red", "paper", 0, True),
    ]
    ids = [kept(context, judge(context, *values)[1]).evidence_id for values in target]
    assert ids[0] == ids[1]
    assert len(set(ids)) == len(target) - 1
    # Every rule is kept with the one that was shown: of five questions, two of them the same mask,
    # object and color by another rule.
    assert view_of(judge(context, *target[3])[1])["kept"]
    questions = {row.mask_id: 0 for row in context.storage.evidence.recent(100)}
    assert len(questions) == 2


def test_pixels_that_the_rule_left_out_are_hatched_on_demand(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    shown, *_ = judge(context, value, "", "css:orangered", "released", 0, True)
    hidden, *_ = judge(context, value, "", "css:orangered", "released", 0, False)
    assert shown["measured_url"].startswith("data:image/png;base64,")
    assert hidden["measured_url"] == ""


def test_an_unknown_rule_is_refused_in_words(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    _, verdict, _ = judge(context, value, "", "css:red", "paper2", 0, True)
    assert view_of(verdict)["status"] == "unscored"
    assert "paper2" in view_of(verdict)["reason"]


@pytest.mark.parametrize(
    "value",
    [
        {"image_id": 5, "marks": []},
        {"image_id": "f" * 64, "marks": [{"type": "whole"}], "seq": 2},
        {"image_id": "../truehue", "marks": [{"type": "whole"}], "seq": 2},
    ],
)
def test_a_value_that_the_stage_never_makes_becomes_words(context: Context, value: Any) -> None:
    staged, verdict, evidence = judge(context, value, "", "css:red", "paper", 0, True)
    assert view_of(verdict)["status"] == "unscored"
    assert staged["message"] == view_of(verdict)["reason"]
    assert "unexpected" not in staged["message"].lower()
    assert "unexpected error" not in staged["message"]
    assert view_of(evidence) == ""


def test_ten_thousand_marks_become_words(context: Context, stored: ImageRecord) -> None:
    value = value_of(stored, *[{"type": "whole"}] * 10_000, seq=3)
    staged, verdict, _ = judge(context, value, "", "css:red", "paper", 0, True)
    assert "At most 2,000 marks" in view_of(verdict)["reason"]
    assert staged["seq"] == 3


def test_a_mask_of_one_pixel_is_not_scored(context: Context, stored: ImageRecord) -> None:
    dot = {"type": "brush", "radius": 0.5, "points": [[9.5, 9.5]]}
    _, verdict, _ = judge(context, value_of(stored, dot), "", "css:red", "paper", 0, True)
    assert view_of(verdict)["status"] == "unscored"
    assert "single pixel" in view_of(verdict)["reason"]
    assert context.storage.evidence.count() == 0


def test_an_object_that_is_all_gray_is_judged_without_a_hue(context: Context) -> None:
    image = context.storage.images.add(np.full((40, 40, 3), 128, np.uint8), "gray", "upload")
    for rule_id in ALL_RULES:
        _, verdict, evidence = judge(
            context, value_of(image, {"type": "whole"}), "", "css:gray", rule_id, 0, True
        )
        assert view_of(verdict)["status"] == "pass", rule_id
        assert view_of(evidence)["offsets"]["rows"][2]["text"] == "none to compare"


# ── opening ─────────────────────────────────────────────────────────────────────────────────────


def test_a_drawn_image_opens_with_its_exact_mask_and_what_was_asked(context: Context) -> None:
    record = drawn(context, "mug", "l3:Vivid reddish orange", "studio", 3)
    shown = opened(context, record.image_id)
    staged, verdict = shown["stage"], shown["verdict"]
    mask = context.storage.masks.for_image(record.image_id)[-1]
    assert mask.maker == "renderer"
    assert staged["exact_mask_id"] == mask.mask_id
    assert staged["marks"] == staged["value"]["marks"]
    assert staged["marks"] == [{"type": "stored", "mask_id": mask.mask_id}]
    assert staged["image_url"] == f"/media/images/{record.image_id}.png"
    assert (staged["width"], staged["height"], staged["seq"]) == (128, 128, 0)
    assert staged["mask_text"].startswith("Exact mask from the renderer · ")
    assert shown["question"]["object"] == "mug"
    assert shown["question"]["target"] == "l3:Vivid reddish orange"
    assert (shown["question"]["rule"], shown["question"]["k"]) == (DEFAULT_RULE, 0)
    row = kept(context, verdict)
    assert row.mask_id is not None
    measured = context.storage.masks.get(row.mask_id)
    assert measured.content_sha256 == mask.content_sha256
    assert view_of(shown["evidence"]) is not None


def test_an_uploaded_image_opens_without_marks(context: Context, stored: ImageRecord) -> None:
    shown = opened(context, stored.image_id)
    staged = shown["stage"]
    assert (staged["marks"], staged["exact_mask_id"]) == ([], "")
    assert (shown["question"]["object"], shown["question"]["target"]) == ("", "")
    assert view_of(shown["verdict"])["status"] == "waiting"
    assert view_of(shown["evidence"]) == ""


def test_a_cutout_opens_with_the_mask_of_its_transparency(
    context: Context, stored: ImageRecord
) -> None:
    pixels = np.zeros((128, 128), bool)
    pixels[30:60, 30:60] = True
    context.storage.masks.add(stored.image_id, Mask(pixels, "file", {"from": "transparency"}))
    staged = opened(context, stored.image_id)["stage"]
    assert staged["mask_text"] == "From the file's transparency · 900 px · 5.5%"


def link_query(address: str) -> dict[str, str]:
    from urllib.parse import parse_qsl, urlsplit

    return dict(parse_qsl(urlsplit(address).query))


@pytest.mark.parametrize("target", ["l3:Vivid reddish orange", "#B45A32"])
def test_the_link_of_a_verdict_opens_the_same_verdict(
    context: Context, stored: ImageRecord, photograph: Photograph, target: str
) -> None:
    stroke = {"type": "cut", "radius": 4, "points": [[5.25, 9.5], [12, 14.75]]}
    k = 4 if target.startswith("l3") else 0
    first, verdict, _ = judge(
        context,
        value_of(stored, box(photograph), stroke),
        "red ball",
        target,
        "paper-centred",
        k,
        True,
    )
    card = view_of(verdict)
    again = followed(context, link_query(card["link"]))
    assert view_of(again["verdict"])["evidence_id"] == card["evidence_id"]
    assert view_of(again["verdict"])["metrics"] == card["metrics"]
    assert again["stage"]["mask_text"] == first["mask_text"]
    assert again["stage"]["outline"] == first["outline"]
    assert len(again["stage"]["marks"]) == 2
    assert again["question"]["object"] == "red ball"
    assert again["question"]["target"] == target
    assert (again["question"]["rule"], again["question"]["k"]) == ("paper-centred", k)
    assert context.storage.evidence.count() == 0
    kept(context, verdict)
    assert view_of(followed(context, link_query(card["link"]))["verdict"])["kept"]


@pytest.mark.parametrize("image", ["f" * 16, "short", "zzzzzzzzzzzzzzzz", "../../x", "%00"])
def test_a_link_to_an_image_that_is_not_stored_says_so(context: Context, image: str) -> None:
    with pytest.raises(BadInput, match=r"This link cannot be opened\. ."):
        followed(context, {"image": image, "target": "css:red"})


def test_a_link_to_a_mask_that_is_not_stored_opens_the_image_and_says_so(
    context: Context, stored: ImageRecord
) -> None:
    staged = followed(context, {"image": stored.image_id[:16], "mask": "f" * 16})["stage"]
    assert staged["image_id"] == stored.image_id
    assert staged["marks"] == []
    assert "Nothing is stored under the mask id" in staged["message"]


@pytest.mark.parametrize(
    "query",
    [
        {"rule": "nonsense"},
        {"system": "l9"},
        {"k": "99"},
        {"k": "-1"},
        {"k": "²"},
        {"k": "1e3"},
        {"k": "9" * 190},
    ],
)
def test_a_link_with_nonsense_in_it_opens_with_defaults(
    context: Context, stored: ImageRecord, query: dict[str, str]
) -> None:
    shown = followed(context, {"image": stored.image_id, **query})
    assert shown["stage"]["image_id"] == stored.image_id
    assert (shown["question"]["rule"], shown["question"]["k"]) == (DEFAULT_RULE, 0)


def test_a_link_to_another_tab_leaves_this_one_alone(context: Context) -> None:
    for query in ({"tab": "generate", "image": "f" * 16}, {}, {"tab": "inspect"}):
        assert followed(context, query) == {}


# ── several people ──────────────────────────────────────────────────────────────────────────────


def test_a_nearer_name_and_the_verdict_are_explained(context: Context) -> None:
    """Coral at 70% of full light: tomato is nearer, and coral is what the light explains."""
    image = context.storage.images.add(np.full((20, 20, 3), (218, 108, 67), np.uint8), "", "upload")
    value = value_of(image, {"type": "whole"})
    card = view_of(judge(context, value, "", "css:coral", "truehue", 0, True)[1])
    assert (card["status"], card["found"]["name"]) == ("pass", "near tomato")
    assert card["names_note"].startswith("By its pixels alone, tomato is nearer (")
    assert "Under the estimated light coral fits better: mismatch score" in card["names_note"]
    # A target that no name names may be nearer than every name.
    card = view_of(judge(context, value, "", "#D96B42", "truehue", 0, True)[1])
    assert (card["status"], card["names_note"]) == ("pass", "")
    # By a rule without a light the numbers beside the names are those that decide.
    card = view_of(judge(context, value, "", "css:coral", "paper", 0, True)[1])
    assert card["names_note"] == ""
    metric = next(item for item in card["metrics"] if item["name"] == "delta_chroma")
    assert metric["label"] == "Δa*b*"
    assert "ΔChroma in GenColorBench" in metric["help"]


def test_two_people_at_once_each_get_their_own_result(context: Context) -> None:
    cases: list[tuple[Any, ...]] = []
    for seed, target in enumerate(["css:chocolate", "css:teal"]):
        srgb8, truth = object_photograph(96, seed)
        image = context.storage.images.add(srgb8, f"{seed}.png", "upload")
        mark = {"type": "box", "box": bounds(truth, 5)}
        cases.append(
            (value_of(image, mark, seq=seed), f"thing {seed}", target, "released", 1, True)
        )
    alone = [judge(context, *case) for case in cases]
    # The ids of both are known now: every later answer must be one of these, and the right one.
    start = Barrier(2)

    def person(case: tuple[Any, ...]) -> list[Any]:
        start.wait()
        return [judge(context, *case) for _ in range(6)]

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(person, cases))
    for own, answers in zip(alone, together, strict=True):
        for answer in answers:
            assert answer[0] == own[0]
            assert answer[1] == own[1]
            assert answer[2] == own[2]
    assert alone[0][1]["view"]["evidence_id"] != alone[1][1]["view"]["evidence_id"]
    assert context.storage.evidence.count() == 0


def test_two_people_with_new_images_at_once_lose_nothing(context: Context) -> None:
    start = Barrier(2)

    def person(number: int) -> list[tuple[str, str]]:
        start.wait()
        out = []
        for step in range(4):
            srgb8 = np.full((30, 30, 3), (40 * number + 5 * step, 90, 60), np.uint8)
            image = context.storage.images.add(srgb8, f"{number}-{step}", "upload")
            _, verdict, _ = judge(
                context,
                value_of(image, {"type": "whole"}),
                f"{number}-{step}",
                "css:red",
                "paper",
                0,
                True,
            )
            out.append((image.image_id, kept(context, verdict).evidence_id))
        return out

    with ThreadPoolExecutor(2) as pool:
        done = [pair for own in pool.map(person, (1, 2)) for pair in own]
    for image_id, evidence_id in done:
        assert context.storage.evidence.get(evidence_id).image_id == image_id
    verdicts = 8 * len(ALL_RULES)
    assert context.storage.evidence.count() == verdicts
    assert context.data_text() == f"data · 8 images · {verdicts} verdicts"


# ── what only some rules have ───────────────────────────────────────────────────────────────────


def test_numbers_without_a_limit_are_told_and_the_light_and_the_confidence_are_said(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    value = value_of(stored, box(photograph))
    _, verdict, evidence = judge(context, value, "ball", "css:orangered", "truehue", 0, True)
    card = view_of(verdict)
    bars = {metric["label"]: metric for metric in card["metrics"]}
    judged = [metric for metric in bars.values() if metric["limit"] is not None]
    assert [metric["label"] for metric in judged] == ["Mismatch score"]
    assert judged[0]["passed"] == (card["status"] == "pass")
    for label in ("ΔE00", "Δa*b*", "Hue"):
        assert bars[label]["passed"] is None
        assert bars[label]["limit_text"] == ""
        assert "Reported only" in bars[label]["help"]
    assert card["light"].startswith("Target under the estimated light (")
    assert card["accepted"]["title"] == "Under this light"
    assert card["reported"] == "Without a limit, to the target under the estimated light:"
    assert int(card["confidence"]["text"].rstrip("%")) >= 50
    steps = {step["title"]: step["text"] for step in view_of(evidence)["steps"]}
    assert "Light of the image" in steps
    assert steps["Verdict by truehue 1.2"].endswith("limit: mismatch score 2.5")
    assert view_of(evidence)["offsets"]["to"].endswith(" under the estimated light")
    _, verdict, _ = judge(context, value, "ball", "css:orangered", "paper", 0, True)
    card = view_of(verdict)
    assert (card["light"], card["confidence"], card["reported"]) == ("", None, "")
    (of_light,) = (other for other in card["others"] if other["id"] == "truehue")
    assert of_light["text"].endswith("° in this light")


@pytest.mark.parametrize(
    ("percent", "text"),
    [(50.0, "50%"), (98.7, "99%"), (99.0, "99%"), (99.1, "over 99%"), (100.0, "over 99%")],
)
def test_no_rule_is_said_to_be_certain(percent: float, text: str) -> None:
    shown = confidence_view(percent)
    assert shown is not None
    assert shown["text"] == text


def test_the_card_says_where_the_rules_disagree_and_why(
    context: Context, stored: ImageRecord, photograph: Photograph
) -> None:
    # A right color in shade: a mean of light and shadow fails it, what sees through shading not.
    cards = []
    for seed in range(3):
        record = drawn(context, "mug", "l3:Vivid reddish orange", "studio", seed)
        mask = context.storage.masks.for_image(record.image_id)[-1]
        value = value_of(record, {"type": "stored", "mask_id": mask.mask_id})
        target = ("mug", "l3:Vivid reddish orange", "paper", 0, True)
        cards.append(view_of(judge(context, value, *target)[1]))
    message = [card["audit"] for card in cards if card["audit"]]
    assert message, "shading alone makes rules disagree"
    for card in cards:
        statuses = {card["status"], *(other["status"] for other in card["others"])}
        assert bool(card["audit"]) == ({"pass", "fail"} <= statuses)
    assert "truehue passes" in message[0]["sentence"]
    assert all(title and text for title, text in message[0]["reasons"])
