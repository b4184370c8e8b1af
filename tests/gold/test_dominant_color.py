"""The dominant colors of the protocols, with their arithmetic written out.

Source of the rules: GenColorBench (arXiv:2510.20586) section 3.4 for ``paper``, and
github.com/moatifbutt/gen-color-bench at commit 802a3ba for ``released``. The colors here are chosen
so that moments, axes and quartiles come out in round numbers on paper; nothing on the right side of
an ``==`` was produced by the code under test.
"""

from __future__ import annotations

import math

import colour
import numpy as np
import pytest

from truehue.core.color.dominant import paper, released
from truehue.core.color.systems import parse_target
from truehue.core.errors import NoPixels
from truehue.core.images.pixels import masked_colors, masked_lab
from truehue.core.verdict.measure import measure

# ------------------------------------------------------------------------------------- paper


def test_paper_projects_on_the_axis_through_neutral() -> None:
    # With u = (0.6, 0.8) and w = (-0.8, 0.6) at right angles to it, the chromaticities are
    #   50 u = (30, 40),  100 u = (60, 80),  5 w = (-4, 3).
    # Moments about neutral: (50^2 + 100^2)/3 u u' + 5^2/3 w w', so v1 = u, and its share of the
    # variation is 12500 / 12525. Projections on u: 50, 100, 0; their mean is 50.
    # L* = (40 + 60 + 35) / 3 = 45;  (a*, b*) = 50 u = (30, 40).
    result = paper(np.array([[40.0, 30.0, 40.0], [60.0, 60.0, 80.0], [35.0, -4.0, 3.0]]))
    assert result.lab == pytest.approx((45.0, 30.0, 40.0), abs=1e-12)
    assert result.axis == pytest.approx((0.6, 0.8), abs=1e-12)
    assert result.axis_share == pytest.approx(12500 / 12525, abs=1e-12)
    assert result.axis_hue_deg == pytest.approx(math.degrees(math.atan2(4, 3)), abs=1e-9)
    # The plain mean, (26/3 + 20, 41), is another color: the projection does something.
    assert result.lab[2] != pytest.approx((40 + 80 + 3) / 3)


def test_paper_axis_points_to_the_mean() -> None:
    # The same with every chromaticity turned by 180 degrees: v1 = (-0.6, -0.8) and not (0.6, 0.8),
    # whichever of the two the eigenvector routine prefers.
    result = paper(np.array([[40.0, -30.0, -40.0], [60.0, -60.0, -80.0], [35.0, 4.0, -3.0]]))
    assert result.lab == pytest.approx((45.0, -30.0, -40.0), abs=1e-12)
    assert result.axis == pytest.approx((-0.6, -0.8), abs=1e-12)
    assert result.axis_hue_deg == pytest.approx(180 + math.degrees(math.atan2(4, 3)), abs=1e-9)


@pytest.mark.parametrize(
    ("backward", "mean"),
    [
        # One pixel at +50 u and three at -10 u: the mean is (50 - 30) / 4 = 5 along u.
        (3, 5.0),
        # With six of them it is (50 - 60) / 7 = -10/7: the axis turns round, the color does not.
        (6, -10.0 / 7.0),
    ],
)
def test_paper_sign_follows_the_mean_and_not_the_longest(backward: int, mean: float) -> None:
    lab = np.array([[50.0, 30.0, 40.0]] + [[50.0, -6.0, -8.0]] * backward)
    result = paper(lab)
    sign = 1.0 if mean > 0 else -1.0
    assert result.axis == pytest.approx((sign * 0.6, sign * 0.8), abs=1e-12)
    assert result.lab == pytest.approx((50.0, mean * 0.6, mean * 0.8), abs=1e-12)


def test_paper_centered_is_the_mean_with_its_axis() -> None:
    # About the mean (-20, 15) the offsets are (10, 0), (-10, 0), (0, 2), (0, -2).
    # Moments: diag(200/4, 8/4) = diag(50, 2); v1 is the a* axis, its share 50/52. The sign points
    # to the mean, where a* is negative: v1 = (-1, 0). Projections have the mean 0, which is added
    # to (-20, 15).
    lab = np.array([[10, -10, 15], [20, -30, 15], [30, -20, 17], [60, -20, 13]], dtype=float)
    result = paper(lab, centered=True)
    assert result.lab == pytest.approx((30.0, -20.0, 15.0), abs=1e-12)
    assert result.axis == pytest.approx((-1.0, 0.0), abs=1e-12)
    assert result.axis_share == pytest.approx(50 / 52, abs=1e-12)
    assert result.method == "paper-centred"


