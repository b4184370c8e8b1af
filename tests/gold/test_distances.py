"""Distances of distributions against linear programming, POT, scipy and arithmetic written out."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse, stats
from scipy.spatial.distance import jensenshannon

from truehue.core.color import distances as of
from truehue.core.color import transport
from truehue.core.color.uw71 import COUNT, distances71, lab71, uw71
from truehue.core.errors import TrueHueError

pytestmark = pytest.mark.slow

Pair = tuple[np.ndarray, np.ndarray]
GROUND = distances71().copy()
NEUTRAL, BLACK = 26, 24


def one_bin(index: int) -> np.ndarray:
    return np.eye(COUNT)[index]


def spread(random: np.random.Generator, bins: int) -> np.ndarray:
    """A distribution over so many bins."""
    out = np.zeros(COUNT)
    out[random.choice(COUNT, bins, replace=False)] = random.dirichlet(np.ones(bins))
    return out


def two_hundred() -> list[Pair]:
    """Dense, sparse, of unlike sizes, one bin, sharing most of their mass, and equal."""
    random = np.random.default_rng(20260103)
    out: list[Pair] = []
    for _ in range(40):
        out.append((spread(random, COUNT), spread(random, COUNT)))
        out.append((spread(random, 9), spread(random, 9)))
        out.append((spread(random, int(random.integers(1, 20))), spread(random, COUNT)))
        p = spread(random, 12)
        out.append((p, 0.9 * p + 0.1 * spread(random, 5)))
    for _ in range(20):
        out.append((one_bin(int(random.integers(COUNT))), spread(random, 15)))
        out.append((one_bin(int(random.integers(COUNT))), one_bin(int(random.integers(COUNT)))))
    return [*out[:-3], (out[0][0], out[0][0]), (out[1][0], out[1][0].copy()), (p, p)]


PAIRS = two_hundred()


def by_linear_programming(p: np.ndarray, q: np.ndarray) -> float:
    """The cheapest of all flows with these margins, on all 71 x 71 bins."""
    leaving = sparse.kron(sparse.eye(COUNT), np.ones((1, COUNT)))
    arriving = sparse.kron(np.ones((1, COUNT)), sparse.eye(COUNT))
    linprog = optimize.linprog(
        GROUND.ravel(),
        A_eq=sparse.vstack([leaving, arriving]).tocsr(),
        b_eq=np.concatenate([p, q]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert linprog.status == 0, linprog.message
    return float(linprog.fun)


def test_there_are_200_pairs_of_distributions() -> None:
    assert len(PAIRS) == 200
    for pair in PAIRS:
        for item in pair:
            np.testing.assert_allclose(of.checked(item), item, rtol=0, atol=1e-15)


def test_emd_is_the_optimum_of_the_linear_program() -> None:
    """Of half of the large ones, of every kind; all are held against POT's solver of all bins."""
    for p, q in PAIRS[:80] + PAIRS[160:]:
        assert of.emd(p, q) == pytest.approx(by_linear_programming(p, q), abs=1e-9)


def test_emd_is_that_of_pot_on_all_bins() -> None:
    ot = transport._pot()  # without torch, which takes seconds
    assert ot is not None
    for p, q in PAIRS:
        assert of.emd(p, q) == pytest.approx(ot.emd2(p, q, GROUND), abs=1e-9)


def test_flow_has_the_margins_and_the_cost() -> None:
    for p, q in PAIRS:
        moves = of.emd_flow(p, q)
        arrived = p.copy()
        for move in moves:
            assert move.mass > 0
            assert move.source != move.target
            assert move.distance_lab == distances71()[move.source, move.target]
            assert move.cost == move.mass * move.distance_lab
            arrived[move.source] -= move.mass
            arrived[move.target] += move.mass
        np.testing.assert_allclose(arrived, q, rtol=0, atol=1e-12)
        assert sum(move.cost for move in moves) == pytest.approx(of.emd(p, q), abs=1e-9)
        assert sum(move.mass for move in moves) == pytest.approx(of.total_variation(p, q), abs=1e-9)
        assert all(first.cost >= second.cost for first, second in pairwise(moves))


