"""The prompt record and its JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, UnknownColor
from truehue.core.prompts.prompt import ObjectTarget, Prompt, prompt_from_json

SCENE = Prompt(
    id="moc-l3-0001",
    text="A vivid green banana and a vivid red apple on a wooden table",
    task="moc",
    targets=(
        ObjectTarget("banana", parse_target("l3:vivid green"), ("stem", "leaf")),
        ObjectTarget("apple", parse_target("l3:vivid red"), category="Fruit and Veg"),
        ObjectTarget("table", None, role="bystander"),
    ),
    system="l3",
    source="gencolorbench",
    template="D.3.1",
    notation="name",
)


def test_json_brings_back_the_very_prompt() -> None:
    written = json.loads(json.dumps(SCENE.as_json()))
    again = prompt_from_json(written)
    assert again.as_json() == written
    assert (again.id, again.text, again.system) == (SCENE.id, SCENE.text, SCENE.system)
    assert [target.name for target in again.targets] == ["banana", "apple", "table"]
    first = again.targets[0]
    assert first.color is not None
    assert (first.color.hex, first.negative_labels) == ("#23EAA5", ("stem", "leaf"))
    assert (again.targets[2].color, again.targets[2].role) == (None, "bystander")


def test_the_level_follows_the_task() -> None:
    assert SCENE.level == "3 scene"
    assert Prompt("a", "b", "concept").level == ""


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"text": "x", "task": "cna"}, "needs id"),
        ({"id": "1", "text": "  ", "task": "cna"}, "needs text"),
        ({"id": "1", "text": "x", "task": "xyz"}, "no task 'xyz'"),
        ({"id": 7, "text": "x", "task": "cna"}, "id of a prompt is text"),
        ({"id": "1", "text": "x", "task": "cna", "targets": ["mug"]}, "list of objects"),
        ({"id": "1", "text": "x", "task": "cna", "targets": [{"role": "hero"}]}, "no role"),
        ({"id": "1", "text": "x", "task": "cna", "targets": [{"negative_labels": "a"}]}, "words"),
    ],
)
def test_what_is_no_prompt_is_refused_in_words(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        prompt_from_json(values)


def test_an_unknown_color_is_named() -> None:
    with pytest.raises(UnknownColor, match="blurple"):
        prompt_from_json({"id": "1", "text": "x", "task": "cna", "targets": [{"color": "blurple"}]})


def test_a_prompt_of_more_objects_than_results_can_name_is_refused() -> None:
    """Beyond 127 a place does not fit into the byte that a database keeps it in."""
    values = {"id": "x", "text": "many mugs", "task": "moc", "targets": [{"object": "mug"}] * 100}
    assert len(prompt_from_json(values).targets) == 100
    with pytest.raises(BadInput, match="at most 100 objects, not 101"):
        prompt_from_json({**values, "targets": [{"object": "mug"}] * 101})
