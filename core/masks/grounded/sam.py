"""Segment Anything by its own package: the image is looked at once, then a click answers at once.

A published checkpoint is a pickle. It is read with ``torch.load(weights_only=True)``, which makes
tensors and runs no code, and filled in strictly: a weight that is missing, superfluous or of
another shape is refused.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.errors import TrueHueError
from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.machine import Placement
from truehue.core.masks.grounded.embeddings import (
    Embedding,
    EmbeddingCache,
    checked_boxes,
    checked_embedding,
    checked_image,
    checked_points,
    several_wanted,
)
from truehue.core.masks.grounded.precision import applies, computing
from truehue.core.masks.grounded.records import Box, Segment
from truehue.core.masks.grounded.sam_sizes import PIXEL_MEAN, PIXEL_STD, SamSizes, build, read_sizes
from truehue.core.masks.grounded.vision_models import VisionEntry
from truehue.core.masks.grounded.weights import Weights

# Boxes cut out at once: each takes a float32 mask of the image's size on the device.
BOXES_AT_ONCE = 16


def load(entry: VisionEntry, source: Weights, placement: Placement) -> SamSegmenter:
    """Loads a .pth file. Raises BadModelFolder for a file that is no Sam, is cut off, or is another
    of the published sizes than the entry's."""
    weights = _read(entry, source.path)
    try:
        sizes = read_sizes(weights)
    except (KeyError, ValueError, AttributeError, IndexError) as error:
        raise BadModelFolder(
            f"{source.path} is no checkpoint of Segment Anything ({error}). SAM 2 is loaded from a "
            "folder in the hub's layout."
        ) from error
    if entry.size and sizes.is_published and sizes.name != entry.size:
        raise BadModelFolder(
            f"{source.path} holds a {sizes.name}, and {entry.name} is a {entry.size}: this is the "
            "file of another model."
        )
    model = _filled(source.path, sizes, weights).to(placement.device)
    about = {"size": sizes.name, **source.about()}
    if entry.sha256:  # a file of that name may be anybody's: a mask says whether it is theirs
        about["published"] = about["revision"] == f"sha256:{entry.sha256}"
    return SamSegmenter(entry, model, placement, about)


def _read(entry: VisionEntry, path: Path) -> Mapping[str, Any]:
    import torch

    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise BadModelFolder(
            f"{path} holds more than tensors, and what it holds could run any code: it is not "
            "loaded. Take a published checkpoint."
        ) from error
    except Exception as error:  # what a broken file raises has no family of its own
        if is_out_of_memory(error):
            raise
        raise BadModelFolder(
            f"{path} cannot be read ({type(error).__name__}: {error}). Get it again with: "
            f"python -m truehue masks download {entry.id}"
        ) from error
    if not isinstance(weights, Mapping):
        raise BadModelFolder(f"{path} holds a {type(weights).__name__}, not a model's weights.")
    return weights


def _filled(path: Path, sizes: SamSizes, weights: Mapping[str, Any]) -> Any:
    import torch

    # Made without memory and given the file's tensors: no weight is ever made up, and a ViT-H is in
    # memory once, not twice.
    with torch.device("meta"):
        model = build(sizes)
    strange = [name for name, tensor in weights.items() if not isinstance(tensor, torch.Tensor)]
    if strange:
        raise BadModelFolder(
            f"{path} holds {strange[0]!r}, which is no weight of Segment Anything."
        )
    floats = {name: tensor.float() for name, tensor in weights.items()}
    try:
        model.load_state_dict(floats, strict=True, assign=True)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        raise BadModelFolder(
            f"{path} does not fit Segment Anything of {sizes.name}: {' '.join(lines[1:3])[:300]}"
        ) from error
    # The two tensors that a checkpoint does not hold.
    model.pixel_mean = torch.tensor(PIXEL_MEAN).view(-1, 1, 1)
    model.pixel_std = torch.tensor(PIXEL_STD).view(-1, 1, 1)
    return model.eval().requires_grad_(False)


