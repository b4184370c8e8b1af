"""All that decides what is learned, beside the groups and the base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.fidelity.losses import TAU

LOSSES = ("softrank", "pairwise")
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class TrainSettings:
    """``steps`` of ``batch`` groups each; ``at_once`` of them in one forward pass, the gradients
    added up. ``rate`` rises over the first ``warmup`` share of the steps and falls to 0 at the
    last; the paper states 2e-6, 0.05, a batch of 32 (groups or images, it does not say) and one
    epoch, and no schedule after the warm-up: the line to 0 is ours. ``tau`` and ``own_term`` are
    of the softrank loss. ``lora_rank`` 0 trains all weights; above, low-rank additions to the
    linear layers, and the head as a whole. ``precision`` is that of the arithmetic.
    ``checkpointing`` computes activations twice to save memory.
    """

    steps: int
    loss: str = "softrank"
    tau: float = TAU
    own_term: bool = True
    batch: int = 32
    at_once: int = 4
    rate: float = 2e-6
    warmup: float = 0.05
    weight_decay: float = 0.0
    lora_rank: int = 0
    precision: str = "float32"
    checkpointing: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for right, text in (
            (self.loss in LOSSES, f"The loss is {' or '.join(LOSSES)}, not {self.loss!r:.40}."),
            (
                self.precision in PRECISIONS,
                f"The precision is {' or '.join(PRECISIONS)}, not {self.precision!r:.40}.",
            ),
            (self.tau > 0, "The temperature τ lies above 0."),
            (
                min(self.steps, self.batch, self.at_once) >= 1,
                "Steps, batch and groups at once are at least 1.",
            ),
            (0 < self.rate < 1, "The learning rate lies between 0 and 1."),
            (0 <= self.warmup < 1, "The warm-up is a share of the steps, from 0 to below 1."),
            (self.weight_decay >= 0, "The weight decay is 0 or more."),
            (self.lora_rank >= 0, "The rank of LoRA is 0 (all weights) or more."),
        ):
            if not right:
                raise BadInput(text)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, from 0 on."""
        rising = self.warmup * self.steps
        if step < rising:
            return self.rate * (step + 1) / (rising + 1)
        return self.rate * (self.steps - step) / (self.steps - rising)

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return asdict(self)


def settings_from_json(fields: Mapping[str, Any]) -> TrainSettings:
    """Raises BadInput for fields that are unknown or of a wrong kind."""
    try:
        return TrainSettings(**fields)
    except TypeError as error:
        raise BadInput(f"These settings cannot be read: {error}") from None
