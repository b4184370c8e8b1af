"""The losses against arithmetic written out."""

from __future__ import annotations

import math

import pytest

from truehue.core.errors import BadInput
from truehue.core.fidelity.training.model import pairwise_loss, soft_ranks, softrank_loss

pytestmark = pytest.mark.slow


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


SCORES = [0.3, 0.1, 0.25]


def ranks_by_hand(tau: float, own_term: bool) -> list[float]:
    return [
        1
        + sum(sigmoid((other - own) / tau) for j, other in enumerate(SCORES) if own_term or j != i)
        for i, own in enumerate(SCORES)
    ]


@pytest.mark.parametrize("own_term", [True, False])
def test_soft_ranks_and_loss_are_equations_5_to_7(own_term: bool) -> None:
    import torch

    scores = torch.tensor([SCORES], dtype=torch.float64)
    ranks = ranks_by_hand(0.1, own_term)
    assert soft_ranks(scores, 0.1, own_term)[0].tolist() == pytest.approx(ranks)
    loss = sum((rank - index) ** 2 for index, rank in enumerate(ranks, start=1)) / 3
    assert softrank_loss(scores, 0.1, own_term).item() == pytest.approx(loss)


def test_the_own_term_adds_a_half_to_every_rank() -> None:
    import torch

    far = torch.tensor([[30.0, 20.0, 10.0]])
    assert soft_ranks(far)[0].tolist() == pytest.approx([1.5, 2.5, 3.5])
    assert soft_ranks(far, own_term=False)[0].tolist() == pytest.approx([1, 2, 3])
    assert softrank_loss(far).item() == pytest.approx(0.25)
    assert softrank_loss(far, own_term=False).item() == pytest.approx(0)


def test_the_gradient_is_that_of_the_arithmetic() -> None:
    import torch

    scores = torch.tensor([SCORES], dtype=torch.float64, requires_grad=True)
    softrank_loss(scores, 0.1).backward()
    # dL/dr_k = 2/K Σ_i (R̂_i - R_i) dR̂_i/dr_k, with dP_ij/dr_j = P (1 - P) / τ = -dP_ij/dr_i.
    tau, size = 0.1, len(SCORES)
    slope = [
        [
            sigmoid((SCORES[j] - SCORES[i]) / tau)
            * (1 - sigmoid((SCORES[j] - SCORES[i]) / tau))
            / tau
            for j in range(size)
        ]
        for i in range(size)
    ]
    errors = [rank - index for index, rank in enumerate(ranks_by_hand(tau, True), start=1)]
    expected = [
        2
        / size
        * (
            sum(errors[i] * slope[i][k] for i in range(size) if i != k)
            - errors[k] * sum(slope[k][j] for j in range(size) if j != k)
        )
        for k in range(size)
    ]
    assert scores.grad is not None
    assert scores.grad[0].tolist() == pytest.approx(expected)


def test_the_pairwise_loss_is_the_mean_over_pairs() -> None:
    import torch

    pairs = [(0.3, 0.1), (0.3, 0.25), (0.1, 0.25)]
    expected = sum(math.log(1 + math.exp(-(a - b))) for a, b in pairs) / 3
    assert pairwise_loss(torch.tensor([SCORES])).item() == pytest.approx(expected)


def test_groups_are_averaged_and_other_shapes_refused() -> None:
    import torch

    two = torch.tensor([SCORES, SCORES[::-1]])
    single = [softrank_loss(two[n : n + 1]).item() for n in range(2)]
    assert softrank_loss(two).item() == pytest.approx(sum(single) / 2)
    for bad in (torch.zeros(3), torch.zeros(2, 1)):
        with pytest.raises(BadInput, match="groups"):
            softrank_loss(bad)
        with pytest.raises(BadInput, match="groups"):
            pairwise_loss(bad)
    with pytest.raises(BadInput, match="above 0"):
        softrank_loss(two, tau=0)
