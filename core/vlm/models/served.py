"""Models behind an OpenAI-compatible server, through OpenAI's own client: chat completions.

Images are sent as lossless PNG in a data URL. Several questions are pending at a time, on one event
loop in a thread of its own; an abandoned question closes its connection.
"""

from __future__ import annotations

import asyncio
import base64
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.generation.backends.endpoints import MAX_TRIES, pause_s
from truehue.core.images.load import encode_png
from truehue.core.vlm.calibration import letter_of
from truehue.core.vlm.models.busy import (
    SAME_REFUSALS,
    BusyRetry,
    RefusalCounter,
    ReportWait,
)
from truehue.core.vlm.models.records import (
    MAX_LOGPROBS,
    CannotAnswer,
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    Sampling,
    Stop,
    VisionModel,
)
from truehue.core.vlm.presentation import Codec, jpeg

FIRST_PAUSE_S = 1.0
"""Before a server that could not be reached is tried again; doubled each time."""
_LOOK_S = 0.1
_SAID_CHARACTERS = 300


@dataclass
class Budget:
    """The most ``requests`` and ``tokens`` (in and out) that may be spent; None: no end.

    What was ``spent`` before counts. No request begins when one of them is used up; those under
    way then are finished, so tokens may go beyond it by what these take. ``on_spent`` is told of
    requests and tokens as they are spent, of a request before it is sent.
    """

    requests: int | None = None
    tokens: int | None = None
    spent_requests: int = 0
    spent_tokens: int = 0
    on_spent: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        for name, limit in (("requests", self.requests), ("tokens", self.tokens)):
            if limit is not None and limit < 1:
                raise BadInput(f"The most {name} are at least 1, not {limit}.")

    def spend(self, requests: int = 0, tokens: int = 0) -> None:
        """Counts it, and says so. Raises what ``on_spent`` raises."""
        self.spent_requests += requests
        self.spent_tokens += tokens
        if self.on_spent is not None:
            self.on_spent(requests, tokens)

    def check(self) -> None:
        """Raises CannotAnswer where no request may begin any more."""
        for name, spent, limit in (
            ("requests", self.spent_requests, self.requests),
            ("tokens", self.spent_tokens, self.tokens),
        ):
            if limit is not None and spent >= limit:
                raise CannotAnswer(
                    f"The budget is used up: {spent:,} of {limit:,} {name}. Raise it to go on."
                )


class Refused(NoReply):
    """The server would not take a request: by the question, or by what all requests have."""


