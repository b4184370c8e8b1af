"""A pipeline's decoder: in float32 whatever the rest computes in, and in tiles where memory runs out.

A decoder in bfloat16 has 8 bits of precision for 256 levels of each color. diffusers decodes in
float32 only where weights are float16 (``needs_upcasting`` in its pipeline of SDXL), so that on
modern cards nobody's would.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Mapping
from typing import Any

from truehue.core.generation.backends.families import set_dtype
from truehue.core.generation.memory import NotEnoughMemory, is_out_of_memory

TILE_PX = 512
"""Side of a tile at most, in pixels: a tile of 1024 would be the whole of most images."""


class Decoder:
    """The decoder of a loaded pipeline, for as long as that is.

    It computes in float32. When memory runs out it decodes the same latents again in overlapping
    ``tiles``, and stays so; seams are blended, and pixels near them differ by a few levels.
    """

    def __init__(self, pipeline: Any) -> None:
        self.tiles = False
        self._vae: Any = getattr(pipeline, "vae", None)
        if self._vae is not None and hasattr(self._vae, "decode"):
            own = self._vae.decode

            @functools.wraps(own)
            def decode(z: Any, *args: Any, **kwargs: Any) -> Any:
                return self._decode(own, z, args, kwargs)

            self._vae.decode = decode

    def _decode(self, own: Any, z: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        import torch

        # On a Mac, diffusers turns a decoder to the latents' type.
        set_dtype(self._vae, torch.float32)
        z = z.to(torch.float32)
        if not self.tiles and hasattr(self._vae, "enable_tiling"):
            try:
                return own(z, *args, **kwargs)
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
            self._use_tiles()
        try:
            return own(z, *args, **kwargs)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            # Sana's pipeline turns torch's own error into a warning, and has no image then.
            also = ", also in tiles" if self.tiles else ""
            raise NotEnoughMemory(f"Memory ran out in the decoder{also}: {error}") from error

    def _use_tiles(self) -> None:
        vae = self._vae
        vae.enable_tiling()
        side_px = getattr(vae, "tile_sample_min_size", None)
        if isinstance(side_px, int) and side_px > TILE_PX:
            vae.tile_latent_min_size = vae.tile_latent_min_size * TILE_PX // side_px
            vae.tile_sample_min_size = TILE_PX
        self.tiles = True
        free_memory(str(vae.device).partition(":")[0])


def free_memory(device: str) -> None:
    """Gives back what torch keeps of freed tensors on ``device``."""
    gc.collect()
    if device == "cpu":
        return
    import torch

    if device == "cuda":
        torch.cuda.empty_cache()
    elif device == "mps":
        torch.mps.empty_cache()
