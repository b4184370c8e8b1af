"""Colors written as functions against colour-science, the judge of our conversions."""

from __future__ import annotations

import itertools
import re

import colour
import numpy as np
import pytest

from truehue.core.color import spaces
from truehue.core.color.notation import (
    WrittenColor,
    hsl_to_srgb8,
    in_srgb,
    oklab_to_lab,
    read_function,
)
from truehue.core.color.systems import parse_target
from truehue.core.errors import UnknownColor

WHITE_XY = np.array([0.3127, 0.3290])
RANDOM = np.random.default_rng(7).integers(0, 256, (300, 3), dtype=np.uint8)


def read(text: str) -> WrittenColor:
    written_color = read_function(text)
    assert written_color is not None
    return written_color


def test_oklab_is_ottossons() -> None:
    # His table of XYZ and OKLab, given to three decimals ("A perceptual color space…", 2020).
    table = [
        ((0.950, 1.000, 1.089), (1.000, 0.000, 0.000)),
        ((1.000, 0.000, 0.000), (0.450, 1.236, -0.019)),
        ((0.000, 1.000, 0.000), (0.922, -0.671, 0.263)),
        ((0.000, 0.000, 1.000), (0.153, -1.415, -0.449)),
    ]
    for xyz1, oklab in table:
        ours = spaces.lab_to_xyz1(np.array(oklab_to_lab(oklab)))
        np.testing.assert_allclose(ours, xyz1, atol=4e-3)


def test_oklab_and_oklch_agree_with_colour_science() -> None:
    for srgb8 in RANDOM:
        xyz1 = spaces.linear1_to_xyz1(spaces.srgb8_to_linear1(srgb8))
        oklab = colour.XYZ_to_Oklab(xyz1)
        np.testing.assert_allclose(
            oklab_to_lab(tuple(oklab)), spaces.srgb8_to_lab(srgb8), atol=1e-3
        )
        light, chroma, hue = colour.models.Jab_to_JCh(oklab)
        got = read(f"oklch({light:.12f} {chroma:.12f} {hue:.12f})")
        np.testing.assert_allclose(got.lab, spaces.srgb8_to_lab(srgb8), atol=1e-3)
        assert got.srgb8 == tuple(srgb8)


def test_lch_agrees_with_colour_science_and_lab_is_kept_as_it_is() -> None:
    for srgb8 in RANDOM:
        lab = spaces.srgb8_to_lab(srgb8)
        light, chroma, hue = colour.models.Lab_to_LCHab(lab)
        got = read(f"lch({light:.12f}% {chroma:.12f} {hue:.12f}deg)")
        np.testing.assert_allclose(got.lab, lab, atol=1e-8)
        assert got.srgb8 == tuple(srgb8)
    assert read("lab(52 40 30)").lab == (52.0, 40.0, 30.0)


def test_lab_is_relative_to_d65_and_not_to_the_d50_of_css() -> None:
    # D50 white in CSS is lab(100 0 0) and white all the same; a blue tells them apart.
    d65 = spaces.srgb8_to_lab(np.array([0, 0, 255], dtype=np.uint8))
    xyz = colour.RGB_to_XYZ([0.0, 0.0, 1.0], "sRGB", apply_cctf_decoding=True)
    np.testing.assert_allclose(colour.XYZ_to_Lab(xyz, WHITE_XY), d65, atol=1e-2)
    assert d65[1] == pytest.approx(79.19, abs=0.01)  # lab(29.57 68.30 -112.03) in CSS
    assert read("lab(32.3 79.19 -107.86)").srgb8 == (0, 0, 255)


def test_hsl_agrees_with_colour_science() -> None:
    for srgb8 in RANDOM:
        hue, saturation, lightness = colour.RGB_to_HSL(srgb8 / 255.0)
        assert hsl_to_srgb8((360.0 * hue, 100.0 * saturation, 100.0 * lightness)) == tuple(srgb8)
    assert read("hsl(120 100% 25%)").srgb8 == (0, 128, 0)
    assert read("hsla(-240, 100%, 50%)").srgb8 == (0, 255, 0)


@pytest.mark.parametrize(
    ("text", "lab"),
    [
        ("LAB( 52, 40, 30 )", (52, 40, 30)),
        ("lab(52% 32% 24%)", (52, 40, 30)),
        ("lab(52 40 30", (52, 40, 30)),
        ("lab(50 none none)", (50, 0, 0)),
        ("lch(50 40 0.25turn)", (50, 0, 40)),
        ("lch(50 40 100grad)", (50, 0, 40)),
        ("lch(50 40 1.5707963267949rad)", (50, 0, 40)),
        ("lch(50 40 450)", (50, 0, 40)),
        ("lab(50 −20 10)", (50, -20, 10)),
    ],
)
def test_css_syntax_is_read(text: str, lab: tuple[float, ...]) -> None:
    np.testing.assert_allclose(read(text).lab, lab, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lab(52 40)", "2 numbers; lab has three"),
        ("lab(120 0 0)", "L* .* is 120; it must be from 0 to 100"),
        ("lch(50 -3 0)", "C* .* 0 or more"),
        ("oklch(70 0.1 120)", "it must be from 0 to 1"),
        ("lab(52 40deg 30)", "a number or a percentage"),
        ("lch(52 40 30%)", "an angle"),
        ("lab(52 40 30 / 50%)", "see-through"),
        ("lab(x 1 2)", "The L\\*"),
        ("lab(50 100 0)", r"outside of sRGB.*most vivid inside is lab\(50 7"),
        ("lab(1e999 0 0)", "The L\\*"),
    ],
)
def test_faults_are_named(text: str, said: str) -> None:
    with pytest.raises(UnknownColor, match=said):
        parse_target(text)


