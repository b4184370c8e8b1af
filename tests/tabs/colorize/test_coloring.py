"""Coloring without a browser: what a log says of a drawing's colors, what is kept, and by whom."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tests.tabs.colorize.conftest import API, Ask, fill
from truehue.annotation.colorings import checksum, paint, read_action
from truehue.core.color.distances import compare
from truehue.core.color.uw71 import COUNT, uw71
from truehue.core.concepts.records import DistributionFile, DistributionRow
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.sketches.images import composite
from truehue.core.sketches.records import Sketch, sketch_id
from truehue.core.sketches.regions import decode, regions
from truehue.tabs.colorize.saved import NamedColoring, delete_coloring
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.sources import sketches
from truehue.tabs.sources.sketches import drawings, starter_sketch

pytestmark = pytest.mark.slow

APPLE = "concept-0041"
RED, GREEN = "#c02030", "#409040"
LOG = [fill(512, 700, RED), fill(600, 200, GREEN)]


@pytest.fixture(scope="session")
def apple() -> Sketch:
    return starter_sketch(APPLE)


def coloring(apple: Sketch, actions: list[Any], text: str = "apple") -> dict[str, Any]:
    return {"sketch": apple.id, "words": text, "actions": actions}


def kept(apple: Sketch, actions: list[Any], text: str = "apple") -> dict[str, Any]:
    layer = paint([read_action(action) for action in actions], regions(apple.ink))
    return {**coloring(apple, actions, text), "checksum": checksum(layer)}


def one_bin(index: int) -> np.ndarray:
    weights = np.zeros(COUNT)
    weights[index] = 1.0
    return weights


def imported(context: Context, name: str, weights: np.ndarray, of_people: bool) -> None:
    rows = (DistributionRow("apple", "", weights, 12),)
    file = DistributionFile("histograms", rows)
    context.storage.distributions.add(file, name, "f.csv", "a test", of_people)


def test_a_starter_drawing_is_listed_and_comes_with_lines_and_regions(
    ask: Ask, client: TestClient, apple: Sketch
) -> None:
    listed = ask("/sketches")
    bases = {base["id"]: base for base in listed["bases"]}
    assert len(bases) == 214
    assert {name for name, base in bases.items() if base["drawing"]} == set(drawings())
    assert bases[APPLE]["words"] == "apple"
    assert ["concept-0041-rotten", "rotten apple", "visual state"] in bases[APPLE]["modifiers"]

    about = ask("/sketch", drawing=APPLE)
    assert about["id"] == apple.id
    lines = Image.open(io.BytesIO(client.get(about["ink"]).content))
    assert lines.mode == "LA"
    assert np.array_equal(255 - np.asarray(lines)[..., 1], apple.ink)
    maps = decode(client.get(about["regions"]).content)
    assert all(map(np.array_equal, maps, regions(apple.ink).labels))


def test_a_link_opens_a_starter_drawing_that_nobody_has_opened_since_the_start(
    ask: Ask, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third, *_ = drawings()
    ids = {name: sketch_id(drawings()[name].ink()) for name in (first, second)}
    monkeypatch.setattr(sketches, "_NAMES", {ids[first]: first})
    about = ask("/sketch", sketch=ids[second])
    assert (about["id"], about["drawing"]) == (ids[second], second)
    # No more are drawn than it takes to find it.
    assert third not in sketches._NAMES.values()
    assert ask("/sketch", sketch=ids[second])["drawing"] == second
    assert client.get(f"{API}/sketch", params={"sketch": "no-sketch"}).status_code == 404


def test_a_link_opens_a_drawing_though_another_file_cannot_be_used(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second, *_ = drawings()
    sketch = sketch_id(drawings()[second].ink())
    spoiled = replace(drawings()[first], path=tmp_path / "none.svg")
    monkeypatch.setattr(sketches, "_NAMES", {})
    monkeypatch.setattr(sketches, "drawings", lambda: {first: spoiled, second: drawings()[second]})
    assert ask("/sketch", sketch=sketch)["drawing"] == second


def test_a_drawing_is_served_as_what_can_run_nothing(client: TestClient) -> None:
    answer = client.get(f"{API}/starter/{APPLE}.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script" not in answer.text
    assert client.get(f"{API}/starter/concept-9999.svg").status_code == 404


def test_an_unexpected_error_of_a_file_is_told_in_words(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.tabs.colorize.files.drawing_of", lambda drawing: {}[drawing])
    answer = client.get(f"{API}/starter/concept-9998.svg")
    assert (answer.status_code, "KeyError" in answer.json()["error"]) == (500, True)


def test_colors_are_named_with_their_shares_and_compared_nearest_first(
    ask: Ask, context: Context, apple: Sketch
) -> None:
    far = next(bin.index for bin in uw71() if bin.hex == "#FFFFFF" or bin.lab[0] == 100)
    imported(context, "All white", one_bin(far), of_people=False)
    answer = ask("/compare", coloring(apple, LOG))
    assert [item["hex"] for item in answer["colors"]["listed"]] == [RED.upper(), GREEN.upper()]
    assert sum(item["share"] for item in answer["colors"]["listed"]) == pytest.approx(1.0)
    names = [(item["name"], item["standard"]) for item in answer["colors"]["listed"]]
    assert names == [("red", "Vivid red"), ("green", "Strong yellowish green")]
    assert 0.1 < answer["colored"] < 0.9
    assert sum(answer["weights"]) == pytest.approx(1.0, abs=1e-5)

    imported(context, "Designers", np.array(answer["weights"]) / sum(answer["weights"]), True)
    answer = ask("/compare", coloring(apple, LOG))
    assert [item["label"] for item in answer["against"]] == ["Designers", "All white"]
    assert [item["people"] for item in answer["against"]] == [True, False]
    assert answer["against"][0]["counted"] == "12 people"
    numbers = compare(np.array(answer["weights"]) / sum(answer["weights"]), one_bin(far))
    message = answer["against"][1]["numbers"]
    assert message["emd"]["value"] == pytest.approx(numbers.emd_lab, abs=1e-3)
    assert set(message) == {metric["id"] for metric in answer["metrics"]}
    # A state of it has none of these.
    assert ask("/compare", coloring(apple, LOG, "rotten apple"))["against"] == []


def test_where_nothing_is_colored_it_is_told_what_there_is(
    ask: Ask, context: Context, apple: Sketch
) -> None:
    imported(context, "Designers", one_bin(3), of_people=True)
    for actions in ([], [*LOG, {"do": "clear"}]):
        answer = ask("/compare", coloring(apple, actions))
        assert answer["of"] == {"people": 1, "others": 0}
        assert "weights" not in answer


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ([{"do": "burn"}], "An action does one of"),
        ([fill(1, 1, "red")], "A color is #rrggbb"),
        (["fill"], "An action does one of"),
        ([fill(1, 1, RED)] * 20_001, "The log"),
    ],
)
def test_what_is_no_log_is_refused_in_words(
    client: TestClient, apple: Sketch, actions: list[Any], text: str
) -> None:
    answer = client.post(f"{API}/compare", json=coloring(apple, actions))
    assert answer.status_code == 400
    assert text in answer.json()["error"]


def test_a_coloring_is_kept_with_its_log_and_opens_as_it_was(
    ask: Ask, client: TestClient, context: Context, apple: Sketch
) -> None:
    item = ask("/keep", kept(apple, [*LOG, {"do": "undo"}], "Rotten_Apple"))["kept"]
    assert (item["words"], item["actions"], item["mine"]) == ("rotten apple", 3, True)
    assert context.storage.sketches.get(apple.id).words == "apple"
    opened = ask(f"/kept/{item['id']}")
    assert opened["actions"] == [*LOG, {"do": "undo"}]
    assert opened["sketch"]["id"] == apple.id

    layer = paint([read_action(each) for each in LOG[:1]], regions(apple.ink))
    whole = client.get(item["files"]["coloring"])
    assert whole.headers["content-disposition"].endswith('"rotten-apple-coloring.png"')
    other = client.get(item["files"]["coloring"].replace("coloring.png", "categories"))
    assert (other.status_code, "coloring.png" in other.json()["error"]) == (404, True)
    pixels = np.asarray(Image.open(io.BytesIO(whole.content)))
    assert np.array_equal(pixels, composite(apple.ink, layer))
    colors = np.asarray(Image.open(io.BytesIO(client.get(item["files"]["colors"]).content)))
    assert np.array_equal(colors, layer)
    vectors = client.get(item["files"]["svg"])
    assert "sandbox" in vectors.headers["content-security-policy"]
    assert vectors.text.startswith("<svg")
    assert max(Image.open(io.BytesIO(client.get(item["thumb"]).content)).size) == 256

    assert ask(f"/kept/{item['id']}/delete", {})["kept"] == []
    assert client.get(item["files"]["svg"]).status_code == 404


def test_what_the_page_shows_and_what_the_log_gives_must_be_one_picture(
    client: TestClient, apple: Sketch
) -> None:
    sent = {**kept(apple, LOG), "checksum": "00000000"}
    answer = client.post(f"{API}/keep", json=sent)
    assert answer.status_code == 400
    assert "nothing was saved" in answer.json()["error"]
    bare = client.post(f"{API}/keep", json=kept(apple, [fill(512, 700, None)]))
    assert "Nothing is colored yet" in bare.json()["error"]
    unnamed = client.post(f"{API}/keep", json=kept(apple, LOG, ""))
    assert unnamed.json()["field"] == "words"


def test_only_who_kept_a_coloring_deletes_it(ask: Ask, context: Context, apple: Sketch) -> None:
    item = ask("/keep", kept(apple, LOG))["kept"]
    other = Actor("f" * 32, Role.RESEARCHER)
    with pytest.raises(NotAllowed):
        delete_coloring(context, other, NamedColoring(coloring=item["id"]))
    assert delete_coloring(context, OWNER, NamedColoring(coloring=item["id"])) == {"kept": []}


def test_a_picture_is_saved_without_being_kept(ask: Ask, apple: Sketch) -> None:
    file = ask("/picture", {**coloring(apple, LOG, "<b>x</b>"), "kind": "colors"})
    assert (file["name"], file["type"]) == ("b-x-b-colors.png", "image/png")
    layer = paint([read_action(item) for item in LOG], regions(apple.ink))
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(base64.b64decode(file["data"])))), layer)
    assert ask("/kept")["kept"] == []


def test_a_visitor_keeps_within_their_allowance(
    ask: Ask, client: TestClient, context: Context, apple: Sketch
) -> None:
    class Full:
        def require(self, size_bytes: int = 0, images: int = 0) -> None:
            raise BadInput("A visitor may store 1 MB here.")

        def left_bytes(self) -> int:
            return 0

    object.__setattr__(context, "allowance", Full())
    answer = client.post(f"{API}/keep", json=kept(apple, LOG))
    assert "A visitor may store" in answer.json()["error"]
    assert ask("/compare", coloring(apple, LOG))["checksum"] == kept(apple, LOG)["checksum"]


RACE = """
import threading
from truehue.tabs.colorize import sketches as views
from truehue.tabs.sources import sketches

faults = []
def tried(make):
    try:
        make()
    except BaseException as error:
        faults.append(repr(error))
both = (sketches.drawings, views._generated_text) * 3
threads = [threading.Thread(target=tried, args=(make,)) for make in both]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not faults, faults
"""


@pytest.mark.process
def test_the_first_pages_may_ask_at_once() -> None:
    # In a process of its own: where the drawings are there already, nobody waits for another.
    subprocess.run([sys.executable, "-c", RACE], cwd=ROOT, check=True, timeout=300)
