"""The modules of the small model, and the classifier that trains its text encoder.

The denoiser works on pixels, so that no autoencoder can shift a color: the pipeline's autoencoder
passes pixels through. The denoiser predicts the clean image.
"""

from __future__ import annotations

import string
from typing import Any

from truehue.core.generation.renderer import OBJECTS
from truehue.core.generation.small.scenes import MAX_OBJECTS, Caption, vocabulary
from truehue.core.generation.small.settings import Settings

TEXT_TOKENS = 120
"""Tokens that the pipeline reads."""

# Latents are pixels divided by this: in the middle of the decoder's tanh, where it is a line to
# 1e-5 of the range.
_SCALE = 64.0
_TRAIN_STEPS = 1000


def tokenizer() -> Any:
    """T5's tokenizer with the benchmark's words as pieces; all else is spelled by characters, so
    that a hex code is always six digits."""
    from transformers import T5Tokenizer

    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    letters = string.ascii_letters + string.digits + string.punctuation
    pieces += [(letter, -3.0) for letter in letters]
    pieces += [(f"▁{word}", -1.0) for word in vocabulary()]
    return T5Tokenizer(vocab=pieces, extra_ids=0, model_max_length=TEXT_TOKENS)


def text_encoder(settings: Settings, words_count: int) -> Any:
    """A T5 encoder for ``words_count`` tokens."""
    from transformers import T5Config, T5EncoderModel

    config = T5Config(
        vocab_size=words_count,
        d_model=settings.text_width,
        d_kv=32,
        d_ff=2 * settings.text_width,
        num_layers=settings.text_layers,
        num_heads=max(settings.text_width // 32, 1),
        feed_forward_proj="gated-gelu",
        dropout_rate=0.0,
    )
    return T5EncoderModel(config)


def denoiser(settings: Settings) -> Any:
    """PixArt's transformer on the pixels themselves, in patches."""
    import torch
    from diffusers import PixArtTransformer2DModel

    model = PixArtTransformer2DModel(
        num_attention_heads=settings.heads,
        attention_head_dim=settings.width // settings.heads,
        in_channels=3,
        out_channels=3,
        num_layers=settings.layers,
        cross_attention_dim=settings.width,
        sample_size=settings.size_px,
        patch_size=settings.patch_px,
        caption_channels=settings.text_width,
        use_additional_conditions=False,
    )
    # It begins as an even gray: the first steps then learn the image and not its own noise.
    torch.nn.init.zeros_(model.proj_out.weight)
    torch.nn.init.zeros_(model.proj_out.bias)
    return model


def pixels_through() -> Any:
    """An autoencoder of the standard class whose latents are the pixels, divided by its scale."""
    import torch
    from diffusers import AutoencoderTiny

    vae = AutoencoderTiny(
        encoder_block_out_channels=(6,),
        decoder_block_out_channels=(6,),
        num_encoder_blocks=(0,),
        num_decoder_blocks=(0,),
        latent_channels=3,
        scaling_factor=_SCALE,
    )
    first, last = vae.encoder.layers[0], vae.encoder.layers[-1]
    into, out = vae.decoder.layers[0], vae.decoder.layers[-1]
    with torch.no_grad():
        for tensor in vae.parameters():
            tensor.zero_()
        for channel in range(3):
            # The encoder is given 0 to 1 and gives -1 to 1, divided by the scale.
            first.weight[channel, channel, 1, 1] = 1.0
            last.weight[channel, channel, 1, 1] = 2.0 / _SCALE
            last.bias[channel] = -1.0 / _SCALE
            # relu(x) - relu(-x) is x; the decoder gives 0 to 1.
            into.weight[channel, channel, 1, 1] = _SCALE / 2
            into.weight[channel + 3, channel, 1, 1] = -_SCALE / 2
            out.weight[channel, channel, 1, 1] = 1.0
            out.weight[channel, channel + 3, 1, 1] = -1.0
            out.bias[channel] = 0.5
    return vae.eval()


def noise_schedule() -> Any:
    """A cosine schedule that ends in pure noise (arXiv:2305.08891): else the mean color of the
    first noise would leak into the image."""
    from diffusers import DDIMScheduler

    return DDIMScheduler(
        num_train_timesteps=_TRAIN_STEPS,
        beta_schedule="squaredcos_cap_v2",
        prediction_type="sample",
        rescale_betas_zero_snr=True,
        timestep_spacing="trailing",
        clip_sample=False,
        set_alpha_to_one=True,
    )


def pipeline(message: Any, text: Any, transformer: Any) -> Any:
    """The standard pipeline of these parts."""
    from diffusers import PixArtAlphaPipeline

    return PixArtAlphaPipeline(
        tokenizer=message,
        text_encoder=text.eval(),
        vae=pixels_through(),
        transformer=transformer.eval(),
        scheduler=noise_schedule(),
    )


def reader(width: int) -> Any:
    """For each of two objects: which shape, or none, and which color, from a caption's states."""
    import torch

    outputs = len(OBJECTS) + 1 + 3

    class Reader(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.look = torch.nn.Linear(width, 2 * MAX_OBJECTS, bias=False)
            self.tell = torch.nn.ModuleList(
                torch.nn.Linear(2 * width, outputs) for _ in range(MAX_OBJECTS)
            )

        def forward(self, states: Any, mask: Any) -> Any:
            """``(N, 2, outputs)``: logits of shapes, none last, and sRGB from -1 to 1."""
            scores = self.look(states).masked_fill(mask[:, :, None] == 0, -1e4)
            read = torch.einsum("ntk,ntd->nkd", scores.softmax(dim=1), states)
            pairs = read.reshape(len(read), MAX_OBJECTS, -1)
            return torch.stack([t(pairs[:, n]) for n, t in enumerate(self.tell)], dim=1)

    return Reader()


def reading_loss(message: Any, batch: list[Caption]) -> Any:
    """Cross entropy of the shapes, and ten times the mean square of the colors that are asked."""
    import torch

    none = len(OBJECTS)
    shapes = torch.full((len(batch), MAX_OBJECTS), none)
    colors = torch.zeros((len(batch), MAX_OBJECTS, 3))
    target = torch.zeros((len(batch), MAX_OBJECTS))
    for row, caption in enumerate(batch):
        for index, shape in enumerate(caption.shapes):
            shapes[row, index] = OBJECTS.index(shape)
            colors[row, index] = torch.tensor(caption.colors[index]) / 127.5 - 1.0
            target[row, index] = float(caption.asked[index])
    logits = message[..., : none + 1]
    shape_loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), shapes.flatten())
    square = (message[..., none + 1 :] - colors).square().mean(dim=-1)
    return shape_loss + 10.0 * (square * target).sum() / target.sum().clamp(min=1.0)
