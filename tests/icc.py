"""Builds small ICC profiles as bytes, so that tests need no profile files.

Layouts follow ICC.1:2010 (profile version 4.3). Colorimetry is the published one: Display P3 has
the DCI-P3 primaries, the D65 white and the sRGB curve; Adobe RGB (1998) has its own primaries, the
D65 white and gamma 563/256. Both are adapted to D50 by the Bradford matrix, as ICC asks.
"""

from __future__ import annotations

import struct

import numpy as np

D50 = np.array([0.9642, 1.0, 0.8249])
D65_XY = (0.3127, 0.3290)
BRADFORD = np.array(
    [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
)

SRGB_PRIMARIES = ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060))
P3_PRIMARIES = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
ADOBE_PRIMARIES = ((0.640, 0.330), (0.210, 0.710), (0.150, 0.060))
ADOBE_GAMMA = 563 / 256


def xyz_of(xy: tuple[float, float]) -> np.ndarray:
    """XYZ (3,) with Y = 1 of chromaticity x, y."""
    x, y = xy
    return np.array([x / y, 1.0, (1 - x - y) / y])


def adaptation_to_d50(white_xy: tuple[float, float] = D65_XY) -> np.ndarray:
    """Bradford matrix (3, 3) from a white to D50."""
    gain = (BRADFORD @ D50) / (BRADFORD @ xyz_of(white_xy))
    return np.linalg.inv(BRADFORD) @ np.diag(gain) @ BRADFORD


def matrix_d50(primaries, white_xy: tuple[float, float] = D65_XY) -> np.ndarray:
    """Linear RGB to XYZ under D50, (3, 3); columns are the colorants."""
    columns = np.stack([xyz_of(xy) for xy in primaries], axis=1)
    scale = np.linalg.solve(columns, xyz_of(white_xy))
    return adaptation_to_d50(white_xy) @ (columns * scale)


def _s15(*values: float) -> bytes:
    return b"".join(struct.pack(">i", round(v * 65536)) for v in values)


def _xyz(values) -> bytes:
    return b"XYZ " + bytes(4) + _s15(*values)


def _text(text: str) -> bytes:
    raw = text.encode("utf-16-be")
    return b"mluc" + bytes(4) + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(raw), 28) + raw


def gamma_curve(gamma: float) -> bytes:
    return b"curv" + bytes(4) + struct.pack(">IH", 1, round(gamma * 256))


def srgb_curve() -> bytes:
    """Parametric curve of type 3, with the constants of IEC 61966-2-1."""
    return (
        b"para"
        + bytes(4)
        + struct.pack(">HH", 3, 0)
        + _s15(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    )


def profile(space: str, pcs: str, kind: str, tags: dict[str, bytes]) -> bytes:
    """A whole profile: header, tag table and tags, each tag on a 4-byte border."""
    table, body = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        table += struct.pack(">4sII", name.encode(), start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    header = struct.pack(
        ">I4sI4s4s4s6H4s",
        start + len(body),
        bytes(4),
        0x04300000,
        kind.encode(),
        space.encode(),
        pcs.encode(),
        2020,
        1,
        1,
        0,
        0,
        0,
        b"acsp",
    )
    header += bytes(68 - len(header)) + _s15(*D50)
    header += bytes(128 - len(header))
    return header + struct.pack(">I", len(tags)) + table + body


def _named(name: str) -> dict[str, bytes]:
    return {"desc": _text(name), "cprt": _text("CC0"), "wtpt": _xyz(D50)}


def rgb_profile(name: str, primaries, curve: bytes) -> bytes:
    """A matrix profile for a display with a D65 white."""
    red, green, blue = matrix_d50(primaries).T
    tags = _named(name) | {
        "chad": b"sf32" + bytes(4) + _s15(*adaptation_to_d50().ravel()),
        "rXYZ": _xyz(red),
        "gXYZ": _xyz(green),
        "bXYZ": _xyz(blue),
        "rTRC": curve,
        "gTRC": curve,
        "bTRC": curve,
    }
    return profile("RGB ", "XYZ ", "mntr", tags)


def display_p3() -> bytes:
    return rgb_profile("Display P3", P3_PRIMARIES, srgb_curve())


def adobe_rgb() -> bytes:
    return rgb_profile("Adobe RGB (1998)", ADOBE_PRIMARIES, gamma_curve(ADOBE_GAMMA))


def srgb() -> bytes:
    return rgb_profile("Our own sRGB", SRGB_PRIMARIES, srgb_curve())


def gray(gamma: float) -> bytes:
    return profile("GRAY", "XYZ ", "mntr", _named(f"Gray {gamma}") | {"kTRC": gamma_curve(gamma)})


def cmyk(lab_of_ink) -> bytes:
    """An output profile of type ``lut8`` with two grid points an axis.

    ``lab_of_ink(c, m, y, k)`` gives the Lab under D50 of each full or absent ink (0 or 1).
    """
    grid = b"".join(
        bytes([round(lightness * 2.55), round(a) + 128, round(b) + 128])
        for lightness, a, b in (
            lab_of_ink(c, m, y, k) for c in (0, 1) for m in (0, 1) for y in (0, 1) for k in (0, 1)
        )
    )
    ramp = bytes(range(256))
    lut = b"mft1" + bytes(4) + bytes([4, 3, 2, 0]) + _s15(1, 0, 0, 0, 1, 0, 0, 0, 1)
    return profile(
        "CMYK", "Lab ", "prtr", _named("Tiny press") | {"A2B0": lut + ramp * 4 + grid + ramp * 3}
    )
