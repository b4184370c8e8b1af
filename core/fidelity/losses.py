"""What a fidelity metric is trained by: the order within groups of images.

A group is the real photograph first, then its images by rising guidance, so that fidelity falls
from place to place (section 3.2). Scores are tensors ``(groups, images)``; each loss returns the
mean over the groups as a tensor of one number, with gradient.
"""

from __future__ import annotations

from typing import Any

from truehue.core.errors import BadInput

TAU = 0.1
"""Temperature of the soft ranks (the paper's appendix D)."""


def soft_ranks(scores: Any, tau: float = TAU, own_term: bool = True) -> Any:
    """Differentiable ranks, 1 for the highest score: equations 5 and 6.

    ``scores`` ``(groups, images)``; returns the same shape. As printed, the sum of equation 6 runs
    over all j, so that j = i adds σ(0) = 0.5 to every rank and a perfect order has the ranks 1.5,
    2.5, ...; ``own_term=False`` leaves that out. Raises BadInput for another shape or ``tau`` not
    above 0.
    """
    import torch

    if scores.ndim != 2 or scores.shape[1] < 2:
        raise BadInput(f"Scores are (groups, images of a group), not {tuple(scores.shape)}.")
    if not tau > 0:
        raise BadInput(f"The temperature τ lies above 0, not at {tau:g}.")
    above = torch.sigmoid((scores[:, None, :] - scores[:, :, None]) / tau)
    ranks = 1 + above.sum(dim=2)
    return ranks if own_term else ranks - 0.5


def softrank_loss(scores: Any, tau: float = TAU, own_term: bool = True) -> Any:
    """Equation 7: mean squared difference of the soft ranks from 1, 2, ..., K."""
    import torch

    ranks = soft_ranks(scores, tau, own_term)
    positions = torch.arange(1, scores.shape[1] + 1, device=scores.device, dtype=ranks.dtype)
    return ((ranks - positions) ** 2).mean()


def pairwise_loss(scores: Any) -> Any:
    """The ablation's loss: log(1 + exp(-(r_i - r_j))), the mean over all pairs i before j of each
    group (section 6.5)."""
    import torch

    if scores.ndim != 2 or scores.shape[1] < 2:
        raise BadInput(f"Scores are (groups, images of a group), not {tuple(scores.shape)}.")
    first, second = torch.triu_indices(scores.shape[1], scores.shape[1], offset=1)
    return torch.nn.functional.softplus(-(scores[:, first] - scores[:, second])).mean()
