"""Prompts with several objects: contextual (COA), scenes (MOC) and implicit (ICA).

The paper prints the templates and rounded counts (about 8.7K, 2.2K and 4.5K) and no list of
prompts; which colors a template is filled with is our rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from truehue.core.color.systems import ColorTarget
from truehue.core.prompts.draws import Deck
from truehue.core.prompts.parts import (
    BUILD_ORDER,
    SOURCE,
    Numbers,
    apart_within,
    can_show_a_leak,
    colors,
    object_target,
)
from truehue.core.prompts.prompt import ObjectTarget, Prompt, color_words, with_articles
from truehue.core.prompts.tables import (
    ContextTemplate,
    SceneTemplate,
    context_templates,
    implicit_templates,
    scene_templates,
)

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
        """The places of ``count`` colors that are not in ``taken``, in the system's order.

        They are added to ``taken``.
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
                    template.text.format(color=color_words(color)),
                    template.id,
                    key,
                    _context_targets(template, key, index),
                )


def _scene(template: SceneTemplate, chosen: Sequence[ColorTarget], number: str) -> Prompt:
    texts = {f"color{slot}": color_words(color) for slot, color in enumerate(chosen, 1)}
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
                text = template.text.format(color=color_words(color))
                yield _prompt(numbers.next(f"ica-{key}"), text, template.id, key, targets)
