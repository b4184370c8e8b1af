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
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import BadInput

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
        given = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text. Save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{path} is not JSON: {error.msg} at {where}.") from error
    except RecursionError as error:
        raise BadInput(f"{path} is nested too deeply: this is no list of servers.") from error
    listed = given.get("endpoints") if isinstance(given, dict) else None
    if not isinstance(listed, list) or set(given) != {"endpoints"}:
        raise BadInput(f'{path} must be {{"endpoints": [ ... ]}} and nothing else.')
    found: dict[str, Endpoint] = {}
    for number, entry in enumerate(listed, start=1):
        try:
            endpoint = _endpoint(entry)
        except BadInput as error:
            raise BadInput(f"{path}, server {number}: {error}") from None
        if endpoint.name in found:
            raise BadInput(f"{path}, server {number}: the name {endpoint.name!r} is there twice.")
        found[endpoint.name] = endpoint
    return tuple(found.values())


def endpoints_here(path: Path | None = None) -> tuple[Endpoint, ...]:
    """The servers of the file, if one is given, and the one that the environment names, as
    ``served:endpoint``. Raises BadInput as :func:`read_endpoints` does."""
    found = read_endpoints(path) if path is not None else ()
    url = os.environ.get(URL_VARIABLE, "").strip()
    if not url:
        return found
    if any(endpoint.name == "endpoint" for endpoint in found):
        raise BadInput(f"{path} names a server 'endpoint', and so does {URL_VARIABLE}. Rename it.")
    key_env = KEY_VARIABLE if os.environ.get(KEY_VARIABLE) else ""
    model = os.environ.get(MODEL_VARIABLE, "").strip()
    try:
        return (*found, Endpoint("endpoint", url, model, key_env))
    except BadInput as error:
        raise BadInput(f"{URL_VARIABLE}: {error}") from None


def _endpoint(entry: Any) -> Endpoint:
    if not isinstance(entry, dict):
        raise BadInput(f"it is an object with name and base_url, not {entry!r:.60}.")
    known = [item.name for item in fields(Endpoint)]
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise BadInput(f"{unknown[0]!r:.60} is not known. Known are: {', '.join(known)}.")
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


def _check_fields(given: Any) -> None:
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and name for name in given.values()
    ):
        raise BadInput('fields maps our names to the server\'s, such as {"seed": "seed"}.')
    unknown = sorted(str(name) for name in set(given) - set(FIELDS))
    if unknown:
        raise BadInput(f"fields knows {', '.join(FIELDS)}, not {unknown[0]!r:.60}.")
