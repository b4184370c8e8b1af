"""Preparing sketches without a browser: what is brought, what a model draws, what is stored."""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tests.tabs.colorize.conftest import API, Ask, bring, png, squares
from tests.tabs.inside import Inside
from truehue.core.engine import Engine
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.request import GeneratedImage, GenerationRequest
from truehue.tabs.colorize import candidates, routes
from truehue.tabs.colorize.candidates import (
    CandidatesRequest,
    guidances,
    prompt_of,
    start_candidates,
)
from truehue.tabs.colorize.files import hatch_regions
from truehue.tabs.colorize.sketches import base_of, guess, save_sketch
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER
from truehue.tabs.sources.sketches import starter
from truehue.tabs.studies.sketch_choices import Choices

pytestmark = pytest.mark.slow


def test_a_drawing_that_is_brought_is_cleaned_looked_at_and_stored(
    ask: Ask, client: TestClient
) -> None:
    image = bring(client, png(squares()), "rotten apple (2).png").json()
    assert (image["words"], image["known"]) == ("rotten apple", True)
    about = ask("/prepared", image=image["image_id"], side=256)
    assert about["regions"][about["closing"]] == 3
    assert (about["width"], about["height"]) == (256, 256)
    # Nothing is stored by looking.
    assert ask("/sketches")["stored"] == []
    body = {"image": image["image_id"], "side": 256, "words": image["words"]}
    stored = ask("/sketches", body)
    assert stored["sketch"]["id"] == about["id"]
    # A state shares the sketch of its thing.
    assert stored["sketch"]["words"] == "apple"
    assert stored["said"] == "5 modified concepts share the sketch of “apple”."
    listed = ask("/sketches")["stored"]
    assert [(item["words"], item["source"]) for item in listed] == [
        ("apple", "imported as rotten apple (2).png")
    ]
    assert ask("/sketch", sketch=about["id"])["words"] == "apple"


def test_settings_are_read_once_and_refused_in_words(client: TestClient, ask: Ask) -> None:
    image = bring(client, png(squares()), "x.png").json()["image_id"]
    assert ask("/prepared", image=image, threshold="", side="512")["width"] == 512
    wrong = client.get(f"{API}/prepared", params={"image": image, "threshold": 400})
    assert "The line threshold" in wrong.json()["error"]
    assert client.get(f"{API}/prepared", params={"image": "0" * 64}).status_code == 404
    # A line from side to side: the same by an address and stored, and refused where it is none.
    whole, line = ask("/prepared", image=image), "0,4000,10000,4000"
    cut = ask("/prepared", image=image, lines=line + ";0,6000,10000,6000")
    assert cut["regions"][0] > whole["regions"][0]
    body = {"image": image, "words": "x", "lines": [[0, 4000, 10000, 4000], [0, 6000, 10000, 6000]]}
    assert ask("/sketches", body)["sketch"]["id"] == cut["id"]
    for wrong_line in ("0,0,10001,5", "0,0,5", "a,b,c,d"):
        refused = client.get(f"{API}/prepared", params={"image": image, "lines": wrong_line})
        assert (refused.status_code, refused.json()["field"]) == (400, "lines"), wrong_line
    unnamed = client.post(f"{API}/sketches", json={"image": image, "words": " "})
    assert (unnamed.status_code, unnamed.json()["field"]) == (400, "words")


def test_two_drawings_are_prepared_at_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = Inside(2)

    def slow(*_: Any) -> dict[str, Any]:
        with inside:
            return {}

    monkeypatch.setattr(routes, "prepared_view", slow)
    with ThreadPoolExecutor(6) as pool:
        submits = [
            pool.submit(client.get, f"{API}/prepared", params={"image": "0" * 64}) for _ in range(6)
        ]
        assert {item.result(30.0).status_code for item in submits} == {200}
    assert (inside.most, inside.count) == (2, 6)


def test_what_is_no_image_is_refused(client: TestClient) -> None:
    for content in (b"<svg onload='alert(1)'/>", b"", b"\x89PNG\r\n\x1a\nbroken"):
        answer = bring(client, content, "x.svg")
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_a_starter_drawing_is_stored_for_studies(ask: Ask) -> None:
    stored = ask("/sketches", {"drawing": "concept-0041"})
    listed = ask("/sketches")["stored"]
    assert [(item["id"], item["starter"]) for item in listed] == [(stored["sketch"]["id"], True)]


