"""Prompts with one object: color names (CNA) and colors in numbers (NCU).

The paper prints the templates, the objects, the colors and rounded counts (about 18K and 11.5K),
and no list of prompts; the rules here are ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from truehue.core.color.systems import ColorTarget
from truehue.core.prompts.draws import Deck, seeded_order
from truehue.core.prompts.parts import BUILD_ORDER, SOURCE, Numbers, colors, row_target
from truehue.core.prompts.prompt import Prompt, color_words, with_articles
from truehue.core.prompts.tables import FocusedTemplate, ObjectRow, focused_templates, objects

CNA_EACH, CNA_EXTRA = 31, 396
"""Prompts of each level 3 and CSS color, and how many of these 408 colors have one more."""

NCU_EACH, NCU_EXTRA = 25, 250
"""Prompts of each of the 450 colors, and how many of them have one more."""


def _sentence(template: FocusedTemplate, row: ObjectRow, color: ColorTarget) -> str:
    red, green, blue = color.srgb8
    filled = template.text.format(
        object=row.phrase, color=color_words(color), hex=color.hex, r=red, g=green, b=blue
    )
    return with_articles(filled)


class _Writer:
    """Writes the prompts of one task; no two of them have the same text."""

    def __init__(self, task: str, templates: tuple[FocusedTemplate, ...]) -> None:
        self._task = task
        self._templates = Deck(templates, f"{task}/templates")
        self._numbers = Numbers(5)
        self._texts: set[str] = set()

    def write(self, row: ObjectRow, color: ColorTarget) -> Prompt:
        """The next prompt of an object and a color, by the next template that gives a new text."""
        text = ""

        def is_new(card: FocusedTemplate) -> bool:
            nonlocal text
            text = _sentence(card, row, color)
            return text not in self._texts

        template = self._templates.deal(is_new)
        self._texts.add(text)
        kind = self._task if template.notation == "name" else f"{self._task}-{template.notation}"
        return Prompt(
            id=self._numbers.next(f"{kind}-{color.system}"),
            text=text,
            task=self._task,
            targets=(row_target(row, color, "main"),),
            system=color.system or "",
            source=SOURCE,
            template=template.id,
            notation=template.notation,
            category=row.category,
        )

    def spread(self, colors: tuple[ColorTarget, ...], each: int, extra: int) -> Iterator[Prompt]:
        """``each`` prompts a color, one more for ``extra`` of them; a color has no object twice."""
        dealt = Deck(objects(), f"{self._task}/objects")
        more = set(seeded_order(len(colors), f"{self._task}/extra")[:extra])
        for index, color in enumerate(colors):
            for row in _different(dealt, each + (index in more)):
                yield self.write(row, color)


def _different(dealt: Deck[ObjectRow], count: int) -> list[ObjectRow]:
    """The next ``count`` objects, no row among them twice."""
    rows: dict[int, ObjectRow] = {}
    for _ in range(count):
        row = dealt.deal(lambda card: card.id not in rows)
        rows[row.id] = row
    return list(rows.values())


def color_name_prompts() -> Iterator[Prompt]:
    """CNA, 17,580: levels 1 and 2 with each of the 108 objects once (4,536), and 13,044 more.

    Those give 31 or 32 prompts to each level 3 and CSS color. Objects and the 12 templates come
    equally often.
    """
    writer = _Writer("cna", focused_templates("name"))
    for color in colors("l1") + colors("l2"):
        for row in objects():
            yield writer.write(row, color)
    yield from writer.spread(colors("l3") + colors("css"), CNA_EACH, CNA_EXTRA)


def number_prompts() -> Iterator[Prompt]:
    """NCU, 11,500: 25 or 26 prompts a color in hex or rgb.

    Objects and the 15 templates (10 hex, 5 rgb) come equally often. The target stays the system's
    color, by name, so that the system is known.
    """
    writer = _Writer("ncu", focused_templates("hex") + focused_templates("rgb"))
    every = tuple(color for key in BUILD_ORDER for color in colors(key))
    yield from writer.spread(every, NCU_EACH, NCU_EXTRA)
