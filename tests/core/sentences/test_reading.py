"""What sentences ask for: a table of them, and the benchmark's own sentences read back."""

from __future__ import annotations

import pytest

from truehue.core.prompts.sets import prompt_set
from truehue.core.sentences import no_target_reason, read_sentence

Wanted = list[tuple[str, str | None]]

SENTENCES: list[tuple[str, Wanted]] = [
    ("", []),
    ("A blue mug", [("mug", "css:blue")]),
    ("The mug is blue", [("mug", "css:blue")]),
    ("mug blue", [("mug", "css:blue")]),
    ("A VIVID Reddish-Orange mug!", [("mug", "l3:Vivid reddish orange")]),
    ("two vivid red mugs", [("mug", "l3:Vivid red")]),
    ("a small, shiny ceramic mug in dark grey", [("mug", "l3:Dark gray")]),
    ("a mug in #0f0", [("mug", "#00FF00")]),
    ("a mug, rgb(10, 20, 30)", [("mug", "#0A141E")]),
    ("a highly detailed #D51C3C-colored pair of pants", [("pants", "#D51C3C")]),
    ("a mug beside a red book", [("mug", None), ("book", "css:red")]),
    ("A photo of a blue unicorn riding a teapot", [("unicorn", "css:blue"), ("teapot", None)]),
    ("A unicorn that is blue", [("unicorn", "css:blue")]),
    ("a spaceship painted crimson", [("spaceship", "css:crimson")]),
    ("the car is red and the sky is blue", [("car", "css:red"), ("sky", "css:blue")]),
    # Two colors are one name, one color and a note, or no color; never the first of them silently.
    ("a blue-green vase", [("vase", "l2:Bluish green")]),
    ("a vase that is blue green", [("vase", "l2:Bluish green")]),
    ("a light blue-green vase", [("vase", "l3:Light bluish green")]),
    ("a red orange mug", [("mug", "l2:Reddish orange")]),
    ("a red orange", [("orange", "css:red")]),
    ("a navy-blue bag", [("bag", "people:navy blue")]),
    ("a white linen shirt", [("linen shirt", "css:white")]),
    ("a pink-orange vase", [("vase", None)]),
    ("robots in pink-teal", [("robots", None)]),
    ("a black-and-white cat", [("cat", None)]),
    # Names that people use, and no standard.
    ("a burgundy spaceship", [("spaceship", "people:burgundy")]),
    ("a bright blue mug", [("mug", "people:bright blue")]),
    ("an off-white wall", [("wall", "people:off white")]),
    # Colors that no system has.
    ("a scarlet spaceship", [("spaceship", None)]),
    ("a spaceship in lapis lazuli", [("spaceship", None)]),
    ("a saffron yellow sofa", [("sofa", "css:yellow")]),
    ("burgundy", []),
    # A fruit or a color: what stands before a noun is a color.
    ("an orange", [("orange", None)]),
    ("an orange orange", [("orange", "css:orange")]),
    ("a mug and an orange", [("mug", None), ("orange", None)]),
    ("an orange colored blue", [("orange", "css:blue")]),
    # Not an object of the picture, or not a color that is wanted.
    ("A sunset over the sea", []),
    ("red", []),
    ("a blue mug on a white background", [("mug", "css:blue")]),
    ("a black and white photo of a red apple", [("apple", "css:red")]),
    ("a red-haired woman with a blue hat", [("hat", "css:blue")]),
    ("a mug that is not blue", [("mug", None)]),
    ("a red and blue ball", [("ball", None)]),
    ("a blue mug on a table", [("mug", "css:blue")]),
    ("a cow in a green field", [("cow", None)]),
    ("a dog with white fur", [("dog", "css:white")]),
    ("a mug in #zz0000", [("mug", None)]),
]


@pytest.mark.parametrize(("text", "wanted"), SENTENCES, ids=[text[:40] for text, _ in SENTENCES])
def test_a_sentence_asks_for_its_objects_and_colors(text: str, wanted: Wanted) -> None:
    targets = read_sentence(text).targets
    assert [
        (target.name, target.color.value if target.color else None) for target in targets
    ] == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a red and blue ball", "several colors"),
        ("a mug that is not blue", "“not blue” cannot be scored"),
        ("a pink-orange vase", "several colors"),
        (
            "a sapphire-blue bag",
            "“sapphire blue” is in none of the color systems: the target color is blue.",
        ),
        ("a saffron yellow sofa", "“saffron yellow” is in none of the color systems"),
        ("the mug is scarlet", "“scarlet” is in none of the color systems"),
        ("a lapis lazuli vase", "choose one for the vase."),
        ("a ruby-red moon", "“ruby red” is in none of the color systems"),
        ("a milk-white wall", "the target color is white."),
        ("the mug is electric green", "“electric green” is in none of the color systems"),
        ("a mug on a white background", "“white background” describes the whole image"),
        ("a cow in a green field", "“green field” says where it is"),
        ("a mug in #zz0000", "“#zz0000” is no color"),
    ],
)
def test_what_cannot_be_asked_for_is_said(text: str, said: str) -> None:
    assert any(said in note for note in read_sentence(text).notes)


def test_objects_of_the_tables_bring_their_negative_labels() -> None:
    (car,) = read_sentence("a red car").judged
    assert car.category == "Vehicles"
    assert "windshield" in car.negative_labels


def test_any_text_is_read_without_an_error() -> None:
    for text in (
        "a " * 20_000,
        "x" * 20_000,
        "red " * 5_000,
        "-–—'’\n\t\0",
        "rgb(",
        "#",
        "𝔯𝔢𝔡 mug",
    ):
        read_sentence(text)


def test_the_sentences_of_the_benchmark_are_read_as_they_were_made() -> None:
    """Every 23rd of 44,464. A name that two systems spell alike counts as found by either."""

    def same(name: str) -> str:
        return name.casefold().replace(" ", "").replace("grey", "gray")

    right = total = 0
    for prompt in prompt_set("gencolorbench").prompts()[::23]:
        wanted = [
            (
                target.name,
                same(target.color.label if prompt.notation == "name" else target.color.hex),
            )
            for target in prompt.targets
            if target.color and target.role == "main"
        ]
        if prompt.task == "ncu":
            wanted = [
                (target.name, same(target.color.hex)) for target in prompt.targets if target.color
            ]
        judged = read_sentence(prompt.text).judged
        result = [(item.name, same(item.color.label)) for item in judged if item.color]
        right += result[: len(wanted)] == wanted
        total += 1
    assert total > 1_900
    assert right / total > 0.99


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("", "No target color."),
        ("a happy dog", "No target color in the prompt."),
        ("crimson", "No target color in the prompt. It names a color, and no object that has it."),
    ],
)
def test_why_a_prompt_gives_no_target_is_said(prompt: str, reason: str) -> None:
    assert no_target_reason(prompt) == reason
    scarlet = no_target_reason("a scarlet cat")
    assert scarlet.startswith("No target color in the prompt. “scarlet” is in none of the color")