def test_rounding_is_no_move() -> None:
    p = of.checked(np.arange(1.0, 72.0) / 2556)
    noisy = p * (1 + 1e-15 * np.resize([1, -1], 71))
    assert (noisy != p).sum() > 20
    assert of.emd_flow(p, noisy / noisy.sum()) == ()
    moved = noisy + 0.01 * (one_bin(3) - one_bin(60))
    (move,) = of.emd_flow(p, moved / moved.sum())
    assert (move.source, move.target) == (60, 3)
    assert move.cost == pytest.approx(of.emd(p, moved / moved.sum()), abs=1e-10)


def test_emd_by_hand() -> None:
    """The middle gray lies 50 from black, white 100: all, half, and thirds of the mass."""
    assert of.emd(one_bin(BLACK), one_bin(NEUTRAL)) == pytest.approx(50.0)
    half = 0.5 * one_bin(BLACK) + 0.5 * one_bin(NEUTRAL)
    assert of.emd(one_bin(BLACK), half) == pytest.approx(25.0)
    thirds = (one_bin(BLACK) + one_bin(NEUTRAL) + one_bin(28)) / 3
    assert of.emd(one_bin(BLACK), thirds) == pytest.approx((50.0 + 100.0) / 3)


@st.composite
def distributions(draw: st.DrawFn) -> np.ndarray:
    """Few bins or many, and shares that range over many orders of magnitude."""
    bins = draw(st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=COUNT, unique=True))
    shares = st.one_of(st.floats(1e-12, 1.0), st.sampled_from([1e-15, 0.25, 0.5, 1.0]))
    weights = draw(st.lists(shares, min_size=len(bins), max_size=len(bins)))
    out = np.zeros(COUNT)
    out[bins] = weights
    return out / out.sum()


MANY = settings(max_examples=100, deadline=None)
HAIR = 1e-9


@MANY
@given(distributions())
def test_a_distribution_is_no_distance_from_itself(p: np.ndarray) -> None:
    assert of.emd(p, p) == of.emd(p, p.copy()) == 0.0
    assert of.emd_flow(p, p) == ()
    assert of.total_variation(p, p) == of.entropy_difference(p, p) == 0.0
    assert of.jensen_shannon(p, p) == pytest.approx(0.0, abs=1e-12)


@MANY
@given(distributions(), distributions())
def test_distances_are_symmetric(p: np.ndarray, q: np.ndarray) -> None:
    assert of.emd(p, q) == pytest.approx(of.emd(q, p), abs=HAIR)
    there, back = of.compare(p, q), of.compare(q, p)
    assert there.pcc == (None if back.pcc is None else pytest.approx(back.pcc, abs=1e-12))
    assert there.total_variation == back.total_variation
    assert there.jensen_shannon == pytest.approx(back.jensen_shannon, abs=1e-12)
    assert there.entropy_difference == back.entropy_difference
    assert there.dominant == back.dominant[::-1]
    assert there.delta_hue_deg == back.delta_hue_deg
    assert there.delta_hue_literal_deg == back.delta_hue_literal_deg


