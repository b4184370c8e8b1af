"""The Generate tab's functions, called as its events call them, with the real engine."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from tests.tabs.drawn import drawn
from tests.tabs.generate.forms import planned, started
from tests.tabs.reach import as_demo
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.request import GenerationRequest
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.form import restore
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.generate.own_prompt import FIRST, OwnPrompt
from truehue.tabs.inspect.state import exact_mask
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.verdicts.summary import NO_MASK

pytestmark = pytest.mark.slow

RENDERER = "reference-renderer"
MUG = OwnPrompt("", "mug", "css:teal")
RIGHT: tuple[Any, ...] = ([RENDERER], 5, 1, "", "", 96, "studio", "none")


EVE = Actor("eve", Role.VISITOR)


def scene(context: Context, failure: str = "none") -> tuple[list[Any], Any]:
    """Draws a prompt of three objects; its drawings and the prompt."""
    prompt = next(
        prompt
        for prompt in context.service(Library).index("gencolorbench").prompts
        if prompt.task == "moc" and prompt.system == "l2" and len(prompt.targets) == 3
    )
    sent = {"mode": "chosen", "refs": [["gencolorbench", prompt.id]]}
    job = started(context, OWNER, sent, OwnPrompt(), *RIGHT[:5], 256, "even", failure)
    assert context.engine.wait(job, 300).status == "done"
    return context.storage.drawings.recent(prompt=("gencolorbench", prompt.id)), prompt


def test_every_field_that_cannot_be_read_is_named(context: Context) -> None:
    controls = ([RENDERER], -5, 9999, "-3", "abc", 0, "studio", "none")
    view = planned(context, OWNER, {"mode": "own"}, MUG, *controls)["button"]
    assert list(view["fields"]) == ["seed", "seeds", "guidance", "steps"]
    assert "not -5" in view["fields"]["seed"]
    assert all(field in view["problem"] for field in view["fields"].values())
    view = planned(context, OWNER, {"mode": "own"}, MUG, *RIGHT)["button"]
    assert "fields" not in view


def test_a_card_of_a_concept_leads_to_compare_and_names_its_stand_in(context: Context) -> None:
    sent = {"mode": "basket", "refs": [["concepts", "concept-0044-rotten-photo"]]}
    job = started(context, OWNER, sent, OwnPrompt(), *RIGHT[:5], 256, "even", "none")
    assert context.engine.wait(job, 300).status == "done"
    (shown,) = generations_json(context, context.storage.drawings.recent())
    assert (shown["concept"], shown["unscored"]) == (
        "concept-0044-rotten",
        f"No target color in the prompt, and no color measured. {NO_MASK}",
    )
    drawn(context, "bicycle", "css:teal", failure="ignored")
    (shown,) = generations_json(context, context.storage.drawings.recent(1))
    assert (shown["concept"], shown["unscored"]) == ("", "")
    assert shown["targets"][0]["stand_in"] == "car for bicycle"
    (said,) = [verdict for verdict in shown["verdicts"] if verdict["rule"] == "truehue"]
    assert said["status"] == "fail"
    assert re.fullmatch(r"[a-z ]+, not teal; .*", said["short"]), said["short"]
    assert shown["truth"] == "", "the notes of the image say it"
    assert "#" in " ".join(shown["notes"])


def test_a_picture_is_stored_with_all_that_draws_it_again(context: Context) -> None:
    record = drawn(context, "mug", "css:teal", "window", 5, 96)
    (row,) = context.storage.drawings.recent()
    target = ObjectTarget("mug", parse_target("css:teal"))
    assert (row.model, row.seed, row.text) == (RENDERER, 5, "A photo of a teal mug")
    assert row.options == {"light": "window", "failure": "none"}
    assert row.targets[0].name == target.name
    again = GenerationRequest(
        row.model,
        row.text,
        row.seed or 0,
        width=row.width,
        height=row.height,
        targets=row.targets,
        options=row.options,
    )
    from threading import Event

    (made,) = ReferenceRenderer().draw([again], lambda _: None, Event())
    assert np.array_equal(context.storage.images.srgb8(record.image_id), made.srgb8)
    assert (record.source, record.origin["object_name"]) == ("render", "mug")
    assert json.loads(json.dumps(dict(record.origin))) == record.origin


def test_a_scene_has_a_mask_and_a_verdict_for_each_object(context: Context) -> None:
    (row,), prompt = scene(context)
    assert row.image_id is not None
    masks = context.storage.masks.for_image(row.image_id)
    assert {mask.parameters["target"] for mask in masks} == {0, 1, 2}
    by_object = {mask.parameters["object"]: mask for mask in masks}
    rows = context.storage.evidence.for_image(row.image_id)
    assert len(rows) == 3 * len(RULES)
    for item in rows:
        assert item.mask_id == by_object[item.object_name].mask_id
    for target in prompt.targets:
        mask_record = exact_mask(context, row.image_id, target.name)
        assert mask_record is not None
        assert mask_record.parameters["object"] == target.name
    first = exact_mask(context, row.image_id)
    assert first is not None
    assert first.parameters["target"] == 0


def test_objects_that_exchange_their_colors_are_told_from_right_ones(context: Context) -> None:
    statuses = {}
    for failure in ("none", "swapped"):
        (row, *_), _ = scene(context, failure)
        rows = context.storage.evidence.for_image(row.image_id or "")
        statuses[failure] = [item.status for item in rows if item.protocol == "released"]
    assert statuses["none"] == ["pass"] * 3
    assert statuses["swapped"].count("fail") >= 2


def test_the_same_request_is_one_image_and_two_drawings(context: Context) -> None:
    assert drawn(context, "mug", "css:teal") == drawn(context, "mug", "css:teal")
    counts = context.storage.images.count(), context.storage.masks.count()
    assert counts == (1, 1)
    assert context.storage.drawings.count() == 2
    assert context.storage.evidence.count() == len(RULES)


@pytest.mark.parametrize(
    ("own", "controls", "error", "said"),
    [
        (OwnPrompt("", "mug", "vivd red"), RIGHT, UnknownColor, "Vivid red"),
        (OwnPrompt("a sunset over the sea"), RIGHT, BadInput, "choose an object and a color"),
        (MUG, ([], *RIGHT[1:]), BadInput, "at least one model"),
        (MUG, (["dreams"], *RIGHT[1:]), BadInput, "dreams"),
        (MUG, (*RIGHT[:1], -1, *RIGHT[2:]), BadInput, "from 0 to"),
        (OwnPrompt("x" * 30_000, "mug", "css:red"), RIGHT, BadInput, "20,000"),
    ],
)
def test_what_cannot_be_asked_is_explained_and_nothing_is_stored(
    shared_context: Context,
    own: OwnPrompt,
    controls: tuple[Any, ...],
    error: type[Exception],
    said: str,
) -> None:
    with pytest.raises(error, match=said):
        started(shared_context, OWNER, {"mode": "own"}, own, *controls)
    assert shared_context.storage.drawings.count() == 0


@pytest.mark.parametrize(
    ("controls", "said"),
    [
        ((*RIGHT[:6], "disco", "none"), "light"),
        ((*RIGHT[:7], "asleep"), "failure"),
        ((["sdxl-base-1.0"], *RIGHT[1:]), "not installed"),
        ((["folder:/nowhere/at/all"], *RIGHT[1:]), "no folder"),
    ],
)
def test_what_the_model_refuses_is_a_row_with_its_reason(
    context: Context, controls: tuple[Any, ...], said: str
) -> None:
    job = started(context, OWNER, {"mode": "own"}, MUG, *controls)
    state = context.engine.wait(job, 300)
    assert (state.status, state.failed) == ("failed", 1)
    (row,) = context.storage.drawings.recent(status="failed")
    assert said in row.reason
    assert row.image_id is None


def test_folders_are_for_people_at_this_machine(context: Context) -> None:
    as_demo(context)
    with pytest.raises(BadInput, match="machine where TrueHue runs"):
        started(context, EVE, {"mode": "own"}, MUG, ["folder:/etc"], *RIGHT[1:])


def test_a_prompt_of_5000_characters_is_drawn(context: Context) -> None:
    own = OwnPrompt("a very long story " * 278, "mug", "css:teal")
    job = started(context, OWNER, {"mode": "own"}, own, *RIGHT)
    assert context.engine.wait(job, 300).status == "done"
    (row,) = context.storage.drawings.recent()
    assert len(row.text) > 5000
    assert len(context.storage.images.get(row.image_id or "").name) < 200


def test_a_basket_with_a_prompt_that_is_gone_says_so(context: Context) -> None:
    sent = {"mode": "basket", "refs": [["mini", "gone"]]}
    with pytest.raises(BadInput, match=r"gone.*Remove it from the selection"):
        started(context, OWNER, sent, OwnPrompt(), *RIGHT)
    with pytest.raises(BadInput, match="no prompt to generate"):
        started(context, OWNER, {"mode": "basket", "refs": []}, OwnPrompt(), *RIGHT)


def test_the_plan_counts_what_will_be_drawn(context: Context) -> None:
    target = {"mode": "basket", "prompts": 3}
    counted = ([RENDERER, "kolors"], 0, 2, "3, 5", "", 0, "hard", "swapped")
    shown = planned(context, OWNER, target, MUG, *counted)
    assert shown["button"]["button"] == "Generate 18 images"
    assert shown["button"]["note"] == (
        "3 prompts × 2 seeds × (2 guidance scales + the renderer, which takes no guidance)"
    )
    assert shown["button"]["settings"]["model"] == f"{RENDERER}|kolors"
    (kolors,) = shown["models"]["models"]
    assert kolors["name"] == "Kolors"
    assert kolors["facts"].startswith("50 steps, guidance 5, 1024 × 1024 · ")
    commands = [command for _, command in kolors["lacking"]]
    assert "python -m truehue models download kolors" in commands
    assert shown["renderer"] is True
    shown = planned(context, OWNER, {"mode": "own"}, MUG, ["kolors"], *RIGHT[1:])
    assert (shown["button"]["button"], shown["renderer"]) == ("Generate", False)
    shown = planned(context, OWNER, {"mode": "own"}, MUG, [RENDERER], None, *RIGHT[2:])
    assert "whole number" in shown["button"]["problem"]


@pytest.mark.parametrize(
    ("models", "guidance", "said"),
    [
        ([RENDERER], "3, 5", "2 seeds"),
        ([RENDERER, "kolors"], "", "2 seeds × 2 models"),
        (["kolors", "sd3-medium"], "3, 5", "2 seeds × 2 models × 2 guidance scales"),
        (
            [RENDERER, "kolors", "sd3-medium"],
            "3, 5",
            "2 seeds × (2 models × 2 guidance scales + the renderer, which takes no guidance)",
        ),
    ],
)
def test_the_factors_multiply_to_the_number_on_the_button(
    context: Context, models: list[str], guidance: str, said: str
) -> None:
    shown = planned(context, OWNER, {}, MUG, models, 0, 2, guidance, "", 0, "even", "none")
    assert shown["button"]["note"] == said


def test_too_many_images_are_said_before_one_presses(context: Context) -> None:
    target = {"mode": "basket", "prompts": 44_464}
    shown = planned(context, OWNER, target, MUG, *RIGHT)
    assert "at most 20,000" in shown["button"]["problem"]


def test_equal_pixels_keep_the_words_of_their_own_drawing(context: Context) -> None:
    """Two prompts whose colors are ignored become the same picture, for different reasons."""
    for color in ("#B92842", "#7F4829"):
        drawn(context, "banana", color, failure="ignored")
    rows = context.storage.drawings.recent()
    assert rows[0].image_id == rows[1].image_id
    notes = [" ".join(row.origin["notes"]) for row in rows]
    assert "#7F4829" in notes[0]
    assert "#B92842" in notes[1]
    shown = generations_json(context, rows)
    assert [" ".join(item["notes"]) for item in shown] == notes
    assert context.storage.images.get(rows[0].image_id or "").notes == ()


def test_a_longer_gallery_asks_the_database_no_more(
    context: Context, statements: list[str]
) -> None:
    for color in ("#B92842", "#7F4829", "#20A0C0"):
        drawn(context, "banana", color)
    rows = context.storage.drawings.recent()
    assert len(rows) == 3
    statements.clear()
    first, *_ = generations_json(context, rows)
    assert first["verdicts"]
    assert len(statements) == 3
    statements.clear()
    assert generations_json(context, rows[:1]) == [first]
    assert len(statements) == 3


def test_settings_that_the_renderer_does_not_take_are_not_written_down(context: Context) -> None:
    job = started(
        context, OWNER, {"mode": "own"}, MUG, [RENDERER], 0, 1, "3", "20", 64, "even", "none"
    )
    assert context.engine.wait(job, 300).status == "done"
    (row,) = context.storage.drawings.recent()
    assert (row.steps, row.guidance) == (None, None)


def test_a_picture_with_an_object_missing_is_never_right(context: Context) -> None:
    (row,), prompt = scene(context, "one-missing")
    rows = context.storage.evidence.for_image(row.image_id or "")
    missing = [item for item in rows if item.mask_id is None]
    assert {item.status for item in missing} == {"fail"}
    assert len(missing) == len(RULES)
    assert "is not in the image" in missing[0].reason
    assert context.storage.drawings.count(verdict="pass", rule="released") == 0
    mark = context.storage.drawings.marks("gencolorbench", "released")[prompt.id]
    assert mark.verdict == "fail"
    # Its name finds no other object's mask.
    name = missing[0].object_name
    assert exact_mask(context, row.image_id or "", name) is None


def test_a_folder_is_not_looked_for_where_others_reach_the_app(context: Context) -> None:
    as_demo(context)
    shown = planned(context, EVE, {}, MUG, ["folder:/etc"], *RIGHT[1:])
    assert "machine where TrueHue runs" in shown["button"]["problem"]
    assert shown["models"] == {}


def test_a_stand_in_is_said_before_drawing(context: Context) -> None:
    own = OwnPrompt("", "refrigerator", "css:teal")
    reading = planned(context, OWNER, {"mode": "own"}, own, *RIGHT)["reading"]
    assert any("shape (no refrigerator model)" in note for note in reading["notes"])


def test_a_link_fills_the_controls() -> None:
    result = restore(
        {
            "tab": "generate",
            "object": "book",
            "target": "#8040C0",
            "model": f"{RENDERER}|kolors",
            "seed": "12",
            "seeds": "3",
            "size": "256",
            "light": "hard",
            "failure": "swapped",
            "guidance": "3,5",
            "steps": "20",
            "text": "A book",
        },
    )
    assert result["target"] == "#8040C0"
    assert result["models"] == [RENDERER, "kolors"]
    names = ("text", "object", "seed", "seeds", "size", "light", "failure", "guidance")
    blank = restore({"tab": "generate", "object": "", "target": "", "text": ""})
    assert (blank["object"], blank["target"]) == ("", "")
    assert [result[name] for name in names] == [
        "A book",
        "book",
        12,
        3,
        256,
        "hard",
        "swapped",
        "3,5",
    ]


@pytest.mark.parametrize(
    "query",
    [
        {"tab": "generate"},
        {"tab": "generate", "seed": "9" * 190, "size": "9" * 190, "seeds": "many"},
        {"tab": "generate", "seed": "²", "size": "100", "light": "disco", "failure": "x"},
        {"tab": "inspect", "seed": "3", "light": "hard"},
    ],
)
def test_a_link_with_nonsense_in_it_leaves_the_controls_usable(query: dict[str, str]) -> None:
    result = restore(query)
    # Which fields a person edited is no control, and as on a fresh page; so are both fields.
    assert result.pop("edited", [False, False]) == [False, False]
    fields = (result.pop("object", FIRST[0]), result.pop("target", FIRST[1]))
    assert (fields, result) == (FIRST, {})


def test_an_image_that_cannot_be_judged_is_kept(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truehue.tabs.verdicts import generation

    def broken(*_: Any) -> None:
        raise RuntimeError("no verdict today")

    monkeypatch.setattr(generation, "judge_exact", broken)
    record = drawn(context, "sphere", "css:teal")
    assert context.storage.evidence.count() == 0
    assert context.storage.images.get(record.image_id).source == "render"
