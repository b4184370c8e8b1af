"""OmniGen2 behind OpenAI's images API. Not run here with weights.

For VectorSpaceLab/OmniGen2 at 0f72fa92564d9f8ba76f53fcc3c05aca2372458f, with its requirements.txt,
in a folder beside this one:

    git clone https://github.com/VectorSpaceLab/OmniGen2 && cd OmniGen2
    git checkout 0f72fa92564d9f8ba76f53fcc3c05aca2372458f
    pip install torch==2.6.0 torchvision==0.21.0 && pip install -r requirements.txt
    PYTHONPATH=. python /path/to/docs/guides/servers/omnigen2.py --port 8001

Settings are those of the repository's example_t2i.sh (50 steps, text guidance 4) and the negative
prompt is empty; the repository's own example passes one. It runs code of that repository: read it
first, and use an environment of its own.
"""

from __future__ import annotations

import argparse
from typing import Any

from images_api import server

MODEL = "OmniGen2/OmniGen2"
STEPS, GUIDANCE, MAX_TOKENS = 50, 4.0, 1024


def main() -> None:
    """Loads the model and answers until Ctrl+C."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default=MODEL, help="a folder, or an id of the hub")
    parser.add_argument("--port", type=int, default=8001)
    options = parser.parse_args()

    import torch
    from omnigen2.models.transformers.transformer_omnigen2 import OmniGen2Transformer2DModel
    from omnigen2.pipelines.omnigen2.pipeline_omnigen2 import OmniGen2Pipeline

    dtype = torch.bfloat16
    # The repository's loader asks for it: parts of the pipeline are classes of its own.
    pipeline = OmniGen2Pipeline.from_pretrained(
        options.model, torch_dtype=dtype, trust_remote_code=True
    )
    pipeline.transformer = OmniGen2Transformer2DModel.from_pretrained(
        options.model, subfolder="transformer", torch_dtype=dtype
    )
    pipeline.to("cuda")

    def generate(request: dict[str, Any], width: int, height: int) -> Any:
        return pipeline(
            prompt=request["prompt"],
            negative_prompt=request.get("negative_prompt", ""),
            width=width,
            height=height,
            num_inference_steps=int(request.get("num_inference_steps", STEPS)),
            text_guidance_scale=float(request.get("guidance_scale", GUIDANCE)),
            max_sequence_length=MAX_TOKENS,
            generator=torch.Generator("cuda").manual_seed(int(request.get("seed", 0))),
            output_type="pil",
        ).images[0]

    server(generate, options.port).serve_forever()


if __name__ == "__main__":
    main()