def test_paper_counts_are_pixels() -> None:
    # Two pixels at 50 u, one at 5 w, one at 100 u: projections (50 + 50 + 0 + 100) / 4 = 50.
    lab = np.array([[40.0, 30.0, 40.0], [60.0, 60.0, 80.0], [20.0, -4.0, 3.0]])
    result = paper(lab, np.array([2, 1, 1]))
    assert result.lab == pytest.approx(((40 + 40 + 60 + 20) / 4, 30.0, 40.0), abs=1e-12)
    assert result.pixel_count == result.used_count == 4


@pytest.mark.parametrize("centered", [False, True])
def test_paper_without_any_chroma_has_no_axis(centered: bool) -> None:
    result = paper(np.array([[20.0, 0.0, 0.0], [70.0, 0.0, 0.0]]), centered=centered)
    assert result.lab == (45.0, 0.0, 0.0)
    assert result.axis is None
    assert result.axis_hue_deg is None
    assert result.axis_share is None


def test_paper_of_opposite_colors_is_neutral() -> None:
    # +25 u and -25 u cancel: there is an axis, but the mean of the projections is 0.
    result = paper(np.array([[50.0, 15.0, 20.0], [50.0, -15.0, -20.0]]))
    assert result.lab == pytest.approx((50.0, 0.0, 0.0), abs=1e-12)


def test_paper_of_one_color_is_that_color() -> None:
    lab = np.array([[55.0, 30.0, -40.0]] * 7)
    result = paper(lab)
    assert result.lab == pytest.approx((55.0, 30.0, -40.0), abs=1e-12)
    assert result.axis == pytest.approx((0.6, -0.8), abs=1e-12)
    assert result.axis_share == pytest.approx(1.0, abs=1e-12)
    # Around their mean there is no variation, so no axis; the color is the same.
    centered = paper(lab, centered=True)
    assert centered.lab == pytest.approx((55.0, 30.0, -40.0), abs=1e-12)
    assert centered.axis is None


