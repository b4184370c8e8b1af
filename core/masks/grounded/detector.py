"""GroundingDINO: boxes from text."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.decoding import free_memory
from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.machine import Placement
from truehue.core.masks.grounded.embeddings import checked_image
from truehue.core.masks.grounded.records import Detection
from truehue.core.masks.grounded.transformers_loading import (
    computing,
    from_folder,
    model_type,
    processor_from_folder,
)
from truehue.core.masks.grounded.weights import VisionEntry, Weights

MODEL_TYPE = "grounding-dino"
# Queries that are run at once. Each takes the encoder's memory; the backbone looks once for all.
CHUNK = {"cpu": 4, "mps": 4, "cuda": 8}


def query_text(label: str) -> str:
    """The label as GroundingDINO reads it: lower case, single spaces, one trailing full stop.

    A full stop or question mark ends a phrase there, so those inside become spaces. Raises BadInput
    for a label without a letter.
    """
    tokens = label.lower().replace(".", " ").replace("?", " ").split()
    if not any(character.isalnum() for word in tokens for character in word):
        raise BadInput(f"{label!r} names nothing that could be looked for.")
    return " ".join(tokens) + "."


def load(entry: VisionEntry, source: Weights, placement: Placement) -> GroundingDino:
    """Loads a folder in the hub's layout; no network, no foreign code, no pickles.

    Raises BadModelFolder for a folder of another model, or one that lacks weights.
    """
    from transformers import GroundingDinoForObjectDetection, GroundingDinoProcessor

    kind = model_type(source.path)
    if kind != MODEL_TYPE:
        raise BadModelFolder(
            f"{source.path} holds a model of type {kind!r}, and a detector is {MODEL_TYPE!r}."
        )
    model = from_folder(GroundingDinoForObjectDetection, entry, source.path, placement)
    processor = processor_from_folder(GroundingDinoProcessor, source.path, "GroundingDINO")
    return GroundingDino(entry, model, processor, placement, source.about())


class GroundingDino:
    """A detector in memory; see :class:`truehue.core.masks.grounded.records.Detector`."""

    def __init__(
        self,
        entry: VisionEntry,
        model: Any,
        processor: Any,
        placement: Placement,
        about: dict[str, Any],
    ) -> None:
        self._entry, self._model, self._processor, self._at = entry, model, processor, placement
        _look_once(model)
        # By size of image: fewer labels at once than CHUNK, where memory did not suffice.
        self._chunks: dict[tuple[int, ...], int] = {}
        self.about = {
            "id": entry.id,
            "class": type(model).__name__,
            "device": placement.device,
            **about,
        }

    @property
    def placement(self) -> Placement:
        """Where its weights are."""
        return self._at

    @property
    def id(self) -> str:
        """Its id in the list of vision models."""
        return self._entry.id

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights on the device."""
        return 0 if self._model is None else int(self._model.get_memory_footprint())

    def detect(
        self,
        srgb8: np.ndarray,
        labels: Sequence[str],
        box_threshold: float,
        text_threshold: float,
        autocast: bool = False,
    ) -> tuple[Detection, ...]:
        """Boxes above the threshold, label by label in the order asked, best first within one.

        ``srgb8`` uint8 ``(H, W, 3)``; thresholds 0 to 1. Boxes are as the model gives them and may
        reach a little over the image's edge. The text threshold says which words of a query a box
        stands for: with one query a label it changes no box (transformers'
        ``post_process_grounded_object_detection``), and is handed on for completeness. Raises
        BadInput for a label that names nothing.
        """
        import torch

        if self._model is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to look.")
        image = checked_image(srgb8)
        texts = [query_text(label) for label in labels]
        if not texts:
            return ()
        pixels = self._processor.image_processor(images=image, return_tensors="pt")
        pixels = {name: value.to(self._at.device) for name, value in pixels.items()}
        chunk = self._chunks.get(image.shape) or CHUNK.get(self._at.device, 1)
        detections: list[Detection] = []
        thresholds = box_threshold, text_threshold
        start = 0
        with torch.inference_mode(), computing(self._at.device, autocast):
            while start < len(texts):
                part = slice(start, start + chunk)
                results = self._in_memory(pixels, texts[part], *thresholds, image.shape)
                if results is None:
                    chunk = self._chunks[image.shape] = len(texts[part]) // 2
                    free_memory(self._at.device)
                    continue
                for label, boxes in zip(labels[part], results, strict=True):
                    detections += _detections(label, boxes)
                start += chunk
        return tuple(detections)

    def unload(self) -> None:
        """Drops the weights; safe to call twice."""
        self._model = None
        gc.collect()

    def _in_memory(
        self, pixels: dict[str, Any], texts: list[str], *settings: Any
    ) -> list[dict[str, Any]] | None:
        """The boxes of several queries; None where memory suffices for fewer at most."""
        try:
            return self._run(pixels, texts, *settings)
        except Exception as error:
            if len(texts) == 1 or not is_out_of_memory(error):
                raise
        return None

    def _run(
        self,
        pixels: dict[str, Any],
        texts: list[str],
        box_threshold: float,
        text_threshold: float,
        shape: tuple[int, ...],
    ) -> list[dict[str, Any]]:
        tokens = self._processor.tokenizer(
            texts, padding=True, return_token_type_ids=True, return_tensors="pt"
        ).to(self._at.device)
        longest = int(self._model.config.max_text_len)
        if tokens["input_ids"].shape[1] > longest:
            raise BadInput(f"A label is longer than the {longest} tokens that the detector reads.")
        counted = len(texts)
        images = {name: value.expand(counted, *value.shape[1:]) for name, value in pixels.items()}
        outputs = self._model(**images, **tokens)
        return list(
            self._processor.post_process_grounded_object_detection(
                outputs,
                tokens["input_ids"],
                threshold=box_threshold,
                text_threshold=text_threshold,
                target_sizes=[shape[:2]] * counted,
            )
        )


def _look_once(model: Any) -> None:
    """Has the backbone look at the first image of a batch only: here all are one image.

    Words come in after the backbone (Swin), so its features are the same for every query.
    """
    encoder = model.model.backbone.conv_encoder

    def first(_: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return (args[0][:1], *args[1:])

    def for_all(_: Any, args: tuple[Any, ...], levels: list[tuple[Any, Any]]) -> list[Any]:
        counted = args[0].shape[0]
        return [(level.expand(counted, -1, -1, -1), mask) for level, mask in levels]

    encoder.model.register_forward_pre_hook(first)
    encoder.register_forward_hook(for_all)


def _detections(label: str, result: dict[str, Any]) -> list[Detection]:
    boxes, scores = result["boxes"].cpu().tolist(), result["scores"].cpu().tolist()
    detections = [
        Detection(label, (box[0], box[1], box[2], box[3]), score)
        for box, score in zip(boxes, scores, strict=True)
    ]
    return sorted(detections, key=lambda detection: -detection.score)
