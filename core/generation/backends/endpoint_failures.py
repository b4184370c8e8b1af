"""What a server's failure means: whether to ask again, and what to tell people."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Any

from core.errors import BadInput, TrueHueError
from core.generation.backends.endpoints import Endpoint

MAX_TRIES = 4
MAX_PAUSE_S = 60.0
_FIRST_PAUSE_S = 1.0
_SAID_CHARACTERS = 300  # of what a server answers
_BUSY = (429, 502, 503, 504)
_REFUSALS = ("content_policy", "content_filter", "moderation", "safety")


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
    pause = _retry_after_s(error.response.headers.get("retry-after", ""))
    if pause is None:
        pause = _FIRST_PAUSE_S * 2 ** (tries - 1)
    return pause if pause <= MAX_PAUSE_S else None


def told(error: Exception, end: Endpoint, key: str) -> TrueHueError:
    """A client's error as BadInput where another prompt may be drawn, else as EndpointFailed; in
    words that say what to do, and without the key, which servers like to quote."""
    import openai

    said = _said(error) if isinstance(error, openai.APIStatusError) else str(error)
    if key:
        said = said.replace(key, "(the key)")
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, end, said)
    if isinstance(error, openai.APITimeoutError):
        return EndpointFailed(
            f"{end.name} did not answer within {end.timeout_s:g} seconds. Raise timeout_s, or ask "
            "for a smaller image."
        )
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        return EndpointFailed(f"{end.base_url} cannot be reached ({cause}). Is {end.name} running?")
    return EndpointFailed(f"{end.name} answered with what is no images answer: {said}")


def _of_status(error: Any, end: Endpoint, said: str) -> TrueHueError:
    name, status = end.name, error.status_code
    if status in (401, 403):
        where = f"the environment variable {end.key_env}"
        if not end.key_env:
            where = "key_env, which names the environment variable with the key"
        return EndpointFailed(f"{name} did not accept the key ({status}). Check {where}. {said}")
    if status == 404:
        return EndpointFailed(
            f"{name} knows no such address or model ({status}). Check base_url {end.base_url} and "
            f"model {end.model!r}. {said}"
        )
    if status == 429:
        return EndpointFailed(
            f"{name} takes no more requests for now ({status}). Try again later. {said}"
        )
    if status >= 500:
        return EndpointFailed(f"{name} failed ({status}). {said}".rstrip())
    if any(sign in f"{error.code} {error.type} {said}".lower() for sign in _REFUSALS):
        return BadInput(f"{name} declines to draw this prompt: {said}")
    return BadInput(f"{name} cannot draw this ({status}): {said}")


def _said(error: Any) -> str:
    """The server's own words, on one line."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    text = message if isinstance(message, str) else error.response.text
    return " ".join(text.split())[:_SAID_CHARACTERS]


def _retry_after_s(named: str) -> float | None:
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