@MANY
@given(distributions(), distributions(), distributions())
def test_a_detour_is_no_shorter(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> None:
    assert of.emd(p, r) <= of.emd(p, q) + of.emd(q, r) + HAIR
    assert of.total_variation(p, r) <= of.total_variation(p, q) + of.total_variation(q, r) + HAIR
    roots = [math.sqrt(of.jensen_shannon(*pair)) for pair in ((p, r), (p, q), (q, r))]
    assert roots[0] <= roots[1] + roots[2] + 1e-6


@MANY
@given(distributions(), distributions())
def test_emd_lies_between_its_bounds(p: np.ndarray, q: np.ndarray) -> None:
    """No less than the distance of the mean colors, nor than all that moves by the shortest way;
    no more than all that moves by the longest."""
    emd, moves = of.emd(p, q), of.total_variation(p, q)
    assert emd >= math.dist(p @ lab71(), q @ lab71()) - HAIR
    assert emd >= moves * GROUND[GROUND > 0].min() - HAIR
    assert emd <= moves * GROUND.max() + HAIR
    assert emd == 0.0 if moves == 0.0 else emd > 0.0


@MANY
@given(distributions(), distributions(), st.floats(0.0, 0.999))
def test_what_both_share_does_not_matter(p: np.ndarray, q: np.ndarray, saved: float) -> None:
    """The reason why shared mass may be left where it is: EMD goes with the rest alone."""
    shared = np.roll(p, 7)
    mixed = of.emd(saved * shared + (1 - saved) * p, saved * shared + (1 - saved) * q)
    assert mixed == pytest.approx((1 - saved) * of.emd(p, q), abs=HAIR)


@MANY
@given(distributions(), distributions())
def test_ranges(p: np.ndarray, q: np.ndarray) -> None:
    compare = of.compare(p, q)
    assert compare.pcc is None or -1.0 <= compare.pcc <= 1.0
    assert 0.0 <= compare.total_variation <= 1.0 + 1e-12
    assert 0.0 <= compare.jensen_shannon <= math.log(2.0) + 1e-12
    assert 0.0 <= compare.entropy_difference <= math.log(COUNT) + 1e-12
    assert compare.delta_hue_deg is None or 0.0 <= compare.delta_hue_deg <= 180.0
    assert compare.dominant_equal == (int(p.argmax()) == int(q.argmax()))


def test_pcc_is_pearsons() -> None:
    for p, q in PAIRS:
        assert of.pcc(p, q) == pytest.approx(stats.pearsonr(p, q).statistic, abs=1e-12)


def test_pcc_written_out() -> None:
    """Equation 1, with plain sums."""
    for p, q in PAIRS[::10]:
        up = sum((a - sum(p) / 71) * (b - sum(q) / 71) for a, b in zip(p, q, strict=True))
        down = math.sqrt(
            sum((a - sum(p) / 71) ** 2 for a in p) * sum((b - sum(q) / 71) ** 2 for b in q)
        )
        assert of.pcc(p, q) == pytest.approx(up / down, abs=1e-12)


def test_there_is_no_correlation_with_what_is_the_same_everywhere() -> None:
    even = of.checked(np.full(COUNT, 1 / COUNT))
    assert of.pcc(even, PAIRS[0][0]) is None
    assert of.pcc(PAIRS[1][0], even) is None
    assert of.pcc(even, even) is None
    almost = even.copy()
    almost[:2] += 1e-6, -1e-6
    assert of.pcc(almost, almost) == pytest.approx(1.0)


def test_entropy_and_its_difference() -> None:
    """Equation 3, natural logarithm, against scipy and written out."""
    for p, q in PAIRS:
        assert of.entropy(p) == pytest.approx(stats.entropy(p), abs=1e-12)
        plain = [-sum(x * math.log(x) for x in item if x > 0) for item in (p, q)]
        assert of.entropy_difference(p, q) == pytest.approx(abs(plain[0] - plain[1]), abs=1e-12)
    assert of.entropy(one_bin(5)) == 0.0
    assert of.entropy(np.full(COUNT, 1 / COUNT)) == pytest.approx(math.log(71))


def test_total_variation_and_jensen_shannon() -> None:
    for p, q in PAIRS:
        half = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
        assert of.total_variation(p, q) == pytest.approx(half, abs=1e-12)
        # Scipy's is the root of the divergence.
        assert of.jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-12)
    apart = one_bin(1), one_bin(2)
    assert of.total_variation(*apart) == 1.0
    assert of.jensen_shannon(*apart) == pytest.approx(math.log(2))


