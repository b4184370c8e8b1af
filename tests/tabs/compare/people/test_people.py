"""Imports of the Compare tab as its page calls them: files of distributions, sets of pictures."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from tests.salient import network
from truehue import render
from truehue.core.concepts.reading import FileRefused, read_distributions
from truehue.core.images.pixels import Mask
from truehue.tabs.compare.people import images as waiting
from truehue.tabs.compare.people import uploads
from truehue.tabs.compare.people.examples import EXAMPLES
from truehue.tabs.compare.people.routes import compare_people_routes
from truehue.tabs.compare.tab import people_html
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import job_alone
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER

pytestmark = pytest.mark.slow

__all__ = ["network"]
OURS = {"X-TrueHue": "1"}
SESSION = "0123456789abcdef" * 2
SETS = "/api/compare/sets"
MADE = {item.file_name: item.make().encode() for item in EXAMPLES}
MADE_HEADER = ",".join(map(str, range(71))).encode()


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (compare_people_routes, job_routes):
        app.include_router(make(context))
    with TestClient(app) as opened:
        yield opened


def stage(client: TestClient, content: bytes, name: str, session: str = SESSION) -> Any:
    headers = {**OURS, "X-File-Name": quote(name)}
    return client.post(f"{SETS}/distributions/{session}", content=content, headers=headers)


def read(client: TestClient, **options: Any) -> dict[str, Any]:
    answer = client.post(f"{SETS}/distributions/{SESSION}/read", json=options, headers=OURS)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def store(client: TestClient, **options: Any) -> dict[str, Any]:
    answer = client.post(f"{SETS}/distributions/{SESSION}/store", json=options, headers=OURS)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def listed(client: TestClient, hidden: bool = False) -> dict[str, Any]:
    return dict(client.get(SETS, params={"hidden": hidden}).json())


def png(pixels: np.ndarray, mode: str | None = None) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels, mode=mode).save(out, format="PNG")
    return out.getvalue()


def painted(color: tuple[int, int, int], side: int = 24) -> np.ndarray:
    """White paper with a painted square in the middle."""
    out = np.full((side, side, 3), 255, dtype=np.uint8)
    out[6:-6, 6:-6] = color
    return out


def send_pictures(client: TestClient, files: dict[str, bytes], session: str = SESSION) -> None:
    for index, (name, content) in enumerate(files.items()):
        headers = {**OURS, "X-File-Name": quote(name)}
        answer = client.post(f"{SETS}/pictures/{session}/{index}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text


def plan(client: TestClient, **options: Any) -> dict[str, Any]:
    return dict(client.post(f"{SETS}/pictures-plan/{SESSION}", json=options, headers=OURS).json())


def take(client: TestClient, **options: Any) -> dict[str, Any]:
    began = client.post(f"{SETS}/pictures-store/{SESSION}", json=options, headers=OURS).json()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        state: dict[str, Any] = client.get(f"/api/jobs/{began['job']}").json()
        if not state["active"]:
            return dict(state["result"])
        time.sleep(0.02)
    raise AssertionError("the import did not end")


# Files of distributions


def test_every_example_is_read_as_its_title_says() -> None:
    kinds = {
        "histograms.csv": "histograms",
        "palettes.csv": "palettes",
        "distributions.json": "palettes",
    }
    for name, kind in kinds.items():
        file = read_distributions(name, MADE[name])
        assert (file.kind, file.problems, file.unknown) == (kind, (), ())
        assert {row.words for row in file.rows} == {"banana", "rotten banana", "forest"}
    with pytest.raises(FileRefused) as refused:
        read_distributions("ratings.csv", MADE["ratings.csv"])
    assert refused.value.offer == "ratings"
    assert read_distributions("r.csv", MADE["ratings.csv"], normalize=True).kind == "ratings"
    distribution_file = read_distributions("one.csv", MADE["one.csv"], text="banana")
    assert [row.words for row in distribution_file.rows] == ["banana"]
    shown = people_html()
    assert all(f"examples/{item.file_name}" in shown for item in EXAMPLES)


def test_examples_are_downloads(client: TestClient) -> None:
    answer = client.get(f"{SETS}/examples/palettes.csv")
    assert answer.content == MADE["palettes.csv"]
    assert "truehue-palettes.csv" in answer.headers["content-disposition"]
    assert client.get(f"{SETS}/examples/passwords.csv").status_code == 404


def test_ratings_are_refused_with_the_offer_and_then_taken(
    client: TestClient, context: Context
) -> None:
    report = stage(client, MADE["ratings.csv"], "ratings.csv").json()
    assert "sum" in report["refused"]
    assert (report["offer"], report["question"]) == ("ratings", "What are these numbers?")
    assert report["button"] == "These are ratings: normalize them"
    # Nothing is stored by looking, however often.
    used = read(client, normalize=True)
    assert (used["refused"], used["kind"], used["concepts"]) == ("", "ratings", 3)
    assert listed(client)["sets"] == []
    assert not listed(client)["people"]
    refused = client.post(f"{SETS}/distributions/{SESSION}/store", json={}, headers=OURS)
    assert refused.status_code == 400

    made = store(client, normalize=True, name="Ratings", source="A lab, 2023", of_people=True)
    assert made["kind"] == "ratings"
    assert made["words"] == "banana"
    assert made["concept"].startswith("concept-")
    (row,) = context.storage.distributions.rows(made["set_id"], "banana")
    values = np.array(
        [float(cell) for cell in MADE["ratings.csv"].decode().splitlines()[1].split(",")[1:]]
    )
    assert np.allclose(row.weights, values / values.sum(), atol=1e-12)
    now = listed(client)
    assert now["people"]
    (item,) = now["sets"]
    assert (item["name"], item["whose"], item["concepts"]) == ("Ratings", "people", 3)
    assert "A lab, 2023" in item["from"]
    assert "ratings.csv" in item["from"]
    assert "normalized" in item["facts"]
    assert "3 of ColorConceptBench’s 1,279" in item["covers"]
    # What waited is gone.
    again = client.post(f"{SETS}/distributions/{SESSION}/read", json={}, headers=OURS)
    assert again.status_code == 400
    assert "Choose it again" in again.json()["error"]


def test_counts_are_offered_to_be_divided_by_their_sum(
    client: TestClient, context: Context
) -> None:
    report = stage(
        client, b"concept," + MADE_HEADER + b"\nbanana,60,40" + b",0" * 69, "c.csv"
    ).json()
    assert [(button["text"], button["options"]) for button in report["buttons"]] == [
        ("These are ratings: normalize them", {"normalize": "ratings"}),
        ("These are counts or percent: divide them by their sum", {"normalize": "shares"}),
    ]
    used = read(client, **report["buttons"][1]["options"])
    assert (used["kind"], used["buttons"]) == ("histograms", [])
    assert any("counts, percent or rounded shares" in note for note in used["notes"])
    made = store(client, normalize="shares", name="Counts", of_people=True)
    (row,) = context.storage.distributions.rows(made["set_id"])
    assert made["kind"] == "histograms"
    assert row.weights[:2].tolist() == [0.6, 0.4]
    # Where only some rows miss the sum of 1, the offer stands beside those that came in.
    some = b"concept," + MADE_HEADER + b"\nbanana,1,0" + b",0" * 69 + b"\nforest,99,0" + b",0" * 69
    report = stage(client, some, "some.csv").json()
    assert (report["concepts"], len(report["buttons"])) == (1, 2)
    assert read(client, normalize="shares")["concepts"] == 2


@pytest.mark.parametrize("wrong", [7, ["a"], {"a": 1}, True])
def test_what_is_no_text_is_no_name(client: TestClient, wrong: Any) -> None:
    stage(client, MADE["palettes.csv"], "palettes.csv")
    index = f"{SETS}/distributions/{SESSION}"
    for field in ("name", "source", "words"):
        answer = client.post(f"{index}/store", json={field: wrong}, headers=OURS)
        assert (answer.status_code, "is text" in answer.json()["error"]) == (400, True), field
    assert listed(client)["sets"] == []
    if wrong is not True:
        answer = client.post(f"{index}/read", json={"normalize": wrong}, headers=OURS)
        assert (answer.status_code, "one of ratings, shares" in answer.json()["error"]) == (
            400,
            True,
        )
    made = store(client, name="Right", of_people=True)
    answer = client.post(f"{SETS}/{made['set_id']}/name", json={"name": wrong}, headers=OURS)
    assert (answer.status_code, "A name is text" in answer.json()["error"]) == (400, True)
    assert [item["name"] for item in listed(client)["sets"]] == ["Right"]
    send_pictures(client, {"a.png": png(painted((200, 30, 30)))})
    good = {"words": "apple", "mask": "whole"}
    for field in ("name", "mask", "contributors", "words"):
        answer = client.post(
            f"{SETS}/pictures-store/{SESSION}", json={**good, field: wrong}, headers=OURS
        )
        assert (answer.status_code, "is text" in answer.json()["error"]) == (400, True), field


def test_the_same_rows_are_one_set(client: TestClient) -> None:
    stage(client, MADE["palettes.csv"], "palettes.csv")
    first = store(client, name="Once", of_people=True)
    assert not first["known"]
    client.post(f"{SETS}/{first['set_id']}/hidden", json={"hidden": True}, headers=OURS)
    assert listed(client)["sets"] == []
    stage(client, MADE["palettes.csv"], "other name.csv")
    again = store(client, name="Twice", of_people=True)
    assert again["known"]
    assert (again["set_id"], again["name"]) == (first["set_id"], "Once")
    # Who imports it again wants to see it.
    assert [item["name"] for item in listed(client)["sets"]] == ["Once"]


def test_numbers_without_words_ask_for_them(client: TestClient) -> None:
    report = stage(client, MADE["one.csv"], "one.csv").json()
    assert report["offer"] == "words"
    used = read(client, words="Rotten_Mango")
    assert [item["words"] for item in used["first"]] == ["rotten mango"]
    # A file that lacks more than words is not offered to be read with them.
    for content in (b"", b"concept,c1,c2\nbanana,1,2\n", b"\x89PNG\r\n\x1a\n\0\0", b"{"):
        report = stage(client, content, "bad.csv").json()
        assert report["refused"]
        assert report["offer"] == "", content
    report = stage(client, b"1,2\n" * 29, "fifty-eight.csv").json()
    assert report["offer"] in ("", "words", "as_58")


def test_58_numbers_are_offered_as_uw58(client: TestClient) -> None:
    header = ",".join(["concept", *map(str, range(58))])
    row = ",".join(["banana", "1", *["0"] * 57])
    report = stage(client, f"{header}\n{row}\n".encode(), "uw58.csv").json()
    assert report["offer"] == "as_58"
    assert report["button"] == "These are UW-58: import them"
    assert read(client, as_58=True)["concepts"] == 1


def test_a_part_that_cannot_be_read_is_reported_and_the_rest_is_taken(client: TestClient) -> None:
    lines = MADE["histograms.csv"].decode().splitlines()
    bad = lines[2].replace(lines[2].split(",")[5], "much", 1)
    report = stage(client, "\n".join([*lines[:2], bad, *lines[3:]]).encode(), "h.csv").json()
    assert report["refused"] == ""
    assert report["rows"] == 5
    assert report["problems_total"] == 1
    assert "3" in report["problems"][0]


def test_a_set_shows_its_concepts_by_pages(client: TestClient, context: Context) -> None:
    stage(client, MADE["histograms.csv"], "histograms.csv")
    made = store(client, name="Histograms", of_people=False)
    (item,) = listed(client)["sets"]
    assert (item["whose"], item["contributors"]) == ("another measurement", 2)
    page = client.get(f"{SETS}/{made['set_id']}", params={"limit": 2}).json()
    assert (page["total"], len(page["concepts"])) == (3, 2)
    concept = client.get(f"{SETS}/{made['set_id']}", params={"typed": "Rotten"}).json()["concepts"]
    assert [(row["words"], row["kind"], row["people"]) for row in concept] == [
        ("rotten banana", "visual state", 2)
    ]
    (line,) = concept
    rows = context.storage.distributions.rows(made["set_id"], "rotten banana")
    mean = np.mean([row.weights for row in rows], axis=0)
    assert sum(share for _, share in line["bins"]) == pytest.approx(1.0)
    assert line["bins"][0][0] == int(mean.argmax()) == line["dominant"]
    assert line["bins"][0][1] == pytest.approx(float(mean.max()))
    assert [share for _, share in line["bins"]] == sorted(
        (share for _, share in line["bins"]), reverse=True
    )


def test_names_change_and_bad_ones_are_refused(client: TestClient) -> None:
    stage(client, MADE["palettes.csv"], "palettes.csv")
    set_id = store(client, name="", of_people=True)["set_id"]
    assert [item["name"] for item in listed(client)["sets"]] == ["palettes"]
    said = client.post(f"{SETS}/{set_id}/name", json={"name": " Mine "}, headers=OURS)
    assert said.json() == {"name": "Mine"}
    assert [item["name"] for item in listed(client)["sets"]] == ["Mine"]
    for name in ("", "  ", "x" * 121, None):
        refused = client.post(f"{SETS}/{set_id}/name", json={"name": name}, headers=OURS)
        assert refused.status_code == 400
    nothing = client.post(f"{SETS}/{'0' * 64}/name", json={"name": "x"}, headers=OURS)
    assert nothing.status_code == 404
    assert client.get(f"{SETS}/{'0' * 64}").status_code == 404


def test_words_are_found_as_one_types(client: TestClient) -> None:
    json = client.get(f"{SETS}/words", params={"typed": "Rotten m"}).json()
    assert json["found"][0]["words"] == "rotten mango"
    assert json["found"][0]["kind"] == "visual state"
    whole = client.get(f"{SETS}/words", params={"typed": "mango"}).json()
    assert whole["found"][0]["words"] == "mango"
    assert whole["known"]
    wrong = client.get(f"{SETS}/words", params={"typed": "bananna"}).json()
    assert (wrong["known"], wrong["found"], wrong["similar"][0]) == (False, [], "banana")
    assert client.get(f"{SETS}/words").json()["found"] == []


def test_a_page_elsewhere_changes_nothing(client: TestClient) -> None:
    app: Any = client.app
    paths = [path for path, methods in app.openapi()["paths"].items() if "post" in methods]
    assert len(paths) >= 10
    for path in paths:
        filled = path.replace("{session}", SESSION).replace("{place}", "0")
        assert client.post(filled, content=b"{}").status_code == 403, path


# Pictures


def test_pictures_find_their_masks_and_contributors(client: TestClient, tmp_path: Path) -> None:
    box = np.zeros((24, 24), dtype=np.uint8)
    box[6:-6, 6:-6] = 255
    send_pictures(
        client,
        {
            "p01_banana.png": png(painted((240, 210, 60))),
            "p01_banana-mask.png": png(box),
            "p02_banana.png": png(painted((90, 160, 60))),
            "lonely.png": png(painted((9, 9, 9))),
            "other-mask.png": png(box),
            "who.csv": b"file;contributor\nlonely.png;Ann\n",
        },
    )
    result = plan(client, contributors="name")
    assert result["counts"][0] == [result["total"], "images"]
    assert {item["name"]: (item["mask"], item["contributor"]) for item in result["pictures"]} == {
        "p01_banana.png": ("p01_banana-mask.png", "p01"),
        "p02_banana.png": ("", "p02"),
        "lonely.png": ("", ""),
    }
    assert result["total"] == 3
    said = " ".join(result["problems"])
    assert "other-mask.png matches none of these images" in said
    assert "There is no contributor for 1 image (lonely.png)" in said
    named = plan(client, contributors="table")
    assert {item["name"]: item["contributor"] for item in named["pictures"]}["lonely.png"] == "Ann"
    # Looked at with the pixels that count, and nothing is stored.
    shown = client.get(f"{SETS}/pictures/{SESSION}/0").json()
    assert shown["mask"].endswith("25%")
    paper = client.get(f"{SETS}/pictures/{SESSION}/2", params={"mask": "paper"}).json()
    assert paper["mask"] == "Without the white paper, 25%"
    plain = client.get(f"{SETS}/pictures/{SESSION}/2").json()
    assert "No mask of these pixels is stored" in plain["refused"]
    assert plain["url"].startswith("data:image/png;base64,")
    assert "refused" in client.get(f"{SETS}/pictures/{SESSION}/77").json()


def test_a_table_of_contributors_that_cannot_be_read_is_refused(client: TestClient) -> None:
    send_pictures(client, {"a.png": png(painted((1, 2, 3)))})
    assert "no CSV" in plan(client, contributors="table")["error"]
    send_pictures(client, {"a.png": png(painted((1, 2, 3))), "who.csv": b"name,age\na.png,3\n"})
    assert "needs the columns file and contributor" in plan(client, contributors="table")["error"]
    assert "cannot be read from" in plan(client, contributors="stars")["error"]


def test_a_set_of_pictures_is_measured_and_says_what_it_left_out(
    client: TestClient, context: Context
) -> None:
    yellow, brown = painted((240, 210, 60)), painted((80, 60, 40))
    marked = context.storage.images.add(brown, "brown.png", "upload")
    inside = np.zeros((24, 24), dtype=bool)
    inside[8:-8, 8:-8] = True
    context.storage.masks.add(marked.image_id, Mask(inside, "brush", {"marks": []}))
    cut = np.dstack([yellow, np.where((yellow == 255).all(axis=2), 0, 255).astype(np.uint8)])
    send_pictures(
        client,
        {
            "cut.png": png(cut),
            "brown.png": png(brown),
            "brown again.png": png(brown),
            "plain.png": png(painted((1, 99, 9))),
            "broken.png": b"\x89PNG\r\n\x1a\nno",
            "notes.txt": b"what I did",
        },
    )
    before = context.storage.picture_sets.all()
    report = take(client, words="Rotten Mango", mask="stored", name="Mine")
    assert before == []
    assert (report["taken"], report["words"]) == (2, "rotten mango")
    assert report["concept"].endswith("-rotten")
    why = {entry["name"]: entry["why"] for entry in report["refused"]}
    assert why.keys() == {"brown again.png", "plain.png", "broken.png", "notes.txt"}
    assert "same pixels as brown.png" in why["brown again.png"]
    assert "Select the object in Inspect" in why["plain.png"]
    opened = {entry["name"]: entry["image_id"] for entry in report["refused"]}
    assert opened["plain.png"]
    assert not opened["broken.png"]
    members = context.storage.picture_sets.images(report["set_id"])
    assert len(members) == 2
    # The profile is of the masks: 144 painted pixels of the cut-out, 64 that were marked.
    sizes = [context.storage.image_profiles.of(image, mask).mask_px for image, mask, _ in members]
    assert sizes == [144, 64]
    assert not context.staging.folder(SESSION).exists()
    (item,) = listed(client)["sets"]
    assert (item["type"], item["name"], item["whose"]) == ("pictures", "Mine", "a model")
    inside_set = client.get(f"{SETS}/{report['set_id']}").json()
    assert [image["name"] for image in inside_set["pictures"]] == ["cut.png", "brown.png"]
    shown = client.get(inside_set["pictures"][0]["cutout"])
    with Image.open(io.BytesIO(shown.content)) as stored:
        assert np.count_nonzero(np.asarray(stored)[..., 3] == 255) == 144


def test_people_color_sheets(client: TestClient, context: Context) -> None:
    send_pictures(
        client,
        {f"p{index}_banana.png": png(painted((240 - index, 210, 60))) for index in range(3)}
        | {"p3_banana.png": png(np.full((24, 24, 3), 255, dtype=np.uint8))},
    )
    report = take(client, words="banana", mask="paper", contributors="name", of_people=True)
    assert report["taken"] == 3
    assert "Nothing but white paper" in report["refused"][0]["why"]
    members = context.storage.picture_sets.images(report["set_id"])
    assert [who for _, _, who in members] == ["p0", "p1", "p2"]
    (item,) = listed(client)["sets"]
    assert (item["whose"], item["contributors"], item["name"]) == ("people", 3, "banana, 3 images")
    assert listed(client)["people"]


def test_a_set_without_a_picture_is_none(client: TestClient, context: Context) -> None:
    send_pictures(client, {"a.png": png(painted((1, 2, 3)))})
    report = take(client, words="something else", mask="stored")
    assert (report["taken"], report["set_id"], report["concept"]) == (0, "", "")
    assert context.storage.picture_sets.all() == []
    # The files still wait: other pixels can be chosen.
    assert take(client, words="something else", mask="whole")["taken"] == 1
    for text in ("", "  ", "x" * 121):
        send_pictures(client, {"a.png": png(painted((1, 2, 3)))})
        values = {"words": text, "mask": "whole"}
        wrong = client.post(f"{SETS}/pictures-store/{SESSION}", json=values, headers=OURS)
        assert wrong.status_code == 400
    assert len(context.storage.picture_sets.all()) == 1
    client.post(f"{SETS}/forget/{SESSION}", json={}, headers=OURS)
    gone = client.post(f"{SETS}/pictures-store/{SESSION}", json={"words": "x"}, headers=OURS)
    assert gone.status_code == 400
    assert "Choose them again" in gone.json()["error"]


def test_a_set_that_is_cancelled_is_none(client: TestClient, context: Context) -> None:
    send_pictures(client, {"a.png": png(painted((1, 2, 3))), "b.png": png(painted((3, 2, 1)))})
    values = {"session": SESSION, "words": "banana", "mask": "whole"}
    job = job_alone("pictures")
    job.stop.set()
    report = uploads.import_concept_images(context, OWNER, read_as(uploads.ImageFiles, values), job)
    assert (report["set_id"], report["taken"]) == ("", 0)
    assert report["title"] == "Cancelled: no set was made."
    assert context.storage.picture_sets.all(hidden=True) == []
    # The files still wait.
    assert plan(client)["total"] == 2


def test_a_cutout_wants_the_mask_of_its_picture(client: TestClient, context: Context) -> None:
    first, second = (
        context.storage.images.add(painted(color, side), "x", "upload")
        for color, side in (((1, 2, 3), 24), ((3, 2, 1), 20))
    )
    mask = context.storage.masks.add(first.image_id, Mask(np.ones((24, 24), dtype=bool), "whole"))
    index = f"{SETS}/cutouts"
    assert client.get(f"{index}/{first.image_id}/{mask.mask_id}.png").status_code == 200
    assert client.get(f"{index}/{second.image_id}/{mask.mask_id}.png").status_code == 400
    assert client.get(f"{index}/{'0' * 64}/{mask.mask_id}.png").status_code == 404


def test_an_image_without_a_mask_counts_by_what_stands_out(
    network: Path, client: TestClient, context: Context
) -> None:
    mug = render("mug", "#B4532A", size_px=200).srgb8
    send_pictures(
        client, {"mug.png": png(mug), "gray.png": png(np.full((64, 64, 3), 119, np.uint8))}
    )
    seen = [
        client.get(f"{SETS}/pictures/{SESSION}/{place}", params={"mask": "salient-or-whole"}).json()
        for place in (0, 1)
    ]
    assert [row["mask"].partition(",")[0] for row in seen] == ["Salient object v1", "Whole image"]
    report = take(client, words="mug", mask="salient-or-whole")
    assert report["taken"] == 2
    members = context.storage.picture_sets.images(report["set_id"])
    masks = [context.storage.masks.get(mask_id) for _, mask_id, _ in members]
    assert [mask.maker for mask in masks] == ["salient", "whole"]


def test_an_unexpected_error_of_a_cutout_is_told_in_words(
    client: TestClient, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(context.storage.masks), "get", lambda *which: {}["mask"])
    answer = client.get(f"{SETS}/cutouts/{'0' * 64}/{'1' * 64}.png")
    assert (answer.status_code, "KeyError" in answer.json()["error"]) == (500, True)


def test_too_many_pictures_are_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MAX_IMAGES", 1)
    send_pictures(client, {"a.png": png(painted((1, 2, 3))), "b.png": png(painted((3, 2, 1)))})
    assert "a set takes up to 1" in plan(client)["error"]


@pytest.mark.skipif("TRUEHUE_SHARED_DATA" not in os.environ, reason="no shared data")
def test_the_published_ratings_come_in(client: TestClient) -> None:
    path = Path(os.environ["TRUEHUE_SHARED_DATA"]) / "human_uw71" / "uw71_all_concept_ratings.csv"
    report = stage(client, path.read_bytes(), path.name).json()
    assert report["offer"] == "ratings"
    used = read(client, normalize=True)
    assert (used["concepts"], used["problems_total"]) == (70, 0)
    made = store(client, normalize=True, name="Ratings", of_people=True)
    concept = client.get(f"{SETS}/{made['set_id']}", params={"typed": "banana"}).json()["concepts"]
    assert [item["words"] for item in concept] == ["banana"]
