"""Marks of prompts and badges of images: which verdicts count, and what they say together."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.storage.samples import answers, asks, drawing, picture, verdict
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.search.columns import PromptStatus
from truehue.core.records import Badge
from truehue.storage import Storage

pytestmark = pytest.mark.slow

SET = "gencolorbench"
COLORS = ("l3:Vivid red", "css:blue")


def _drawn(storage: Storage, seed: int = 0, **changes: object) -> str:
    image_id = storage.images.add(picture(seed), "", "generated").image_id
    storage.drawings.add(drawing(image_id, **changes))
    return image_id


def test_keys_name_object_and_color(storage: Storage) -> None:
    targets = (
        asks("Coffee Mug ", "l3:Vivid red"),
        ObjectTarget("table"),
        asks("bowl", "#abcdef"),
        asks("coffee mug", "#D51C3C"),
        replace(asks("door", "css:blue"), role="bystander"),
        ObjectTarget("Spoon", role="reference"),
    )
    lone = (ObjectTarget("door", role="bystander"),)
    storage.drawings.add_many([drawing(targets=targets), drawing(targets=lone)])
    rows = storage._database.rows("SELECT asked FROM drawings ORDER BY number")
    assert rows == [
        (
            [
                ["\n#ABCDEF", "bowl\n#ABCDEF"],
                ["\n#D51C3C", "coffee mug\n#D51C3C"],
                ["\n#D51C3C\ndiffers", "door\n#D51C3C\ndiffers"],
                ["\n#D51C3C", "spoon\n#D51C3C"],
            ],
        ),
        ([],),
    ]


def test_drawn_and_failed_are_counted_by_prompt_and_set(storage: Storage) -> None:
    assert storage.drawings.marks(SET) == {}
    for seed in range(3):
        _drawn(storage, seed)
    storage.drawings.add(drawing())
    storage.drawings.add(drawing(prompt_id="cna-2"))
    _drawn(storage, 0, prompt_source="mini")
    assert storage.drawings.marks(SET) == {
        "cna-1": PromptStatus(3, 1, ""),
        "cna-2": PromptStatus(0, 1, ""),
    }
    assert storage.drawings.marks("mini") == {"cna-1": PromptStatus(1, 0, "")}


def test_a_rule_is_asked_for_alone(storage: Storage) -> None:
    image_id = _drawn(storage)
    storage.evidence.add(answers(image_id, asks()))
    storage.evidence.add(answers(image_id, asks(), protocol="other-rule", status="fail"))
    asks_rule = answers(image_id, asks()).protocol
    by_rule = {
        rule: storage.drawings.marks(SET, rule)["cna-1"].verdict
        for rule in (asks_rule, "other-rule", "third", None)
    }
    assert by_rule == {asks_rule: "pass", "other-rule": "fail", "third": "", None: "fail"}
    counts = {
        (verdict, rule): storage.drawings.count(verdict=verdict, rule=rule)
        for verdict in ("pass", "fail", "")
        for rule in (asks_rule, "third")
    }
    assert counts == {
        ("pass", asks_rule): 1,
        ("fail", asks_rule): 0,
        ("", asks_rule): 0,
        ("pass", "third"): 0,
        ("fail", "third"): 0,
        ("", "third"): 1,
    }


def test_models_are_counted(storage: Storage) -> None:
    for seed, model in enumerate(("sdxl", "b", "sdxl", "a")):
        _drawn(storage, seed, model=model)
    storage.drawings.add(drawing(model="b"))
    assert storage.drawings.models() == [("b", 2), ("sdxl", 2), ("a", 1)]


def test_a_mark_follows_what_is_added(storage: Storage) -> None:
    first, second = _drawn(storage, 0), _drawn(storage, 1)
    _drawn(storage, 2, prompt_id="cna-2")
    before = storage.drawings.marks(SET)
    assert storage.drawings.marks(SET) is before

    def mark() -> PromptStatus:
        return storage.drawings.marks(SET)["cna-1"]

    storage.evidence.add(answers(first, asks()))
    assert mark() == PromptStatus(2, 0, "pass")
    storage.evidence.add(answers(second, asks(), status="unscored"))
    assert mark() == PromptStatus(2, 0, "unscored")
    storage.evidence.add(answers(first, asks(), protocol="other-rule", status="fail"))
    assert mark() == PromptStatus(2, 0, "fail")
    # A newer row of the same rule, object and color takes the place of the older one.
    storage.evidence.add(answers(first, asks(), protocol="other-rule", version="2"))
    storage.evidence.add(answers(second, asks(), parameters={"threshold": 9}))
    assert mark() == PromptStatus(2, 0, "pass")
    storage.drawings.add(drawing())
    assert mark() == PromptStatus(2, 1, "pass")
    assert storage.drawings.marks(SET)["cna-2"] == PromptStatus(1, 0, "")
    assert before == {"cna-1": PromptStatus(2, 0, ""), "cna-2": PromptStatus(1, 0, "")}


@pytest.mark.parametrize(
    ("judged", "counts"),
    [
        (answers("", asks()), True),
        (answers("", asks(" MUG ")), True),
        (answers("", asks("")), True),
        (verdict("", target={"hex": "#D51C3C"}), True),
        (verdict("", target={"hex": "#d51c3c", "value": "#D51C3C"}), True),
        (verdict("", target={"value": "l3:Vivid red"}), True),
        (answers("", asks("bowl")), False),
        (answers("", asks(color="css:blue")), False),
        (verdict("", target={"name": "Vivid red"}), False),
        (verdict("", target={}), False),
    ],
)
def test_only_what_was_asked_counts(storage: Storage, judged, counts: bool) -> None:
    color = asks().color
    assert color is not None
    assert color.hex == "#D51C3C"
    image_id = _drawn(storage)
    storage.evidence.add(replace(judged, image_id=image_id))
    assert storage.drawings.marks(SET)["cna-1"].verdict == ("pass" if counts else "")
    badge = (Badge("test-rule", "pass", 1, 1, 1),) if counts else ()
    assert storage.evidence.badges([image_id]) == {image_id: badge}


def test_where_no_color_is_asked_for_every_verdict_counts(storage: Storage) -> None:
    image_id = _drawn(storage, targets=(ObjectTarget("mug"),))
    storage.evidence.add(answers(image_id, asks()))
    assert storage.drawings.marks(SET) == {"cna-1": PromptStatus(1, 0, "pass")}
    assert storage.drawings.count(verdict="pass") == 1
    assert storage.evidence.badges([image_id])[image_id] == (Badge("test-rule", "pass", 1),)
    storage.evidence.add(answers(image_id, asks("door"), status="fail"))
    assert storage.drawings.marks(SET) == {"cna-1": PromptStatus(1, 0, "fail")}
    assert storage.drawings.count(verdict="fail") == 1


def _said(storage: Storage, image_id: str, rule: str | None = None) -> str:
    """The verdict of the mark, after the filter was seen to say the same."""
    verdict = storage.drawings.marks(SET, rule)["cna-1"].verdict
    for other in ("pass", "fail", "unscored", ""):
        assert storage.drawings.count(verdict=other, rule=rule) == (other == verdict)
    return verdict


def test_a_pass_needs_every_object_that_was_asked_for(storage: Storage) -> None:
    hat, bag = asks("hat"), asks("bag", "css:blue")
    ribbon = replace(asks("ribbon"), role="reference")
    image_id = _drawn(storage, targets=(hat, bag, ribbon, ObjectTarget("table")))
    said = [_said(storage, image_id)]
    for target in (hat, asks("wall"), ribbon, bag):
        storage.evidence.add(answers(image_id, target))
        said.append(_said(storage, image_id))
    assert said == ["", "unscored", "unscored", "unscored", "pass"]
    assert storage.evidence.badges([image_id])[image_id] == (Badge("test-rule", "pass", 3, 3, 3),)
    # Another rule that has not judged all leaves open what all rules together say.
    storage.evidence.add(answers(image_id, bag, protocol="a-rule"))
    assert storage.evidence.badges([image_id])[image_id][0] == Badge("a-rule", "unscored", 1, 1, 3)
    rules = ("a-rule", "test-rule", "third", None)
    assert [_said(storage, image_id, rule) for rule in rules] == [
        "unscored",
        "pass",
        "",
        "unscored",
    ]
    # One that fails is enough.
    storage.evidence.add(answers(image_id, hat, protocol="a-rule", status="fail"))
    assert storage.evidence.badges([image_id])[image_id][0] == Badge("a-rule", "fail", 2, 2, 3)
    assert [_said(storage, image_id, rule) for rule in rules] == ["fail", "pass", "", "fail"]


def test_a_second_object_must_not_have_the_main_objects_color(storage: Storage) -> None:
    apple, plate = asks("apple"), asks("plate")
    bystander = ObjectTarget("Plate", role="bystander")
    image_id = _drawn(storage, task="coa", targets=(apple, bystander))
    storage.evidence.add(answers(image_id, apple))
    assert _said(storage, image_id) == "unscored"
    # "Is the plate red?", asked in Inspect, says nothing of what was asked for.
    for status in ("fail", "pass"):
        storage.evidence.add(answers(image_id, plate, status=status, version=status))
        assert _said(storage, image_id) == "unscored"
    differs = answers(image_id, plate)
    differs = replace(differs, target={**differs.target, "relation": "differs"})
    storage.evidence.add(differs)
    assert _said(storage, image_id) == "pass"
    assert storage.evidence.badges([image_id])[image_id] == (Badge("test-rule", "pass", 2, 2, 2),)
    storage.evidence.add(replace(differs, status="fail", version="2"))
    assert _said(storage, image_id) == "fail"
    # Nor does what must differ answer "is the plate red?".
    target = _drawn(storage, 1, prompt_id="cna-2", targets=(plate,))
    storage.evidence.add(replace(differs, image_id=target))
    assert storage.drawings.marks(SET)["cna-2"].verdict == ""


@pytest.mark.parametrize("second", [asks("Hat"), asks("hat", "#D51C3C")])
def test_the_same_object_and_color_twice_needs_one_verdict(
    storage: Storage, second: ObjectTarget
) -> None:
    image_id = _drawn(storage, targets=(asks("hat"), second))
    storage.evidence.add(answers(image_id, second))
    assert _said(storage, image_id) == "pass"
    assert storage.evidence.badges([image_id])[image_id] == (Badge("test-rule", "pass", 1, 1, 1),)


def test_a_verdict_without_an_object_is_about_all_of_its_color(storage: Storage) -> None:
    image_id = _drawn(storage, targets=(asks("hat"), asks("bag"), asks("cup", "css:blue")))
    storage.evidence.add(answers(image_id, asks("")))
    assert _said(storage, image_id) == "unscored"
    (badge,) = storage.evidence.badges([image_id])[image_id]
    assert badge == Badge("test-rule", "unscored", 1, 2, 3)
    storage.evidence.add(answers(image_id, asks("cup", "css:blue")))
    assert _said(storage, image_id) == "pass"


def test_names_are_spelled_alike_on_both_sides(storage: Storage) -> None:
    for seed, name in enumerate(("\u0130stanbul mug", "mug\u00a0", "\tmug", "STRASSE \u1e9e")):
        image_id = _drawn(storage, seed, prompt_id=name, targets=(asks(name),))
        storage.evidence.add(answers(image_id, asks(name)))
    assert {mark.verdict for mark in storage.drawings.marks(SET).values()} == {"pass"}


def test_badges_say_rule_by_rule_what_was_judged(storage: Storage) -> None:
    red, blue = asks("hat"), asks("suitcase", "css:blue")
    both = _drawn(storage, 0, targets=(red, blue))
    upload = storage.images.add(picture(1), "", "upload").image_id
    bare = storage.images.add(picture(2), "", "upload").image_id
    add = storage.evidence.add
    add(answers(both, red))
    add(answers(both, blue, status="fail"))
    add(answers(both, asks("hat", "css:blue"), status="fail", protocol="a-rule"))
    add(answers(both, red, status="unscored", protocol="a-rule"))
    add(answers(both, blue, protocol="a-rule"))
    add(answers(upload, asks("door"), status="fail"))
    add(answers(upload, asks("door"), version="2"))
    add(answers(upload, asks("wall"), status="pass"))
    add(verdict(upload, target={"name": "some red"}, status="unscored"))
    assert storage.evidence.badges([upload, both, bare, "0" * 64]) == {
        upload: (Badge("test-rule", "unscored", 3),),
        both: (Badge("a-rule", "unscored", 2, 2, 2), Badge("test-rule", "fail", 2, 2, 2)),
        bare: (),
        "0" * 64: (),
    }
    assert storage.evidence.badges([]) == {}
    # Another prompt has the same picture: what either asked counts.
    storage.drawings.add(drawing(both, targets=(asks("hat", "css:blue"),)))
    assert storage.evidence.badges([both])[both][0] == Badge("a-rule", "fail", 3, 3, 3)


def test_step_by_step_is_the_same_as_all_at_once(data_dir: Path) -> None:
    chance = random.Random(5)
    statuses = ["pass", "fail", "unscored"]
    with Storage.open(empty_data(data_dir)) as storage:
        images = [
            _drawn(
                storage,
                seed,
                prompt_id=f"cna-{seed % 4}",
                targets=[(asks(),), (asks(), asks("bowl", "css:blue")), ()][seed % 3],
            )
            for seed in range(8)
        ]
        for turn in range(24):
            if chance.random() < 0.3:
                image_id = chance.choice([None, *images])
                storage.drawings.add(drawing(image_id, prompt_id=f"cna-{chance.randrange(6)}"))
            else:
                target = asks(chance.choice(["mug", "bowl"]), chance.choice(COLORS))
                storage.evidence.add(
                    answers(
                        chance.choice(images),
                        target,
                        status=chance.choice(statuses),
                        protocol=chance.choice("ab"),
                        version=str(turn),
                    )
                )
            step_by_step = dict(storage.drawings.marks(SET))
        verdicts = {verdict: storage.drawings.count(verdict=verdict) for verdict in (*statuses, "")}
    with Storage.open(data_dir) as storage:
        assert storage.drawings.marks(SET) == step_by_step
        assert sum(verdicts.values()) == storage.drawings.count()
        assert {mark.verdict for mark in step_by_step.values()} >= {"fail"}
