"""Own words: what will be judged is said before, and what is judged was said."""

from __future__ import annotations

import pytest

from tests.tabs.generate.forms import started
from truehue.tabs.generate.form import restore
from truehue.tabs.generate.own_prompt import (
    FIRST,
    OwnPrompt,
    fields_of,
    fill_fields,
    own_reading,
    reading_view,
)
from truehue.tabs.generate.plan import own_prompt
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER

UNICORN = "A photo of a blue unicorn riding a teapot"
HOW = (["reference-renderer"], 0, 1, "", "", 96, "studio", "none")

NOBODY = (False, False)
"""Neither field was edited."""


def judged(own: OwnPrompt) -> list[tuple[str, str]]:
    return [(item.name, item.color.label) for item in own_reading(own).judged if item.color]


@pytest.mark.parametrize(
    ("own", "label", "by_hand"),
    [
        # The fields still hold what the page put there, for other words or for none.
        (OwnPrompt(UNICORN, *FIRST, NOBODY), [("unicorn", "blue")], ""),
        (
            OwnPrompt(UNICORN, "unicorn", "css:blue", (True, True)),
            [("unicorn", "blue")],
            "",
        ),
        # What the fields hold is an answer to earlier words: the words of now are judged.
        (
            OwnPrompt("a reddish brown dog", "dog", "l3:Dark red", NOBODY),
            [("dog", "Reddish brown")],
            "",
        ),
        (OwnPrompt("a sunset", *FIRST, NOBODY), [], ""),
        # A person chose otherwise.
        (
            OwnPrompt(UNICORN, "mug", "css:blue", (True, False)),
            [("mug", "blue")],
            "You set the object manually",
        ),
        (
            OwnPrompt(UNICORN, "unicorn", "css:red", (False, True)),
            [("unicorn", "red")],
            "You set the color manually; the prompt says unicorn, blue.",
        ),
        (
            OwnPrompt("a sunset", "mug", "css:red", (True, True)),
            [("mug", "red")],
            "the prompt says no object",
        ),
        (
            OwnPrompt("a blue mug and a red book", "mug", "css:green", (False, True)),
            [("mug", "green"), ("book", "red")],
            "You set the color manually",
        ),
        # Without words the fields are the request.
        (OwnPrompt("", *FIRST, NOBODY), [("mug", "Vivid reddish orange")], ""),
        (OwnPrompt("", "book", "#8040c0"), [("book", "#8040C0")], ""),
        (OwnPrompt("", "book", ""), [], ""),
    ],
)
def test_the_words_say_what_is_judged_unless_a_hand_does(
    own: OwnPrompt, label: list[tuple[str, str]], by_hand: str
) -> None:
    assert judged(own) == label
    assert by_hand in own_reading(own).hand
    assert bool(by_hand) == bool(own_reading(own).hand)
    assert [
        (target.name, target.color.label) for target in own_prompt(own).targets if target.color
    ] == label


def test_the_fields_follow_the_words_and_keep_what_a_hand_set() -> None:
    assert fields_of("") == FIRST
    assert fields_of("a mug beside a red book") == ("book", "css:red")
    assert fill_fields(OwnPrompt(UNICORN, *FIRST, NOBODY)) == ("unicorn", "css:blue")
    assert fill_fields(OwnPrompt("a sunset", *FIRST, NOBODY)) == ("", "")
    assert fill_fields(OwnPrompt(UNICORN, "chair", FIRST[1], (True, False))) == (
        "chair",
        "css:blue",
    )
    assert fill_fields(OwnPrompt("", "mug", "css:blue", NOBODY)) == FIRST


def test_what_will_be_judged_is_said_before_anything_is_drawn() -> None:
    view = reading_view(OwnPrompt(UNICORN, *FIRST, NOBODY), renderer=True, only_renderer=True)
    assert view["judged"] == [{"object": "unicorn", "label": "blue", "hex": "#0000FF"}]
    assert "The teapot has no target color and will not be scored." in view["notes"]
    assert "Rendered with a cube shape (no unicorn model)." in view["notes"]
    nothing = reading_view(OwnPrompt("a photo of a cat", "", "", NOBODY), False, False)
    assert nothing["judged"] == []
    assert nothing["notes"] == [
        "No color to score: the prompt names no object with a color. The image will still be "
        "generated."
    ]
    refused = reading_view(OwnPrompt("a sunset", "", "", NOBODY), True, True)
    assert "does not read sentences" in refused["problem"]
    assert "will still be generated" not in " ".join(refused["notes"])


def test_a_long_text_lists_few_objects_and_says_how_many_more() -> None:
    view = reading_view(OwnPrompt("a red mug " * 600, *FIRST, NOBODY), True, True)
    assert (len(view["judged"]), view["more"]) == (6, 594)
    assert len(view["notes"]) <= 6
    view = reading_view(
        OwnPrompt("a red mug and " + "a cat, a dog " * 9, edited=NOBODY), False, False
    )
    (note,) = view["notes"]
    assert note.endswith("and 12 more have no target color and will not be scored.")
    assert reading_view(OwnPrompt("a red mug", *FIRST, NOBODY), True, True)["more"] == 0


def test_the_engine_gets_what_was_said_and_no_preset(context: Context) -> None:
    """The fields are those of the first picture, as they are when Draw comes before they follow."""
    job = started(context, OWNER, {"mode": "own"}, OwnPrompt(UNICORN, *FIRST, NOBODY), *HOW)
    assert context.engine.wait(job, 300).status == "done"
    (row,) = context.storage.drawings.recent()
    target = [
        (object_target.name, object_target.color.value if object_target.color else None)
        for object_target in row.targets
    ]
    assert target == [("unicorn", "css:blue"), ("teapot", None)]
    assert row.text == UNICORN
    evidence = context.storage.evidence.for_image(row.image_id or "")
    assert {item.object_name for item in evidence} == {"unicorn"}
    assert any("no unicorn model" in note for note in row.origin["notes"])


def test_a_link_without_fields_follows_its_words(context: Context) -> None:
    link = {"tab": "generate", "text": UNICORN}
    filled = restore(link)
    assert (filled["object"], filled["text"]) == ("unicorn", UNICORN)
    assert filled["edited"] == [False, False]
    filled = restore({**link, "object": "mug", "target": "css:red"})
    assert filled["object"] == "mug"
    assert filled["edited"] == [True, True]
