"""The sizes of a Sam, read off its checkpoint: one way for ViT-B, ViT-L, ViT-H and any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

# Not written in a checkpoint: segment_anything builds every model with these (build_sam.py).
DECODER_HEADS = 8
PIXEL_MEAN = (123.675, 116.28, 103.53)
PIXEL_STD = (58.395, 57.12, 57.375)

_NAMES = {(768, 12): "vit_b", (1024, 24): "vit_l", (1280, 32): "vit_h"}


@dataclass(frozen=True)
class SamSizes:
    """What segment_anything's constructors want to know; all in numbers of their arguments."""

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
