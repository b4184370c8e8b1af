"""Small images, masks and verdicts to store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.masks.mask import Mask
from core.records import EvidenceRecord


def picture(seed: int = 0, height: int = 5, width: int = 7) -> np.ndarray:
    """uint8 (H, W, 3), another one for every seed."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def disk(height: int = 5, width: int = 7, radius: float = 2.0) -> np.ndarray:
    """bool (H, W), True near the middle."""
    y, x = np.mgrid[:height, :width]
    return np.hypot(y - height // 2, x - width // 2) <= radius


def brushed(radius: float = 2.0, **parameters: Any) -> Mask:
    return Mask(disk(radius=radius), "brush", parameters)


def verdict(image_id: str, mask_id: str | None = None, **changes: Any) -> EvidenceRecord:
    record = EvidenceRecord(
        image_id=image_id,
        mask_id=mask_id,
        object_name="mug",
        target={"name": "red", "lab": [53.2, 80.1, 67.2]},
        protocol="test-rule",
        version="1",
        parameters={"threshold": 5.0},
        status="pass",
        reason="within 5 ΔE",
        numbers={"delta_e00": 3.25, "delta_chroma": None},
    )
    return replace(record, **changes)


def folder_state(folder: Path) -> dict[str, tuple[str, int]]:
    """Name, content and date of every file below ``folder``."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
