"""Automatic masks, points and overrides in Inspect, by tiny real models through the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.browser.still_life import still_life
from tests.core.engine.models import WAIT_S, Inbox, asked, until
from tests.core.engine.tools import gated
from tests.empty_data import empty_data
from tests.tabs.inspect.test_tab import followed, link_query, value_of, view_of
from tests.tiny_models.folder import DETECTOR, PRESENCE, SAM, SAM2, models_folder, telling
from truehue.core.errors import TrueHueError
from truehue.core.generation.request import Cancelled
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.compose import is_automatic, steps_of
from truehue.core.prompts.tables import SURFACE_LABELS, objects
from truehue.core.records import ImageRecord, JobRecord, MaskRecord
from truehue.storage import Storage
from truehue.tabs.inspect.finding import EngineTool, Search, Segments
from truehue.tabs.inspect.form import cut_points, find_object
from truehue.tabs.inspect.mask_request import (
    NO_NAME,
    CutPoints,
    FindObject,
    labels_for,
    labels_of,
    point_segmenter,
)
from truehue.tabs.inspect.score import judge
from truehue.tabs.inspect.work import work_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import ENDED, Job
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.weights

ASKED = (DETECTOR, SAM2, "paper", "rim, neck", "", 0.99, 0.99)
QUESTION = ("jar", "l3:Vivid reddish orange", "paper", 0, True)
MAX_S = 120.0
POINT = {"type": "point", "x": 5, "y": 5, "inside": True}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models_folder(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory, models: Path) -> Iterator[Context]:
    """A context whose models are loaded once for the tests of this file."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("looking") / "data")) as storage:
        made = make_context(storage, "data", sources=Sources(models))
        yield made
        made.close()


@pytest.fixture(scope="module")
def image(looking: Context) -> ImageRecord:
    return looking.storage.images.add(still_life()[0], "jar.png", "upload")


EVE = Actor("eve", Role.VISITOR)


def ended(context: Context, work: dict[str, Any]) -> dict[str, Any]:
    """The end of a search that the stage was told of."""
    assert "job" in work, work
    record = context.jobs.wait(work["job"], MAX_S)
    assert record.status in ENDED, record
    return {**record.result, "status": record.status, "words": record.problem or record.words}


CONTROLS = (
    "detector",
    "segmenter",
    "variant",
    "negatives",
    "presence",
    "box_threshold",
    "negative_threshold",
)


def begun(context: Context, actor: Actor, image_id: str, name: str, *target: Any) -> dict[str, Any]:
    """The search that was begun, or under ``problem`` why there is none."""
    fields = dict(zip(CONTROLS, target, strict=True))
    sent = {"image_id": image_id, "object_name": name, **fields}
    try:
        return find_object(context, actor, read_as(FindObject, sent))
    except TrueHueError as error:
        return {"problem": str(error)}


def pointed(context: Context, actor: Actor, sent: dict[str, Any], by: Any) -> dict[str, Any]:
    """The same of points that are to be cut out."""
    try:
        return cut_points(context, actor, read_as(CutPoints, {**sent, "segmenter": by}))
    except TrueHueError as error:
        return {"problem": str(error)}


def find(context: Context, image: ImageRecord, *target: Any, name: str = "jar") -> dict[str, Any]:
    return ended(context, begun(context, OWNER, image.image_id, name, *(target or ASKED)))


@pytest.fixture(scope="module")
def made(looking: Context, image: ImageRecord, models: Path) -> MaskRecord:
    """An automatic mask in which every step does something, with an answer to presence."""
    best = telling(models, looking.srgb8(image.image_id), "jar")
    state = find(
        looking,
        image,
        DETECTOR,
        best.segmenter,
        best.variant,
        ", ".join(best.negatives),
        PRESENCE,
        best.box_threshold,
        best.negative_threshold,
    )
    assert state["status"] == "done", state
    return looking.storage.masks.get(state["mask_id"])


def start(record: MaskRecord) -> dict[str, Any]:
    return {"type": "stored", "mask_id": record.mask_id}


def override(step: str, index: int, **more: Any) -> dict[str, Any]:
    return {"type": "override", "step": step, "index": index, **more}