def test_what_is_offered_instead_of_a_color_outside_of_srgb_is_inside() -> None:
    for text in ("lab(50 100 0)", "lab(50 0 -100)", "lch(80 140 30)", "oklch(0.9 0.35 20)"):
        written, code = offered(text)
        target = parse_target(written)
        assert written.startswith(text.partition("(")[0])
        assert bool(in_srgb(np.array(target.lab)))
        assert target.hex == code


def offered(text: str) -> tuple[str, str]:
    """The function and the hex that a refusal of a color outside of sRGB offers."""
    with pytest.raises(UnknownColor) as refused:
        parse_target(text)
    match = re.search(r"inside is (\w+\(.*\)), (#[0-9A-F]{6})\.$", str(refused.value))
    assert match
    return match[1], match[2]


def test_what_is_offered_does_not_depend_on_how_far_outside_a_color_lies() -> None:
    assert offered("oklch(0.6 0.2 40)") == offered("oklch(0.6 0.9 40)")
    assert offered("oklab(0.6 0.3 0.15)") == offered("oklab(0.6 0.8 0.4)")
    assert offered("lch(50 120 40)") == offered("lch(50 900 400)")
    assert offered("lab(50 100 -20)") == offered("lab(50 500 -100)")
    assert offered("oklch(0.6 0.2 40)")[0].startswith("oklch(0.6 0.18")


OUTSIDE = [
    (light, chroma, hue)
    for light, hue in zip(
        np.random.default_rng(5).uniform(0.3, 0.95, 60).round(3),
        np.random.default_rng(6).uniform(0.0, 360.0, 60).round(1),
        strict=True,
    )
    for chroma in (0.33, 0.5)  # sRGB reaches 0.322
]
BOX = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


@pytest.mark.parametrize("form", ["oklch", "oklab"])
def test_what_is_offered_has_the_lightness_and_hue_and_the_most_chroma_by_colour_science(
    form: str,
) -> None:
    for light, chroma, hue in OUTSIDE:
        unit = np.array([np.cos(np.radians(hue)), np.sin(np.radians(hue))])
        a, b = chroma * unit
        text = f"({light} {chroma} {hue})" if form == "oklch" else f"({light} {a:.6f} {b:.6f})"
        written, code = offered(form + text)
        # The offered code's rounding, half a code either way in each channel, holds what was asked.
        codes = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)])
        box = np.clip(codes + BOX, 0.0, 255.0) / 255.0
        oklab = colour.XYZ_to_Oklab(colour.sRGB_to_XYZ(box))
        assert oklab[:, 0].min() <= light <= oklab[:, 0].max(), text
        across = oklab[:, 1:] @ np.array([-unit[1], unit[0]])
        slack = 0.0 if form == "oklch" else 0.001  # a and b are cut each by itself
        assert across.min() - slack <= 0.0 <= across.max() + slack, text
        # No more chroma at that lightness and hue lies inside.
        size = np.hypot(*oklab.mean(axis=0)[1:])
        more = colour.Oklab_to_XYZ(np.array([light, *((size + 0.005) * unit)]))
        channels = colour.XYZ_to_RGB(more, "sRGB")
        assert channels.min() < 0.0 or channels.max() > 1.0, (text, written)


def test_a_target_in_numbers_reads_back_to_the_same_color() -> None:
    for text in ("lab(52 40 30)", "lch(52.5 40 30deg)", "oklch(70% 0.1 120)", "oklab(0.6 0.1 0)"):
        color_target = parse_target(text)
        again = parse_target(color_target.value)
        assert (again.lab, again.srgb8, again.value) == (
            color_target.lab,
            color_target.srgb8,
            color_target.value,
        )
        assert color_target.label == color_target.value
    assert parse_target("oklch(70% 0.1 120deg)").value == "oklch(0.7 0.1 120)"
    assert parse_target("hsl(12, 82%, 51%)").value == parse_target("hsl(12, 82%, 51%)").hex


@pytest.mark.parametrize(
    "text",
    [
        "lch(50 10 1e307turn)",
        "lab(50 1e308% 0)",
        "oklab(0.5 1e150 0)",
        "oklch(0.5 1e120 3)",
        "hsl(1e307turn 10 10)",
        "lch(50 10 1e6)",
    ],
)
def test_numbers_that_no_color_has_are_named(text: str) -> None:
    with pytest.raises(UnknownColor, match="at most 100,000"):
        read_function(text)
