"""The reader: it tells from a caption's states what is asked for, which teaches the encoder."""

from __future__ import annotations

from typing import Any

from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.small.captions import MOST_OBJECTS, Caption


def reader(width: int) -> Any:
    """For each of two objects: which shape, or none, and which color, from a caption's states."""
    import torch

    outputs = len(OBJECTS) + 1 + 3

    class Reader(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.look = torch.nn.Linear(width, 2 * MOST_OBJECTS, bias=False)
            self.tell = torch.nn.ModuleList(
                torch.nn.Linear(2 * width, outputs) for _ in range(MOST_OBJECTS)
            )

        def forward(self, states: Any, mask: Any) -> Any:
            """``(N, 2, outputs)``: logits of shapes, none last, and sRGB from -1 to 1."""
            scores = self.look(states).masked_fill(mask[:, :, None] == 0, -1e4)
            read = torch.einsum("ntk,ntd->nkd", scores.softmax(dim=1), states)
            pairs = read.reshape(len(read), MOST_OBJECTS, -1)
            return torch.stack([t(pairs[:, n]) for n, t in enumerate(self.tell)], dim=1)

    return Reader()


def reading_loss(message: Any, batch: list[Caption]) -> Any:
    """Cross entropy of the shapes, and ten times the mean square of the colors that are asked."""
    import torch

    none = len(OBJECTS)
    shapes = torch.full((len(batch), MOST_OBJECTS), none)
    colors = torch.zeros((len(batch), MOST_OBJECTS, 3))
    target = torch.zeros((len(batch), MOST_OBJECTS))
    for row, caption in enumerate(batch):
        for index, shape in enumerate(caption.shapes):
            shapes[row, index] = OBJECTS.index(shape)
            colors[row, index] = torch.tensor(caption.colors[index]) / 127.5 - 1.0
            target[row, index] = float(caption.asked[index])
    logits = message[..., : none + 1]
    shape_loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), shapes.flatten())
    square = (message[..., none + 1 :] - colors).square().mean(dim=-1)
    return shape_loss + 10.0 * (square * target).sum() / target.sum().clamp(min=1.0)
