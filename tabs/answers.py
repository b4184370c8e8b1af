"""How our HTTP routes take bodies and answer: errors are words with a status, never a trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any
from urllib.parse import unquote

import anyio
from fastapi import Request
from fastapi.responses import JSONResponse

from core.errors import BadInput, NotStored, TrueHueError
from tabs.guard import message_of

MOST_JSON_BYTES = 32 * 2**20

Answer = dict[str, Any]


def guarded(make: Callable[[], Answer]) -> JSONResponse:
    """What ``make`` returns as JSON, or its error in words."""
    try:
        return JSONResponse(make())
    except Exception as error:  # the page must get words, not a stack trace
        return refusal(error)


def refusal(error: Exception) -> JSONResponse:
    """The answer to a request that cannot be served: 404, 400, or 500 for what nobody foresaw.

    Of an error that knows the ``field`` of a form it speaks of, that is told too.
    """
    if isinstance(error, NotStored):
        return JSONResponse({"error": str(error)}, 404)
    field = getattr(error, "field", "")
    said = {"error": message_of(error), **({"field": field} if field else {})}
    return JSONResponse(said, 400 if isinstance(error, TrueHueError) else 500)


async def posted(request: Request, make: Callable[[Answer], Answer]) -> JSONResponse:
    """Calls ``make`` with the JSON object that was sent, in a thread."""
    if (refused := _foreign(request)) is not None:
        return refused
    try:
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > MOST_JSON_BYTES:
                raise BadInput("That is too much at once. Send fewer prompts.")
        given = read_json(bytes(data))
        return JSONResponse(await anyio.to_thread.run_sync(make, given))
    except Exception as error:
        return refusal(error)


def read_json(data: bytes) -> Answer:
    """The JSON object that a page sent, empty for nothing. Raises BadInput for anything else, also
    for what Python's reader has limits of its own for: depth, and digits of a number."""
    try:
        given = json.loads(data or b"{}")
        if rb"\ud" in data.lower():
            # Half a character is JSON, but no text that could be stored or answered.
            json.dumps(given, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadInput("The page sent no JSON that can be read. Reload the page.") from None
    if not isinstance(given, dict):
        raise BadInput("The page sent no JSON object. Reload the page.")
    return given


async def uploaded(
    request: Request, most_bytes: int, make: Callable[[Path, str], Answer],
    limiter: anyio.CapacityLimiter | None = None,
) -> JSONResponse:  # fmt: skip
    """Calls ``make`` with a temporary file that holds the request's body, and its name."""
    if (refused := _foreign(request)) is not None:
        return refused
    name = Path(unquote(request.headers.get("x-file-name", ""))).name[:200]
    try:
        with NamedTemporaryFile(prefix="truehue-upload-") as file:
            await _receive(request, file, most_bytes)
            return JSONResponse(
                await anyio.to_thread.run_sync(make, Path(file.name), name, limiter=limiter)
            )
    except Exception as error:
        return refusal(error)


def _foreign(request: Request) -> JSONResponse | None:
    # A page elsewhere cannot set this header without asking first, so it cannot change things here.
    if request.headers.get("x-truehue") != "1":
        return JSONResponse({"error": "The header X-TrueHue: 1 is missing."}, 403)
    return None


async def _receive(request: Request, file: IO[bytes], most_bytes: int) -> None:
    """Writes the request's body to the file; raises BadInput when it grows over the limit."""
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most_bytes:
            limit = most_bytes // 2**20
            raise BadInput(f"The file is larger than {limit} MB. Save it smaller and try again.")
        file.write(part)
    file.flush()