class ServedAnswerer:
    """A model of somebody's server; it holds no memory here."""

    def __init__(
        self,
        model: VisionModel,
        budget: Budget | None = None,
        report_wait: ReportWait | None = None,
    ) -> None:
        self._model, self._served = model, model.served()
        self._budget = budget or Budget()
        self._patience = BusyRetry(report_wait)
        # Tokens that were spent before are of answers.
        self._refusals = RefusalCounter(answered=self._budget.spent_tokens > 0)
        self._key = self._read_key()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="served model", daemon=True
        )
        self._thread.start()
        self._client: Any = None

    def answers(
        self, image_prompts: Iterable[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply | NoReply]:
        """See :class:`truehue.core.vlm.models.records.Answerer`."""
        waiting = iter(image_prompts)
        under_way: deque[Future[Reply]] = deque()
        try:
            while True:
                while len(under_way) < self._served.at_once:
                    ask = next(waiting, None)
                    if ask is None:
                        break
                    question = self._reply(ask, sampling)
                    under_way.append(asyncio.run_coroutine_threadsafe(question, self._loop))
                if not under_way:
                    return
                try:
                    reply: Reply | NoReply = _result(under_way[0], stop)
                    self._refusals.answer()
                except NoReply as error:
                    reply = error
                self._check_refusals(reply)
                yield reply
                under_way.popleft()
        finally:
            for future in under_way:
                future.cancel()

    def _check_refusals(self, reply: Reply | NoReply) -> None:
        """Raises CannotAnswer where the server refuses all questions alike."""
        if isinstance(reply, Refused) and self._refusals.refuse(str(reply)):
            raise CannotAnswer(
                f"{SAME_REFUSALS} questions in a row, and no other before, were refused alike, so "
                f"it is hardly the questions. {reply} Check what is sent (--name, --length-by, "
                "--no-temperature, --max-tokens), then retry unanswered questions."
            )

    def close(self) -> None:
        """Gives up what is under way, and ends the thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._client is not None:
            await self._client.close()

    async def _reply(self, ask: ImagePrompt, sampling: Sampling) -> Reply:
        import openai

        try:
            srgb8 = _within(ask.pixels(), self._served.max_side_px)
        except TrueHueError as error:
            raise NoReply(str(error), counts=False) from error
        payload = self._payload(ask, srgb8, sampling)
        begin = time.monotonic()
        tries = requests = 0
        while True:
            await self._patience.wait()
            self._budget.check()
            self._spend(requests=1)
            requests, sent_at = requests + 1, time.monotonic()
            try:
                answer = await self._open().chat.completions.create(**payload)
            except (openai.OpenAIError, ValueError) as error:  # ValueError: broken JSON
                if isinstance(error.__cause__, CannotAnswer):  # of _check_host
                    raise error.__cause__ from None
                if self._patience.is_refused(error, sent_at):
                    continue
                tries += 1
                pause = _pause(error, tries)
                if pause is None:
                    raise self._failure(error, requests) from None
                await asyncio.sleep(pause)
                continue
            self._patience.answered()
            return self._read(ask, answer, srgb8.shape, time.monotonic() - begin, requests)

    def _spend(self, **label: int) -> None:
        """Raises CannotAnswer where it cannot be written down: no more is spent then."""
        try:
            self._budget.spend(**label)
        except DataFolderError as error:
            raise CannotAnswer(str(error)) from error

    def _open(self) -> Any:
        """The client; made on the loop's own thread."""
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        if self._client is None:
            self._client = AsyncOpenAI(
                # The client would send OPENAI_API_KEY to any server if none were given.
                api_key=self._key or "none",
                base_url=self._model.location,
                timeout=self._served.timeout_s,
                max_retries=0,
                http_client=DefaultAsyncHttpxClient(event_hooks={"request": [self._check_host]}),
            )
            # These it takes from the environment too.
            self._client.organization = self._client.project = None
        return self._client

    async def _check_host(self, request: Any) -> None:
        """Raises CannotAnswer where a redirect would send images and questions to another host than
        the one that somebody named, or in the open where https was named."""
        # Both as the client writes them: without a scheme's own port, hosts in ASCII.
        target = request.url
        named = type(target)(self._model.location)
        in_the_open = (named.scheme, target.scheme) == ("https", "http")
        if in_the_open or (named.raw_host, named.port) != (target.raw_host, target.port):
            location = "without encryption" if in_the_open else "to another host"
            raise CannotAnswer(
                f"{self._model.location} redirects {location}, to {str(target)[:200]}. Nothing was "
                "sent there. Name that address if it is the server that you mean."
            )

    def _payload(
        self, ask: ImagePrompt, srgb8: NDArray[np.uint8], sampling: Sampling
    ) -> dict[str, Any]:
        content: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": _data_url(srgb8, ask.codec)}},
            {"type": "text", "text": ask.prompt},
        ]
        if ask.order == "last":
            content.reverse()
        payload: dict[str, Any] = {
            "model": self._served.model,
            "messages": [{"role": "user", "content": content}],
            self._served.length: sampling.max_tokens,
        }
        if self._served.temperature:
            payload["temperature"] = sampling.temperature
        if sampling.temperature > 0:
            payload["seed"] = ask.seed
        if self._served.logprobs and ask.letters:
            payload |= {"logprobs": True, "top_logprobs": MAX_LOGPROBS}
        if self._served.extra:
            payload["extra_body"] = dict(self._served.extra)
        return payload

    def _read(
        self, ask: ImagePrompt, answer: Any, shape: tuple[int, ...], seconds: float, tries: int
    ) -> Reply:
        usage = getattr(answer, "usage", None)
        tokens_in = _count(getattr(usage, "prompt_tokens", None))
        tokens_out = _count(getattr(usage, "completion_tokens", None))
        self._spend(tokens=(tokens_in or 0) + (tokens_out or 0))
        choices: Any = getattr(answer, "choices", None)
        message = getattr(choices[0], "message", None) if choices else None
        if message is None:
            raise CannotAnswer(
                f"{self._model.location} answered with what is no chat completion. Is it the "
                "address of an OpenAI-compatible server?"
            )
        ending = str(getattr(choices[0], "finish_reason", "") or "")
        text = getattr(message, "content", None) or getattr(message, "refusal", None) or ""
        if not text and ending == "content_filter":
            raise NoReply(
                "The server declines to answer: its filter of contents stopped it.",
                tries,
                counts=False,
                tokens=(tokens_in, tokens_out),
            )
        return Reply(
            words=str(text),
            ending=ending,
            seconds=seconds,
            width=shape[1],
            height=shape[0],
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            requests=tries,
            answered_by=str(getattr(answer, "model", "") or ""),
            letters=_letters(choices[0], ask.letters),
        )

    def _read_key(self) -> str:
        """The key, or "" for a server that wants none."""
        name = self._served.key_env
        key = os.environ.get(name, "").strip() if name else ""
        if name and not key:
            raise CannotAnswer(
                f"{self._model.id} wants a key: set the environment variable {name}, and go on."
            )
        return key

    def _failure(self, error: Exception, tries: int) -> TrueHueError:
        """CannotAnswer where no question could be answered, else NoReply of this one; without
        the key, which servers like to quote."""
        import openai

        location = self._model.location
        if isinstance(error, openai.APITimeoutError):
            return NoReply(
                f"The server did not answer within {self._served.timeout_s:g} seconds.", tries
            )
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            return CannotAnswer(f"{location} cannot be reached ({cause}). Is it running?")
        if not isinstance(error, openai.APIStatusError):
            said = self._without_key(str(error))
            return NoReply(f"The server's answer cannot be read: {said}", tries)
        status, said = error.status_code, self._without_key(_error_message(error))
        if status in (401, 403):
            name = self._served.key_env
            location = (
                f"the environment variable {name}" if name else "--key-env, which names its key"
            )
            return CannotAnswer(
                f"The server did not accept the key ({status}). Check {location}. {said}"
            )
        if status == 404:
            return CannotAnswer(
                f"The server knows no such address or model ({status}). Check {location} and "
                f"{self._served.model!r}. {said}"
            )
        if status == 429:
            waited = self._patience.waited_s
            after = f" after {waited / 60:.0f} min of waiting" if waited >= 60 else ""
            return CannotAnswer(
                f"The server takes no more requests for now ({status}){after}. {said}"
            )
        if status >= 500:
            return NoReply(f"The server failed ({status}). {said}".rstrip(), tries)
        return Refused(f"The server cannot answer this ({status}): {said}", tries, counts=False)

    def _without_key(self, text: str) -> str:
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "(the key)")
        return text[:_SAID_CHARACTERS]


