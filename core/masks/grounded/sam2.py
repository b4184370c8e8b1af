"""Segment Anything 2 by transformers, with the same interface: it encodes the image once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.core.generation.memory import BadModelFolder
from truehue.core.machine import Placement
from truehue.core.masks.grounded.embeddings import (
    Embedding,
    EmbeddingSegmenter,
    checked_boxes,
    several_wanted,
)
from truehue.core.masks.grounded.records import Box, Segment
from truehue.core.masks.grounded.transformers_loading import (
    computing,
    from_folder,
    model_type,
    processor_from_folder,
)
from truehue.core.masks.grounded.weights import VisionEntry, Weights

# The published checkpoints are of the video model, whose image part Sam2Model takes.
MODEL_TYPES = ("sam2", "sam2_video")


def load(entry: VisionEntry, source: Weights, placement: Placement) -> Sam2Segmenter:
    """Loads a folder in the hub's layout; no network, no foreign code, no pickles.

    Raises BadModelFolder for a folder of another model, or one that lacks weights.
    """
    from transformers import Sam2Model, Sam2Processor

    kind = model_type(source.path)
    if kind not in MODEL_TYPES:
        raise BadModelFolder(
            f"{source.path} holds a model of type {kind!r}, and a segmenter is "
            f"{' or '.join(MODEL_TYPES)}, or a .pth file of segment_anything."
        )
    model = from_folder(Sam2Model, entry, source.path, placement)
    processor = processor_from_folder(Sam2Processor, source.path, "SAM 2")
    return Sam2Segmenter(entry, model, processor, placement, source.about())


class Sam2Segmenter(EmbeddingSegmenter):
    """A SAM 2 in memory, with the processor that frames its prompts."""

    def __init__(
        self,
        entry: VisionEntry,
        model: Any,
        processor: Any,
        placement: Placement,
        about: dict[str, Any],
    ) -> None:
        super().__init__(entry, model, placement, about)
        self._processor = processor

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights and kept embeddings on the device."""
        if self._model is None:
            return 0
        cache_bytes = sum(
            level.nbytes for embedding in self._saved.embeddings for level in embedding.features
        )
        return int(self._model.get_memory_footprint()) + cache_bytes

    def _of_boxes(self, embedding: Embedding, corners: list[list[float]]) -> list[Segment]:
        masks, scores = self._cut(embedding, several=False, input_boxes=[corners])
        return [
            Segment(pixels[0], float(score[0])) for pixels, score in zip(masks, scores, strict=True)
        ]

    def _of_points(
        self,
        embedding: Embedding,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        prompts: dict[str, Any] = {}
        if points:
            prompts["input_points"] = [[[[float(x), float(y)] for x, y in points]]]
            prompts["input_labels"] = [[[int(mark) for mark in inside]]]
        if box is not None:
            prompts["input_boxes"] = [checked_boxes([box])]
        masks, scores = self._cut(embedding, several=several_wanted(points, box), **prompts)
        return masks[0], scores[0]

    def _embedded(self, image: np.ndarray, autocast: bool) -> Embedding:
        import torch

        model = self._loaded()
        inputs = self._processor(images=image, return_tensors="pt")
        with torch.inference_mode(), computing(self._at.device, autocast):
            features = model.get_image_embeddings(inputs["pixel_values"].to(self._at.device))
        height, width = image.shape[:2]
        return Embedding(self.id, height, width, tuple(features), autocast=autocast)

    def _cut(
        self, image_embedding: Embedding, *, several: bool, **prompts: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Masks, bool ``(P, C, H, W)``, and the model's estimates ``(P, C)``."""
        import torch

        model = self._loaded()
        size = [[image_embedding.height, image_embedding.width]]
        inputs = self._processor(original_sizes=size, return_tensors="pt", **prompts)
        arguments = {
            name: value.to(self._at.device) for name, value in inputs.items() if name in prompts
        }
        with torch.inference_mode(), computing(self._at.device, image_embedding.autocast):
            output = model(
                image_embeddings=list(image_embedding.features),
                multimask_output=several,
                **arguments,
            )
            # In float32 whatever the model computed in, as SAM 2's own predictor enlarges masks.
            masks = self._processor.post_process_masks(output.pred_masks.float(), size)[0]
        return masks.cpu().numpy(), output.iou_scores[0].float().cpu().numpy()