def lab_by_hand(red: int, green: int, blue: int) -> tuple[float, float, float]:
    """CIELAB of one sRGB color in plain Python floats (IEC 61966-2-1, CIE 15)."""
    linear = []
    for code in (red, green, blue):
        value = code / 255
        linear.append(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)
    r, g, b = linear
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / (0.3127 / 0.3290)
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / (0.3583 / 0.3290)
    fx, fy, fz = (
        t ** (1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29 for t in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_paper_of_a_small_image_from_its_bytes() -> None:
    """A shaded orange object of four pixels in a 2 x 3 image, all the way in plain Python."""
    orange = [(230, 120, 20), (180, 90, 15), (120, 60, 12), (245, 170, 90)]
    sky, grass = (90, 140, 250), (20, 200, 40)
    srgb8 = np.array([[orange[0], sky, orange[1]], [orange[2], orange[3], grass]], dtype=np.uint8)
    mask = np.array([[True, False, True], [True, True, False]])

    labs = [lab_by_hand(*color) for color in orange]
    m_aa = sum(a * a for _, a, _ in labs) / 4
    m_bb = sum(b * b for _, _, b in labs) / 4
    m_ab = sum(a * b for _, a, b in labs) / 4
    # The first axis of a symmetric 2 x 2 matrix lies at half of atan2(2 m_ab, m_aa - m_bb); all
    # of these colors have a*, b* > 0, so the one with a positive cosine points to their mean.
    angle = 0.5 * math.atan2(2 * m_ab, m_aa - m_bb)
    assert 0 < angle < math.pi / 2
    v1 = (math.cos(angle), math.sin(angle))
    projected = sum(a * v1[0] + b * v1[1] for _, a, b in labs) / 4
    lightness = sum(light for light, _, _ in labs) / 4

    result = paper(masked_lab(srgb8, mask))
    assert result.lab == pytest.approx((lightness, projected * v1[0], projected * v1[1]), abs=1e-9)
    assert result.axis == pytest.approx(v1, abs=1e-9)
    colors = masked_colors(srgb8, mask)
    assert paper(colors.lab, colors.counts).lab == pytest.approx(result.lab, abs=1e-9)


# ---------------------------------------------------------------------------------- released


def test_released_achromatic_branch() -> None:
    # Chromas 0 (eight times), 3, 5, 14, 15: the median is 0 < 10, so the object counts as
    # achromatic, and eleven pixels lie below 15, which is more than ten: the mean is theirs. The
    # one at exactly 15 is out.
    # L* (8 * 10 + 20 + 30 + 40) / 11 = 170/11, a* (3 + 14) / 11, b* -5/11.
    lab = np.array(
        [[10, 0, 0]] * 8 + [[20, 3, 0], [30, 0, -5], [40, 14, 0], [90, 9, 12]], dtype=float
    )
    dominant = released(lab)
    assert dominant.achromatic
    assert dominant.lab == pytest.approx((170 / 11, 17 / 11, -5 / 11), abs=1e-12)
    assert dominant.used.tolist() == [1] * 11 + [0]
    assert dominant.steps == (("chroma below 15", 11),)


def test_released_achromatic_branch_takes_all_where_ten_or_fewer_are_below_15() -> None:
    # The same without one of the eight: ten lie below 15, so the one at 15 stays in.
    # L* (7 * 10 + 20 + 30 + 40 + 90) / 11 = 250/11, a* (3 + 14 + 9) / 11, b* (-5 + 12) / 11.
    lab = np.array(
        [[10, 0, 0]] * 7 + [[20, 3, 0], [30, 0, -5], [40, 14, 0], [90, 9, 12]], dtype=float
    )
    dominant = released(lab)
    assert dominant.achromatic
    assert dominant.lab == pytest.approx((250 / 11, 26 / 11, 7 / 11), abs=1e-12)
    assert dominant.used_count == 11
    assert dominant.steps == ()
    # Eleven are left, which is more than ten: the five nearest to the target count, here the one
    # at (90, 9, 12) and the four next to it in lightness: 40, 30, 20, 10.
    guided = released(lab, target_lab=np.array([90.0, 9.0, 12.0]))
    assert guided.used_count == 5
    assert guided.lab[0] == pytest.approx((90 + 40 + 30 + 20 + 10) / 5, abs=1e-12)


def test_released_achromatic_branch_is_guided_too() -> None:
    # Gray at L* 1 to 60, the target L* 50.4: a tenth of sixty is six, and on the neutral axis
    # CIEDE2000 grows with |dL|: 50, 51, 49, 52, 48, 53 with the mean 50.5. Unguided: 30.5.
    lab = np.array([[light, 0.0, 0.0] for light in range(1, 61)], dtype=float)
    dominant = released(lab, target_lab=np.array([50.4, 0.0, 0.0]))
    assert dominant.achromatic
    assert dominant.used_count == 6
    assert dominant.lab == pytest.approx((50.5, 0.0, 0.0), abs=1e-12)
    assert dominant.steps == (
        ("chroma below 15", 60),
        ("the tenth nearest to the target color", 6),
    )
    assert released(lab).lab == pytest.approx((30.5, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize(("pixels", "saved"), [(10, 10), (11, 5), (59, 5), (60, 6)])
def test_released_achromatic_guidance_begins_above_ten_pixels(pixels: int, saved: int) -> None:
    # The darkest are the nearest to L* 0: their mean is that of 1 to ``kept``.
    lab = np.array([[light, 0.0, 0.0] for light in range(1, pixels + 1)], dtype=float)
    dominant = released(lab, target_lab=np.array([0.0, 0.0, 0.0]))
    assert dominant.used_count == saved
    assert dominant.lab[0] == pytest.approx((1 + saved) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "achromatic"),
    [
        (6.0, 8.0, False),  # sqrt(36 + 64) = 10, which is not below 10
        (6.0, 7.99, True),
    ],
)
def test_released_median_chroma_of_ten_is_chromatic(a: float, b: float, achromatic: bool) -> None:
    dominant = released(np.array([[50.0, a, b]] * 3))
    assert dominant.achromatic is achromatic
    assert dominant.lab == pytest.approx((50.0, a, b), abs=1e-12)


# Six pixels near the a* axis and two far across it. The mean chromaticity is (50, 0), and a* and
# b* do not vary together: moments diag((900 + 100 + 100 + 900)/8, (1 + 1 + 400 + 400)/8), which is
# diag(250, 100.25). So the first component is the a* axis and the second is b*.
CROSS = np.array(
    [
        [10, 20, 0],
        [20, 40, 0],
        [30, 60, 0],
        [40, 80, 0],
        [50, 50, 1],
        [60, 50, -1],
        [70, 50, 20],
        [80, 50, -20],
    ],
    dtype=float,
)


def test_released_leaves_out_what_lies_across_and_the_dull_half() -> None:
    # b* in order: -20, -1, 0, 0, 0, 0, 1, 20. Quartiles at places 1.75 and 5.25: -0.25 and 0.25;
    # their range is 0.5, and 1.5 ranges beyond them lie -1 and 1, which are still inside. So the
    # pixels at +20 and -20 go.
    # Chromas of the six left: 20, 40, 60, 80 and twice sqrt(2501) = 50.01; sorted the two in the
    # middle are 50.01 and 50.01, the median. At or above it: 60, 80 and those two.
    # L* (30 + 40 + 50 + 60) / 4 = 45, a* (60 + 80 + 50 + 50) / 4 = 60, b* 0.
    dominant = released(CROSS)
    assert not dominant.achromatic
    assert [pixels for _, pixels in dominant.steps] == [6, 4]
    assert dominant.used.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    assert dominant.lab == pytest.approx((45.0, 60.0, 0.0), abs=1e-9)
    assert dominant.axis == pytest.approx((1.0, 0.0), abs=1e-9)
    assert dominant.method == "released-unguided"


def test_released_border_of_the_range() -> None:
    # With b* of 1.001 in place of 1 that pixel lies outside: the upper quartile moves to 0.25025
    # and the limit to 0.25025 + 1.5 * 0.50025 = 1.000625. Left are chromas 20, 40, 50.01, 60, 80
    # with the median 50.01: L* (30 + 40 + 60) / 3, a* (60 + 80 + 50) / 3, b* -1/3. (The last
    # pixel moves by as much the other way, so that the mean and the axis stay where they were.)
    lab = CROSS.copy()
    lab[4] = [50, 50, 1.001]
    lab[7] = [80, 50, -20.001]
    dominant = released(lab)
    assert dominant.used.tolist() == [0, 0, 1, 1, 0, 1, 0, 0]
    assert dominant.lab == pytest.approx((130 / 3, 190 / 3, -1 / 3), abs=1e-9)


def test_released_guidance_never_asks_for_more_than_there_are() -> None:
    # A tenth of the four left is none, at least 5 are wanted, only 4 are there: all four.
    dominant = released(CROSS, target_lab=np.array([0.0, 0.0, 0.0]))
    assert dominant.lab == pytest.approx((45.0, 60.0, 0.0), abs=1e-9)
    assert [pixels for _, pixels in dominant.steps] == [6, 4, 4]
    assert dominant.method == "released"


def ladder(low: int, high: int) -> np.ndarray:
    """Pixels of one chromaticity with L* low, low + 1, ... high: no step before guidance acts."""
    return np.array([[light, 30.0, 40.0] for light in range(low, high + 1)], dtype=float)


def test_released_guidance_keeps_the_nearest_tenth() -> None:
    # Sixty pixels, L* 20 to 79; only L* differs from the target's 50.4, so CIEDE2000 grows with
    # |dL|: 50, 51, 49, 52, 48, 53 are the nearest six. Mean (48 + ... + 53) / 6 = 50.5.
    dominant = released(ladder(20, 79), target_lab=np.array([50.4, 30.0, 40.0]))
    assert dominant.used_count == 6
    assert dominant.lab == pytest.approx((50.5, 30.0, 40.0), abs=1e-12)
    # Without guidance it is the mean of all, (20 + 79) / 2.
    assert released(ladder(20, 79)).lab == pytest.approx((49.5, 30.0, 40.0), abs=1e-12)


def test_released_guidance_keeps_at_least_five() -> None:
    # A tenth of 20 would be 2: five instead, 48 to 52.
    dominant = released(ladder(40, 59), target_lab=np.array([50.4, 30.0, 40.0]))
    assert dominant.used_count == 5
    assert dominant.lab == pytest.approx((50.0, 30.0, 40.0), abs=1e-12)


@pytest.mark.parametrize(("pixels", "saved"), [(3, 3), (5, 5), (59, 5), (60, 6), (69, 6), (70, 7)])
def test_released_tenth_is_rounded_down(pixels: int, saved: int) -> None:
    dominant = released(ladder(1, pixels), target_lab=np.array([0.0, 30.0, 40.0]))
    assert dominant.used_count == saved
    # The darkest are the nearest to L* 0: their mean is that of 1 to ``kept``.
    assert dominant.lab[0] == pytest.approx((1 + saved) / 2, abs=1e-12)


def test_released_guidance_can_take_a_color_in_part() -> None:
    # Thirty pixels at L* 50 and thirty at 52, given as two colors with counts: six of the first.
    lab = np.array([[50.0, 30.0, 40.0], [52.0, 30.0, 40.0]])
    dominant = released(lab, np.array([30, 30]), target_lab=lab[0])
    assert dominant.used.tolist() == [6, 0]
    # With four and fifty-six it is all four of the first and two of the second.
    dominant = released(lab, np.array([4, 56]), target_lab=lab[0])
    assert dominant.used.tolist() == [4, 2]
    assert dominant.lab[0] == pytest.approx((4 * 50 + 2 * 52) / 6, abs=1e-12)


def test_released_guidance_measures_by_ciede2000() -> None:
    # Target (50, 80, 0). One kind of pixel is 10 more vivid: by Euclid 10 away, by CIEDE2000
    # 10 / (1 + 0.045 * 85) = 2.07. The other is 6 lighter and 4 more vivid: by Euclid 7.2 away,
    # by CIEDE2000 more than 6 / (1 + 0.015 * 9 / sqrt(29)) = 5.85. (G is nearly 0 at this chroma.)
    # Six of chroma 84 and five of 90: the median is 84, so the dull half leaves nothing out, and
    # of the eleven the nearest five are the vivid ones.
    lab = np.array([[56.0, 84.0, 0.0]] * 6 + [[50.0, 90.0, 0.0]] * 5)
    dominant = released(lab, target_lab=np.array([50.0, 80.0, 0.0]))
    assert dominant.lab == pytest.approx((50.0, 90.0, 0.0), abs=1e-9)


def test_released_of_one_color_is_that_color() -> None:
    lab = np.array([[55.0, 30.0, -40.0]] * 7)
    for target in (None, np.array([20.0, 0.0, 0.0])):
        dominant = released(lab, target_lab=target)
        assert dominant.lab == pytest.approx((55.0, 30.0, -40.0), abs=1e-12)
        assert dominant.axis is None


def test_guidance_makes_one_image_pass_for_two_colors() -> None:
    """PROTOCOLS 1.3: the released verdict asks whether some pixels match."""
    # 60 pixels of CSS red (C* 104.6) and 40 of CSS blue (C* 133.8) in a 10 x 10 image. The median
    # chroma is red's, so both stay; the tenth nearest to red is red, the tenth nearest to blue is
    # blue, each found to be exactly what was asked.
    srgb8 = np.zeros((10, 10, 3), dtype=np.uint8)
    srgb8[:, :6] = 255, 0, 0
    srgb8[:, 6:] = 0, 0, 255
    mask = np.ones((10, 10), dtype=bool)
    red, blue = lab_by_hand(255, 0, 0), lab_by_hand(0, 0, 255)
    mean = [0.6 * r + 0.4 * b for r, b in zip(red, blue, strict=True)]
    for name, requested in (("red", red), ("blue", blue)):
        target = parse_target(name, "css")
        guided = measure(srgb8, mask, target, "released")
        assert guided.verdict.status == "pass"
        assert guided.verdict.lab == pytest.approx(requested, abs=1e-6)
        unguided = measure(srgb8, mask, target, "released-unguided")
        assert unguided.verdict.status == "fail"
        assert unguided.verdict.lab == pytest.approx(mean, abs=1e-6)
        for rule in ("paper", "paper-centred"):
            assert measure(srgb8, mask, target, rule).verdict.status == "fail"


@pytest.mark.parametrize("read", [paper, released])
def test_no_pixels_have_no_dominant_color(read) -> None:
    with pytest.raises(NoPixels):
        read(np.zeros((0, 3)))


@pytest.mark.parametrize("read", [paper, released])
def test_colors_of_a_wrong_shape_are_refused(read) -> None:
    with pytest.raises(ValueError, match=r"\(N, 3\)"):
        read(np.zeros((4, 4, 3)))


# ------------------------------------------------- the same, naively, over every single pixel


def naive_axes(ab: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second right singular vector of ``(N, 2)`` rows."""
    _, _, vectors = np.linalg.svd(ab, full_matrices=False)
    return vectors[0], vectors[1]


def naive_paper(lab: np.ndarray, centered: bool) -> np.ndarray:
    ab = lab[:, 1:]
    shift = ab.mean(axis=0) if centered else np.zeros(2)
    v1, _ = naive_axes(ab - shift)
    projections = (ab - shift) @ v1
    return np.array([lab[:, 0].mean(), *(shift + projections.mean() * v1)])


def naive_released(lab: np.ndarray, target: np.ndarray | None) -> np.ndarray:
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    if np.median(chroma) < 10:
        lab = lab[chroma < 15] if (chroma < 15).sum() > 10 else lab
        return naive_nearest(lab, target).mean(axis=0) if len(lab) > 10 else lab.mean(axis=0)
    ab = lab[:, 1:]
    _, v2 = naive_axes(ab - ab.mean(axis=0))
    across = (ab - ab.mean(axis=0)) @ v2
    q1, q3 = np.percentile(across, [25, 75])
    near = (across >= q1 - 1.5 * (q3 - q1)) & (across <= q3 + 1.5 * (q3 - q1))
    lab, chroma = lab[near], chroma[near]
    return naive_nearest(lab[chroma >= np.median(chroma)], target).mean(axis=0)


def naive_nearest(lab: np.ndarray, target: np.ndarray | None) -> np.ndarray:
    if target is None:
        return lab
    distance = colour.delta_E(lab, target, method="CIE 2000")
    return lab[np.argsort(distance, kind="stable")[: max(5, int(len(lab) * 0.1))]]


def random_object(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random image, mask and target Lab: by turns all colors, one hue in shade, and grays."""
    random = np.random.default_rng(seed)
    height, width = (int(side) for side in random.integers(5, 60, 2))
    kind = seed % 3
    if kind == 0:
        srgb = random.integers(0, 256, (height, width, 3))
    elif kind == 1:
        shade = random.uniform(0.2, 1.0, (height, width, 1))
        srgb = shade * random.integers(0, 256, 3) + random.normal(0, 6, (height, width, 3))
    else:
        gray = random.uniform(40, 220, (height, width, 1))
        srgb = gray + random.normal(0, 4, (height, width, 3))
        srgb[random.random((height, width)) < 0.2] = random.integers(0, 256, 3)
    srgb8 = np.clip(np.rint(srgb), 0, 255).astype(np.uint8)
    mask = random.random((height, width)) < random.uniform(0.2, 1.0)
    mask[0, :2] = True
    return srgb8, mask, np.array(lab_by_hand(*(int(code) for code in random.integers(0, 256, 3))))


@pytest.mark.parametrize("seed", range(30))
def test_counts_and_tricks_change_nothing(seed: int) -> None:
    srgb8, mask, target = random_object(seed)
    every = masked_lab(srgb8, mask)
    colors = masked_colors(srgb8, mask)
    for centered in (False, True):
        dominant = paper(colors.lab, colors.counts, centered=centered).lab
        np.testing.assert_allclose(dominant, naive_paper(every, centered), rtol=0, atol=1e-9)
    for requested in (None, target):
        dominant = released(colors.lab, colors.counts, target_lab=requested)
        np.testing.assert_allclose(
            dominant.lab, naive_released(every, requested), rtol=0, atol=1e-9
        )
        assert dominant.pixel_count == len(every)


def test_the_random_objects_take_both_branches() -> None:
    """The comparison above would prove little if no object were gray, or none colored."""
    branches = []
    for seed in range(30):
        srgb8, mask, _ = random_object(seed)
        branches.append(released(masked_lab(srgb8, mask)).achromatic)
    assert 5 <= sum(branches) <= 25
