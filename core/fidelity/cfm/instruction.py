"""The text that CFM reads beside the image."""

from __future__ import annotations

from pathlib import Path

from truehue.core.errors import BadInput

REWARD_TOKEN = "<|Reward|>"
PROMPT = "{text_prompt}"
INSTRUCTION = f"""Look at the colors of this image, which was made from the prompt below, and judge
how close they come to those of a photograph of the same scene. Mind the usual colors of the things
that the prompt names, the light that it implies, and whether saturation and contrast are stronger
or weaker than a camera would have recorded.

Prompt: {PROMPT}

Color fidelity: {REWARD_TOKEN}
"""
"""Our own wording. Published weights were trained with another: point to a file with that, or their
scores deviate."""


def instruction_of(path: Path | None) -> str:
    """The instruction of a UTF-8 file, ours where there is none.

    Raises BadInput unless the text holds ``{text_prompt}`` and ``<|Reward|>`` once each.
    """
    if path is None:
        return INSTRUCTION
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The instruction {path.name} cannot be read as UTF-8: {error}") from None
    return checked(text, f"The instruction {path.name}")


def checked(text: str, name: str) -> str:
    """The text itself; raises BadInput, beginning with ``name``, unless it holds each mark once."""
    for mark in (PROMPT, REWARD_TOKEN):
        if text.count(mark) != 1:
            raise BadInput(f"{name} must hold {mark} once; it does {text.count(mark)} times.")
    return text


def message(instruction: str, prompt: str, image_tokens: int) -> str:
    """The whole text of one image, in the default chat template of Qwen2-VL: a system turn, then
    the user's with the image first. A prompt that holds the template's own marks is read as plain
    words: its "<|" becomes "< |"."""
    text = prompt.replace("<|", "< |")
    image = f"<|vision_start|>{'<|image_pad|>' * image_tokens}<|vision_end|>"
    return (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        f"<|im_start|>user\n{image}{instruction.replace(PROMPT, text)}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
