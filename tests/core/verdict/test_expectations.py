"""The key of an expectation: a verdict meets what it answers, and nothing else."""

from __future__ import annotations

import pytest

from truehue.core.color.systems import parse_target
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.verdict.expectations import expectations_of, key_of_verdict

RED = parse_target("l3:Vivid red")


def test_a_key_names_object_color_and_relation() -> None:
    targets = (
        ObjectTarget("Coffee Mug ", RED),
        ObjectTarget("table"),
        ObjectTarget("Spoon", role="reference"),
        ObjectTarget("door", parse_target("css:blue"), role="bystander"),
    )
    expectations = expectations_of(targets)
    assert [expectation.key for expectation in expectations] == [
        "coffee mug\n#D51C3C",
        "spoon\n#D51C3C",
        "door\n#D51C3C\ndiffers",
    ]
    assert expectations[2].answer_keys == ("\n#D51C3C\ndiffers", "door\n#D51C3C\ndiffers")
    (nameless,) = expectations_of((ObjectTarget("", RED),))
    assert nameless.answer_keys == ("\n#D51C3C",)


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ({"hex": "#d51c3c", "value": "css:red"}, "mug\n#D51C3C"),
        ({"value": "l3:Vivid red"}, "mug\n#D51C3C"),
        ({"value": "no color"}, "mug\nno color"),
        ({"hex": "#D51C3C", "relation": "differs"}, "mug\n#D51C3C\ndiffers"),
        ({"hex": "#D51C3C", "relation": "matches"}, "mug\n#D51C3C"),
        ({"b": 1, "a": "Ä"}, 'mug\n{"a": "Ä", "b": 1}'),
    ],
)
def test_a_verdict_has_the_key_of_what_it_answers(target: dict[str, object], key: str) -> None:
    assert key_of_verdict(" Mug", target) == key


def test_every_expectation_of_the_benchmark_is_met_by_its_own_verdict_alone() -> None:
    """Of all prompts with several objects: a verdict on one never answers another one."""
    several = [prompt for prompt in build() if len(prompt.targets) > 1][::40]
    assert {prompt.task for prompt in several} == {"coa", "moc", "ica"}
    for prompt in several:
        expectations = expectations_of(prompt.targets)
        for expectation in expectations:
            target = {"hex": expectation.color.hex, "relation": expectation.relation}
            key = key_of_verdict(expectation.target.name, target)
            assert key == expectation.key
            answered = [other for other in expectations if key in other.answer_keys]
            assert {other.key for other in answered} == {key}
