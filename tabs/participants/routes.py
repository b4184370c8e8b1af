"""The routes of participants, all below ``/study/TOKEN``. They identify a participant only by the link
and the key of that study, and no other route accepts that key."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import brotli
import orjson
from fastapi import APIRouter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import language_accepted
from truehue.core.errors import BadInput
from truehue.tabs.page.answers import foreign, read_json
from truehue.tabs.page.answers import refusal as error_answer
from truehue.tabs.page.asset_files import PRIVATE_FOREVER, accepted_coding
from truehue.tabs.page.context import Context
from truehue.tabs.page.links import whole
from truehue.tabs.page.throttle import network_of
from truehue.tabs.page.visitor_cookies import is_https
from truehue.tabs.participants.images import ParticipantImages, nearest_side
from truehue.tabs.participants.page import PAGE_HEADERS, shell
from truehue.tabs.participants.posting import GONE, post
from truehue.tabs.participants.reading import Refusal, participant_id_of, read_list, texts_of
from truehue.tabs.participants.service import Participation, Visit, read_agreement
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.tokens import cookie, cookie_name
from truehue.tabs.participants.view import actions_at, glance_json, started_sketches, state_json

MAX_BYTES = 256 * 2**10
SLOWEST_S = 60.0
PACKED_FROM = 4096
"""Bytes from which an answer is compressed."""
NOWHERE = "This link leads to no study. It may be incomplete or no longer in use."
_PRIVATE = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex, nofollow"}

Answered = Callable[[Visit], Awaitable[Response]]


def participant_routes(context: Context) -> APIRouter:
    """The router of everything that participants reach, but for the page's own files."""
    participation = context.service(Participation)
    images = ParticipantImages(context.storage)

    async def visit_at(token: str) -> Visit | None:
        return None if context.demo else await participation.visit(token)

    async def answered(request: Request, do: Answered) -> Response:
        """What ``do`` answers at a link that leads somewhere; errors in words."""
        try:
            visit = await visit_at(request.path_params["token"])
            if visit is None:
                raise Refusal(NOWHERE, "nowhere", 404)
            return await do(visit)
        except Refusal as refused:
            participation.refusals.note(refused.code)
            field = {"field": refused.field} if refused.field else {}
            body = {"error": str(refused), "code": refused.code, **field}
            return JSONResponse(body, refused.status, headers=_PRIVATE)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:  # the page must get words, not a stack trace
            participation.refusals.note(type(error).__name__)
            answer = error_answer(error)
            answer.headers.update(_PRIVATE)
            return answer

    async def session_of(
        request: Request, visit: Visit, outside_id: str = ""
    ) -> ParticipantSession | None:
        key = request.cookies.get(cookie_name(visit.desk.study.id), "")
        return await participation.find_session(visit, key, outside_id)

    async def page(request: Request) -> Response:
        token = request.path_params["token"]
        visit = await visit_at(token)
        accepted = request.headers.get("accept-encoding", "")
        if visit is None:
            participation.refusals.note("nowhere")
            tag = language_accepted(request.headers.get("accept-language", "")).tag
            answer = await anyio.to_thread.run_sync(
                lambda: shell(tag, Kind.PAIRS, "unknown").answer(accepted, PAGE_HEADERS)
            )
            answer.status_code = 404
            return answer
        plan = visit.desk.plan()
        plain = not request.url.query
        return await anyio.to_thread.run_sync(
            lambda: shell(plan.language, plan.kind, token, plain).answer(accepted, PAGE_HEADERS)
        )

    async def state(request: Request) -> Response:
        async def state_answer(visit: Visit) -> Response:
            external = texts_of(request.query_params.multi_items())
            session = await session_of(request, visit, participant_id_of(external))
            if session is not None:
                await _whole(participation.catch_up(visit.desk, session))
            known = participation.returning(visit, external) if session is None else None
            sketches = {} if session is None else await started_sketches(visit.desk, session)
            content = state_json(visit.desk, session, known, sketches, external)
            if session is None and known is None:
                if participation.is_elsewhere(visit, external):
                    content["study"]["state"] = "session"
                elif participation.is_full(visit):
                    content["study"]["state"] = "full"
            return _json(request, content)

        return await answered(request, state_answer)

    async def enroll(request: Request) -> Response:
        async def enrolled(visit: Visit) -> Response:
            address = request.client.host if request.client else ""
            agreement = read_agreement(await _content(request), network_of(address))
            study_id = visit.desk.study.id
            key = request.cookies.get(cookie_name(study_id), "")
            session, new_key = await _whole(participation.enroll(visit, key, agreement))
            sketches = await started_sketches(visit.desk, session)
            answer = _json(request, state_json(visit.desk, session, sketches=sketches))
            if new_key:
                answer.headers.append(
                    "Set-Cookie", cookie(study_id, new_key, is_https(request.scope))
                )
            return answer

        return foreign(request) or await answered(request, enrolled)

    async def events(request: Request) -> Response:
        async def taken(visit: Visit) -> Response:
            entries = read_list(await _content(request))
            session = await session_of(request, visit)
            if session is None:
                raise Refusal(GONE, "unknown", 401)
            status, answer = await _whole(post(visit.desk, session, entries))
            for item in answer["refused"]:
                participation.refusals.note(item["code"])
            return _json(request, answer, status)

        return foreign(request) or await answered(request, taken)

    async def image(request: Request) -> Response:
        name = request.path_params["name"]
        side = whole(request.query_params.get("side", "0"), 2**16) or 0

        async def shown(visit: Visit) -> Response:
            image_id = visit.desk.images.get(name)
            if image_id is None:
                raise Refusal("There is no such image.", "no image", 404)
            nearest = nearest_side(side)
            # Not of the file: when it was stored tells models apart.
            headers = {**PRIVATE_FOREVER, "ETag": f'"{name}-{nearest}"'}
            if request.headers.get("if-none-match") == headers["ETag"]:
                return Response(status_code=304, headers=headers)
            if nearest:
                path = await images.scaled(image_id, nearest)
            else:
                path = await anyio.to_thread.run_sync(images.path, image_id)
            content = await anyio.to_thread.run_sync(path.read_bytes)
            return Response(content, media_type="image/png", headers=headers)

        return await answered(request, shown)

    async def sketch(request: Request) -> Response:
        sketch_id = request.path_params["sketch_id"]

        async def shown(visit: Visit) -> Response:
            if sketch_id not in visit.desk.sketches:
                raise Refusal("There is no such sketch.", "no sketch", 404)
            if request.url.path.endswith(".png"):
                made = await images.ink(sketch_id)
                return Response(made, media_type="image/png", headers=PRIVATE_FOREVER)
            accepted = request.headers.get("accept-encoding", "")
            return (await images.regions(sketch_id)).answer(accepted, PRIVATE_FOREVER)

        return await answered(request, shown)

    async def actions(request: Request) -> Response:
        async def actions_answer(visit: Visit) -> Response:
            session = await session_of(request, visit)
            if session is None:
                raise Refusal(GONE, "unknown", 401)
            position = session.trial(request.path_params["position"]).position
            actions = await actions_at(visit.desk, session, [position])
            return _json(request, {"position": position, "actions": actions[position]})

        return await answered(request, actions_answer)

    async def glance(request: Request) -> Response:
        async def glance_answer(visit: Visit) -> Response:
            session = await session_of(request, visit)
            if session is None:
                raise Refusal(GONE, "unknown", 401)
            return _json(request, {"sketches": glance_json(visit.desk, session)})

        return await answered(request, glance_answer)

    async def plate(request: Request) -> Response:
        async def shown(visit: Visit) -> Response:
            session = await session_of(request, visit)
            if session is None:
                raise Refusal(GONE, "unknown", 401)
            plates = session.plates
            index = request.path_params["index"]
            if index >= len(plates):
                raise Refusal("There is no such plate.", "no plate", 404)
            item = plates[index]
            made = await images.plate(item.digit, item.axis, item.seed)
            return Response(made, media_type="image/png", headers=_PRIVATE)

        return await answered(request, shown)

    async def patch(request: Request) -> Response:
        async def shown(visit: Visit) -> Response:
            session = await session_of(request, visit)
            if session is None:
                raise Refusal(GONE, "unknown", 401)
            name = request.path_params["name"]
            entry = next((item for item in session.patches if item.name == name), None)
            if entry is None:
                raise Refusal("There is no such patch.", "no patch", 404)
            made = await images.patch(entry)
            return Response(made, media_type="image/png", headers=_PRIVATE)

        return await answered(request, shown)

    # Plain routes of Starlette: they take half of the time of FastAPI's, and are in no description.
    return APIRouter(
        routes=[
            Route("/study/{token}", page),
            Route("/study/{token}/state", state),
            Route("/study/{token}/enroll", enroll, methods=["POST"]),
            Route("/study/{token}/events", events, methods=["POST"]),
            Route("/study/{token}/images/{name}.png", image),
            Route("/study/{token}/plates/{index:int}.png", plate),
            Route("/study/{token}/patches/{name}.png", patch),
            Route("/study/{token}/sketches/{sketch_id}.png", sketch),
            Route("/study/{token}/sketches/{sketch_id}.regions", sketch),
            Route("/study/{token}/actions/{position:int}", actions),
            Route("/study/{token}/glance", glance),
        ]
    )


