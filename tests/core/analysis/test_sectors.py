"""The colors by which hue sectors are shown."""

from __future__ import annotations

import numpy as np
import pytest

from truehue.core.analysis.names import CHROMA, LIGHTNESS, sector_hex, sector_label
from truehue.core.analysis.records import NEUTRAL, SECTORS
from truehue.core.color.notation import read_hex
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.errors import BadInput


def test_every_sector_is_shown_by_its_own_hue_at_one_lightness() -> None:
    for sector in SECTORS:
        lab = np.asarray(srgb8_to_lab(np.array(read_hex(sector_hex(sector)), dtype=np.uint8)))
        chroma, hue = np.hypot(*lab[1:]), np.degrees(np.arctan2(lab[2], lab[1])) % 360
        assert lab[0] == pytest.approx(LIGHTNESS, abs=0.5)
        if sector == NEUTRAL:
            assert chroma < 0.5
        else:
            # Nothing was clipped, and the sector is that of the number.
            assert chroma == pytest.approx(CHROMA, abs=0.7)
            assert int(sector) + 14 < hue < int(sector) + 16


def test_labels_and_unknown_sectors() -> None:
    assert [sector_label(item) for item in ("0", "330", NEUTRAL)] == [
        "0–30°",
        "330–360°",
        "neutral",
    ]
    with pytest.raises(BadInput, match="no hue sector '45'"):
        sector_hex("45")
