"""The picker's spaces against colour-science."""

from __future__ import annotations

import colour
import numpy as np
import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

GRID = np.stack(np.meshgrid(*[np.r_[0:256:15]] * 3, indexing="ij"), -1).reshape(-1, 3)


def xyz_of(srgb1: np.ndarray) -> np.ndarray:
    return colour.RGB_to_XYZ(srgb1, "sRGB", apply_cctf_decoding=True)


def polar(lab: np.ndarray) -> np.ndarray:
    hue = np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360
    return np.stack([lab[..., 0], np.hypot(lab[..., 1], lab[..., 2]), hue], -1)


def test_every_space_agrees_with_colour_science_and_leads_back() -> None:
    srgb1 = GRID / 255
    hexes = ["#" + bytes(color.tolist()).hex() for color in GRID.astype(np.uint8)]
    message = run_module(
        """
        const { SPACES, hexOf, inGamut, reach, srgb1Of } = await load('canvas/colors');
        const each = (call) => Object.entries(SPACES).map(([name, space]) => call(space));
        return {
          coordinates: each((space) => value.map((hex) => space.ofSrgb1(srgb1Of(hex)))),
          back: each((space) => value.every((hex) => {
            const srgb1 = space.toSrgb1(space.ofSrgb1(srgb1Of(hex)));
            const [up, across, hue] = space.ofSrgb1(srgb1Of(hex));
            return hexOf(srgb1) === hex && inGamut(srgb1) && across <= space.most[1]
              && reach(space, [up, across, hue]) === across;
          })),
        };
        """,
        hexes,
    )
    assert message["back"] == [True, True, True]
    oklch, lch, hsv = (np.array(rows) for rows in message["coordinates"])
    xyz = xyz_of(srgb1)
    wanted = {
        "oklch": (oklch, polar(colour.XYZ_to_Oklab(xyz)), 1e-9),
        "lch": (
            lch,
            polar(
                colour.XYZ_to_Lab(
                    xyz, colour.CCS_ILLUMINANTS["CIE 1931 2 Degree Standard Observer"]["D65"]
                )
            ),
            1e-7,
        ),
        "hsv": (hsv, (colour.RGB_to_HSV(srgb1) * [360, 100, 100])[:, ::-1], 1e-9),
    }
    for name, (ours, theirs, tolerance) in wanted.items():
        assert np.abs(ours[:, :2] - theirs[:, :2]).max() < tolerance, name
        # A gray has no hue.
        turn = np.abs((ours[:, 2] - theirs[:, 2] + 180) % 360 - 180)
        assert turn[ours[:, 1] > 1e-3 * ours[:, 1].max()].max() < 1e-5, name


def test_what_lies_outside_of_srgb_is_told_and_never_clipped() -> None:
    edge, inside, outside = run_module(
        """
        const { SPACES, inGamut, reach } = await load('canvas/colors');
        const at = [0.7, reach(SPACES.oklch, [0.7, 0.33, 150]), 150];
        return [at, inGamut(SPACES.oklch.toSrgb1(at)),
          inGamut(SPACES.oklch.toSrgb1([at[0], at[1] + 0.002, at[2]]))];
        """
    )
    assert (inside, outside) == (True, False)
    oklab = np.array([edge[0], *(edge[1] * np.array([np.cos(r := np.radians(150)), np.sin(r)]))])
    linear = colour.XYZ_to_sRGB(colour.Oklab_to_XYZ(oklab), apply_cctf_encoding=False)
    assert min(np.abs(linear).min(), np.abs(1 - linear).min()) < 1e-3
    assert linear.min() > -1e-3
    assert linear.max() < 1 + 1e-3


def test_lab_of_adobe_s_files_is_adapted_from_d50_by_bradford() -> None:
    adapted = colour.adaptation.matrix_chromatic_adaptation_VonKries(
        xyz_of(np.ones(3)), [0.9642, 1, 0.8249], transform="Bradford"
    )
    lab = colour.XYZ_to_Lab(xyz_of(GRID / 255) @ adapted.T, colour.XYZ_to_xy([0.9642, 1, 0.8249]))
    message = run_module(
        "const { srgb1OfLabD50 } = await load('canvas/palettes'); return value.map(srgb1OfLabD50);",
        lab.tolist(),
    )
    assert np.abs(np.array(message) - GRID / 255).max() < 1 / 510
    assert (np.rint(np.array(message) * 255) == GRID).all()


@pytest.mark.parametrize("change", [5, -5, 40, -40])
def test_lighter_keeps_the_hue_and_the_chroma_that_srgb_has(change: int) -> None:
    hexes = ["#" + bytes(color.tolist()).hex() for color in GRID.astype(np.uint8)]
    message = run_module(
        """
        const { SPACES, inGamut, lighter, srgb1Of } = await load('canvas/colors');
        return value.hexes.map((hex) => {
          const before = SPACES.lch.ofSrgb1(srgb1Of(hex));
          const after = lighter(before, value.change);
          const more = SPACES.lch.toSrgb1([after[0], after[1] + 0.01, after[2]]);
          return [before, after, SPACES.lch.toSrgb1(after), inGamut(more)];
        });
        """,
        {"hexes": hexes, "change": change},
    )
    for before, after, srgb1, more in message:
        assert after[0] == pytest.approx(min(max(before[0] + change, 0), 100))
        assert after[2] == before[2]
        assert all(-1e-4 < channel < 1 + 1e-4 for channel in srgb1)
        assert after[1] == before[1] or (after[1] < before[1] and not more)
