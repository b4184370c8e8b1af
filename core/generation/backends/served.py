"""Models behind an OpenAI-compatible images endpoint, through OpenAI's own client."""

from __future__ import annotations

import asyncio
import base64
import binascii
import os
from collections.abc import Awaitable, Sequence
from importlib import metadata
from threading import Event
from typing import Any, TypeVar

from truehue.core.errors import BadInput, ImageError
from truehue.core.generation.backends.endpoints import (
    MAX_TRIES,
    Endpoint,
    EndpointFailed,
    failure_of,
    pause_s,
)
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    OnStep,
    StepReport,
)
from truehue.core.images.load import load_image
from truehue.core.refinement.settings import refuse

T = TypeVar("T")

REPRODUCIBLE = "not reproducible: served"

_LOOK_S = 0.1  # so often it is looked whether the drawing was cancelled


class ServedModel:
    """A model of somebody's server, as the engine's LoadedModel: it holds no memory here.

    The same seed need not give the same image: whoever runs the server decides, and may change the
    model behind the name. Every origin says so.
    """

    memory_bytes = 0
    # One request each: a batch that fails in part would be drawn, and paid, twice.
    batch_size = 1

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Asks the server for one image after the other; the whole image is one step.

        A server that is busy is asked again, up to four times, after the pause that it names.
        Raises BadInput for what this server cannot be asked or declines to draw, EndpointFailed
        for all else, Cancelled within a second after ``stop`` is set.
        """
        images = []
        for request in requests:
            images.append(asyncio.run(self._draw(request, stop)))
            on_step(StepReport(1, 1))
            if stop.is_set():
                raise Cancelled
        return images

    def unload(self) -> None:
        """Nothing is held."""

    async def _draw(self, request: GenerationRequest, stop: Event) -> GeneratedImage:
        from openai import AsyncOpenAI

        end, payload, key = self._endpoint, self._payload(request), self._key()
        client = AsyncOpenAI(
            # The client would send OPENAI_API_KEY to any server if none were given.
            api_key=key or "none",
            base_url=end.base_url,
            timeout=end.timeout_s,
            max_retries=0,
        )
        client.organization = client.project = None  # these it takes from the environment too
        async with client:
            answer = await self._answer(client, payload, key, stop)
        return self._image(request, payload, answer)

    async def _answer(self, client: Any, payload: dict[str, Any], key: str, stop: Event) -> Any:
        """The server's answer, after as many tries as it takes."""
        import openai

        for tries in range(1, MAX_TRIES + 1):
            try:
                return await _unless(stop, client.images.generate(**payload))
            except (openai.OpenAIError, ValueError) as error:  # ValueError: broken JSON
                pause = pause_s(error, tries)
                if pause is None:
                    raise failure_of(error, self._endpoint, key) from None
            await _unless(stop, asyncio.sleep(pause))
        raise AssertionError("the last try returns or raises")

    def _payload(self, request: GenerationRequest) -> dict[str, Any]:
        """The arguments of the client's call; raises BadInput for what cannot be asked."""
        end = self._endpoint
        if not request.text.strip():
            raise BadInput("The prompt is empty. A served model reads only its text.")
        refuse(request.options, "a served model")
        fields = {
            "seed": request.seed,
            "steps": request.steps,
            "guidance": request.guidance,
            "negative_text": request.negative_text or None,
        }
        extra = {}
        for name, value in fields.items():
            if name in end.fields and value is not None:
                extra[end.fields[name]] = value
            elif value is not None and name != "seed":
                raise BadInput(
                    f"{end.name} is not set up to take {name}. Leave it empty, or name the "
                    f"server's parameter for it under fields."
                )
        width, height = request.width or end.width, request.height or end.height
        payload: dict[str, Any] = {"prompt": request.text, "n": 1, "size": f"{width}x{height}"}
        if end.model:
            payload["model"] = end.model
        if end.response_format:
            payload["response_format"] = end.response_format
        if extra:
            payload["extra_body"] = extra
        return payload

    def _key(self) -> str:
        """The key, or "" for a server that wants none."""
        name = self._endpoint.key_env
        key = os.environ.get(name, "").strip() if name else ""
        if name and not key:
            raise EndpointFailed(
                f"{self._endpoint.name} wants a key: set the environment variable {name} and start "
                "TrueHue again."
            )
        return key

    def _image(
        self, request: GenerationRequest, payload: dict[str, Any], answer: Any
    ) -> GeneratedImage:
        end = self._endpoint
        items = getattr(answer, "data", None)
        item = items[0] if isinstance(items, list) and items else None
        encoded = getattr(item, "b64_json", None)
        if not encoded:
            raise EndpointFailed(
                f"{end.name} answered without an image in base64. Is {end.base_url} the address of "
                "an images API?"
            )
        try:
            # Some servers send a data URL: the base64 stands behind its comma.
            data = base64.b64decode(encoded.rpartition(",")[2], validate=True)
            loaded = load_image(data, f"{end.name}'s image")
        except (binascii.Error, ImageError) as error:
            raise EndpointFailed(f"{end.name} answered with a broken image: {error}") from error
        height, width, _ = loaded.srgb8.shape
        notes = list(loaded.notes)
        if f"{width}x{height}" != payload["size"]:
            notes.append(
                f"Asked for {payload['size']} pixels, the server returned {width}x{height}."
            )
        revised = getattr(item, "revised_prompt", None) or ""
        if revised and revised != request.text:
            notes.append(f"The server used another prompt: {revised}")
        origin = {
            "model": end.id,
            "base_url": end.base_url,
            "served_model": end.model,
            "text": request.text,
            "revised_text": revised,
            "seed": request.seed,
            "sent": dict(payload.get("extra_body", {})),
            "width": width,
            "height": height,
            "asked_size": payload["size"],
            "created": getattr(answer, "created", None),
            "reproducible": REPRODUCIBLE,
            "openai": metadata.version("openai"),
        }
        return GeneratedImage(loaded.srgb8, origin, notes=tuple(notes))


async def _unless(stop: Event, work: Awaitable[T]) -> T:
    """The result of ``work``; raises Cancelled, and ends the work, once ``stop`` is set."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            if stop.is_set():
                raise Cancelled
            await asyncio.wait({task}, timeout=_LOOK_S)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
