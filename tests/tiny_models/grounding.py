"""Tiny vision models of the real classes with random weights, saved as published ones are."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

# Where BERT's vocabulary, and so GroundingDINO, has the marks that end a phrase.
_PLACES = {
    "[PAD]": 0,
    "[UNK]": 100,
    "[CLS]": 101,
    "[SEP]": 102,
    "[MASK]": 103,
    ".": 1012,
    "?": 1029,
}
VOCABULARY = 1100
SIDE_PX = 64


def detector(folder: Path, seed: int = 0) -> Path:
    """A GroundingDINO of Swin and BERT; looks at images of 80 to 128 pixels."""
    import torch
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        GroundingDinoProcessor,
        SwinConfig,
    )

    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=SIDE_PX,
            embed_dim=8,
            depths=[1, 1, 1, 1],
            num_heads=[1, 1, 2, 2],
            window_size=4,
            out_indices=[2, 3, 4],
        ),
        text_config=BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=64,
        ),
        d_model=32,
        num_queries=20,
        encoder_layers=2,
        decoder_layers=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_n_points=2,
        decoder_n_points=2,
        max_text_len=64,
    )
    tokenizer = BertTokenizer(vocab=_vocabulary(), model_max_length=64)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = GroundingDinoForObjectDetection(config)
        # The heads begin at zero, where every query gives the same box.
        for name, weight in model.named_parameters():
            if "bbox_embed" in name:
                torch.nn.init.normal_(weight, std=0.3)
    model.save_pretrained(folder)
    images = GroundingDinoImageProcessor(
        size={"shortest_edge": SIDE_PX + 16, "longest_edge": 2 * SIDE_PX}
    )
    GroundingDinoProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def sam_file(path: Path, seed: int = 0) -> Path:
    """A Sam of segment_anything as its checkpoints are: one .pth file with a state dict."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(sam_model(seed).state_dict(), path)
    return path


def sam_model(seed: int = 0) -> Any:
    """The model itself, built by segment_anything's own classes."""
    from functools import partial

    import torch
    from segment_anything.modeling import (
        ImageEncoderViT,
        MaskDecoder,
        PromptEncoder,
        Sam,
        TwoWayTransformer,
    )

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = Sam(
            ImageEncoderViT(
                img_size=SIDE_PX,
                patch_size=8,
                embed_dim=16,
                depth=2,
                num_heads=2,
                mlp_ratio=2,
                out_chans=32,
                norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
                use_rel_pos=True,
                window_size=4,
                global_attn_indexes=(1,),
            ),
            PromptEncoder(
                embed_dim=32,
                image_embedding_size=(8, 8),
                input_image_size=(SIDE_PX, SIDE_PX),
                mask_in_chans=4,
            ),
            MaskDecoder(
                transformer_dim=32,
                transformer=TwoWayTransformer(depth=2, embedding_dim=32, num_heads=8, mlp_dim=32),
                iou_head_hidden_dim=16,
            ),
        )
        for name, weight in made.named_parameters():
            if "rel_pos" in name or "pos_embed" in name:
                torch.nn.init.normal_(weight, std=0.5)
    return made.eval()


def sam2(folder: Path, seed: int = 0, *, video: bool = False) -> Path:
    """A SAM 2 of Hiera; with ``video`` the video model, which is what is published."""
    import torch
    from transformers import (
        Sam2Config,
        Sam2ImageProcessor,
        Sam2Model,
        Sam2Processor,
        Sam2VideoConfig,
        Sam2VideoModel,
    )

    shared: dict[str, Any] = {
        "vision_config": {
            "model_type": "sam2_vision_model",
            "backbone_channel_list": [64, 32, 16, 8],
            "backbone_feature_sizes": [[32, 32], [16, 16], [8, 8]],
            "fpn_hidden_size": 32,
            "backbone_config": {
                "model_type": "sam2_hiera_det_model",
                "hidden_size": 8,
                "image_size": [128, 128],
                "blocks_per_stage": [1, 1, 2, 1],
                "embed_dim_per_stage": [8, 16, 32, 64],
                "num_attention_heads_per_stage": [1, 1, 2, 2],
                "window_size_per_stage": [4, 2, 4, 2],
                "global_attention_blocks": [3],
                "window_positional_embedding_background_size": [4, 4],
            },
        },
        "prompt_encoder_config": {
            "hidden_size": 32,
            "image_size": 128,
            "patch_size": 16,
            "mask_input_channels": 4,
        },
        "mask_decoder_config": {
            "hidden_size": 32,
            "mlp_dim": 32,
            "num_attention_heads": 2,
            "iou_head_hidden_dim": 16,
        },
    }
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model: Any
        if video:
            model = Sam2VideoModel(
                Sam2VideoConfig(
                    **shared,
                    image_size=128,
                    memory_attention_hidden_size=32,
                    memory_attention_num_layers=1,
                    memory_attention_feed_forward_hidden_size=32,
                    memory_attention_rope_feat_sizes=[8, 8],
                    memory_encoder_hidden_size=32,
                    memory_encoder_output_channels=8,
                    mask_downsampler_embed_dim=32,
                    memory_fuser_embed_dim=32,
                    memory_fuser_intermediate_dim=32,
                )
            )
        else:
            model = Sam2Model(Sam2Config(**shared))
        # What is read from the image must weigh more than what every image has in common.
        for name, weight in model.named_parameters():
            if weight.ndim > 1 and ("backbone" in name or "neck" in name):
                torch.nn.init.normal_(weight, std=0.2)
    model.save_pretrained(folder)
    images = Sam2ImageProcessor(
        size={"height": 128, "width": 128}, mask_size={"height": 32, "width": 32}
    )
    if video:
        _processor_as_published(images, folder)
    else:
        Sam2Processor(images).save_pretrained(folder)
    return folder


def _processor_as_published(images: Any, folder: Path) -> None:
    """The two files that facebook/sam2.1-hiera-tiny has, written before transformers 5 made them
    one, and for the video model."""
    settings = json.loads(images.to_json_string())
    settings |= {
        "image_processor_type": "Sam2ImageProcessorFast",
        "processor_class": "Sam2VideoProcessor",
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    processor = {
        "point_pad_value": -10,
        "processor_class": "Sam2VideoProcessor",
        "target_size": 128,
    }
    (folder / "processor_config.json").write_text(json.dumps(processor))


def _vocabulary() -> dict[str, int]:
    """Single letters, with GroundingDINO's marks where BERT's vocabulary has them."""
    positions = dict(_PLACES)
    names = [*string.ascii_lowercase, *string.digits, "-", "'", ","]
    names += [f"##{letter}" for letter in string.ascii_lowercase + string.digits]
    free = iter(range(200, VOCABULARY))
    for name in names:
        positions[name] = next(free)
    used = set(positions.values())
    positions |= {f"[unused{n}]": n for n in range(VOCABULARY) if n not in used}
    return positions
