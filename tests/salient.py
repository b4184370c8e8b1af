"""The weights of the salient-object network, for tests that run it: they are no part of the project."""

from __future__ import annotations

import pytest

from truehue.core.masks import salient
from truehue.core.masks.registry import masker

INSTALLED = salient.is_available()
needs_weights = pytest.mark.skipif(
    not INSTALLED,
    reason=f"needs {salient.FILE}: python -m truehue masks download {salient.WEIGHTS}",
)
IN_A_BOX = masker("salient" if INSTALLED else "grabcut").name
"""The masker that the page takes for a box on this machine, where something stands out in it."""
