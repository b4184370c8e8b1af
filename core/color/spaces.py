"""sRGB, linear RGB, CIE XYZ and CIELAB, for arrays of any shape with the channels last.

Scales are in the names: ``srgb8`` 0 to 255, ``srgb1`` and ``linear1`` 0 to 1, ``xyz1`` with Y = 1
for white, ``lab`` with L* 0 to 100. All results are float64.

Sources: IEC 61966-2-1 (sRGB: transfer function and the matrix with its four decimals);
CIE 15:2018 (CIELAB). The white is D65 for the 2 degree observer at xy = (0.3127, 0.3290), the
chromaticity that IEC 61966-2-1 states. These are the defaults of colour-science too.
"""

from __future__ import annotations

import numpy as np

from truehue.core.errors import MaskError, NoPixels

LINEAR1_TO_XYZ1 = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)
# The exact inverse, not the rounded one of the standard, so that the way back is the way back.
XYZ1_TO_LINEAR1 = np.linalg.inv(LINEAR1_TO_XYZ1)
CONDITIONS = {"illuminant": "D65", "observer_deg": 2}
"""What every CIELAB value is for, as results say it."""
CONDITIONS_TEXT = "D65, 2°"
WHITE_XYZ1 = np.array([0.3127 / 0.3290, 1.0, (1.0 - 0.3127 - 0.3290) / 0.3290])

_EPSILON = (6.0 / 29.0) ** 3
_SLOPE = (29.0 / 6.0) ** 2 / 3.0
_OFFSET = 4.0 / 29.0
_CHUNK = 16384
# Rows of the matrix over the white: linear RGB straight to X/Xn, Y/Yn, Z/Zn.
_LINEAR1_TO_RELATIVE = LINEAR1_TO_XYZ1 / WHITE_XYZ1[:, None]


def srgb1_to_linear1(srgb1: np.ndarray) -> np.ndarray:
    """Undoes the sRGB transfer function; ``(...)`` floats 0 to 1 to the same shape.

    Negative values are mirrored (scRGB), so colors outside the gamut survive.
    """
    values = np.asarray(srgb1, dtype=np.float64)
    size = np.abs(values)
    curved = ((size + 0.055) / 1.055) ** 2.4
    return np.copysign(np.where(size <= 0.04045, size / 12.92, curved), values)


def linear1_to_srgb1(linear1: np.ndarray) -> np.ndarray:
    """Applies the sRGB transfer function; ``(...)`` floats to the same shape, mirrored below 0."""
    values = np.asarray(linear1, dtype=np.float64)
    size = np.abs(values)
    curved = 1.055 * size ** (1.0 / 2.4) - 0.055
    return np.copysign(np.where(size <= 0.0031308, size * 12.92, curved), values)


SRGB8_TO_LINEAR1 = srgb1_to_linear1(np.arange(256) / 255.0)
SRGB8_TO_LINEAR1.flags.writeable = False


def srgb8_to_linear1(srgb8: np.ndarray) -> np.ndarray:
    """Linear RGB of integer sRGB values 0 to 255, by table; ``(...)`` to the same shape."""
    return SRGB8_TO_LINEAR1.take(np.asarray(srgb8))


def linear1_to_xyz1(linear1: np.ndarray) -> np.ndarray:
    """``(..., 3)`` linear RGB to XYZ with Y = 1 for white."""
    return np.asarray(linear1, dtype=np.float64) @ LINEAR1_TO_XYZ1.T


def xyz1_to_linear1(xyz1: np.ndarray) -> np.ndarray:
    """``(..., 3)`` XYZ to linear RGB; values outside 0 to 1 are colors outside sRGB."""
    return np.asarray(xyz1, dtype=np.float64) @ XYZ1_TO_LINEAR1.T


def xyz1_to_lab(xyz1: np.ndarray) -> np.ndarray:
    """``(..., 3)`` XYZ to CIELAB (D65, 2 degree), CIE 15:2018 equations 8.3 to 8.11."""
    relative = np.asarray(xyz1, dtype=np.float64) / WHITE_XYZ1
    f = np.where(relative > _EPSILON, np.cbrt(relative), relative * _SLOPE + _OFFSET)
    fx, fy, fz = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)], axis=-1)


def lab_to_xyz1(lab: np.ndarray) -> np.ndarray:
    """``(..., 3)`` CIELAB to XYZ with Y = 1 for white."""
    lab = np.asarray(lab, dtype=np.float64)
    fy = (lab[..., 0] + 16.0) / 116.0
    f = np.stack([fy + lab[..., 1] / 500.0, fy, fy - lab[..., 2] / 200.0], axis=-1)
    return np.where(f > 6.0 / 29.0, f**3, (f - _OFFSET) / _SLOPE) * WHITE_XYZ1


def srgb1_to_lab(srgb1: np.ndarray) -> np.ndarray:
    """``(..., 3)`` sRGB floats 0 to 1 to CIELAB."""
    return xyz1_to_lab(linear1_to_xyz1(srgb1_to_linear1(srgb1)))


def luminance1(lightness: np.ndarray) -> np.ndarray:
    """Relative luminance Y, 1 for white, of L* 0 to 100; any shape."""
    root = (np.asarray(lightness, dtype=np.float64) + 16.0) / 116.0
    luminance = root * root * root  # numpy's power takes ten times as long
    dark = root <= 6.0 / 29.0
    if dark.any():
        luminance = np.where(dark, (root - _OFFSET) / _SLOPE, luminance)
    return np.asarray(luminance)


