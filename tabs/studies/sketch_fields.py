"""What the form of a study of colorings asks beside that of others: practice, and examples."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from truehue.annotation.studies.plan import MOST_SKETCHES, MOST_TEXT, Review
from truehue.tabs.page.requests import PageRequest, Whole, single_of, texts

PRACTICE_SKETCHES = 3
"""Before the rest, as in ColorConceptBench, section 3.2."""
MOST_WORDS = 200


class PracticeForm(PageRequest):
    """Sketches that everybody colors before the rest: these ``concepts``, or ``number`` starter
    drawings that the study does not ask about; ``review`` says who looks at them."""

    concepts: Annotated[
        tuple[str, ...],
        AfterValidator(texts),
        Field(max_length=MOST_SKETCHES, title="The list of practice sketches"),
    ] = ()
    number: Whole = Field(
        default=PRACTICE_SKETCHES, ge=0, le=MOST_SKETCHES, title="Practice sketches"
    )
    review: Annotated[str, single_of("review", Review)] = Review.RESEARCHER.value


class ExampleForm(PageRequest):
    """How it is done, or, where it is not ``good``, how not; ``image_id`` is a stored picture."""

    text: str = Field(default="", max_length=MOST_TEXT, title="An example")
    good: bool = True
    image_id: str = Field(default="", pattern=r"^([0-9a-f]{64})?$", title="An example's image")


REVIEWS = {
    Review.RESEARCHER.value: "By you: participants wait until you accept it or ask for it again",
    Review.AUTOMATIC.value: "Automatic: each sketch must be colored with more than one action",
    Review.NONE.value: "None: participants continue at once",
}

_EXAMPLES = {
    "en": (
        ("A brick is red, brown or yellow: a color that bricks really have.", True),
        ("Only what the words name has color. The rest of the drawing stays as it is.", True),
        ("Several colors where the thing has several: the cap and the stalk of a mushroom.", True),
        ("A blue brick, because blue is your favorite color.", False),
        ("The background, the table and the plate are colored too.", False),
        ("Every part has another bright color, as in a coloring book.", False),
    ),
    "de": (
        ("Ein Ziegel ist rot, braun oder gelb: eine Farbe, die Ziegel wirklich haben.", True),
        ("Nur was die Worte nennen, hat Farbe. Der Rest der Zeichnung bleibt, wie er ist.", True),
        ("Mehrere Farben, wo das Ding mehrere hat: Hut und Stiel eines Pilzes.", True),
        ("Ein blauer Ziegel, weil Blau Ihre Lieblingsfarbe ist.", False),
        ("Auch der Hintergrund, der Tisch und der Teller sind ausgemalt.", False),
        ("Jeder Teil hat eine andere grelle Farbe, wie in einem Malbuch.", False),
    ),
}


def examples_in(language: str) -> tuple[ExampleForm, ...]:
    """Do and do not, as a study begins with them; the words are ours, and none of the things that
    they name is among the paper's concepts."""
    return tuple(ExampleForm(text=text, good=good) for text, good in _EXAMPLES[language])
