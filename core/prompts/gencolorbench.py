"""GenColorBench's 44,464 prompts, reconstructed from its templates by seeded rules.

The paper (arXiv:2510.20586) prints objects, colors, templates and rounded counts (about 18K prompts
of color names, CNA; 11.5K of colors in numbers, NCU; 8.7K contextual, COA; 2.2K scenes, MOC; 4.5K
implicit, ICA), and not the prompts; the list was never published. The rules are ours, documented in
``assets/prompts/gencolorbench/README.md``. Nothing depends on a platform's own random numbers: an
id names the same sentence everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from truehue.core.color.systems import ColorTarget
from truehue.core.prompts.draws import Deck, seeded_order
from truehue.core.prompts.parts import (
    BUILD_ORDER,
    SOURCE,
    Numbers,
    apart_within,
    can_show_a_leak,
    colors,
    object_target,
    row_target,
)
from truehue.core.prompts.prompt import ObjectTarget, Prompt, format_color, with_articles
from truehue.core.prompts.tables import (
    ContextTemplate,
    FocusedTemplate,
    ObjectRow,
    SceneTemplate,
    context_templates,
    focused_templates,
    implicit_templates,
    objects,
    scene_templates,
)

CNA_EACH, CNA_EXTRA = 31, 396
"""Prompts of each level 3 and CSS color, and how many of these 408 colors have one more."""

NCU_EACH, NCU_EXTRA = 25, 250
"""Prompts of each of the 450 colors, and how many of them have one more."""


def _sentence(template: FocusedTemplate, row: ObjectRow, color: ColorTarget) -> str:
    red, green, blue = color.srgb8
    filled = template.text.format(
        object=row.phrase, color=format_color(color), hex=color.hex, r=red, g=green, b=blue
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


COA_COLORS: Mapping[str, int] = MappingProxyType({"l1": 13, "l2": 29, "l3": 61, "css": 35})
"""Colors of each system that a contextual template is filled with: 138."""

MOC_COLORS: Mapping[str, int] = MappingProxyType({"l1": 7, "l2": 22, "l3": 22, "css": 22})
"""Combinations of colors of each system that a scene is filled with: 73."""

ICA_COLORS: Mapping[str, int] = MappingProxyType({"l1": 3, "l2": 14, "l3": 14, "css": 14})
"""Colors of each system that an implicit sentence is filled with: 45."""


class _Rotation:
    """Gives every template the next colors of a system, so that all come equally often."""

    def __init__(self, system_id: str, key: str) -> None:
        self._deck = Deck(range(len(colors(system_id))), f"{key}/{system_id}")

    def next(self, count: int, used: set[int]) -> list[int]:
        """The places of ``count`` colors that are not in ``used``, in the system's order.

        They are added to ``used``.
        """
        partial_type = []
        for _ in range(count):
            index = self._deck.deal(lambda card: card not in used)
            used.add(index)
            partial_type.append(index)
        return sorted(partial_type)


def _prompt(
    number: str, text: str, template: str, system_id: str, targets: tuple[ObjectTarget, ...]
) -> Prompt:
    """The task is the beginning of the number, the category that of the first object."""
    return Prompt(
        id=number,
        text=with_articles(text),
        task=number.partition("-")[0],
        targets=targets,
        system=system_id,
        source=SOURCE,
        template=template,
        notation="name",
        category=targets[0].category,
    )


def _context_targets(
    template: ContextTemplate, system_id: str, index: int
) -> tuple[ObjectTarget, ...]:
    """The main object, and the second one where it can show that it did not take the color.

    A white plate cannot show that it stayed free of the white of a white apple.
    """
    main = object_target(template.object, colors(system_id)[index])
    if not can_show_a_leak(system_id, template.second_colors)[index]:
        return (main,)
    return (main, object_target(template.second_object, None, "bystander"))


def context_prompts() -> Iterator[Prompt]:
    """COA, 8,694: 63 templates with 138 colors each.

    All of levels 1 and 2, and 61 of level 3 and 35 of CSS in rotation.
    """
    numbers = Numbers(5)
    rotations = {key: _Rotation(key, "coa") for key in BUILD_ORDER}
    for template in context_templates():
        for key in BUILD_ORDER:
            for index in rotations[key].next(COA_COLORS[key], set()):
                color = colors(key)[index]
                yield _prompt(
                    numbers.next(f"coa-{key}"),
                    template.text.format(color=format_color(color)),
                    template.id,
                    key,
                    _context_targets(template, key, index),
                )


def _scene(template: SceneTemplate, chosen: Sequence[ColorTarget], number: str) -> Prompt:
    texts = {f"color{slot}": format_color(color) for slot, color in enumerate(chosen, 1)}
    targets = tuple(
        object_target(name, color) for name, color in zip(template.objects, chosen, strict=True)
    )
    system_id = chosen[0].system or ""
    return _prompt(number, template.text.format(**texts), template.id, system_id, targets)


def _apart(others: Deck[int], first: int, count: int, system_id: str) -> list[ColorTarget]:
    """``count`` colors of a system, all apart; the first is that at the place ``first``."""
    is_apart = apart_within(system_id)
    positions = [first]
    while len(positions) < count:
        positions.append(
            others.deal(lambda card: all(is_apart(card, index) for index in positions))
        )
    return [colors(system_id)[index] for index in positions]


def scene_prompts() -> Iterator[Prompt]:
    """MOC, 2,190: 30 scenes with 73 combinations of colors of one system each.

    The first objects' colors rotate over the system. The others are at least 20 ΔE00 from every
    other color of the sentence, so that a swap can be seen, and come equally often too.
    """
    numbers = Numbers(4)
    rotations = {key: _Rotation(key, "moc/first") for key in BUILD_ORDER}
    others = {key: Deck(range(len(colors(key))), f"moc/others/{key}") for key in BUILD_ORDER}
    for template in scene_templates():
        for key in BUILD_ORDER:
            for first in rotations[key].next(MOC_COLORS[key], set()):
                chosen = _apart(others[key], first, len(template.objects), key)
                yield _scene(template, chosen, numbers.next(f"moc-{key}"))


def implicit_prompts() -> Iterator[Prompt]:
    """ICA, 4,500: 100 sentences with 45 colors each, in rotation.

    The reference object has to have the same color. One sentence is printed twice (D.4.47 and
    D.4.76): the two share no color.
    """
    numbers = Numbers(4)
    rotations = {key: _Rotation(key, "ica") for key in BUILD_ORDER}
    used: dict[tuple[str, str], set[int]] = {}
    for template in implicit_templates():
        for key in BUILD_ORDER:
            before = used.setdefault((template.text, key), set())
            for index in rotations[key].next(ICA_COLORS[key], before):
                color = colors(key)[index]
                targets = (
                    object_target(template.object, color),
                    object_target(template.reference_object, color, "reference"),
                )
                text = template.text.format(color=format_color(color))
                yield _prompt(numbers.next(f"ica-{key}"), text, template.id, key, targets)


PAPER_COUNTS: Mapping[str, str] = MappingProxyType(
    {"cna": "18K", "ncu": "11.5K", "coa": "8.7K", "moc": "2.2K", "ica": "4.5K"}
)
"""The paper's printed counts of each task."""

PAPER_TOTAL = 44_464


@cache
def build() -> tuple[Prompt, ...]:
    """All prompts, task by task (CNA, NCU, COA, MOC, ICA); built once, in about half a second.

    Ids are unique, and no two prompts of one task and color system have the same text.
    """
    return (
        *color_name_prompts(),
        *number_prompts(),
        *context_prompts(),
        *scene_prompts(),
        *implicit_prompts(),
    )
