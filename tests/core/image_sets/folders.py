"""Folders of small images, and prompts that they may be of."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

from truehue.core.color.systems import parse_target
from truehue.core.prompts.prompt import ObjectTarget, Prompt


def prompt(prompt_id: str, text: str = "", source: str = "mine") -> Prompt:
    target = ObjectTarget("mug", parse_target("l2:Pink"))
    return Prompt(prompt_id, text or f"A photo of {prompt_id}.", "cna", (target,), source=source)


def published(stem: str, count: int) -> list[Prompt]:
    """Prompts as the importer of the published files makes them."""
    return [prompt(f"{stem}-{number}") for number in range(1, count + 1)]


def pixels(seed: int, height: int = 4, width: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def image(path: Path, seed: int = 0, **options: object) -> Path:
    """Writes the image of a seed in the format of the name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels(seed)).save(path, **options)
    return path


def huge_header(width: int = 100_000, height: int = 100_000) -> bytes:
    """A PNG that says it is enormous and holds next to nothing."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        sum_ = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", sum_)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(b"\0" * 100))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")
