"""Frozen records that cross the border between the folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class ImageRecord:
    """One stored image.

    ``image_id`` is the SHA-256 of its pixels (:func:`core.images.image_id`). ``source`` is
    ``upload``, ``render`` or ``import``. ``notes`` says what was converted on loading. ``origin``
    holds what is needed to make it again (model, seed, object, albedo, light), or is empty.
    """

    image_id: str
    width: int
    height: int
    name: str
    source: str
    notes: tuple[str, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True)
class MaskRecord:
    """One stored mask of one image, with who made it and from what.

    ``mask_id`` names image, pixels, maker and parameters together; ``content_sha256`` names the
    pixels alone. ``maker`` is ``grabcut``, ``brush``, ``whole``, ``renderer`` or ``file``.
    """

    mask_id: str
    image_id: str
    content_sha256: str
    area_px: int
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True)
class EvidenceRecord:
    """One verdict as stored: keyed by image, mask, target, protocol, parameters and version.

    ``status`` is ``pass``, ``fail`` or ``unscored``; ``numbers`` holds every number of the
    verdict, as plain JSON. Evidence is added, never overwritten.
    """

    image_id: str
    mask_id: str | None
    object_name: str
    target: Mapping[str, Any]
    protocol: str
    version: str
    parameters: Mapping[str, Any]
    status: str
    reason: str
    numbers: Mapping[str, Any]
    evidence_id: str = ""
    created_at: datetime | None = None
