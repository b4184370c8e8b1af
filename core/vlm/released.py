"""ColorBench's released code as a preset: its texts by family of models, and its settings.

The code (tianyi-lab/ColorBench at 3079d46) sends a row's own field ``prompt`` with a text that
differs by family, before or after it. It converts images by ``convert("RGB")``, and sends JPEG to
Qwen and GPT-4o. It limits the new tokens to 1, 1,024 or 2,048, and not at all for GPT-4o and
Gemini, to which it gives no temperature either.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.vlm.presentation import Codec, Order, Presentation
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.records import LETTERS, Form, Question

PATH = Path(__file__).resolve().parents[2] / "assets" / "vlm" / "released.csv"
SHA256 = "7b14625747d825c2358bfd72d41d60dd4d7a71684bbfb2c2e899c355db6271e5"
UNLIMITED_TOKENS = 4096
"""Of the families to which the released code sets no limit."""
UNSAMPLED = ("gpt", "gemini")
"""Families to which the released code sends no temperature."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "qwen": ("qwen2.5-vl", "qwen2-vl", "qwen3-vl", "qwen2_5_vl", "qwen-vl", "qwen25"),
    "llava-onevision": ("llava-onevision", "llava_onevision", "llava-ov"),
    "llava-next": ("llava-next", "llava-v1.6", "llava_next"),
    "internvl": ("internvl",),
    "cambrian": ("cambrian",),
    "eagle": ("eagle",),
    "gpt": ("gpt-", "gpt4", "chatgpt"),
    "gemini": ("gemini",),
}
"""What models of a family have in their names; a family stands before those that its own names
would also fit."""


@dataclass(frozen=True)
class FamilySettings:
    """How the released code asks a family in one style. ``before``: the text stands before the
    row's prompt. ``max_tokens`` is None where it sets no limit."""

    family: str
    style: Style
    before: bool
    image: Order
    codec: Codec
    max_tokens: int | None
    text: str

    def presentation(self) -> Presentation:
        """All of it but the limit."""
        return Presentation("released", self.family, self.codec, "rgb", self.image)


def families() -> tuple[str, ...]:
    """The families that the released code has texts for."""
    return tuple(dict.fromkeys(family for family, _ in _rows()))


def family_of(names: Iterable[str]) -> str:
    """The family of a model that goes by these names. Raises BadInput, naming the families."""
    for name in map(str.lower, names):
        for family, parts in _NAMES.items():
            if any(part in name for part in parts):
                return family
    raise BadInput(
        "The released code has no texts for this model. Name the family whose texts it shall get "
        f"(--family): {', '.join(families())}.",
        "family",
    )


def family_settings(family: str, style: Style) -> FamilySettings:
    """Raises BadInput for an unknown family, TrueHueError when the file was changed."""
    if (family, style) not in _rows():
        raise BadInput(f"The families are {', '.join(families())}, not {family!r:.40}.", "family")
    return _rows()[family, style]


def released_prompt(question: Question, family: str, style: Style = Style.PLAIN) -> str:
    """The text that the released code sends: the row's own ``prompt`` and the family's text. A
    question without a prompt of its own gets one of the same form. Raises BadInput for a question
    that has no letters."""
    if question.form is not Form.CHOICE:
        raise BadInput(
            f"The released code asks questions with letters, and {question.question_id} has none."
        )
    settings = family_settings(family, style)
    prompt = str(question.construction.get("prompt") or "") or own_prompt(question)
    return settings.text + prompt if settings.before else prompt + settings.text


def own_prompt(question: Question) -> str:
    """The form of the published field ``prompt``, of a question that has none."""
    choices = " ".join(f"({LETTERS[i]}) {choice}" for i, choice in enumerate(question.choices))
    return f"{question.text} Select from the following choices. {choices}"


@cache
def _rows() -> Mapping[tuple[str, Style], FamilySettings]:
    restore = f"Restore it with: git checkout -- assets/vlm/{PATH.name}"
    try:
        content = PATH.read_bytes()
    except OSError as error:
        raise TrueHueError(f"The released texts cannot be read from {PATH}. {restore}") from error
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise TrueHueError(f"{PATH} was changed: its SHA-256 is another. {restore}")
    rows = {}
    for row in csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")):
        tokens = int(row["max_tokens"]) if row["max_tokens"] else None
        style = Style(row["style"])
        image: Order = "first" if row["image"] == "first" else "last"
        codec: Codec = "jpeg-75" if row["codec"] == "jpeg-75" else "png"
        rows[row["family"], style] = FamilySettings(
            row["family"], style, row["side"] == "before", image, codec, tokens, row["text"]
        )
    return MappingProxyType(rows)