def test_hue_is_the_shortest_angle_between_the_dominant_bins() -> None:
    """Equation 5, for all pairs of bins that have a hue, against vectors in the a*b* plane."""
    chromatic = [bin_.index for bin_ in uw71() if not bin_.neutral]
    assert len(chromatic) == 65
    for first in chromatic:
        for second in chromatic[::5]:
            (_, a1, b1), (_, a2, b2) = lab71()[first], lab71()[second]
            turn = math.degrees(abs(math.atan2(a1 * b2 - a2 * b1, a1 * a2 + b1 * b2)))
            p, q = 0.6 * one_bin(first) + 0.4 * one_bin(26), one_bin(second)
            compare = of.compare(p, q)
            assert compare.dominant == (first, second)
            assert compare.delta_hue_deg == pytest.approx(turn, abs=1e-9)
            assert compare.delta_hue_literal_deg == compare.delta_hue_deg


def test_neutral_dominants_have_no_hue_and_the_literal_one_is_that_of_zero() -> None:
    blue = uw71()[0]
    assert blue.hue_deg == pytest.approx(291.43, abs=0.01)
    compare = of.compare(one_bin(NEUTRAL), one_bin(0))
    assert compare.delta_hue_deg is None
    assert compare.delta_hue_literal_deg == pytest.approx(360 - 291.4349, abs=1e-3)
    assert of.compare(one_bin(NEUTRAL), one_bin(BLACK)).delta_hue_deg is None
    assert of.compare(one_bin(NEUTRAL), one_bin(BLACK)).delta_hue_literal_deg == 0.0


def test_of_equally_full_bins_the_first_is_dominant_and_the_tie_is_told() -> None:
    tied = 0.5 * one_bin(40) + 0.5 * one_bin(9)
    compare = of.compare(tied, one_bin(9))
    assert (compare.dominant, compare.tied, compare.dominant_equal) == ((9, 9), (2, 1), True)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_people_does_not_choose_the_dominant_bin(order: tuple[int, ...]) -> None:
    """Both bins have (0.1 + 0.2 + 0.3) / 3, which sums to other last bits in another order."""
    people = [
        0.1 * one_bin(40) + 0.3 * one_bin(10),
        0.2 * one_bin(40) + 0.2 * one_bin(10),
        0.3 * one_bin(40) + 0.1 * one_bin(10),
    ]
    rest = 0.1 * sum(one_bin(index) for index in range(50, 56))
    mean = np.zeros(71)
    for person in order:
        mean = mean + (people[person] + rest)
    compare = of.compare(mean / 3, one_bin(10))
    assert (compare.dominant, compare.tied) == ((10, 10), (2, 1))
    assert of.dominant(mean / 3 + 1e-9 * one_bin(40)) == 40


def test_compare_gives_each_number() -> None:
    for p, q in PAIRS[:20]:
        compare = of.compare(p, q)
        assert compare.emd_lab == of.emd(p, q)
        assert compare.pcc == of.pcc(p, q)
        assert compare.entropy_difference == of.entropy_difference(p, q)
        assert compare.total_variation == of.total_variation(p, q)
        assert compare.jensen_shannon == of.jensen_shannon(p, q)


