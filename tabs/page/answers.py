"""Bodies and responses of our HTTP routes: errors are messages with a status, never a traceback."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any
from urllib.parse import unquote

import anyio
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from truehue.core.errors import BadInput, NotAllowed, NotStored, StorageError, TrueHueError
from truehue.core.files import MAX_JSON_VALUES, json_values
from truehue.tabs.page.errors import RELOAD, as_text_for_user, is_full, message_of, shorten
from truehue.tabs.page.refusals import note_refusal

MAX_JSON_BYTES = 2**20
MAX_BASKET_BYTES = 32 * 2**20
"""For what sends whole baskets: a hundred thousand prompts by their names."""

SLOWEST_S = 120.0
LATER_S = 5
SILENT_S = 30.0
"""So long a file that is being sent may pause."""
FILES_AT_ONCE = 8
BUSY = "Too many files are being sent at the moment. Try again in a minute."
_LARGE_AT_ONCE = anyio.CapacityLimiter(2)
_FILES = anyio.CapacityLimiter(FILES_AT_ONCE)
# What needs no quotes in a header and is a file's name on every system.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")

Fields = dict[str, Any]
"""What a page sent, before it is read as a record."""
Answer = Mapping[str, Any]
"""What a route answers: a TypedDict, from which the types of the scripts are generated."""


class TooLarge(BadInput):
    """More was sent at once than is taken."""


_ENDING = "the app ends"
_endless: set[asyncio.Task[Any]] = set()


class PlainJson(JSONResponse):
    """An answer as JSON; records in it are objects."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=asdict
        )
        return text.encode()


def json_answer(make: Callable[[], Answer]) -> JSONResponse:
    """What ``make`` returns as JSON, or its error in words."""
    try:
        return PlainJson(make())
    except Exception as error:  # the page must get words, not a stack trace
        return refusal(error)


def refusal(error: Exception) -> JSONResponse:
    """The answer to a request that cannot be served: 404, 400, 403 to who may not do it, 413 for
    more than is taken at once, 503 where the data folder cannot be used at the moment, 507 where
    the disk is full, or 500 for what nobody foresaw.

    Of an error that knows the ``field`` of a form it speaks of, that is told too.
    """
    if isinstance(error, ClientDisconnect):  # nobody reads it, and a trace would fill the log
        note_refusal("what was broken off while it was sent")
        return JSONResponse({"error": "The connection ended before all was sent."}, 400)
    if isinstance(error, NotStored):
        return JSONResponse({"error": message_of(error)}, 404)
    field = getattr(error, "field", "")
    body = {"error": message_of(error), **({"field": field} if field else {})}
    if isinstance(error, NotAllowed):
        return JSONResponse(body, 403)
    if isinstance(error, TooLarge):
        return JSONResponse(body, 413)
    if is_full(error) or isinstance(error, StorageError):
        # It may well be stored later: pages send it again.
        status = 507 if is_full(error) else 503
        return JSONResponse(body, status, {"Retry-After": str(LATER_S)})
    status = 400 if isinstance(error, TrueHueError) else 500
    return JSONResponse(body, status)


def attachment(file_name: str) -> dict[str, str]:
    """The header by which a browser saves an answer under ``file_name``.

    Raises ValueError for a name with anything but letters, digits, dots, hyphens and underscores.
    """
    if not _PLAIN_NAME.fullmatch(file_name):
        raise ValueError(f"{file_name!r} is no plain name of a file.")
    return {"Content-Disposition": f'attachment; filename="{file_name}"'}


def csv_attachment(make: Callable[[], tuple[str, str]]) -> Response:
    """The file whose name and CSV text ``make`` returns, to be saved, or its error in words."""
    try:
        file_name, text = make()
        headers = attachment(file_name)
    except Exception as error:
        return refusal(error)
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


async def posted(
    request: Request,
    make: Callable[[Fields], Answer],
    max_bytes: int = MAX_JSON_BYTES,
    limiter: anyio.CapacityLimiter | None = None,
) -> JSONResponse:
    """Calls ``make`` with the JSON object that was sent, in a thread of the ``limiter``, where it is
    read too.

    Of bodies over ``MAX_JSON_BYTES``, which only some routes take, two are held at a time.
    """
    if (refused := foreign(request)) is not None:
        return refused
    try:
        async with AsyncExitStack() as held:
            data = await _body(request, max_bytes, held)
            answer = await anyio.to_thread.run_sync(
                lambda: make(read_json(bytes(data))), limiter=limiter
            )
            return PlainJson(answer)
    except Exception as error:
        return refusal(error)


async def _body(request: Request, max_bytes: int, held: AsyncExitStack) -> bytearray:
    """The body; a large one waits for its turn, which it keeps for as long as ``held`` is open."""
    data, large = bytearray(), False
    try:
        with anyio.fail_after(SLOWEST_S):
            async for part in request.stream():
                data += part
                if len(data) > max_bytes:
                    raise TooLarge(
                        f"That is too large: {max_bytes // 2**20} MB are the limit. Send less."
                    )
                if len(data) > MAX_JSON_BYTES and not large:
                    large = True
                    await held.enter_async_context(_LARGE_AT_ONCE)
    except TimeoutError:
        raise BadInput(
            f"The upload did not arrive within {SLOWEST_S:g} seconds. Try again."
        ) from None
    return data


