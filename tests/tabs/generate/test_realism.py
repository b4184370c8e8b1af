"""CFR in Generate: the switch and its settings, what is drawn by them, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.charts import plotly_of
from tests.empty_data import empty_data
from tests.tabs.generate.forms import planned, started
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.fidelity.cfm.scorer import CfmScore
from truehue.core.fidelity.vividness import mean_saturation
from truehue.core.images.difference import delta_e00_map
from truehue.core.records import GenerationRecord
from truehue.core.refinement.settings import refinement_of, rows_of, saturation_map
from truehue.core.scores import measures
from truehue.core.scores.cfm import cfm_measures, cfm_records
from truehue.storage import Storage
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.generate.pairs import histograms, maps_of, pair_json
from truehue.tabs.generate.plan import Controls, OwnPrompt, count_of, own_prompt, requests, settings
from truehue.tabs.generate.realism import details_of, first_props, from_link, problem_of, realism_of
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

SMALL = "small"
ON: dict[str, Any] = {**first_props()["value"], "on": True, "strength": 1.0}


def controls(realism: Any, models: tuple[str, ...] = (SMALL,), guidance: str = "") -> tuple:
    """The request card with two steps and seed 3."""
    return (list(models), 3, 1, guidance, "2", 0, "studio", "none", realism)


def cfr_of(**changes: Any) -> dict[str, Any]:
    realism = realism_of({**ON, **changes})
    assert realism is not None
    return dict(realism.cfr)


def test_the_switch_says_what_a_request_holds() -> None:
    assert realism_of(None) is None
    assert realism_of({**ON, "on": False, "strength": "nonsense"}) is None
    assert cfr_of() == {"strength": 1.0, "variant": "full", "map": "first pass"}
    assert cfr_of(map="predicted", at=0.5)["at"] == 0.5
    assert cfr_of(variant="temporal") == {"strength": 1.0, "variant": "temporal"}
    painted = cfr_of(map="painted", rows=["00ff", "80ff"])
    assert (painted["map"], painted["source"]) == (["00ff", "80ff"], "painted")


def test_a_map_that_was_never_drawn_is_not_said_to_be_given() -> None:
    for map_, said in (("first pass", "not used"), (["00ff"], "given")):
        refinement = refinement_of({"cfr": {"strength": 0.0, "map": map_}})
        assert refinement is not None
        assert dict(details_of(refinement))["Map"] == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strength": 1.5}, "strength λ is a number from 0 to 1"),
        ({"variant": "sideways"}, "no variant 'sideways'"),
        ({"map": "guessed"}, "no map 'guessed'"),
        ({"map": "painted"}, "not painted yet"),
        ({"map": "painted", "rows": ["xy"]}, "two hexadecimal digits"),
    ],
)
def test_what_cannot_be_set_is_said(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        realism_of({**ON, **changes})


def test_each_picture_is_drawn_without_and_with_it() -> None:
    prompts = [own_prompt(OwnPrompt("A red mug")), own_prompt(OwnPrompt("A blue bus"))]
    how = settings(Controls(*controls(ON, guidance="2, 4")))
    made = requests(prompts, how)
    assert len(made) == count_of(2, how) == 8
    assert [(item.guidance, item.text, bool(item.options)) for item in made[:3]] == [
        (2.0, "A red mug", False),
        (2.0, "A red mug", True),
        (2.0, "A blue bus", False),
    ]
    alone = settings(Controls(*controls({**ON, "map": "predicted", "beside": False})))
    assert [
        generation_request.options["cfr"]["map"] for generation_request in requests(prompts, alone)
    ] == ["predicted"] * 2
    # The first of two passes is drawn anyway, and so it is kept.
    two = settings(Controls(*controls({**ON, "beside": False})))
    assert count_of(1, two) == 2


def test_models_without_guidance_are_named_beside_the_switch(context: Context) -> None:
    own, target = OwnPrompt("A red mug"), {"mode": "own"}
    shown = planned(context, OWNER, target, own, *controls(ON, ("reference-renderer",)))
    said = shown["realism"]["problem"]
    assert said.startswith("Reference renderer")
    assert "such as Small (trained on the renderer), or switch CFR off" in said
    assert shown["button"]["problem"] == said
    with pytest.raises(BadInput, match="no diffusion model"):
        started(context, OWNER, target, own, *controls(ON, ("reference-renderer", SMALL)))
    for name, text in {
        "flux.1-dev": "one prediction only",
        "janus-pro-1b": "token by token",
        "served:here": "on a server",
    }.items():
        assert text in problem_of([name], [None])
    assert "above 1" in problem_of([SMALL], [3.0, 1.0])
    fine = planned(context, OWNER, target, own, *controls(ON))
    assert fine["realism"]["problem"] == fine["button"].get("problem", "") == ""
    assert fine["button"]["note"] == "without and with CFR"
    assert "CFR λ 1" in fine["settings"]


def test_a_link_sets_the_switch_again(context: Context) -> None:
    value = {**ON, "strength": 0.4, "map": "predicted", "variant": "spatial", "at": 0.5}
    shown = planned(context, OWNER, {"mode": "own"}, OwnPrompt("A mug"), *controls(value))
    link = {name: str(text) for name, text in shown["button"]["settings"].items()}
    assert from_link(link) == value
    assert from_link({"cfr": "2"}) is from_link({"cfr": "x"}) is from_link({}) is None
    painted = from_link({"cfr": "0.5", "cfr_map": "painted"})
    assert painted is not None
    assert (painted["map"], painted["rows"]) == ("painted", [])


@pytest.fixture(scope="module")
def drawn_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """Drawn by the small model through the tab: λ 1 from a first pass, λ 0, and a painted half."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("cfr") / "data")) as storage:
        made = make_context(storage, "data")
        own = OwnPrompt("A photo of a red mug")
        for value in (
            ON,
            {**ON, "strength": 0, "beside": False},
            {**ON, "map": "painted", "rows": ["ff00"], "beside": False},
        ):
            job = started(made, OWNER, {"mode": "own"}, own, *controls(value))
            state = made.engine.wait(job, 300)
            assert (state.status, state.problems) == ("done", ())
        yield made
        made.close()


