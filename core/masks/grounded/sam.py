"""Segment Anything by its own package: it encodes the image once, so that clicks respond at once.

A published checkpoint is a pickle. It is read with ``torch.load(weights_only=True)``, which makes
tensors and runs no code, and loaded strictly: a weight that is missing, superfluous or of another
shape is refused.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.machine import Placement
from truehue.core.masks.grounded.embeddings import (
    Embedding,
    EmbeddingSegmenter,
    checked_boxes,
    several_wanted,
)
from truehue.core.masks.grounded.records import Box, Segment
from truehue.core.masks.grounded.transformers_loading import computing
from truehue.core.masks.grounded.weights import VisionEntry, Weights

# Not written in a checkpoint: segment_anything builds every model with these (build_sam.py).
DECODER_HEADS = 8
PIXEL_MEAN = (123.675, 116.28, 103.53)
PIXEL_STD = (58.395, 57.12, 57.375)

_NAMES = {(768, 12): "vit_b", (1024, 24): "vit_l", (1280, 32): "vit_h"}


@dataclass(frozen=True)
class SamSizes:
    """Arguments of segment_anything's constructors."""

    side_px: int
    patch_px: int
    width: int
    depth: int
    heads: int
    mlp_width: int
    window: int
    global_blocks: tuple[int, ...]
    out_width: int
    mask_width: int
    decoder_depth: int
    decoder_mlp_width: int
    masks: int
    quality_depth: int
    quality_width: int

    @property
    def name(self) -> str:
        """``vit_b``, ``vit_l`` or ``vit_h``; ``width 32, depth 2`` for an unpublished size."""
        return _NAMES.get((self.width, self.depth), f"width {self.width}, depth {self.depth}")

    @property
    def is_published(self) -> bool:
        """Whether segment_anything has a name for it."""
        return (self.width, self.depth) in _NAMES