def judged(context: Context, image: ImageRecord, *marks: dict[str, Any]) -> tuple[Any, Any, Any]:
    staged, verdict, evidence = judge(context, value_of(image, *marks), *QUESTION)
    return staged, view_of(verdict), view_of(evidence)


def mask_of(context: Context, card: dict[str, Any]) -> MaskRecord:
    return context.storage.masks.get(card["question"]["mask"])


def titles(evidence: dict[str, Any]) -> dict[str, str]:
    return {step["title"]: step["text"] for step in evidence["steps"]}


# ── what is asked for ───────────────────────────────────────────────────────────────────────────


def test_without_weights_it_says_what_is_missing_and_what_works(
    context: Context, stored: ImageRecord, tmp_path: Path
) -> None:
    bare = make_context(
        context.storage, "data", sources=Sources(tmp_path / "none", tmp_path / "cache")
    )
    try:
        said = begun(bare, OWNER, stored.image_id, "mug", *ASKED)
        assert "job" not in said
        assert "GroundingDINO tiny (0.64 GiB) and SAM 2.1 Hiera tiny" in said["problem"]
        assert "python -m truehue masks download grounding-dino-tiny" in said["problem"]
        assert "draw the box by hand" in said["problem"]
        point = {"type": "point", "x": 5, "y": 5, "inside": True}
        data = {"image_id": stored.image_id, "marks": [point]}
        assert "GrabCut" in pointed(bare, OWNER, data, SAM)["problem"]
    finally:
        bare.close()