def test_keeping_a_coloring_leaves_in_use_what_was_used_last(
    ask: Ask, client: TestClient, context: Context
) -> None:
    def first() -> str:
        listed: str = ask("/sketches")["stored"][0]["id"]
        used = Choices(context).chosen("apple")
        assert used is not None
        assert used.id == listed
        return listed

    image = bring(client, png(squares()), "apple.png").json()["image_id"]
    body = {"image": image, "side": 256, "words": "apple"}
    brought = ask("/sketches", body)["sketch"]["id"]
    save_sketch(context, OWNER, starter("concept-0041"))
    assert first() == brought
    sample = ask("/sketches", {"drawing": "concept-0041"})["sketch"]["id"]
    assert first() == sample
    assert ask("/sketches", body)["sketch"]["id"] == brought
    assert first() == brought
    # It is the apple's, whatever else it is taken for.
    ask("/sketches", {"drawing": "concept-0041", "words": "pear"})
    assert first() == brought


def test_regions_are_told_apart_by_grays_and_hatches(client: TestClient, ask: Ask) -> None:
    labels = np.repeat(np.arange(4), 60)[None, :].repeat(120, axis=0)
    gray = hatch_regions(labels, np.full(labels.shape, 255, np.uint8), 900)
    assert gray.shape == labels.shape
    assert (gray[:, :60] == 255).all()  # no region
    parts = [gray[:, index : index + 60].astype(float) for index in (60, 120, 180)]
    means = sorted(part.mean() for part in parts)
    assert means[1] - means[0] > 8
    assert means[2] - means[1] > 8
    assert all(part.std() > 10 for part in parts)

    image = bring(client, png(squares()), "x.png").json()["image_id"]
    sizes = {}
    for view in ("ink", "regions"):
        answer = client.get(f"{API}/prepared/{image}.png", params={"view": view, "side": 256})
        sizes[view] = Image.open(io.BytesIO(answer.content))
        assert sizes[view].mode == "L"
    assert sizes["ink"].size == sizes["regions"].size == (256, 256)


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("Lonely_Cabin.png", "lonely cabin", True),
        ("apple sketch 3.jpg", "apple", True),
        ("apple-v2.png", "apple", True),
        ("my dragon.png", "my dragon", False),
        ("2.png", "2", False),
    ],
)
def test_a_file_says_by_its_name_what_it_shows(name: str, text: str, known: bool) -> None:
    assert guess(name) == {"words": text, "known": known}


def test_words_of_the_papers_list_are_stored_by_their_thing() -> None:
    assert base_of("Rotten apple")[0] == "apple"
    assert base_of("dragon") == ("dragon", "")
    with pytest.raises(BadInput, match="Enter the concept that the drawing shows"):
        base_of("  ")


def test_the_sentence_and_the_guidance_are_the_papers() -> None:
    assert prompt_of("rotten apple").text == (
        "A simple cartoon black outline drawing of apple, without coloring, without shadow, white "
        "background."
    )
    assert guidances(5, 7, 5) == (5.0, 5.5, 6.0, 6.5, 7.0)
    assert guidances(5, 7, 1) == (6.0,)
    with pytest.raises(BadInput, match="Swap them"):
        guidances(7, 5, 2)


def test_what_draws_no_lines_or_is_not_here_is_refused(context: Context) -> None:
    with pytest.raises(BadInput, match="not outlines"):
        start_candidates(context, OWNER, CandidatesRequest(words=["apple"], model=RENDERER))
    with pytest.raises(BadInput, match="cannot generate images yet"):
        start_candidates(context, OWNER, CandidatesRequest(words=["apple"], model="qwen-image"))


class Outlines:
    """A model that draws two squares, moved by its seed."""

    memory_bytes = 0
    batch_size = 1

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: Any, stop: Any
    ) -> list[GeneratedImage]:
        rolls = [np.roll(squares(), 2 * request.seed, axis=0) for request in requests]
        return [GeneratedImage(np.repeat(ink[..., None], 3, axis=-1), {}) for ink in rolls]

    def unload(self) -> None:
        """Nothing is held."""


def test_candidates_are_drawn_by_the_engine_and_picked(
    context: Context, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(lambda model_id: Outlines(), lambda model_id: 0)
    object.__setattr__(context, "engine", engine)
    monkeypatch.setattr(candidates, "missing", lambda *_: ())
    body = {"words": ["rotten apple"], "model": "qwen-image", "count": 3}
    job = ask("/candidates", body)["job"]
    state = engine.wait(job, 300)
    assert (state.status, state.done) == ("done", 3)
    assert state.title == "Sketches of “apple”, by Qwen-Image"
    answer = ask("/candidates", words="apple")
    assert [item["about"] for item in answer["drawn"]] == [
        "seed 2 · guidance 7",
        "seed 1 · guidance 6",
        "seed 0 · guidance 5",
    ]
    picked = ask("/sketches", {"image": answer["drawn"][0]["image"], "words": "apple"})["sketch"]
    assert picked["source"] == "Qwen-Image, seed 2, guidance 7"
    engine.close()
