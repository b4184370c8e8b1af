"""Servers that generate through OpenAI's images API, declared in a small JSON file.

::

{"endpoints": [
      {"name": "omnigen2", "base_url": "http://10.0.0.5:8000/v1", "model": "OmniGen2/OmniGen2",
       "key_env": "OMNIGEN_KEY", "width": 1024, "height": 1024, "timeout_s": 300,
       "fields": {"seed": "seed", "steps": "num_inference_steps", "guidance": "guidance_scale"},
       "response_format": "b64_json"}
    ]}

Only ``name`` and ``base_url`` are required. One server can be declared without a file, by the
environment's TRUEHUE_ENDPOINT (its base URL), TRUEHUE_ENDPOINT_MODEL and TRUEHUE_ENDPOINT_KEY.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import math
import os
import re
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from email.utils import parsedate_to_datetime
from importlib import metadata
from pathlib import Path
from threading import Event
from typing import Any, TypeVar
from urllib.parse import urlsplit

from truehue.core.errors import BadInput, ImageError, TrueHueError
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    OnStep,
    StepReport,
)
from truehue.core.images.load import load_image
from truehue.core.refinement.settings import refuse

MAX_TRIES = 4
MAX_PAUSE_S = 60.0
_FIRST_PAUSE_S = 1.0
_SAID_CHARACTERS = 300  # of what a server answers
_BUSY = (429, 502, 503, 504)
_REFUSALS = ("content_policy", "content_filter", "moderation", "safety")

URL_VARIABLE = "TRUEHUE_ENDPOINT"
MODEL_VARIABLE = "TRUEHUE_ENDPOINT_MODEL"
KEY_VARIABLE = "TRUEHUE_ENDPOINT_KEY"

# What of a request a server may take beyond OpenAI's own parameters.
FIELDS = ("seed", "steps", "guidance", "negative_text")
RESPONSE_FORMATS = ("b64_json", "")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Endpoint:
    """One server. Raises BadInput for what no server can be asked with.

    ``base_url`` is what ``/images/generations`` is appended to, ``model`` the name that the server
    knows ("" leaves it out). ``key_env`` is the *name* of the environment variable that holds the
    key: a key itself is never written down. ``width`` and ``height`` are asked for where a request
    names no size. ``fields`` maps seed, steps, guidance and negative_text to the names under which
    this server takes them; what is not there is not sent. ``response_format`` is "" for servers
    that refuse the parameter and send base64 anyway (OpenAI's GPT Image models).
    """

    name: str
    base_url: str
    model: str = ""
    key_env: str = ""
    width: int = 1024
    height: int = 1024
    timeout_s: float = 300.0
    fields: Mapping[str, str] = field(default_factory=dict)
    response_format: str = "b64_json"

    @property
    def id(self) -> str:
        """Its model id: ``served:name``."""
        return f"served:{self.name}"

    def __post_init__(self) -> None:
        for name in ("name", "base_url", "model", "key_env", "response_format"):
            if not isinstance(getattr(self, name), str):
                raise BadInput(f"{name} is text, not {getattr(self, name)!r:.60}.")
        if not _NAME.fullmatch(self.name):
            raise BadInput(
                f"The name {self.name!r:.80} must be 1 to 60 letters, digits, dots, dashes or "
                "underscores, the first a letter or a digit."
            )
        if self.key_env and not _VARIABLE.fullmatch(self.key_env):
            # Not quoted: it is a key, as like as not.
            raise BadInput(
                "key_env is the name of an environment variable, such as OMNIGEN_KEY. Put the key "
                "itself into that variable, never into a file."
            )
        _check_url(self.base_url)
        for name in ("width", "height"):
            side = getattr(self, name)
            if not isinstance(side, int) or isinstance(side, bool) or not 64 <= side <= 4096:
                raise BadInput(f"{name} is a whole number of pixels from 64 to 4096, not {side!r}.")
        _check_timeout(self.timeout_s)
        _check_fields(self.fields)
        if self.response_format not in RESPONSE_FORMATS:
            raise BadInput(
                f'response_format is "b64_json" or "", not {self.response_format!r:.60}.'
            )


def read_endpoints(path: Path) -> tuple[Endpoint, ...]:
    """The servers of a file, in its order. Raises BadInput, naming file and entry, for a file that
    cannot be read as above; an entry is never skipped."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise BadInput(f"{path} is over {_MAX_BYTES:,} bytes: this is no list of servers.")
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text. Save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        location = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{path} is not JSON: {error.msg} at {location}.") from error
    except RecursionError as error:
        raise BadInput(f"{path} is nested too deeply: this is no list of servers.") from error
    listed = content.get("endpoints") if isinstance(content, dict) else None
    if not isinstance(listed, list) or set(content) != {"endpoints"}:
        raise BadInput(f'{path} must be {{"endpoints": [ ... ]}} and nothing else.')
    endpoints: dict[str, Endpoint] = {}
    for number, entry in enumerate(listed, start=1):
        try:
            endpoint = _endpoint(entry)
        except BadInput as error:
            raise BadInput(f"{path}, server {number}: {error}") from None
        if endpoint.name in endpoints:
            raise BadInput(f"{path}, server {number}: the name {endpoint.name!r} is there twice.")
        endpoints[endpoint.name] = endpoint
    return tuple(endpoints.values())


def configured_endpoints(path: Path | None = None) -> tuple[Endpoint, ...]:
    """The servers of the file, if one is given, and the one that the environment names, as
    ``served:endpoint``. Raises BadInput as :func:`read_endpoints` does."""
    endpoints = read_endpoints(path) if path is not None else ()
    url = os.environ.get(URL_VARIABLE, "").strip()
    if not url:
        return endpoints
    if any(endpoint.name == "endpoint" for endpoint in endpoints):
        raise BadInput(f"{path} names a server 'endpoint', and so does {URL_VARIABLE}. Rename it.")
    key_env = KEY_VARIABLE if os.environ.get(KEY_VARIABLE) else ""
    model = os.environ.get(MODEL_VARIABLE, "").strip()
    try:
        return (*endpoints, Endpoint("endpoint", url, model, key_env))
    except BadInput as error:
        raise BadInput(f"{URL_VARIABLE}: {error}") from None


def _endpoint(entry: Any) -> Endpoint:
    if not isinstance(entry, dict):
        raise BadInput(f"it is an object with name and base_url, not {entry!r:.60}.")
    names = [item.name for item in fields(Endpoint)]
    unknown = sorted(set(entry) - set(names))
    if unknown:
        raise BadInput(f"{unknown[0]!r:.60} is not known. Known are: {', '.join(names)}.")
    absent = [name for name in ("name", "base_url") if name not in entry]
    if absent:
        raise BadInput(f"{' and '.join(absent)} must be there.")
    return Endpoint(**entry)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        port_is_good = parts.port != 0
    except ValueError:
        raise BadInput(f"base_url {url!r:.80} is no address.") from None
    if parts.username is not None or parts.password is not None:
        raise BadInput("base_url holds a user or a password. Put the key into key_env's variable.")
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_good:
        raise BadInput(
            f"base_url {url!r:.80} must begin with http:// or https:// and name a server, such as "
            "http://127.0.0.1:8000/v1."
        )
    if parts.query or parts.fragment or any(mark.isspace() for mark in url):
        raise BadInput(f"base_url {url!r:.80} must have no blanks and nothing after ? or #.")


def _check_timeout(seconds: Any) -> None:
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not math.isfinite(seconds) or not 0 < seconds <= 3600:
        raise BadInput(f"timeout_s is a number of seconds up to 3600, not {seconds!r:.60}.")


def _check_fields(mapping: Any) -> None:
    if not isinstance(mapping, Mapping) or not all(
        isinstance(name, str) and name for name in mapping.values()
    ):
        raise BadInput('fields maps our names to the server\'s, such as {"seed": "seed"}.')
    unknown = sorted(str(name) for name in set(mapping) - set(FIELDS))
    if unknown:
        raise BadInput(f"fields knows {', '.join(FIELDS)}, not {unknown[0]!r:.60}.")


class EndpointFailed(TrueHueError):
    """The server cannot be reached, is not to be had, or did not answer with an image."""


def pause_s(error: Exception, tries: int) -> float | None:
    """Seconds to wait before asking again after so many tries; None where that is of no use.

    ``error`` is one of OpenAI's client. The server's Retry-After counts, in seconds or as a date;
    without one the pause doubles each time. A server that wants more than a minute is given up.
    """
    import openai

    if tries >= MAX_TRIES or not isinstance(error, openai.APIStatusError):
        return None
    if error.status_code not in _BUSY or error.code == "insufficient_quota":
        return None
    pause = retry_after_s(error.response.headers.get("retry-after", ""))
    if pause is None:
        pause = _FIRST_PAUSE_S * 2 ** (tries - 1)
    return pause if pause <= MAX_PAUSE_S else None


def failure_of(error: Exception, end: Endpoint, key: str) -> TrueHueError:
    """A client's error as BadInput where another prompt may be drawn, else as EndpointFailed; in
    words that say what to do, and without the key, which servers like to quote."""
    import openai

    message = _message_of(error) if isinstance(error, openai.APIStatusError) else str(error)
    if key:
        message = message.replace(key, "(the key)")
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, end, message)
    if isinstance(error, openai.APITimeoutError):
        return EndpointFailed(
            f"{end.name} did not answer within {end.timeout_s:g} seconds. Raise timeout_s, or ask "
            "for a smaller image."
        )
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return EndpointFailed(f"{end.base_url} cannot be reached ({cause}). Is {end.name} running?")
    return EndpointFailed(f"{end.name} answered with what is no images answer: {message}")


