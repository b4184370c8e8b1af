"""The questions of GenColorBench's Appendix E about renders of known color.

On CSS six kinds: Q1 the name in words, Q2 the name from a list, Q3 the hex code in words, Q4 to Q6
yes or no to a name, an RGB value and a hex code. On ISCC-NBS level 2 (for the paper "IBCC") four:
Q1 and Q2, then yes or no to a name and to an RGB value.

The paper does not state the colors of its yes-or-no questions. TrueHue asks each twice: about the
true color, and about one at least 10 delta E00 away, so that always answering yes scores half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import (
    ColorTarget,
    NamedColor,
    find,
    nearest_names,
    parse_target,
    system,
)
from truehue.core.diagnosis.colors import (
    NOT_CSS3,
    make_query,
    render_image,
    set_colors,
)
from truehue.core.errors import BadInput
from truehue.core.images.load import image_id
from truehue.core.images.pixels import Mask
from truehue.core.vlm.generators.draws import Draws
from truehue.core.vlm.records import LETTERS, Form, Question

SYSTEM_NAMES = {"css": "CSS3/X11", "l2": "ISCC-NBS Level 2"}
MAX_CHOICES = len(LETTERS)


@dataclass(frozen=True)
class Render:
    """An image uint8 ``(H, W, 3)`` of one object whose color is known: a named color of
    ``system``, css or l2. ``scene`` is what draws it again, and ``mask`` bool ``(H, W)`` the
    object's exact one; empty and None for an image that nothing here draws."""

    srgb8: NDArray[np.uint8]
    object_name: str
    target: ColorTarget
    system: str
    scene: Mapping[str, Any] = field(default_factory=dict)
    mask: NDArray[np.bool_] | None = None


def render_question(
    system_id: str, color: str, scene: tuple[str, str, int], size_px: int
) -> Render:
    """The diagnostic render of a color's name in a scene of (object, light, seed of the renderer).

    Its ``scene`` has these, the side in pixels, and the SHA-256 of the object's exact mask. Raises
    BadInput as ``truehue.core.diagnosis.colors.render_image``.
    """
    object_name, light, render_seed = scene
    target = parse_target(color, system_id)
    srgb8, mask = render_image(object_name, light, render_seed, target.hex, size_px)
    made = {
        "object": object_name,
        "light": light,
        "seed": render_seed,
        "size_px": size_px,
        "mask_sha256": Mask(mask, "renderer").content_sha256,
    }
    return Render(srgb8, object_name, target, system_id, made, mask)


def questions(render: Render, near: int | None = None, seed: int = 0) -> list[Question]:
    """All questions about one render: nine on css (Q4 to Q6 twice), six on l2.

    Q2 as in the paper gives all names of the system and is answered in words, since there are more
    names than letters: its construction has them. With ``near`` it has letters instead, for the
    right name among that many nearest ones. ``seed`` draws the order and the false color.

    Raises BadInput for another system, for a color that is none of it, and for more near names than
    letters.
    """
    key = render.system
    if key not in SYSTEM_NAMES:
        raise BadInput(f"Appendix E asks on css and l2, not on {key}.", "system")
    if render.target.system != key or render.target.name is None:
        raise BadInput(f"{render.target.label} is no color of {SYSTEM_NAMES[key]}.", "target")
    if near is not None and not 1 <= near < MAX_CHOICES:
        raise BadInput(f"Q2 takes 1 to {MAX_CHOICES - 1} near names, not {near}.", "near")
    return list(_Asker(render, seed).ask(near))


class _Asker:
    """Makes the questions about one render."""

    def __init__(self, render: Render, seed: int) -> None:
        self.render = render
        self.key, self.object = render.system, render.object_name
        self.true = find(str(render.target.name), self.key)
        self.image_id = image_id(render.srgb8)
        self.draws = Draws(seed, self.true.id, *(ord(sign) for sign in f"{self.key} {self.object}"))
        false = self.draws.pick(make_query(self.true.name, self.key).near)
        self.false = find(str(false.name), self.key)
        self.made = {
            "object": self.object,
            "system": self.key,
            "color": self.true.name,
            "srgb8": list(self.true.srgb8),
            "seed": seed,
            **({"render": dict(render.scene)} if render.scene else {}),
        }

    def ask(self, near: int | None) -> Iterator[Question]:
        name, suffix = SYSTEM_NAMES[self.key], f"the {self.object} in the image"
        same = _same_color(self.true)
        yield self._question(
            1, Form.OPEN, f"What is the {name} color name of {suffix}?", self.true.name, also=same
        )
        yield self._listed(near, same)
        if self.key == "css":
            text = f"What is the {name} hex color code of {suffix}?"
            yield self._question(3, Form.OPEN, text, self.true.hex)
            yield from self._verified(4, "color name", lambda color: color.name)
            yield from self._verified(5, "RGB color", lambda color: _triple(color.srgb8))
            yield from self._verified(6, "hex color code", lambda color: color.hex)
        else:
            yield from self._verified(3, "color name", lambda color: color.name)
            yield from self._verified(4, "RGB color", lambda color: _triple(color.srgb8))

    def _listed(self, near: int | None, same: list[str]) -> Question:
        """Q2."""
        name = SYSTEM_NAMES[self.key]
        if near is None:
            names = [color.name for color in set_colors(self.key)]
            text = (
                f"Given the list of {name} color names [{', '.join(names)}], what is the color "
                f"name of the {self.object} in the image?"
            )
            return self._question(2, Form.OPEN, text, self.true.name, also=same, names=names)
        others = [
            color.name
            for color, _ in nearest_names(self.true.lab, self.key, near + 3)
            if color.srgb8 != self.true.srgb8 and color.name != NOT_CSS3
        ][:near]
        choices = self.draws.shuffled([self.true.name, *others])
        text = f"What is the {name} color name of the {self.object} in the image?"
        return self._question(
            2, Form.CHOICE, text, LETTERS[choices.index(self.true.name)], choices=choices
        )

    def _verified(
        self, number: int, label: str, written: Callable[[NamedColor], str]
    ) -> Iterator[Question]:
        """The same question about the true color and about the false one."""
        for named_color, answer in ((self.true, "yes"), (self.false, "no")):
            text = f"Is the {label} of the {self.object} {written(named_color)} in the image?"
            distance = float(delta_e00(np.array(self.true.lab), np.array(named_color.lab)))
            yield self._question(
                number,
                Form.BINARY,
                text,
                answer,
                asked=named_color.name,
                delta_e00=round(distance, 3),
            )

    def _question(
        self,
        number: int,
        form: Form,
        text: str,
        answer: str,
        choices: Sequence[str] = (),
        **made: object,
    ) -> Question:
        location = f"{self.object.replace(' ', '_')}-{self.true.name.replace(' ', '_').lower()}"
        turn = f"-{answer}" if form is Form.BINARY else ""
        return Question(
            question_id=f"{self.key}_q{number}-{location}-{self.image_id[:12]}{turn}",
            task=f"{self.key}_q{number}",
            form=form,
            text=text,
            choices=tuple(choices),
            answer=answer,
            image_id=self.image_id,
            construction={**self.made, **made},
        )


def _same_color(color: NamedColor) -> list[str]:
    """Other names of the very same color: gray and grey are both right."""
    return [
        other.name
        for other in system(color.system).colors
        if other.srgb8 == color.srgb8 and other.name != color.name
    ]


def _triple(srgb8: tuple[int, int, int]) -> str:
    return f"({srgb8[0]}, {srgb8[1]}, {srgb8[2]})"