def by_strength(room: Context) -> dict[str, GenerationRecord]:
    painted, zero, _, full, plain = room.storage.drawings.recent()
    return {"plain": plain, "full": full, "zero": zero, "painted": painted}


def test_nothing_turned_down_is_the_same_image_through_the_app(drawn_room: Context) -> None:
    rows = by_strength(drawn_room)
    assert rows["plain"].options == {}
    assert rows["zero"].options["cfr"]["strength"] == 0
    # An image's id is the SHA-256 of its pixels.
    assert rows["zero"].image_id == rows["plain"].image_id
    assert len({rows[name].image_id for name in ("plain", "full", "painted")}) == 3


def test_before_and_after_are_linked_and_measured(drawn_room: Context) -> None:
    rows = by_strength(drawn_room)
    pair = pair_json(drawn_room, rows["full"].drawing_id)
    before_id, after_id = pair["before"]["image_id"], pair["after"]["image_id"]
    assert (before_id, after_id) == (rows["plain"].image_id, rows["full"].image_id)
    before, after = (drawn_room.storage.images.srgb8(item) for item in (before_id, after_id))
    values = delta_e00_map(before, after)
    difference = pair["difference"]
    assert (difference["mean"], difference["most"]) == (values.mean(), values.max())
    assert difference["url"].startswith("data:image/png;base64,")
    assert (difference["scale"][0], len(difference["scale"])) == ("#00224E", 17)
    by_name = {row["name"]: row for row in pair["measures"]}
    saturation = by_name["Mean saturation"]
    assert saturation["before"] == f"{mean_saturation(before):.3f}"
    assert saturation["after"] == f"{mean_saturation(after):.3f}"
    assert by_name["ΔSat"]["better"] == "low is better"
    for series in pair["figure"]["series"]:
        assert sum(row["y"] for row in series["rows"][:-1]) == pytest.approx(100)
    origin: Any = rows["full"].origin
    assert origin["cfr"]["map"] == rows_of(saturation_map(before))
    assert ["Map", "map of the first pass"] in pair["settings"]
    # The painted one was drawn alone; what it is without CFR had been drawn before.
    assert pair_json(drawn_room, rows["painted"].drawing_id)["before"]["image_id"] == before_id
    maps = maps_of(drawn_room, before_id)
    assert maps == {"saturation": rows_of(saturation_map(before)), "cfm": None}


def test_cfm_of_both_and_its_map_stand_there_once_they_were_scored(
    drawn_room: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    registration = Registration("folder", "folder", "folder", "c" * 64, "{text_prompt}")
    monkeypatch.setitem(measures._MORE, "cfm", cfm_measures(registration))
    rows = by_strength(drawn_room)
    ids = [rows[name].image_id or "" for name in ("plain", "full")]
    score = CfmScore(6.0, np.array([[0.0, 1.0]], np.float32))
    records = [
        score_record
        for name in ids
        for score_record in cfm_records(registration, name, "A mug", score)
    ]
    drawn_room.storage.scores.add_many(records)
    assert maps_of(drawn_room, ids[0])["cfm"] == ["00ff"]
    pair = pair_json(drawn_room, rows["full"].drawing_id)
    by_name = {row["name"]: row for row in pair["measures"]}
    assert by_name["CFM (logits / 3)"]["before"] == "2.000"
    assert by_name["CFM (logits / 3)"]["change"] == "+0.000"
    started = cfr_of(map="painted", rows=["00ff"], source="CFM’s map")
    assert started["source"].startswith("CFM")
    with pytest.raises(BadInput, match="not from 'elsewhere'"):
        cfr_of(map="painted", rows=["00ff"], source="elsewhere")


def test_a_picture_without_its_other_says_how_to_get_it(drawn_room: Context) -> None:
    rows = by_strength(drawn_room)
    with pytest.raises(BadInput, match="generated without CFR"):
        pair_json(drawn_room, rows["plain"].drawing_id)
    full = rows["full"]
    other = GenerationRecord(
        text=full.text,
        model=full.model,
        image_id=full.image_id,
        seed=full.seed,
        options=full.options,
        origin={**full.origin, "revision": "other weights"},
    )
    stored = drawn_room.storage.drawings.add(other)
    pair = pair_json(drawn_room, stored.drawing_id)
    assert pair["before"] is None
    assert "CFR switched off" in pair["reason"]
    shown, *_ = generations_json(drawn_room, [full])
    assert shown["refined"]
    assert "CFR λ 1" in shown["about"]
    assert (shown["width"], shown["height"]) == (64, 64)


def test_the_difference_of_equal_pictures_is_nothing() -> None:
    gray = np.full((4, 4, 3), 90, np.uint8)
    chart = histograms(gray, gray)
    assert go.Figure(plotly_of(chart)).data
    before, after = (series["rows"] for series in chart["series"])
    assert before == after
    assert before[0]["y"] == 100
