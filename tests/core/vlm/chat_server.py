"""A real HTTP server on this machine that speaks OpenAI's chat completions, well or badly."""

from __future__ import annotations

import base64
from typing import Any

from tests.core.generation.images_server import Answer, ImagesServer, answer_json, failure
from truehue.core.images.load import load_image


def completion(
    text: str | None, ending: str = "stop", logprobs_content: Any = None, **message: Any
) -> Answer:
    """An answer as OpenAI's server words it."""
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": ending,
        "message": {"role": "assistant", "content": text, **message},
    }
    if logprobs_content is not None:
        choice["logprobs"] = {"content": logprobs_content}
    usage = {"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "color-vlm-2026"}
    return answer_json(200, {**body, "choices": [choice], "usage": usage})


class ChatServer(ImagesServer):
    """Answers with the next of ``answers``; once there are none, with the color at the image's
    upper left corner and its size."""

    def _next(self, path: str, target: dict[str, Any]) -> Answer:
        if path != "/v1/chat/completions":
            return failure(404, f"Unknown request URL: POST {path}")
        if self.answers:
            return self.answers.pop(0)
        image, _ = target["messages"][0]["content"]
        head, _, data = image["image_url"]["url"].partition(",")
        assert head == "data:image/png;base64"
        srgb8 = load_image(base64.b64decode(data)).srgb8
        red, green, blue = (int(code) for code in srgb8[0, 0])
        height, width, _ = srgb8.shape
        return completion(f"({red}, {green}, {blue}) of {width}x{height}")
