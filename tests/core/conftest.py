"""For all tests of ``core``."""

from __future__ import annotations

from tests.garbage import frozen

__all__ = ["frozen"]
