"""The five tasks from prompt to stored verdict, right and wrong, and rules run over what is stored.

The prompts are the set's own; the failures are those that the renderer acts out.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from threading import Event
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from tests.tabs.generate.forms import started
from truehue.core.color.systems import parse_target
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.records import EvidenceRecord, GenerationRecord
from truehue.core.verdict import tasks
from truehue.core.verdict.measure import TargetObject, measure, unscored_measurement
from truehue.core.verdict.rules import RULES
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.generate.plan import OwnPrompt
from truehue.tabs.inspect.score import last_question, open_on_stage, question_of
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.links import read
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context
from truehue.tabs.verdicts.generation import judge_exact
from truehue.tabs.verdicts.judgments import AnswerVerdict, judge_verdict, of_question
from truehue.tabs.verdicts.question import Question, evidence_record
from truehue.tabs.verdicts.scoring import (
    StoredImage,
    StoredScoringProgress,
    masks_of,
    score_stored_images,
)

pytestmark = pytest.mark.slow

SET = "gencolorbench"
PROMPTS = {
    "cna": "cna-l1-00982",  # A banana in a purple color
    "ncu": "ncu-hex-l1-00025",  # A close-up of an apple in the color #B92842
    "coa": "coa-l1-00001",  # A pink apple on a white plate
    "moc": "moc-l1-0001",  # A red banana and a black apple on a wooden table
    "ica": "ica-l1-0001",  # An orange backpack ... a suitcase that has the same color
}
RULE_IDS = [by.id for by in RULES]
STRICT = ("paper", "released-unguided")
RIGHT = {
    "cna": "By truehue: the banana has the target color.",
    "ncu": "By truehue: the apple has the target color.",
    "coa": "By truehue: the apple has the target color, and the plate did not take it.",
    "moc": "By truehue: the banana and the apple each have their target color.",
    "ica": "By truehue: the backpack and the suitcase have the target color.",
}
"""What a card says of a right picture."""
# Where there is nothing to fail at: one object has none to exchange its color with or to lack.
HARMLESS = [("cna", "swapped"), ("ica", "swapped"), ("ncu", "one-missing")]


def prompt_of(context: Context, task: str) -> Prompt:
    index = context.service(Library).index(SET)
    return next(prompt for prompt in index.prompts if prompt.id == PROMPTS[task])


def pictured(
    context: Context, prompt: Prompt, failure: str = "none", light: str = "even"
) -> GenerationRecord:
    """A prompt of the set, drawn by the renderer through the tab, stored and judged."""
    sent = {"mode": "chosen", "refs": [[SET, prompt.id]]}
    controls = (["reference-renderer"], 0, 1, "", "", 128, light, failure)
    job = started(context, OWNER, sent, OwnPrompt(), *controls)
    assert context.engine.wait(job, 300).status == "done"
    return context.storage.drawings.recent(1)[0]


def rows_of(context: Context, row: GenerationRecord, rule: str) -> dict[int, EvidenceRecord]:
    """The stored verdicts of a rule, by the position of the target."""
    for_image = context.storage.evidence.for_image(str(row.image_id))
    mine = {int(item.numbers["position"]): item for item in for_image if item.protocol == rule}
    assert len(mine) == sum(item.protocol == rule for item in for_image)
    return mine


def test_the_prompts_are_what_the_test_says(context: Context) -> None:
    for task in PROMPTS:
        prompt = prompt_of(context, task)
        assert prompt.task == task
        assert [target.role for target in prompt.targets[1:]] == {
            "coa": ["bystander"],
            "moc": ["main"],
            "ica": ["reference"],
        }.get(task, [])
    assert prompt_of(context, "ncu").notation == "hex"


@pytest.mark.parametrize(("task", "failure"), [*((task, "none") for task in PROMPTS), *HARMLESS])
def test_a_right_picture_passes_by_every_rule(context: Context, task: str, failure: str) -> None:
    prompt = prompt_of(context, task)
    row = pictured(context, prompt, failure)
    for rule in RULE_IDS:
        rows = rows_of(context, row, rule)
        assert sorted(rows) == list(range(len(prompt.targets)))
        assert {(item.status, item.numbers["step"]) for item in rows.values()} == {
            ("pass", "color")
        }
        assert context.storage.drawings.count(verdict="pass", rule=rule) == 1
    badges = context.storage.evidence.badges([str(row.image_id)])[str(row.image_id)]
    count = len(prompt.targets)
    assert {(b.status, b.judged, b.asked) for b in badges} == {("pass", count, count)}
    assert len(badges) == len(RULES)
    shown = {
        verdict["rule"]: verdict for verdict in generations_json(context, [row])[0]["verdicts"]
    }
    assert (shown["truehue"]["reason"], shown["truehue"]["short"]) == (RIGHT[task], "")
    assert context.storage.check() == []


@pytest.mark.parametrize(
    ("task", "failure", "statuses", "steps", "reason"),
    [
        ("cna", "ignored", "fail", "color", "the color of the banana is "),
        ("cna", "too-vivid", "fail", "color", "more vivid than requested"),
        ("ncu", "ignored", "fail", "color", "the color of the apple is "),
        ("ncu", "too-vivid", "fail", "color", "more vivid than requested"),
        ("coa", "ignored", "fail pass", "color color", "the color of the apple is "),
        ("coa", "swapped", "fail fail", "color color", "the plate took the apple's color."),
        ("coa", "one-missing", "pass fail", "color presence", "The plate is not in the image."),
        ("moc", "ignored", "fail fail", "color color", "the color of the banana is "),
        # What is a part of the color by some rules matches it in another light by truehue.
        (
            "moc",
            "leaked",
            "pass fail",
            "color color",
            r"the apple took (on part of )?the banana's color\.",
        ),
        (
            "moc",
            "swapped",
            "fail fail",
            "color color",
            "the banana and the apple swapped colors.",
        ),
        ("moc", "one-missing", "pass fail", "color presence", "The apple is not in the image."),
        # Both are wrong; the one that is further off by the rule is named.
        (
            "ica",
            "ignored",
            "fail fail",
            "color color",
            "the color of the (suitcase, the reference,|backpack) is ",
        ),
        (
            "ica",
            "one-missing",
            "pass fail",
            "color presence",
            "The suitcase is not in the image.",
        ),
    ],
)
def test_a_wrong_picture_names_object_and_step(
    context: Context, task: str, failure: str, statuses: str, steps: str, reason: str
) -> None:
    row = pictured(context, prompt_of(context, task), failure)
    shown = generations_json(context, [row])[0]
    for rule in STRICT if failure == "too-vivid" else RULE_IDS:
        rows = [item for _, item in sorted(rows_of(context, row, rule).items())]
        assert " ".join(item.status for item in rows) == statuses
        assert " ".join(item.numbers["step"] for item in rows) == steps
        assert context.storage.drawings.count(verdict="fail", rule=rule) == 1
        (said,) = [verdict for verdict in shown["verdicts"] if verdict["rule"] == rule]
        assert said["status"] == "fail"
        assert re.search(reason, said["reason"]), said["reason"]
        # On the card: the object, what was seen, what was asked.
        if failure == "ignored" and rule == "truehue":
            named = {"coa": "apple: ", "moc": "banana: ", "ica": "suitcase: "}.get(task, "")
            seen = "[a-z ]+" if task == "ica" else "[a-z ]+, not [a-z ]+; "
            assert re.search(f"(^|; ){named}{seen}", said["short"]), said["short"]
    mark = context.storage.drawings.marks(SET, rule)[row.prompt_id]
    assert mark.verdict == "fail"


def test_a_leak_that_the_paper_lets_pass_is_seen_by_truehue(context: Context) -> None:
    """Three quarters of the apple's pink on the plate is no match by the paper's three metrics."""
    row = pictured(context, prompt_of(context, "coa"), "leaked")
    by_rule = {
        verdict["rule"]: verdict for verdict in generations_json(context, [row])[0]["verdicts"]
    }
    assert by_rule["paper"]["status"] == "pass"
    assert by_rule["paper"]["reason"] == (
        "By paper: the apple has the target color, and the plate did not take it."
    )
    assert by_rule["truehue"]["status"] == "fail"
    assert by_rule["truehue"]["reason"] == "By truehue: the plate took the apple's color."


def test_the_second_object_of_coa_has_a_question_of_its_own(context: Context) -> None:
    row = pictured(context, prompt_of(context, "coa"))
    plate = rows_of(context, row, "released")[1]
    apple = rows_of(context, row, "released")[0]
    assert plate.target == {**apple.target, "relation": "differs"}
    assert plate.parameters["guided"] is False
    assert "guided" not in apple.parameters
    # "Is the plate pink?", asked in Inspect, is stored beside it and changes nothing.
    assert row.targets[0].color is not None
    assert plate.mask_id is not None
    srgb8 = context.srgb8(str(row.image_id))
    result = measure(
        srgb8,
        context.mask_pixels(plate.mask_id),
        row.targets[0].color,
        "released",
        target_object=TargetObject("plate"),
    )
    target = context.storage.evidence.add(evidence_record(result, str(row.image_id), plate.mask_id))
    assert (target.status, target.evidence_id != plate.evidence_id) == ("fail", True)
    assert context.storage.drawings.count(verdict="pass", rule="released") == 1
    shown = generations_json(context, [row])[0]
    assert {verdict["status"] for verdict in shown["verdicts"]} == {"pass"}
    verdicts = shown["targets"][1]["verdicts"]
    assert {verdict["rule"]: verdict["status"] for verdict in verdicts}["released"] == "pass"


def test_inspect_says_of_a_forbidden_color_what_failures_say(context: Context) -> None:
    """Every rule, and as stored verdict, link, judgment and reopened image: one question."""
    row = pictured(context, prompt_of(context, "coa"), "leaked")
    shown = generations_json(context, [row])[0]["targets"][1]
    image_id, mask_id = str(row.image_id), shown["mask"]
    assert shown["asked"]["relation"] == "differs"
    assert "from the forbidden color" in str(generations_json(context, [row])[0]["truth"])
    stored = {rule: rows_of(context, row, rule)[1] for rule in RULE_IDS}
    assert {item.status for item in stored.values()} == {"pass", "fail"}
    for rule, verdict in stored.items():
        put = Question("plate", shown["asked"]["value"], rule, relation="differs")
        query = read(dict(parse_qsl(put.address(image_id, mask_id).removeprefix("?"))))
        put, text = question_of(query)
        assert (put.relation, text) == ("differs", "")
        card = open_on_stage(context, image_id, put, mask_id).verdict["view"]
        assert (card["status"], card["evidence_id"]) == (verdict.status, verdict.evidence_id)
        assert (card["relation"], card["kept"]) == ("differs", True)
        assert json.loads(card["json"])["relation"] == "differs"
        assert "relation=differs" in card["link"]
        others = {other["id"]: other["status"] for other in card["others"]}
        assert others == {by: item.status for by, item in stored.items() if by != rule}
    request = read_as(AnswerVerdict, {**card["question"], "answer": "pass"})
    said = judge_verdict(context, OWNER, request)
    assert said["relation"] == "differs"
    assert "relation=differs" in said["link"]
    assert {status["rule"]: status["status"] for status in said["statuses"]} == {
        by: item.status for by, item in stored.items()
    }
    assert of_question(context, OWNER, card["question"])["judgment"]["id"] == said["id"]
    plain = {**card["question"], "relation": "matches"}
    assert of_question(context, OWNER, plain)["judgment"] is None
    del plain["relation"]
    assert of_question(context, OWNER, plain)["judgment"] is None
    reopened, _ = last_question(context, image_id, Question())
    assert reopened.relation == "differs"


def test_a_question_without_a_relation_means_must_be(context: Context) -> None:
    row = pictured(context, prompt_of(context, "coa"))
    target = str(row.targets[0].color.value) if row.targets[0].color else ""
    put, text = question_of(read({"tab": "inspect", "object": "apple", "target": target}))
    assert (put.relation, text, "relation" in put.address("a" * 64)) == ("matches", "", False)
    card = open_on_stage(context, str(row.image_id), put).verdict["view"]
    assert (card["status"], card["kept"], card["relation"]) == ("pass", True, "matches")
    put, text = question_of({"target": target, "relation": "sometimes"})
    assert put.relation == "matches"
    assert 'no relation "sometimes"' in text


def test_a_place_that_the_renderer_leaves_out_is_unscored_not_absent(context: Context) -> None:
    index = context.service(Library).index(SET)
    prompt = next(
        prompt
        for prompt in index.prompts
        if prompt.task == "coa" and prompt.targets[-1].name == "sidewalk"
    )
    row = pictured(context, prompt)
    for rule in RULE_IDS:
        rows = rows_of(context, row, rule)
        assert (rows[1].status, rows[1].numbers["step"]) == ("unscored", "mask")
        assert rows[1].reason == "The renderer has no scenery: the sidewalk is left out."
        assert context.storage.drawings.count(verdict="pass", rule=rule) == 0


# ------------------------------------------------------------------------- what breaks is said


def test_judging_that_breaks_is_stored_as_unscored_by_every_rule(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: Any) -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(tasks, "judge_task", breaks)
    row = pictured(context, prompt_of(context, "moc"))
    monkeypatch.undo()
    assert row.status == "drawn"
    for rule in RULE_IDS:
        rows = rows_of(context, row, rule)
        assert {item.status for item in rows.values()} == {"unscored"}
        assert {item.reason for item in rows.values()} == {
            "Scoring failed: ZeroDivisionError: a bug"
        }
        assert context.storage.drawings.count(verdict="unscored", rule=rule) == 1
    # Once it is mended, the same pictures are judged again.
    *_, last = score_stored_images(context, RULE_IDS)
    assert (last.judged, last.rows["paper", "pass"]) == (1, 2)
    assert context.storage.drawings.count(verdict="pass", rule="paper") == 1


def test_one_rule_that_breaks_does_not_take_the_others_with_it(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truehue.core.verdict.tasks import judge_task as real

    def breaks(task: str, targets: Any, result: Any, srgb8: Any, rules: Any, settings: Any) -> Any:
        for rule in rules:
            if rule == "released":
                raise ValueError("odd pixels")
            yield from real(task, targets, result, srgb8, [rule], settings)

    monkeypatch.setattr(tasks, "judge_task", breaks)
    row = pictured(context, prompt_of(context, "cna"))
    said = {rule: rows_of(context, row, rule)[0] for rule in RULE_IDS}
    assert said["released"].reason == "Scoring failed: ValueError: odd pixels"
    assert {item.status for rule, item in said.items() if rule != "released"} == {"pass"}


# ------------------------------------------------------------------- rules over what is stored


def forgotten(context: Context, rows: list[GenerationRecord], rules: tuple[str, ...]) -> None:
    """Takes verdicts away, as if those rules had come with a later version of the program."""
    with context.storage._database.transaction() as cursor:
        for rule in rules:
            cursor.execute("DELETE FROM evidence WHERE protocol = ?", [rule])
    assert rows


def facts(context: Context) -> list[tuple[Any, ...]]:
    return [
        tuple(json.loads(cell) if index in (4, 7, 10) else cell for index, cell in enumerate(row))
        for row in context.storage._database.rows(
            "SELECT * EXCLUDE created_at FROM evidence ORDER BY evidence_id"
        )
    ]


def test_a_rule_is_run_over_stored_pictures_once(context: Context) -> None:
    pictureds = [
        pictured(context, prompt_of(context, "moc"), failure)
        for failure in ("none", "one-missing", "swapped")
    ]
    before = facts(context)
    forgotten(context, pictureds, ("truehue", "paper"))
    states = list(score_stored_images(context, ["truehue", "paper"]))
    assert [state.done for state in states] == [0, 1, 2, 3]
    assert [state.finished for state in states] == [False] * 3 + [True]
    last = states[-1]
    assert (last.total, last.judged, last.complete) == (3, 3, 0)
    assert sum(last.rows.values()) == 12
    assert last.rows["paper", "fail"] == 3
    # The very rows that drawing had stored.
    assert facts(context) == before
    *_, again = score_stored_images(context, RULE_IDS)
    assert (again.judged, again.complete, dict(again.rows)) == (0, 3, {})
    assert facts(context) == before


def test_a_run_that_was_stopped_is_taken_up(context: Context) -> None:
    pictureds = [
        pictured(context, prompt_of(context, task)) for task in ("cna", "ncu", "coa", "ica")
    ]
    before = facts(context)
    forgotten(context, pictureds, ("paper",))
    stop = Event()
    seen: list[StoredScoringProgress] = []
    for state in score_stored_images(context, ["paper"], stop=stop):
        seen.append(state)
        if state.done == 2:
            stop.set()
    assert (seen[-1].done, seen[-1].finished) == (2, False)
    only = str(pictureds[3].image_id)
    *_, item = score_stored_images(context, ["paper"], [only])
    assert (item.total, item.judged, item.finished) == (1, 1, True)
    *_, last = score_stored_images(context, ["paper"])
    assert (last.judged, last.complete) == (1, 3)
    assert facts(context) == before


def test_an_object_whose_mask_came_later_is_judged_by_it(context: Context) -> None:
    """A picture of another program: masks that name their object, the latest one counts."""
    prompt = prompt_of(context, "coa")
    row = pictured(context, prompt)
    srgb8 = np.array(context.srgb8(str(row.image_id)))
    srgb8[0, 0] = 1  # another picture, without masks
    image = context.storage.images.add(srgb8, "elsewhere.png", "import")
    context.storage.drawings.add(
        replace(
            row,
            drawing_id="",
            image_id=image.image_id,
            model="sdxl",
            source="imported",
            options={},
            created_at=None,
        )
    )
    *_, state = score_stored_images(context, ["paper"], [image.image_id])
    assert (state.without_mask, state.judged) == (1, 0)
    masks = masks_of(context.storage.masks.for_image(str(row.image_id)), row.targets)

    def marked(position: int, presence: str = "", shift: int = 0) -> None:
        pixels = np.roll(context.mask_pixels(masks[position].mask_id), shift, axis=1)
        name = row.targets[position].name
        said = [{"object": name, "answer": presence}] if presence else []
        mask = Mask(pixels, "grounded", {"object": name, **({"presence": said} if said else {})})
        context.storage.masks.add(image.image_id, mask)

    marked(0)
    *_, state = score_stored_images(context, ["paper"], [image.image_id])
    assert dict(state.rows) == {("paper", "pass"): 1}
    # Right so far, but one object has no verdict.
    badge = context.storage.evidence.badges([image.image_id])[image.image_id][0]
    assert (badge.status, badge.judged, badge.asked) == ("unscored", 1, 2)
    marked(1, "yes")
    *_, state = score_stored_images(context, ["paper"], [image.image_id])
    assert dict(state.rows) == {("paper", "pass"): 1}
    assert context.storage.evidence.badges([image.image_id])[image.image_id][0].status == "pass"
    # A later answer says that the plate is not there.
    marked(1, "no", shift=1)
    *_, state = score_stored_images(context, ["paper"], [image.image_id])
    assert dict(state.rows) == {("paper", "fail"): 1}
    latest = context.storage.evidence.for_image(image.image_id)[0]
    assert latest.reason.startswith("The plate is not in the image")


@pytest.mark.parametrize("wrong", [0, 1])
def test_of_two_objects_of_one_name_and_color_both_have_to_be_right(
    context: Context, wrong: int
) -> None:
    red, blue = parse_target("css:crimson"), parse_target("css:royalblue")
    srgb8 = np.empty((16, 32, 3), dtype=np.uint8)
    cups = (ObjectTarget("cup", red), ObjectTarget("cup", red))
    masks = {}
    for position in (0, 1):
        half = slice(16 * position, 16 * position + 16)
        srgb8[:, half] = (blue if position == wrong else red).srgb8
    image_id = context.storage.images.add(srgb8, "cups", "import").image_id
    for position in (0, 1):
        pixels = np.zeros((16, 32), dtype=bool)
        pixels[:, 16 * position : 16 * position + 16] = True
        mask = Mask(pixels, "renderer", {"target": position, "object": "cup"})
        masks[position] = context.storage.masks.add(image_id, mask)
    row = context.storage.drawings.add(
        GenerationRecord("two cups", "sdxl", image_id=image_id, task="moc", targets=cups)
    )
    judge_exact(context, StoredImage(image_id, "moc", cups, masks))
    for rule in RULE_IDS:
        assert context.storage.drawings.count(verdict="fail", rule=rule) == 1
    shown = {
        verdict["rule"]: verdict["reason"]
        for verdict in generations_json(context, [row])[0]["verdicts"]
    }
    index = ("first", "second")[wrong]
    assert shown["paper"].startswith(f"By paper: the color of the {index} cup is ")


def test_an_object_that_an_older_program_left_unscored_is_judged_again(context: Context) -> None:
    row = pictured(context, prompt_of(context, "moc"), "one-missing")
    forgotten(context, [row], ("paper",))
    assert row.targets[1].color is not None
    old = unscored_measurement(
        "The apple is not in the image.", row.targets[1].color, "paper", "apple"
    )
    context.storage.evidence.add(evidence_record(old, str(row.image_id), None))
    assert context.storage.drawings.count(verdict="unscored", rule="paper") == 1
    *_, state = score_stored_images(context, ["paper"])
    assert dict(state.rows) == {("paper", "pass"): 1, ("paper", "fail"): 1}
    assert context.storage.drawings.count(verdict="fail", rule="paper") == 1


def test_uploads_and_prompts_without_a_color_are_counted(context: Context) -> None:
    image = context.storage.images.add(np.zeros((4, 4, 3), dtype=np.uint8), "a", "upload")
    context.storage.drawings.add(
        GenerationRecord("a cat", "sdxl", image_id=image.image_id, targets=(ObjectTarget("cat"),))
    )
    *_, state = score_stored_images(context, RULE_IDS)
    assert (state.total, state.unasked, state.finished) == (1, 1, True)
    (empty,) = score_stored_images(context, RULE_IDS, [])
    assert (empty.total, empty.finished) == (0, True)


def test_a_picture_that_cannot_be_read_is_unscored_with_what_is_wrong(context: Context) -> None:
    row = pictured(context, prompt_of(context, "cna"))
    forgotten(context, [row], ("paper",))
    context.storage.images.path(str(row.image_id)).unlink()
    masks = masks_of(context.storage.masks.for_image(str(row.image_id)), row.targets)
    fresh = make_context(context.storage, "data")
    judge_exact(fresh, StoredImage(str(row.image_id), "cna", row.targets, masks))
    fresh.close()
    latest = rows_of(context, row, "paper")[0]
    assert latest.status == "unscored"
    assert latest.reason.startswith("Scoring failed: ")