def _data_url(srgb8: NDArray[np.uint8], codec: Codec) -> str:
    """The image as a data URL, lossless but for JPEG."""
    content = jpeg(srgb8) if codec == "jpeg-75" else encode_png(srgb8)
    kind = "jpeg" if codec == "jpeg-75" else "png"
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"


def _within(srgb8: NDArray[np.uint8], max_side_px: int | None) -> NDArray[np.uint8]:
    """An image whose longer side is at most so long: each new pixel is the mean of those that it
    covers, of encoded values, so that no color is new beyond those between neighbors."""
    height, width = srgb8.shape[:2]
    if max_side_px is None or max(height, width) <= max_side_px:
        return srgb8
    from PIL import Image

    scale = max_side_px / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    image = Image.fromarray(np.ascontiguousarray(srgb8))
    return np.asarray(image.resize(size, Image.Resampling.BOX), dtype=np.uint8)


def _letters(choice: Any, letters: str) -> dict[str, float]:
    """The probabilities of letters as the first token, of those that the server lists."""
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not letters or not content:
        return {}
    out = dict.fromkeys(letters, 0.0)
    for item in getattr(content[0], "top_logprobs", None) or ():
        letter = letter_of(str(item.token), letters)
        if letter is not None:
            out[letter] += math.exp(min(0.0, float(item.logprob)))
    return out


def _result(future: Future[Reply], stop: Stop) -> Reply:
    """What came of a question; raises Halted once ``stop`` says so."""
    while True:
        if stop():
            raise EvaluationStopped
        try:
            return future.result(timeout=_LOOK_S)
        except NotYet:
            if future.done():
                raise
        except CancelledError:
            raise EvaluationStopped from None


def _pause(error: Exception, tries: int) -> float | None:
    """Seconds until it is asked again after so many tries; None where that is of no use. A server
    that is away for a moment is waited for; one that answers too late is not asked twice."""
    import openai

    if isinstance(error, openai.APIConnectionError) and tries < MAX_TRIES:
        if isinstance(error, openai.APITimeoutError):
            return None
        return FIRST_PAUSE_S * float(2 ** (tries - 1))
    if isinstance(error, openai.APIStatusError) and error.status_code == 429:
        return None  # it was waited for, or asks for too much patience
    return pause_s(error, tries)


def _error_message(error: Any) -> str:
    """The server's own words."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else str(error.response.text)


def _count(number: Any) -> int | None:
    return number if type(number) is int and number >= 0 else None