@pytest.mark.parametrize("absent", ["_solver", "_pot"])
def test_without_the_inner_solver_or_pot_the_numbers_are_the_same(
    absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another release of POT may not have it; the small base has no POT."""
    expected = [(of.emd(p, q), of.emd_flow(p, q)) for p, q in PAIRS]
    monkeypatch.setattr(transport, absent, lambda: None)
    for (p, q), (emd, flow) in zip(PAIRS, expected, strict=False):
        assert of.emd(p, q) == pytest.approx(emd, abs=1e-9)
        assert sum(move.cost for move in of.emd_flow(p, q)) == pytest.approx(
            sum(move.cost for move in flow), abs=1e-9
        )


@pytest.mark.filterwarnings("ignore:numItermax reached")
def test_a_problem_that_is_not_solved_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_MAX_PIVOTS", 1)
    with pytest.raises(TrueHueError, match="could not be solved"):
        of.emd(*PAIRS[0])
    monkeypatch.setattr(transport, "_pot", lambda: None)
    with pytest.raises(TrueHueError, match="could not be solved in 1 pivots"):
        of.emd(*PAIRS[0])


def test_shares_that_are_equal_in_part_do_not_keep_the_simplex_going_round() -> None:
    """Every supply is as large as every demand: each pivot of the plain simplex would move nothing
    (an assignment problem, by scipy's own solver)."""
    random = np.random.default_rng(5)
    for count in (2, 10, 35, 71):
        costs = random.integers(0, 9, (count, count)).astype(float)
        equal = np.full(count, 1.0 / count)
        flow = transport.simplex(equal, equal, costs)
        rows, columns = optimize.linear_sum_assignment(costs)
        assert (flow * costs).sum() == pytest.approx(costs[rows, columns].mean(), abs=1e-12)
        np.testing.assert_allclose(flow.sum(axis=0), equal, rtol=0, atol=1e-15)
        np.testing.assert_allclose(flow.sum(axis=1), equal, rtol=0, atol=1e-15)


@pytest.mark.process
def test_the_inner_solver_is_used_and_torch_is_not_imported_for_it() -> None:
    code = (
        "import os, sys; import numpy as np\n"
        "from truehue.core.color import distances, transport\n"
        "distances.emd(np.eye(71)[0], np.eye(71)[1])\n"
        "print(transport._solver() is not None, 'ot' in sys.modules, 'torch' in sys.modules,"
        " [name for name in os.environ if name.startswith('POT_')])"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("POT_")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.split("\n")[0] == "True True False []"


def changed(index: int, value: float) -> np.ndarray:
    out = PAIRS[0][0].copy()
    out[index] = value
    return out


@pytest.mark.parametrize(
    ("weights", "text", "length"),
    [
        ([0.1] * 58, r"People has 58 numbers; UW-71 has 71 bins\..*UW-58: say so", 58),
        ([0.1] * 3, r"People has 3 numbers; UW-71 has 71 bins\.$", 3),
        ([], r"People has 0 numbers", 0),
        (["a"] * 71, "People is not a list of 71 numbers", 0),
        (None, "People has 1 numbers", 1),
        (changed(4, np.nan), r"nan in bin 4: a share is a number from 0 to 1", 71),
        (changed(9, np.inf), r"inf in bin 9", 71),
        (changed(7, -0.25), r"-0\.25 in bin 7: a share cannot be negative", 71),
    ],
)
def test_what_is_no_distribution_is_told(weights: object, text: str, length: int) -> None:
    with pytest.raises(of.NotADistribution, match=text) as caught:
        of.checked(weights, "People")  # type: ignore[arg-type]
    assert caught.value.length == length
    assert caught.value.total is None


def test_a_wrong_sum_is_told_and_never_mended() -> None:
    with pytest.raises(of.NotADistribution, match=r"sums to 3\.5 instead of 1\. Divide") as caught:
        of.checked(PAIRS[0][0] * 3.5)
    assert caught.value.length == 71
    assert caught.value.total == pytest.approx(3.5)
    with pytest.raises(of.NotADistribution, match=r"sums to 0 instead of 1\.$") as caught:
        of.checked(np.zeros(71))
    assert caught.value.total == 0.0


@pytest.mark.parametrize(("total", "fine"), [(1 + 9e-7, True), (1 - 9e-7, True), (1 + 2e-6, False)])
def test_six_decimals_are_near_enough(total: float, fine: bool) -> None:
    check: Callable[[], np.ndarray] = lambda: of.checked(PAIRS[0][0] * total)  # noqa: E731
    if fine:
        assert check().sum() == pytest.approx(1.0, abs=1e-15)
    else:
        with pytest.raises(of.NotADistribution):
            check()


def test_any_shape_of_71_numbers_will_do() -> None:
    p = PAIRS[0][0]
    for given_as in (
        p.tolist(),
        p[None],
        p[:, None],
        p.astype(np.float32).astype(str).astype(float),
    ):
        np.testing.assert_allclose(of.checked(given_as), p, rtol=0, atol=1e-7)
