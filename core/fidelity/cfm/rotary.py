"""Rotary frequencies as the published CFM has them: rounded to bfloat16.

Its authors cast the whole model, buffers included, before training and scoring with transformers
4.45.2. Today's transformers keeps the frequencies in float32. At token 600 the phases differ by up to
0.69 rad, and the published weights have learned the rounded ones.
"""

from __future__ import annotations

from typing import Any

BUFFERS = ("inv_freq", "original_inv_freq")


def round_rotary(backbone: Any) -> None:
    """Rounds the frequencies of a Qwen2VLModel to bfloat16, in place.

    The text model's angles are computed in float32 from rounded frequencies. The image tower of
    4.45.2 computed the angles and their cosines in bfloat16 too, which a hook repeats.
    """
    import torch

    with torch.no_grad():
        for module in backbone.modules():
            for name in BUFFERS:
                buffer = getattr(module, name, None)
                if isinstance(buffer, torch.Tensor):
                    buffer.copy_(buffer.to(torch.bfloat16))
    backbone.visual.rotary_pos_emb.register_forward_hook(_tower_angles)


def _tower_angles(module: Any, arguments: tuple[Any, ...], output: Any) -> Any:
    """Cosine and sine of the tower's angles as 4.45.2 has them in a bfloat16 model, in the types of
    ``output``."""
    import torch

    positions = arguments[1][..., None].to(torch.bfloat16)
    angles = positions * module.inv_freq.to(positions.device, torch.bfloat16)
    return tuple(
        module.recomposition_frequencies(part).to(before.dtype)
        for part, before in zip((angles.cos(), angles.sin()), output, strict=True)
    )
