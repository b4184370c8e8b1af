"""The reference renderer as a model of concepts: usual colors, modifiers, older pictures."""

from __future__ import annotations

from collections import Counter
from threading import Event

import numpy as np
import pytest

from truehue.core.color.spaces import chroma, hex_of, hue_deg, srgb8_to_lab
from truehue.core.color.systems import parse_target
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.renderer import SceneObject, SceneRequest, render_scene
from truehue.core.generation.renderer.failures import (
    MOVES,
    OVERSHOT_FACTOR,
    Move,
    modify_color,
    note_of,
)
from truehue.core.generation.renderer.usual import (
    CONCEPT_COLORS_VERSION,
    Rgb8,
    color_of,
    concept_colors,
    default_color,
)
from truehue.core.generation.request import GeneratedImage, GenerationRequest
from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.plan import made_with, make_plan, request_of
from truehue.core.runs.records import GenerationPlan

pytestmark = pytest.mark.slow

SIZE = 96
GREEN = parse_target("css:SeaGreen")

# Shapes, colors and notes of the renderer's version 1.0 before it knew of concepts.
_BEFORE_SILVER: dict[str, tuple[list[tuple[str, Rgb8]], tuple[str, ...]]] = {
    "apple": (
        [("apple", (181, 37, 43))],
        ("The apple has no target color: it is rendered in its usual one.",),
    ),
    "cherry": (
        [("apple", (181, 37, 43))],
        (
            "Rendered with an apple shape (no cherry model).",
            "The cherry has no target color: it is rendered in its usual one.",
        ),
    ),
    "beach": (
        [("sphere", (119, 119, 119))],
        (
            "Rendered with a sphere shape (no beach model).",
            "The beach has no target color: it is rendered in a gray.",
        ),
    ),
}
_CATEGORIES = {"apple": "Fruits", "cherry": "Fruits", "beach": "Landscapes"}
_CONCEPT_KEYS = {
    "concept",
    "modifier",
    "concept_colors_version",
    "base_color",
    "modifier_does",
}


def asked(
    target: ObjectTarget,
    concept: str = "",
    modifier: str = "",
    failure: str = "none",
    seed: int = 1,
) -> GenerationRequest:
    return GenerationRequest(
        "reference-renderer",
        "A picture.",
        seed=seed,
        width=SIZE,
        height=SIZE,
        targets=(target,),
        options={"light": "even", "failure": failure},
        concept=concept,
        modifier=modifier,
    )


def mango(modifier: str = "", failure: str = "none", seed: int = 1) -> GenerationRequest:
    return asked(ObjectTarget("mango", category="Fruits"), "mango", modifier, failure, seed)


def drawn(request: GenerationRequest) -> GeneratedImage:
    return ReferenceRenderer().draw([request], lambda report: None, Event())[0]


def color_in(image: GeneratedImage) -> Rgb8:
    """The one color that the first mask holds in even light."""
    inside = image.srgb8[image.masks[0].mask.pixels]
    assert (inside == inside[0]).all()
    return int(inside[0][0]), int(inside[0][1]), int(inside[0][2])


def lab(srgb8: Rgb8) -> np.ndarray:
    return np.asarray(srgb8_to_lab(np.array(srgb8)), dtype=np.float64)


@pytest.mark.parametrize("name", _BEFORE_SILVER)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_without_a_concept_pictures_are_those_of_before(name: str, seed: int) -> None:
    objects, notes = _BEFORE_SILVER[name]
    image = drawn(asked(ObjectTarget(name, category=_CATEGORIES[name]), seed=seed))
    scene = SceneRequest(
        tuple(SceneObject(shape, color) for shape, color in objects), "even", seed, SIZE
    )
    assert image.origin["scene"] == scene.as_json()
    assert image.srgb8.tobytes() == render_scene(scene).srgb8.tobytes()
    assert image.notes == notes
    assert not _CONCEPT_KEYS & image.origin.keys()


def test_every_thing_of_the_benchmark_has_colors() -> None:
    resources = {concept.concept for concept in concepts() if not concept.modifier}
    assert len(resources) == 214
    for name in resources:
        colors = concept_colors(name)
        assert colors, name
        assert sum(color.weight for color in colors) == pytest.approx(1.0)
        assert len({color.srgb8 for color in colors}) == len(colors), name
    assert concept_colors("taxi")[0].srgb8 == default_color("taxi", "")
    assert concept_colors("idea") == ()
    assert color_of("idea", 3) is None


def test_the_seed_chooses_as_often_as_the_weights_say() -> None:
    assert [color.weight for color in concept_colors("apple")] == [0.75, 0.25]
    for name in ("apple", "rainbow", "sunset"):
        weights = {color.srgb8: color.weight for color in concept_colors(name)}
        drawn_colors = Counter(color_of(name, seed) for seed in range(1000))
        for color, weight in weights.items():
            assert drawn_colors[color] == pytest.approx(1000 * weight, abs=5)
        # Five seeds are the benchmark's: each share is less than one picture off, give or take.
        few = Counter(color_of(name, seed) for seed in range(5))
        assert all(abs(few[color] - 5 * weight) < 1.6 for color, weight in weights.items())
    assert color_of(" Apple", 3) == color_of("apple", 3)


def test_a_concept_has_the_color_of_its_seed_and_keeps_it_under_a_modifier() -> None:
    result = set()
    for seed in range(8):
        base = drawn(mango(seed=seed))
        assert color_in(base) == color_of("mango", seed)
        assert hex_of(color_in(base)) == base.origin["base_color"]
        assert drawn(mango("rotten", seed=seed)).origin["base_color"] == base.origin["base_color"]
        result.add(color_in(base))
    assert result == {color.srgb8 for color in concept_colors("mango")}
    note = "The mango has no target color: it is rendered in one of its 2 usual ones, which the seed chooses."
    assert note in base.notes


