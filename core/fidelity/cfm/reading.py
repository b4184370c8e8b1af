"""How a CFM reads an image and its prompt: what belongs to its weights."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.instruction import INSTRUCTION, REWARD_TOKEN, checked, message
from truehue.core.files import replace_file

AREA_PX = 256 * 28 * 28
"""Pixels of every image as the published CFM reads it, whatever its size: the released code's; the
paper says "longer edge 448"."""
SIDE_MULTIPLE = 28
"""Pixels a side of what becomes one token."""
READING = "reading.json"


@dataclass(frozen=True)
class CfmReading:
    """``instruction`` with its two marks; ``area_px`` of every image, whatever its size.

    ``visual_only`` leaves out all text but the reward token, as the paper's ablation does (Table
    4): neither template, nor instruction, nor prompt.
    """

    instruction: str = INSTRUCTION
    area_px: int = AREA_PX
    visual_only: bool = False

    def __post_init__(self) -> None:
        checked(self.instruction, "The instruction")
        if not SIDE_MULTIPLE**2 <= self.area_px <= 16 * AREA_PX:
            raise BadInput(
                f"An image is read at {SIDE_MULTIPLE**2:,} to {16 * AREA_PX:,} pixels, not at "
                f"{self.area_px:,}."
            )

    def text(self, prompt: str, image_tokens: int) -> str:
        """The whole text of one image."""
        if self.visual_only:
            return f"<|vision_start|>{'<|image_pad|>' * image_tokens}<|vision_end|>{REWARD_TOKEN}"
        return message(self.instruction, prompt, image_tokens)


def reading_of(folder: Path) -> CfmReading:
    """What a folder of weights says of it in ``reading.json``, which our training writes; the
    published area and our instruction where it says nothing. Raises BadInput for a file that
    cannot be used."""
    path = folder / READING
    if not path.is_file():
        return CfmReading()
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return CfmReading(
            str(fields["instruction"]), int(fields["area_px"]), bool(fields["visual_only"])
        )
    except BadInput:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} does not say how its CFM reads: {error!r:.200}") from None


def write_reading(folder: Path, reading: CfmReading) -> None:
    """Writes it beside the weights."""
    text = json.dumps(asdict(reading), ensure_ascii=False, indent=1) + "\n"
    replace_file(folder / READING, text.encode())