class SamSegmenter:
    """A segmenter in memory; see :class:`truehue.core.masks.grounded.records.Segmenter`."""

    def __init__(
        self, entry: VisionEntry, model: Any, placement: Placement, about: dict[str, Any]
    ) -> None:
        from segment_anything import SamPredictor

        self._entry, self._at = entry, placement
        self._predictor: Any = SamPredictor(model)
        self._saved = EmbeddingCache()
        self.about = {
            "id": entry.id,
            "class": type(model).__name__,
            "device": placement.device,
            **about,
        }

    @property
    def id(self) -> str:
        """Its id in the list of vision models."""
        return self._entry.id

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights and kept embeddings on the device."""
        if self._predictor is None:
            return 0
        model = self._predictor.model
        held = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
        return int(held + sum(embedding.features.nbytes for embedding in self._saved.embeddings))

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> Embedding:
        """The image's embedding, computed once and kept for the last few images.

        ``srgb8`` uint8 ``(H, W, 3)``. ``name`` is the image's id; without one the content names it.
        ``autocast`` as in :func:`truehue.core.masks.grounded.precision.computing`; boxes follow it.
        """
        image = checked_image(srgb8)
        autocast = applies(self._at.device, autocast)
        return self._saved.get(image, name, autocast, lambda: self._embedded(image, autocast))

    def from_boxes(self, embedding: Any, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """One segment a box, in order: the single output of the mask decoder."""
        import torch

        image_embedding = checked_embedding(embedding, self.id)
        corners = torch.tensor(checked_boxes(boxes), dtype=torch.float32)
        segments: list[Segment] = []
        for start in range(0, len(boxes), BOXES_AT_ONCE):
            predictor = self._at_image(image_embedding)
            framed = predictor.transform.apply_boxes_torch(
                corners[start : start + BOXES_AT_ONCE],
                (image_embedding.height, image_embedding.width),
            )
            with computing(self._at.device, image_embedding.autocast):
                masks, scores, _ = predictor.predict_torch(
                    None, None, boxes=framed.to(self._at.device), multimask_output=False
                )
            pairs = zip(masks[:, 0].cpu().numpy(), scores[:, 0].tolist(), strict=True)
            segments += [Segment(pixels, score) for pixels, score in pairs]
        return tuple(segments)

    def from_points(
        self,
        embedding: Any,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:
        """The segment that has the points marked ``inside`` and has not the others.

        A single point without a box is ambiguous: then the best of three candidates by the model's
        own estimate, else its single output (``several_wanted``).
        """
        image_embedding = checked_embedding(embedding, self.id)
        checked_points(image_embedding, points, inside, box)
        masks, scores, _ = self._at_image(image_embedding).predict(
            point_coords=np.array(points, dtype=np.float64).reshape(-1, 2) if points else None,
            point_labels=np.array(inside, dtype=np.int64) if points else None,
            box=np.array(checked_boxes([box])[0]) if box is not None else None,
            multimask_output=several_wanted(points, box),
        )
        best = int(np.argmax(scores))
        return Segment(masks[best].astype(bool), float(scores[best]))

    def unload(self) -> None:
        """Drops weights and embeddings; safe to call twice."""
        self._predictor = None
        self._saved.clear()
        gc.collect()

    def _embedded(self, image: np.ndarray, autocast: bool) -> Embedding:
        predictor = self._loaded()
        with computing(self._at.device, autocast):
            predictor.set_image(image)
        features, frame = predictor.features, predictor.input_size
        predictor.reset_image()
        height, width = image.shape[:2]
        size = (int(frame[0]), int(frame[1]))
        return Embedding(self.id, height, width, features, size, autocast)

    def _at_image(self, image_embedding: Embedding) -> Any:
        """The predictor as ``set_image`` leaves it, without running the encoder."""
        predictor = self._loaded()
        predictor.features = image_embedding.features
        predictor.original_size = (image_embedding.height, image_embedding.width)
        predictor.input_size = image_embedding.frame
        predictor.is_image_set = True
        return predictor

    def _loaded(self) -> Any:
        if self._predictor is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to cut out.")
        return self._predictor