def test_a_modifier_moves_the_usual_color() -> None:
    image = drawn(mango("rotten"))
    base = color_of("mango", 1)
    assert base is not None
    assert color_in(image) == modify_color(base, "rotten").color
    before, after = lab(base), lab(color_in(image))
    assert after[0] < before[0] - 15
    assert image.notes[-1] == (
        f"'Rotten' makes the mango darker and browner: {hex_of(base)} becomes "
        f"{hex_of(color_in(image))}."
    )
    assert image.origin["concept"] == "mango"
    assert image.origin["modifier"] == "rotten"
    assert image.origin["modifier_does"] == "darker and browner"
    assert not image.origin["failure_acted"]


def test_a_modifier_is_ignored_or_overshot() -> None:
    base = color_of("mango", 1)
    assert base is not None
    ignored, overshot = (
        drawn(mango("rotten", failure)) for failure in ("modifier-ignored", "modifier-overshot")
    )
    assert color_in(ignored) == base
    assert ignored.srgb8.tobytes() == drawn(mango()).srgb8.tobytes()
    assert color_in(overshot) == modify_color(base, "rotten").overshot
    assert ignored.origin["failure_acted"]
    assert overshot.origin["failure_acted"]
    assert (
        ignored.notes[-1]
        == f"Simulated: the modifier 'rotten' is ignored: the mango is {hex_of(base)}."
    )
    assert overshot.notes[-1].startswith(
        "Simulated: the modifier 'rotten' is 2.2 times as strong: the mango"
    )
    # The thing as such has nothing to ignore.
    plain = drawn(mango(failure="modifier-ignored"))
    assert not plain.origin["failure_acted"]
    assert plain.notes[-1] == "There is no modifier with a color that could be ignored."


def test_a_word_without_a_color_and_an_asked_color_are_not_moved() -> None:
    cabin = ObjectTarget("cabin", category="Buildings")
    image = drawn(asked(cabin, "cabin", "stylish"))
    assert color_in(image) == color_of("cabin", 1)
    assert image.notes[-1] == "'Stylish' names no color: the cabin keeps its usual one."
    image = drawn(asked(cabin, "cabin", "stylish", "modifier-overshot"))
    assert not image.origin["failure_acted"]
    green = drawn(asked(ObjectTarget("cabin", GREEN), "cabin", "cozy"))
    assert color_in(green) == GREEN.srgb8
    assert green.notes[-1] == ("The cabin keeps its target color: 'cozy' changes none.")


def test_nearly_all_modifiers_of_the_benchmark_have_a_color() -> None:
    text = {concept.modifier for concept in concepts()} - {""}
    assert text - MOVES.keys() == {"majestic", "spectacular", "stylish"}
    assert text >= MOVES.keys()
    assert len(MOVES) == 68


def test_a_move_is_the_arithmetic_it_says() -> None:
    start = np.array((60.0, 20.0, -10.0))
    end = start + Move("", "#777777", 0.25, 4.0, 0.5).way(start)
    gray = lab((119, 119, 119))
    mixed = 0.75 * start + 0.25 * gray
    assert end == pytest.approx((mixed[0] + 4.0, mixed[1] * 0.5, mixed[2] * 0.5))
    # Far from the border of sRGB, overshooting is the same way, 2.2 times as far.
    base: Rgb8 = (130, 120, 110)
    modified_color = modify_color(base, "misty")
    way, far = lab(modified_color.color) - lab(base), lab(modified_color.overshot) - lab(base)
    assert far == pytest.approx(OVERSHOT_FACTOR * way, abs=1.0)


def test_moves_stay_in_srgb_by_less_chroma() -> None:
    for concept in concepts():
        if not concept.modifier:
            continue
        for color in concept_colors(concept.concept):
            modified_color = modify_color(color.srgb8, concept.modifier)
            if concept.modifier not in MOVES:
                assert modified_color.color == modified_color.overshot == color.srgb8
                continue
            goal = lab(color.srgb8) + MOVES[concept.modifier].way(lab(color.srgb8))
            there = lab(modified_color.color)
            # Rounding to 8 bits moves dark colors by up to 0.6 in L*.
            assert there[0] == pytest.approx(float(np.clip(goal[0], 2.0, 98.0)), abs=0.6)
            assert float(chroma(there)) <= float(chroma(goal)) + 1.5
            if float(chroma(there)) > 10.0:
                apart = abs(float(hue_deg(there)) - float(hue_deg(goal))) % 360.0
                assert min(apart, 360.0 - apart) < 3.0


def test_every_note_is_a_sentence() -> None:
    for modifier in {concept.modifier for concept in concepts()} - {""}:
        note = note_of("mango", modify_color((239, 160, 47), modifier))
        assert note.endswith(".")
        assert note[1].isupper()


def test_a_run_asks_for_the_concept_and_keeps_the_version_of_its_colors() -> None:
    prompts = [prompt for prompt in build_concepts() if prompt.id == "concept-0060-rotten-photo"]
    plan = make_plan(prompts, "reference-renderer", drawing=GenerationPlan(images=1))
    request = request_of(plan, 0)
    assert (request.concept, request.modifier) == ("mango", "rotten")
    assert made_with(plan)["colors of concepts"] == CONCEPT_COLORS_VERSION
    mug = Prompt("mug", "A mug.", "free", (ObjectTarget("mug"),))
    assert "colors of concepts" not in made_with(make_plan([mug], "reference-renderer"))
