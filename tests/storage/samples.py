"""Small images, masks and verdicts to store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.color.systems import parse_target
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.records import EvidenceRecord, GenerationRecord


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


def asks(object_name: str = "mug", color: str = "l3:Vivid red") -> ObjectTarget:
    return ObjectTarget(object_name, parse_target(color), ("handle",), category="kitchen")


def answers(image_id: str, target: ObjectTarget, **changes: Any) -> EvidenceRecord:
    """A verdict about an object and a color as Inspect stores it."""
    assert target.color is not None
    color = {"name": target.color.name, "hex": target.color.hex, "value": target.color.value}
    return verdict(image_id, object_name=target.name, target=color, **changes)


def drawing(image_id: str | None = None, **changes: Any) -> GenerationRecord:
    """A drawing of ``image_id``, or without one an attempt that failed."""
    record = GenerationRecord(
        text="a vivid red mug",
        model="sdxl",
        status="drawn" if image_id else "failed",
        reason="" if image_id else "out of memory",
        image_id=image_id,
        job_id="job 1",
        prompt_source="gencolorbench",
        prompt_id="cna-1",
        task="cna",
        targets=(asks(),),
        seed=7,
        guidance=4.5,
        steps=30,
        width=7,
        height=5,
        negative_text="blurry",
        options={"light": "left"},
        origin={"model": "sdxl", "seed": 7},
        seconds=1.25,
    )
    return replace(record, **changes)


def prompts(count: int, text: str = "a vivid red mug") -> tuple[Prompt, ...]:
    return tuple(
        Prompt(f"cna_l3-{n}", f"{text} {n}", "cna", (asks(),), system="l3", source="file")
        for n in range(1, count + 1)
    )


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