@pytest.mark.parametrize(
    ("name", "target", "text"),
    [
        ("  ", ASKED, NO_NAME),
        ("m" * 81, ASKED, "at most 80"),
        ("mug", ("nonsense", *ASKED[1:]), "no detector 'nonsense'"),
        ("mug", (DETECTOR, DETECTOR, *ASKED[2:]), "no segmenter"),
        ("mug", (*ASKED[:2], "mine", *ASKED[3:]), "No masking variant"),
        ("mug", (*ASKED[:5], 1.5, 0.5), "from 0 to 1"),
        ("mug", (*ASKED[:5], None, 0.5), "The box threshold is missing"),
        ("mug", (*ASKED[:3], ",".join(map(str, range(50))), *ASKED[4:]), "At most 40"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_in_words(
    looking: Context, image: ImageRecord, name: str, target: Any, text: str
) -> None:
    said = begun(looking, OWNER, image.image_id, name, *target)
    assert text in said["problem"]
    assert "unexpected error" not in said["problem"]


def test_negative_labels_come_from_the_table_of_objects() -> None:
    assert labels_of(" handle, lid ,, handle") == ("handle", "lid")
    assert labels_for("Mug") == labels_for("mug")
    assert labels_for("mug") == "handle, rim, base"
    # Every row of the table fits into what is allowed.
    assert all(labels_of(labels_for(row.name)) for row in objects())
    assert labels_for("thing that is in no table") == ""


def test_our_variant_measures_the_surface_that_an_object_is_asked_for() -> None:
    assert "fur" in labels_for("cat", "paper").split(", ")
    assert labels_for("cat", "paper") == labels_for("cat", "released")
    kept = set(labels_for("cat", "paper").split(", ")) - set(labels_for("cat").split(", "))
    assert kept == {"fur", "fur pattern", "fur texture"}
    # Every label that is left out is one of the table's.
    assert {label for row in objects() for label in row.negative_labels} >= SURFACE_LABELS


# ── finding ─────────────────────────────────────────────────────────────────────────────────────


def test_a_mask_that_was_found_by_one_name_says_nothing_of_another_object(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    """As when Find has failed for the second name: the first mask is still on the stage."""

    def card_of(name: str, *more: dict[str, Any]) -> dict[str, Any]:
        stage = value_of(image, start(made), *more)
        return dict(view_of(judge(looking, stage, name, *QUESTION[1:])[1]))

    refused = card_of("dragon", override("box", 0, use=True))
    assert refused["status"] == "unscored"
    assert refused["reason"].startswith("This mask is of the jar.")
    assert refused["link"]
    for name in ("jar", " Jar ", ""):
        assert card_of(name)["status"] in ("pass", "fail")
    stroke = {"type": "brush", "points": [[5, 5], [9, 9]], "radius": 3, "inside": True}
    assert card_of("dragon", stroke)["status"] in ("pass", "fail")


def test_an_automatic_mask_is_stored_with_all_its_steps(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    assert is_automatic(made.maker, made.parameters)
    steps = steps_of(made.parameters)
    assert len(steps.detections) == len(steps.segments) >= 2
    assert len(steps.negatives) == 2
    automatic = work_of(looking, image.image_id, [start(made)]).automatic
    assert automatic is not None
    pixels = looking.mask_pixels(made.mask_id)
    assert np.array_equal(automatic.mask.pixels, pixels)
    staged, _, evidence = judged(looking, image, start(made))
    result = staged["found"]
    assert [box["text"] for box in result["boxes"]] == [
        f"{detection.score:.2f}" for detection in steps.detections
    ]
    assert all(
        row["used"] and not row["by_hand"] for row in [*result["boxes"], *result["negatives"]]
    )
    assert result["presence"][0]["note"].startswith("Janus-Pro 1B to “Is there a jar in the image?")
    assert staged["mask_text"].startswith("Automatic · jar, ")
    assert "Detected by GroundingDINO tiny" in titles(evidence)
    assert any(title.startswith("Segmented by SAM") for title in titles(evidence))
    # What was taken away is hatched, and the legend says so.
    assert any(negative["text"].endswith("%") for negative in result["negatives"])
    assert "negative" in staged["hatched"]
    assert staged["measured_url"].startswith("data:image/png")


def test_an_object_without_a_box_is_not_found_and_nothing_is_stored(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    before = looking.storage.masks.count()
    state = find(looking, image, *ASKED[:4], PRESENCE, 1.0, 1.0)
    assert state["status"] == "failed"
    assert "The detector found no jar" in state["words"]
    assert "Presence question: Janus-Pro 1B said" in state["words"]
    assert looking.storage.masks.count() == before


def test_a_search_can_be_cancelled(looking: Context, image: ImageRecord, made: MaskRecord) -> None:
    before = looking.storage.masks.count()
    work = begun(looking, OWNER, image.image_id, "cup", *ASKED)
    looking.jobs.cancel(OWNER, work["job"])
    assert ended(looking, work)["status"] == "cancelled"
    assert looking.storage.masks.count() == before


def test_a_search_says_what_it_waits_for_and_ends_while_it_waits() -> None:
    gate, house = gated()
    said: Queue[str] = Queue()
    job = Job(
        JobRecord("search", "find", "", "", "running"), lambda job: said.put(job.record.words)
    )

    def told(text: str) -> None:
        while said.get(timeout=WAIT_S) != text:
            pass

    with house.engine() as engine, ThreadPoolExecutor(1) as thread:
        drawing = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(drawing).status == "drawing")
        before = engine.call("dino", lambda tool: tool.say())
        tool = EngineTool(engine, "sam", "SAM", Search(job, "Looking for the jar"))
        answer = thread.submit(lambda: tool.about)
        told("Waiting for 1 before this…")
        before.cancel()
        told("Waiting for the image being generated…")
        job.stop.set()
        with pytest.raises(Cancelled):
            answer.result(WAIT_S)
        assert engine.calls() == ()
        gate.release(10)
        assert engine.wait(drawing, WAIT_S).done == 1
    assert "sam" not in house.opened


def test_models_of_ones_own_are_typed_by_folder_and_file(
    looking: Context, image: ImageRecord, models: Path
) -> None:
    file = models / SAM / "sam_vit_b_01ec64.pth"
    detector, presence = f"folder:{models / DETECTOR}", f" {models / PRESENCE} "
    state = find(looking, image, detector, str(file), "paper", "", presence, 0.5, 0.99)
    assert state["status"] == "done", state
    record = looking.storage.masks.get(state["mask_id"])
    assert record.parameters["detector"]["id"] == detector
    assert record.parameters["segmenter"]["id"] == f"folder:{file}"
    staged, _, evidence = judged(looking, image, start(record))
    # What the page says of them is a name, not where they lie.
    assert staged["found"]["made"].startswith(f"{DETECTOR}, {file.name}, variant Paper")
    assert staged["found"]["presence"][0]["note"].startswith(f"{PRESENCE} to ")
    assert f"Detected by {DETECTOR}" in titles(evidence)
    # A point is cut out by it too, and the mark names it.
    point = {"type": "point", "x": 60, "y": 60, "inside": True}
    data = {"image_id": image.image_id, "marks": [point]}
    cut = ended(looking, pointed(looking, OWNER, data, str(file)))
    assert (cut["status"], cut["segmenter"]) == ("done", f"folder:{file}")
    _, card, _ = judged(looking, image, {**point, "by": cut["segmenter"]})
    assert mask_of(looking, card).area_px > 0


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("hub:nonsense", "write hub:owner/name"),
        ("hub:someone/else", "truehue masks download hub:someone/else --role segmenter"),
        ("folder:", "There is no segmenter"),
        ("folder:/no/such/place", "There is nothing at /no/such/place"),
        ("~/no-such-place", "There is nothing at ~/no-such-place"),
        ("/etc/hostname", "is no folder in the hub's layout, nor a .pth file"),
        (None, "There is no segmenter"),
        ("x" * 201, "at most 200"),
    ],
)
def test_a_typed_model_that_is_none_is_refused_in_words(
    looking: Context, image: ImageRecord, typed: Any, text: str
) -> None:
    data = {"image_id": image.image_id, "marks": []}
    target = (ASKED[0], typed, *ASKED[2:])
    for said in (
        begun(looking, OWNER, image.image_id, "jar", *target),
        pointed(looking, OWNER, {**data, "marks": [POINT]}, typed),
    ):
        assert text in said["problem"]
        assert "unexpected error" not in said["problem"]


def test_where_others_reach_the_app_no_folder_is_opened(
    looking: Context, image: ImageRecord, models: Path
) -> None:
    data: dict[str, Any] = {"image_id": image.image_id, "marks": [POINT]}
    folder = str(models / SAM2)
    shared = replace(looking, local=False, demo=True)
    for said in (
        begun(shared, EVE, image.image_id, "jar", f"folder:{folder}", *ASKED[1:]),
        begun(shared, EVE, image.image_id, "jar", ASKED[0], folder, *ASKED[2:]),
        begun(shared, EVE, image.image_id, "jar", *ASKED[:4], f" folder:{folder}", 0.9, 0.9),
        pointed(shared, EVE, data, folder),
        # Nor by a mark that was made up.
        pointed(shared, EVE, {**data, "marks": [{**POINT, "by": folder}]}, SAM2),
    ):
        assert "Paths of folders work only on the machine" in said["problem"]
    staged, _, _ = judged(shared, image, {**POINT, "by": f"folder:{folder}"})
    assert "Paths of folders work only on the machine" in staged["message"]


# ── overrides ───────────────────────────────────────────────────────────────────────────────────


def test_a_box_that_is_left_out_makes_another_mask_and_undo_the_first_again(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    _, first, _ = judged(looking, image, start(made))
    count = len(steps_of(made.parameters).detections)
    out = [override("box", n, use=False) for n in range(count - 1)]
    staged, card, evidence = judged(looking, image, start(made), *out)
    record = mask_of(looking, card)
    assert record.mask_id != made.mask_id
    assert record.parameters["overrides"]["without_boxes"] == list(range(count - 1))
    assert record.parameters["marks"] == [start(made), *out]
    assert [box["used"] for box in staged["found"]["boxes"]] == [False] * (count - 1) + [True]
    assert "box 1 excluded" in titles(evidence)["Edited manually"]
    assert f"{count - 1} steps by hand" in staged["mask_text"]
    # Ticked again, and undone: the pixels, and then the very mask, of the beginning.
    back = [override("box", n, use=True) for n in range(count - 1)]
    _, again, _ = judged(looking, image, start(made), *out, *back)
    assert mask_of(looking, again).content_sha256 == made.content_sha256
    _, undone, _ = judged(looking, image, start(made))
    assert undone["evidence_id"] == first["evidence_id"]


def test_without_any_box_it_says_so_and_still_lists_them(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    count = len(steps_of(made.parameters).detections)
    out = [override("box", n, use=False) for n in range(count)]
    staged, card, _ = judged(looking, image, start(made), *out)
    assert "left out by hand" in staged["message"]
    assert card["status"] == "unscored"
    assert [box["used"] for box in staged["found"]["boxes"]] == [False] * count


def test_a_negative_part_that_is_kept_is_measured(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    overrides = [override("negative", n, use=False) for n in range(2)]
    staged, card, evidence = judged(looking, image, start(made), *overrides)
    automatic = work_of(looking, image.image_id, [start(made)]).automatic
    assert automatic is not None
    pixels = looking.mask_pixels(mask_of(looking, card).mask_id)
    assert np.array_equal(pixels, automatic.found.before_negatives)
    assert pixels.sum() > looking.mask_pixels(made.mask_id).sum()
    assert staged["found"]["negatives"][0]["note"] == "left in by hand"
    assert "negative" not in staged["hatched"]
    labels = sorted(negative.label for negative in steps_of(made.parameters).negatives)
    assert titles(evidence)["Edited manually"] == f"{labels[0]} kept; {labels[1]} kept"


def test_presence_can_be_answered_by_hand_and_the_card_says_so(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    no = override("presence", 0, answer="no")
    staged, card, evidence = judged(looking, image, start(made), no)
    assert staged["found"]["presence"][0]["override"] == "no"
    assert card["absent"].startswith("You answered that there is no jar in the image")
    assert card["metrics"], "the mask is measured all the same"
    record = mask_of(looking, card)
    assert record.parameters["presence"][0]["override"] == "no"
    assert record.content_sha256 == made.content_sha256
    assert titles(evidence)["Object present: no"].startswith("no, manually; Janus-Pro 1B to ")
    _, card, _ = judged(looking, image, start(made), no, override("presence", 0, answer="yes"))
    assert card["absent"] == ""
    _, card, _ = judged(looking, image, start(made), no, override("presence", 0, answer=""))
    assert "override" not in mask_of(looking, card).parameters["presence"][0]


def test_a_mask_without_a_question_of_presence_has_no_answer_to_it(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    about = made.parameters
    values = (about["detector"]["id"], about["segmenter"]["id"], "paper", "", "")
    state = find(looking, image, *values, about["variant"]["box_threshold"], 0.99)
    assert state["status"] == "done", state
    record = looking.storage.masks.get(state["mask_id"])
    staged, card, evidence = judged(
        looking, image, start(record), override("box", 0, use=False), override("box", 0, use=True)
    )
    assert staged["found"]["presence"] == []
    assert "presence" not in mask_of(looking, card).parameters
    assert card["absent"] == ""
    assert titles(evidence)["Object present"] == "not checked"


@pytest.mark.parametrize("step", ["box", "negative", "presence"])
def test_an_override_of_what_is_not_there_is_refused(
    looking: Context, image: ImageRecord, made: MaskRecord, step: str
) -> None:
    more = {"answer": "no"} if step == "presence" else {"use": False}
    staged, card, _ = judged(looking, image, start(made), override(step, 99, **more))
    assert f"no {step} 100" in staged["message"]
    assert card["status"] == "unscored"


def test_a_link_opens_the_same_mask_with_its_overrides_on_a_machine_without_weights(
    looking: Context, image: ImageRecord, made: MaskRecord, tmp_path: Path
) -> None:
    marks = [start(made), override("box", 0, use=False), override("presence", 0, answer="no")]
    staged, card, _ = judged(looking, image, *marks)
    bare = make_context(
        looking.storage, "data", sources=Sources(tmp_path / "none", tmp_path / "cache")
    )
    try:
        opened = followed(bare, link_query(card["link"]))
    finally:
        bare.engine.close()
    assert opened["stage"]["marks"] == marks
    assert opened["stage"]["found"] == staged["found"]
    assert opened["stage"]["outline"] == staged["outline"]
    assert view_of(opened["verdict"])["evidence_id"] == card["evidence_id"]
    assert opened["question"]["object"] == "jar"


# ── points ──────────────────────────────────────────────────────────────────────────────────────


def point(x: float, y: float, inside: bool = True, **more: Any) -> dict[str, Any]:
    return {"type": "point", "x": x, "y": y, "inside": inside, **more}


def cut_out(context: Context, image: ImageRecord, *marks: dict[str, Any], by: str) -> str:
    data = {"image_id": image.image_id, "marks": list(marks)}
    state = ended(context, pointed(context, OWNER, data, by))
    assert state["status"] == "done", state
    return str(state["segmenter"])


@pytest.mark.parametrize("by", [SAM, SAM2])
def test_points_add_to_an_automatic_mask_and_take_away(
    looking: Context, image: ImageRecord, made: MaskRecord, by: str
) -> None:
    marks = [start(made), point(100, 100), point(300, 250, inside=False)]
    assert cut_out(looking, image, *marks, by=by) == by
    marks = [marks[0], *({**mark, "by": by} for mark in marks[1:])]
    staged, card, _ = judged(looking, image, *marks)
    record = mask_of(looking, card)
    assert [item["segmenter"] for item in record.parameters["points"]] == [by, by]
    tool = looking.engine.call(
        by,
        lambda model: [
            model.from_points(model.embed(looking.srgb8(image.image_id)), [index], [True]).pixels
            for index in ((100.0, 100.0), (300.0, 250.0))
        ],
    ).result(MAX_S)
    wanted = (looking.mask_pixels(made.mask_id) | tool[0]) & ~tool[1]
    assert np.array_equal(looking.mask_pixels(record.mask_id), wanted)
    assert "2 points" in staged["mask_text"]


def test_a_point_that_was_cut_out_asks_no_model_again(
    looking: Context, image: ImageRecord, tmp_path: Path
) -> None:
    mark = point(200, 150)
    by = cut_out(looking, image, mark, by=SAM2)
    named = {**mark, "by": by}
    bare = make_context(
        looking.storage, "data", sources=Sources(tmp_path / "none", tmp_path / "cache")
    )
    # What was cut out is kept in the app; only the models are gone.
    bare.services[Segments] = looking.service(Segments)
    try:
        staged, card, _ = judged(bare, image, named)
        assert staged["mask_text"].startswith("Points · 1 point · ")
        # Opened from a link on another day, the stored mask is the answer.
        another = make_context(looking.storage, "data", sources=bare.sources)
        opened = followed(another, link_query(card["link"]))
        assert view_of(opened["verdict"])["evidence_id"] == card["evidence_id"]
        assert opened["stage"]["marks"] == [named]
        refused, _, _ = judged(another, image, point(90, 90, by=by))
        assert "were segmented with SAM 2.1 Hiera tiny" in refused["message"]
        another.engine.close()
    finally:
        bare.engine.close()


def test_a_point_is_cut_out_anew_in_another_box(looking: Context, image: ImageRecord) -> None:
    cut = point_segmenter(looking, image.image_id)
    index = ([(200.0, 150.0)], [True])
    boxes = [(0, 0, 400, 300), (150, 100, 250, 200)]
    first, second = (cut(*index, box, SAM) for box in boxes)
    assert first is not second
    assert cut(*index, boxes[0], SAM) is first


def test_broken_points_of_a_page_become_words(looking: Context, image: ImageRecord) -> None:
    for data in ({}, {"image_id": image.image_id}, {"image_id": image.image_id, "marks": "x"}):
        assert pointed(looking, OWNER, data, SAM)["problem"]
    data = {"image_id": image.image_id, "marks": [point(9e5, 1)]}
    assert "outside of the image" in ended(looking, pointed(looking, OWNER, data, SAM))["words"]


# ── over HTTP ───────────────────────────────────────────────────────────────────────────────────


def test_a_search_is_watched_and_ended_over_http(
    looking: Context, image: ImageRecord, made: MaskRecord
) -> None:
    app = FastAPI()
    app.include_router(job_routes(looking))
    with TestClient(app) as client:
        work = begun(looking, OWNER, image.image_id, "bowl", *ASKED)
        path = f"/api/jobs/{work['job']}"
        assert client.post(f"{path}/cancel", json={}).status_code == 403
        seen, state = -1, client.get(path).json()
        while state["active"]:
            assert state["version"] != seen or seen == -1
            seen = state["version"]
            state = client.get(path, params={"seen": seen}).json()
        assert state["status"] == "done"
        assert state["version"] != seen
        mask = state["result"]["mask_id"]
        assert looking.storage.masks.get(mask).parameters["object"] == "bowl"
        work = begun(looking, OWNER, image.image_id, "vase", *ASKED)
        headers = {"X-TrueHue": "1"}
        cancelled = client.post(f"/api/jobs/{work['job']}/cancel", json={}, headers=headers)
        assert cancelled.status_code == 200
        assert ended(looking, work)["status"] == "cancelled"
        assert client.get("/api/jobs/unknown").status_code == 400