def read_sizes(weights: Mapping[str, Any]) -> SamSizes:
    """The sizes, from the shapes of a state dict's tensors.

    A block attends over the whole image where its relative positions cover all of it, and over a
    window where they cover less. Raises KeyError for a weight that every Sam has and these have
    not, and ValueError for shapes that no Sam has.
    """

    def shape(name: str) -> tuple[int, ...]:
        return tuple(int(n) for n in weights[name].shape)

    def count(prefix: str) -> int:
        """How many numbered parts stand below a prefix."""
        names = {name[len(prefix) :].split(".")[0] for name in weights if name.startswith(prefix)}
        return len(names)

    width, _, patch, _ = shape("image_encoder.patch_embed.proj.weight")
    grid = shape("image_encoder.pos_embed")[1]
    depth = count("image_encoder.blocks.")
    blocks = range(depth)
    positions = [shape(f"image_encoder.blocks.{n}.attn.rel_pos_h") for n in blocks]
    spans = [(rows + 1) // 2 for rows, _ in positions]
    windows = {span for span in spans if span != grid}
    if not positions or len(windows) > 1 or width % positions[0][1]:
        raise ValueError(f"blocks of windows {sorted(windows)} at width {width}")
    quality = "mask_decoder.iou_prediction_head.layers."
    layers = "mask_decoder.transformer.layers."
    return SamSizes(
        side_px=grid * patch,
        patch_px=patch,
        width=width,
        depth=depth,
        heads=width // positions[0][1],
        mlp_width=shape("image_encoder.blocks.0.mlp.lin1.weight")[0],
        window=windows.pop() if windows else 0,
        global_blocks=tuple(n for n in blocks if spans[n] == grid),
        out_width=shape("image_encoder.neck.0.weight")[0],
        mask_width=shape("prompt_encoder.mask_downscaling.3.weight")[0],
        decoder_depth=count(layers),
        decoder_mlp_width=shape(f"{layers}0.mlp.lin1.weight")[0],
        masks=shape("mask_decoder.mask_tokens.weight")[0] - 1,
        quality_depth=count(quality),
        quality_width=shape(f"{quality}0.weight")[0],
    )


def build(sizes: SamSizes) -> Any:
    """segment_anything's Sam of these sizes, its weights as they were made up."""
    import torch
    from segment_anything.modeling import (
        ImageEncoderViT,
        MaskDecoder,
        PromptEncoder,
        Sam,
        TwoWayTransformer,
    )

    grid = sizes.side_px // sizes.patch_px
    return Sam(
        image_encoder=ImageEncoderViT(
            img_size=sizes.side_px,
            patch_size=sizes.patch_px,
            embed_dim=sizes.width,
            depth=sizes.depth,
            num_heads=sizes.heads,
            mlp_ratio=sizes.mlp_width / sizes.width,
            out_chans=sizes.out_width,
            qkv_bias=True,
            use_rel_pos=True,
            norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
            window_size=sizes.window,
            global_attn_indexes=sizes.global_blocks,
        ),
        prompt_encoder=PromptEncoder(
            embed_dim=sizes.out_width,
            image_embedding_size=(grid, grid),
            input_image_size=(sizes.side_px, sizes.side_px),
            mask_in_chans=sizes.mask_width,
        ),
        mask_decoder=MaskDecoder(
            transformer_dim=sizes.out_width,
            num_multimask_outputs=sizes.masks,
            transformer=TwoWayTransformer(
                depth=sizes.decoder_depth,
                embedding_dim=sizes.out_width,
                mlp_dim=sizes.decoder_mlp_width,
                num_heads=DECODER_HEADS,
            ),
            iou_head_depth=sizes.quality_depth,
            iou_head_hidden_dim=sizes.quality_width,
        ),
        pixel_mean=list(PIXEL_MEAN),
        pixel_std=list(PIXEL_STD),
    )


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


class SamSegmenter(EmbeddingSegmenter):
    """A Sam in memory, in the hands of the package's own predictor."""

    def __init__(
        self, entry: VisionEntry, model: Any, placement: Placement, about: dict[str, Any]
    ) -> None:
        from segment_anything import SamPredictor

        super().__init__(entry, model, placement, about)
        self._model = SamPredictor(model)

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights and kept embeddings on the device."""
        if self._model is None:
            return 0
        model = self._model.model
        held = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
        return int(held + sum(embedding.features.nbytes for embedding in self._saved.embeddings))

    def _of_boxes(self, embedding: Embedding, corners: list[list[float]]) -> list[Segment]:
        import torch

        predictor = self._at_image(embedding)
        framed = predictor.transform.apply_boxes_torch(
            torch.tensor(corners, dtype=torch.float32), (embedding.height, embedding.width)
        )
        with computing(self._at.device, embedding.autocast):
            masks, scores, _ = predictor.predict_torch(
                None, None, boxes=framed.to(self._at.device), multimask_output=False
            )
        pairs = zip(masks[:, 0].cpu().numpy(), scores[:, 0].tolist(), strict=True)
        return [Segment(pixels, score) for pixels, score in pairs]

    def _of_points(
        self,
        embedding: Embedding,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        masks, scores, _ = self._at_image(embedding).predict(
            point_coords=np.array(points, dtype=np.float64).reshape(-1, 2) if points else None,
            point_labels=np.array(inside, dtype=np.int64) if points else None,
            box=np.array(checked_boxes([box])[0]) if box is not None else None,
            multimask_output=several_wanted(points, box),
        )
        return masks, scores

    def _embedded(self, image: np.ndarray, autocast: bool) -> Embedding:
        predictor = self._loaded()
        with computing(self._at.device, autocast):
            predictor.set_image(image)
        features, frame = predictor.features, predictor.input_size
        predictor.reset_image()
        height, width = image.shape[:2]
        size = (int(frame[0]), int(frame[1]))
        return Embedding(self.id, height, width, features, size, autocast)

    def _at_image(self, embedding: Embedding) -> Any:
        """The predictor as ``set_image`` leaves it, without running the encoder."""
        predictor = self._loaded()
        predictor.features = embedding.features
        predictor.original_size = (embedding.height, embedding.width)
        predictor.input_size = embedding.frame
        predictor.is_image_set = True
        return predictor