def lab_to_srgb1(lab: np.ndarray) -> np.ndarray:
    """``(..., 3)`` CIELAB to sRGB, not clipped: outside 0 to 1 the color is outside sRGB."""
    return linear1_to_srgb1(xyz1_to_linear1(lab_to_xyz1(lab)))


def lab_to_srgb8(lab: np.ndarray) -> np.ndarray:
    """``(..., 3)`` CIELAB to the nearest uint8 sRGB, clipped to the gamut channel by channel."""
    return np.rint(np.clip(lab_to_srgb1(lab), 0.0, 1.0) * 255.0).astype(np.uint8)


def srgb8_to_lab(srgb8: np.ndarray) -> np.ndarray:
    """``(..., 3)`` integer sRGB 0 to 255 to float64 ``(..., 3)`` CIELAB.

    The fast exact path: one table for the transfer function, one matrix product, one cube root.
    In pieces that stay in the cache and below the size at which a matrix product waits for threads.
    """
    import cv2

    values = np.asarray(srgb8)
    channels = values.reshape(-1, 3).T
    lab = np.empty(channels.shape)
    for start in range(0, channels.shape[1], _CHUNK):
        span = slice(start, start + _CHUNK)
        relative = _LINEAR1_TO_RELATIVE @ SRGB8_TO_LINEAR1.take(channels[:, span])
        # As exact as np.cbrt, which takes four times as long where numpy has no vectors for it.
        f = cv2.pow(relative, 1.0 / 3.0)
        dark = relative <= _EPSILON
        if dark.any():
            relative *= _SLOPE
            relative += _OFFSET
            np.copyto(f, relative, where=dark)
        x, y, z = f
        np.multiply(y, 116.0, out=lab[0, span])
        np.subtract(x, y, out=lab[1, span])
        np.subtract(y, z, out=lab[2, span])
    lab[0] -= 16.0
    lab[1] *= 500.0
    lab[2] *= 200.0
    return lab.T.reshape(values.shape)


def chroma(lab: np.ndarray) -> np.ndarray:
    """C*ab of ``(..., 3)`` CIELAB, shape ``(...)``."""
    lab = np.asarray(lab, dtype=np.float64)
    return np.sqrt(lab[..., 1] ** 2 + lab[..., 2] ** 2)


def hue_deg(lab: np.ndarray) -> np.ndarray:
    """Hue angle h_ab of ``(..., 3)`` CIELAB, 0 to 360 degrees; 0 where a* = b* = 0."""
    lab = np.asarray(lab, dtype=np.float64)
    return np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360.0


def hex_of(srgb8: np.ndarray | tuple[int, int, int]) -> str:
    """``#RRGGBB``, in capitals, of one sRGB color: three integers ``(3,)``, 0 to 255."""
    red, green, blue = (int(value) for value in srgb8)
    return f"#{red:02X}{green:02X}{blue:02X}"


def triple(values: np.ndarray) -> tuple[float, float, float]:
    """The three numbers of an array ``(3,)``, such as a color in CIELAB, as Python's."""
    return float(values[0]), float(values[1]), float(values[2])


MIN_PIXELS = 2


def unpack_srgb24(srgb24: np.ndarray) -> np.ndarray:
    """uint32 ``(...)`` of 0xRRGGBB to uint8 ``(..., 3)``."""
    return np.stack([(srgb24 >> shift) & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def check_pair(srgb8: np.ndarray, mask: np.ndarray) -> int:
    """The number of pixels inside the mask.

    Raises MaskError unless ``srgb8`` is uint8 ``(H, W, 3)`` and ``mask`` bool ``(H, W)``, NoPixels
    unless :data:`MIN_PIXELS` are inside.
    """
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise MaskError(
            f"An image is uint8 (H, W, 3); this one is {srgb8.dtype} {srgb8.shape}. "
            "Load it with truehue.core.images.load.load_image."
        )
    if mask.shape != srgb8.shape[:2] or mask.dtype != np.bool_:
        height, width = srgb8.shape[:2]
        raise MaskError(
            f"A mask for this image is bool ({height}, {width}); "
            f"this one is {mask.dtype} {mask.shape}."
        )
    area = int(np.count_nonzero(mask))
    if area == 0:
        raise NoPixels("The mask is empty: no pixel to measure. Mark the object first.")
    if area < MIN_PIXELS:
        raise NoPixels(
            "The mask covers one pixel, which is no object to measure. Mark a larger area."
        )
    return area


def masked_srgb24(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Packed colors uint32 ``(N,)`` of the pixels inside, in raster order; raises as check_pair."""
    check_pair(srgb8, mask)
    return packed_inside(srgb8, mask) & np.uint32(0xFFFFFF)


def packed_inside(srgb8: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """uint32 ``(N,)`` of 0xFFRRGGBB: as :func:`masked_srgb24`, with the highest byte set to 255,
    and without checks. At least one pixel has to be inside."""
    import cv2

    rows = np.flatnonzero(mask.any(axis=1))
    slab = slice(int(rows[0]), int(rows[-1]) + 1)
    # With a fourth channel a pixel is one number, and picking it is one move instead of three.
    bgra = cv2.cvtColor(np.ascontiguousarray(srgb8[slab]), cv2.COLOR_RGB2BGRA)
    packed: np.ndarray = bgra.view("<u4")[..., 0][mask[slab]]
    return packed