def _of_status(error: Any, end: Endpoint, message: str) -> TrueHueError:
    name, status = end.name, error.status_code
    if status in (401, 403):
        location = f"the environment variable {end.key_env}"
        if not end.key_env:
            location = "key_env, which names the environment variable with the key"
        return EndpointFailed(
            f"{name} did not accept the key ({status}). Check {location}. {message}"
        )
    if status == 404:
        return EndpointFailed(
            f"{name} knows no such address or model ({status}). Check base_url {end.base_url} and "
            f"model {end.model!r}. {message}"
        )
    if status == 429:
        return EndpointFailed(
            f"{name} accepts no more requests for now ({status}). Try again later. {message}"
        )
    if status >= 500:
        return EndpointFailed(f"{name} failed ({status}). {message}".rstrip())
    if any(sign in f"{error.code} {error.type} {message}".lower() for sign in _REFUSALS):
        return BadInput(f"{name} declines to generate this prompt: {message}")
    return BadInput(f"{name} cannot generate this ({status}): {message}")


def _message_of(error: Any) -> str:
    """The server's own words, on one line."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    text = message if isinstance(message, str) else error.response.text
    return " ".join(text.split())[:_SAID_CHARACTERS]


def retry_after_s(named: str) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or an HTTP date; None for neither."""
    try:
        seconds = float(named)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(named).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
        return max(0.0, seconds)
    return seconds if seconds >= 0 else None


T = TypeVar("T")

REPRODUCIBLE = "not reproducible: served"

_LOOK_S = 0.1  # so often it is looked whether the drawing was cancelled


class ServedModel:
    """A served model, as the engine's LoadedModel: it holds no memory on this machine.

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
