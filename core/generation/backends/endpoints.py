"""Servers that draw through OpenAI's images API, as a small JSON file names them.

::

{"endpoints": [
      {"name": "omnigen2", "base_url": "http://10.0.0.5:8000/v1", "model": "OmniGen2/OmniGen2",
       "key_env": "OMNIGEN_KEY", "width": 1024, "height": 1024, "timeout_s": 300,
       "fields": {"seed": "seed", "steps": "num_inference_steps", "guidance": "guidance_scale"},
       "response_format": "b64_json"}
    ]}

Only ``name`` and ``base_url`` must be there. One server can be named without a file, by the
environment's TRUEHUE_ENDPOINT (its base URL), TRUEHUE_ENDPOINT_MODEL and TRUEHUE_ENDPOINT_KEY.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from truehue.core.errors import BadInput, TrueHueError

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