async def _content(request: Request) -> Mapping[str, Any]:
    """The JSON object that was sent. Raises Refusal for a body over ``MAX_BYTES``."""
    too_large = Refusal(
        f"Too much at once: {MAX_BYTES // 1024} kB is the maximum.", "too large", 413
    )
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or int(length[:12]) > MAX_BYTES:
        raise too_large
    data, more = bytearray(), True
    try:
        async with asyncio.timeout(SLOWEST_S):
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                data += message.get("body", b"")
                more = message.get("more_body", False)
                if len(data) > MAX_BYTES:
                    raise too_large
    except TimeoutError:
        raise BadInput("The request timed out. Try again.") from None
    return _object(bytes(data))


def _object(data: bytes) -> Mapping[str, Any]:
    with contextlib.suppress(orjson.JSONDecodeError):
        if isinstance(content := orjson.loads(data), dict):
            return content
    return read_json(data)  # which says what is wrong with it


async def _whole(work: Any) -> Any:
    """Waits for it; it goes on where the one who asked hangs up: what was begun is finished."""
    return await asyncio.shield(asyncio.ensure_future(work))


def _json(request: Request, content: Mapping[str, Any], status: int = 200) -> Response:
    """An answer that is nobody else's, compressed where it is long."""
    body = orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS)
    headers = dict(_PRIVATE)
    if len(body) >= PACKED_FROM:
        headers["Vary"] = "Accept-Encoding"
        coding = accepted_coding(request.headers.get("accept-encoding", ""))
        if coding:
            headers["Content-Encoding"] = coding
        if coding == "br":
            body = brotli.compress(body, quality=4)
        elif coding == "gzip":
            body = gzip.compress(body, compresslevel=5, mtime=0)
    return Response(body, status, headers, "application/json")
