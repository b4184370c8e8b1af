"""BLIP3-o 8B behind OpenAI's images API. Not run here with weights.

For JiuhaiChen/BLIP3o at 4689ec389e2b9108efc8b9761432538fc890156d, with its requirements.txt:

    git clone https://github.com/JiuhaiChen/BLIP3o && cd BLIP3o
    git checkout 4689ec389e2b9108efc8b9761432538fc890156d
    pip install -r requirements.txt
    hf download BLIP3o/BLIP3o-Model-8B --local-dir BLIP3o-Model-8B
    PYTHONPATH=. python /path/to/docs/guides/servers/blip3o.py --model BLIP3o-Model-8B --port 8002

As in the repository's inference.py the caption follows a fixed sentence, guidance is 3, and the seed
sets all generators. The size is the model's own, 1024 pixels: another one is refused. diffusers runs
pipeline_llava_gen.py of the downloaded folder: read it first, and use an environment of its own.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

from images_api import server

GUIDANCE, SIDE_PX = 3.0, 1024
CAPTION = "Please generate image based on the following caption: "


def main() -> None:
    """Loads the model and answers until Ctrl+C."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="the folder of BLIP3o/BLIP3o-Model-8B")
    parser.add_argument("--port", type=int, default=8002)
    options = parser.parse_args()
    folder = str(Path(options.model).expanduser().resolve())

    import numpy as np
    import torch
    from blip3o.conversation import conv_templates
    from blip3o.mm_utils import get_model_name_from_path
    from blip3o.model.builder import load_pretrained_model
    from blip3o.utils import disable_torch_init
    from diffusers import DiffusionPipeline

    disable_torch_init()
    name = get_model_name_from_path(folder)
    tokenizer, multi_model, _ = load_pretrained_model(folder, None, name)
    pipeline = DiffusionPipeline.from_pretrained(
        f"{folder}/diffusion-decoder",
        custom_pipeline="pipeline_llava_gen",
        torch_dtype=torch.bfloat16,
        use_safetensors=True,
        variant="bf16",
        multimodal_encoder=multi_model,
        tokenizer=tokenizer,
        safety_checker=None,
    )
    pipeline.vae.to("cuda")
    pipeline.unet.to("cuda")

    def generate(request: dict[str, Any], width: int, height: int) -> Any:
        if (width, height) != (SIDE_PX, SIDE_PX):
            raise ValueError(f"BLIP3-o generates {SIDE_PX}x{SIDE_PX} pixels, not {width}x{height}")
        seed = int(request.get("seed", 0))
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 (the generator that its code reads)
        torch.manual_seed(seed)
        conversation = conv_templates["qwen"].copy()
        conversation.append_message(conversation.roles[0], CAPTION + request["prompt"])
        conversation.append_message(conversation.roles[1], None)
        guidance = float(request.get("guidance_scale", GUIDANCE))
        return pipeline([conversation.get_prompt()], guidance_scale=guidance).image

    server(generate, options.port).serve_forever()


if __name__ == "__main__":
    main()