def read_json(data: bytes) -> Fields:
    """The JSON object that a page sent, empty for nothing. Raises BadInput for anything else, also
    for what Python's reader has limits of its own for: depth, and digits of a number."""
    if json_values(data) > MAX_JSON_VALUES:
        raise BadInput(f"That is more than {MAX_JSON_VALUES:,} values at once. Send less.")
    try:
        content = json.loads(data or b"{}")
        if rb"\ud" in data.lower():
            # Half a character is JSON, but no text that could be stored or answered.
            json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadInput(f"What was sent is no JSON that can be read. {RELOAD}") from None
    if not isinstance(content, dict):
        raise BadInput(f"What was sent is no JSON object. {RELOAD}")
    return content


async def receive_upload(
    request: Request,
    max_bytes: int,
    make: Callable[[Path, str], Answer],
    limiter: anyio.CapacityLimiter | None = None,
    require_space: Callable[[int], None] | None = None,
) -> JSONResponse:
    """Calls ``make`` with a temporary file that holds the request's body, and its name.

    ``FILES_AT_ONCE`` are taken at once, and none that says to be too large, or larger than what
    ``require_space`` has space for: what strangers send cannot fill the disk before it is looked at.
    """
    if (refused := foreign(request)) is not None:
        return refused
    name = Path(unquote(request.headers.get("x-file-name", ""))).name[:200]
    length = request.headers.get("content-length", "")
    size = int(length[:15]) if length.isascii() and length.isdigit() else 0
    try:
        _check_size(size, max_bytes)
        if require_space is not None:
            require_space(size)
        async with AsyncExitStack() as turn:
            with anyio.move_on_after(SILENT_S) as waited:
                await turn.enter_async_context(_FILES)
            if waited.cancelled_caught:
                return JSONResponse({"error": BUSY}, 503, {"Retry-After": str(LATER_S)})
            with NamedTemporaryFile(prefix="truehue-upload-") as file:
                await _receive(request, file, max_bytes)
                return PlainJson(
                    await anyio.to_thread.run_sync(make, Path(file.name), name, limiter=limiter)
                )
    except Exception as error:
        return refusal(error)


def foreign(request: Request) -> JSONResponse | None:
    """The answer to a request that a page elsewhere may have sent, or None."""
    # A page elsewhere cannot set this header without asking first, so it cannot change things here.
    if request.headers.get("x-truehue") != "1":
        note_refusal("a change without the header that pages of ours send")
        return JSONResponse({"error": "The header X-TrueHue: 1 is missing."}, 403)
    return None


async def _receive(request: Request, file: IO[bytes], max_bytes: int) -> None:
    """Writes the request's body to the file; raises BadInput when it grows over the limit, and when
    nothing comes for ``SILENT_S``."""
    size, parts = 0, request.stream()
    while True:
        try:
            with anyio.fail_after(SILENT_S):
                part = await anext(parts, None)
        except TimeoutError:
            raise BadInput("The file stopped on its way. Try again.") from None
        if part is None:
            break
        size += len(part)
        _check_size(size, max_bytes)
        file.write(part)
    file.flush()


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        limit = max_bytes // 2**20
        raise TooLarge(f"The file is larger than {limit} MB. Save it smaller and try again.")


async def wrong_value(_: Request, error: Exception) -> JSONResponse:
    """The answer to a value in an address that is of the wrong kind, such as ``limit=abc``: 400."""
    named = []
    for problem in error.errors() if isinstance(error, RequestValidationError) else ():
        excerpt = shorten(str(problem.get("input", "")), 60)
        named.append(
            f"“{problem['loc'][-1]}” cannot be {excerpt!r}: {str(problem['msg']).lower()}."
        )
    text = " ".join(named[:3]) or "A value in the address cannot be read."
    return JSONResponse({"error": as_text_for_user(f"{text} {RELOAD}")}, 400)


async def error_response(_: Request, error: Exception) -> JSONResponse:
    """The answer to what no route of TrueHue takes, with the status that it has."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    messages = {404: "There is nothing at this address.", 405: "This address is read-only."}
    return JSONResponse({"error": messages.get(status, "This request cannot be answered.")}, status)


@contextmanager
def endless() -> Iterator[None]:
    """Marks the answer that is made in the block: like Gradio's streams and long polls, it may end
    only with the page that asked for it."""
    task = asyncio.current_task()
    assert task is not None
    _endless.add(task)
    try:
        yield
    finally:
        _endless.discard(task)


def cut_endless() -> None:
    """Ends all of these, when the app is told to end; whatever else is at work has its time."""
    for task in list(_endless):
        task.cancel(_ENDING)


@contextmanager
def until_ending() -> Iterator[None]:
    """Ends the block, and no more, when the app is told to end: what waited in it answers now."""
    try:
        with endless():
            yield
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if error.args != (_ENDING,) or task is None:
            raise
        task.uncancel()
