"""The records of a model, its requests and its replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.vlm.presentation import Codec, Order
from truehue.core.vlm.records import Question

Kind = Literal["local", "served", "baseline"]
PIXELS, CHANCE = "pixels", "chance"
BASELINES = (PIXELS, CHANCE)
"""Who answers without being a language model, by ids under which they can be asked."""
DTYPES = ("auto", "bfloat16", "float16", "float32")
DEVICE_MAPS = ("auto", "balanced", "none")
ATTENTIONS = ("", "eager", "sdpa", "flash_attention_2")
RESERVED_FIELDS = ("model", "messages", "stream", "n", *("max_tokens", "max_completion_tokens"))
"""Of a request: these have settings of their own, or would change what comes back."""
MAX_LOGPROBS = 20
LENGTHS = ("max_tokens", "max_completion_tokens")

Stop = Callable[[], bool]
"""Whether people want an end: looked at often while a model is at work."""

_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
S = TypeVar("S")


@dataclass(frozen=True)
class LocalSettings:
    """Of a model in transformers. ``dtype`` and ``device`` "auto" are what this machine is best
    at; ``batch`` questions are answered in one pass, padded at the left, where the processor can.
    ``device_map`` "auto" puts a model that one GPU cannot hold on all that are visible; "balanced"
    always does, "none" never. ``attention`` is transformers' implementation, its own choice where
    it is empty.
    """

    dtype: str = "auto"
    device: str = "auto"
    batch: int = 1
    device_map: str = "auto"
    attention: str = ""

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise BadInput(f"The dtype is {', '.join(DTYPES)}, not {self.dtype!r:.40}.")
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise BadInput(f"A device is auto, cpu, cuda, cuda:1 or mps, not {self.device!r:.40}.")
        if self.device_map not in DEVICE_MAPS:
            raise BadInput(
                f"The device map is {', '.join(DEVICE_MAPS)}, not {self.device_map!r:.40}."
            )
        if self.attention not in ATTENTIONS:
            raise BadInput(
                f"The attention is {', '.join(filter(None, ATTENTIONS))}, not "
                f"{self.attention!r:.40}."
            )
        _check_count("batch", self.batch, 256)


@dataclass(frozen=True)
class ServedSettings:
    """Of an OpenAI-compatible server. ``model`` is the name that it knows; ``key_env`` the *name*
    of the environment variable with the key, which itself is never written down. ``at_once``
    questions are under way at a time. ``length`` is the parameter by which it takes the most
    tokens, ``temperature`` whether it takes one: OpenAI's reasoning models want the second name,
    and no temperature. ``extra`` are further fields of each request. An image whose longer side
    has more than ``max_side_px`` pixels is made smaller. ``logprobs`` asks for the probabilities of
    letters.
    """

    model: str
    key_env: str = ""
    timeout_s: float = 120.0
    at_once: int = 4
    length: str = "max_tokens"
    temperature: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)
    max_side_px: int | None = None
    logprobs: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.extra, Mapping):
            raise BadInput("The extra fields of a request are a JSON object.")
        if reserved := [name for name in RESERVED_FIELDS if name in self.extra]:
            raise BadInput(f"{reserved[0]} has a setting of its own and is no extra field.")
        if self.max_side_px is not None:
            _check_count("max_side_px", self.max_side_px, 65_536)
        if not isinstance(self.model, str) or not self.model.strip():
            raise BadInput("Name the model that the server knows.")
        if self.length not in LENGTHS:
            raise BadInput(f"length is {' or '.join(LENGTHS)}, not {self.length!r:.40}.")
        if not isinstance(self.temperature, bool):
            raise BadInput("temperature is true or false: whether the server takes one.")
        _check_count("at_once", self.at_once, 256)


@dataclass(frozen=True)
class VisionModel:
    """A model that is asked about images.

    ``location`` of a ``local`` one is an id of the hub (owner/name) or a folder, of a ``served``
    one the URL that ``/chat/completions`` is appended to, of a ``baseline`` its id. ``settings``
    are those of :class:`LocalSettings` or :class:`ServedSettings`, and none of a baseline. Raises
    BadInput for what cannot be.
    """

    id: str
    kind: Kind
    location: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise BadInput(f"A model is {', '.join(get_args(Kind))}, not {self.kind!r:.40}.")
        if not self.location.strip():
            raise BadInput(f"The model {self.id} has no location.")
        if self.kind == "served":
            self.endpoint()
        elif self.kind == "local":
            self.local()
        elif self.location not in BASELINES or self.settings:
            raise BadInput(f"A baseline is {' or '.join(BASELINES)}, and has no settings.")

    def local(self) -> LocalSettings:
        """The settings of a local model."""
        return _settings(LocalSettings, self.settings)

    def served(self) -> ServedSettings:
        """The settings of a served model."""
        return _settings(ServedSettings, self.settings)

    def endpoint(self) -> Endpoint:
        """Its address, checked as every server's is."""
        served = self.served()
        return Endpoint(
            "server", self.location, served.model, served.key_env, timeout_s=served.timeout_s
        )

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, without keys: what a plan holds."""
        return {
            "id": self.id,
            "kind": self.kind,
            "location": self.location,
            "settings": dict(self.settings),
        }


@dataclass(frozen=True)
class Sampling:
    """How an answer is written: at most ``max_tokens``; the likeliest token each time where
    ``temperature`` is 0, else drawn by chance. With ``all_tokens`` a local model draws among all of
    them; without, among those that its own top_k and top_p leave."""

    max_tokens: int = 512
    temperature: float = 0.0
    all_tokens: bool = True


@dataclass(frozen=True, eq=False)
class ImagePrompt:
    """One prompt about one image. ``pixels`` gives uint8 sRGB ``(H, W, 3)`` when it is its turn,
    and may raise a TrueHueError; ``seed`` counts where chance enters. ``question`` is for who
    answers without a model. ``codec`` is what the image goes through, and ``order`` whether it
    stands before or after the text. ``letters`` are those whose probabilities are of interest."""

    prompt: str
    pixels: Callable[[], NDArray[np.uint8]]
    seed: int = 0
    question: Question | None = None
    codec: Codec = "png"
    order: Order = "first"
    letters: str = ""


@dataclass(frozen=True)
class Reply:
    """What a model said: ``words`` as they came.

    ``ending`` says why it stopped: ``stop`` by itself, ``length`` where its tokens were used up,
    or a server's own word. ``width`` and ``height`` are the image's as it was handed over, in
    pixels; ``seen`` is what the processor made of it, "" where that is not known. ``tokens_in`` and
    ``tokens_out`` are None where a server does not count. ``requests`` were sent for it.
    ``answered_by`` is the model's name as a server gives it. ``letters`` are the probabilities, 0
    to 1, that the first token is each of the letters that were asked for; empty where not known.
    """

    words: str
    ending: str
    seconds: float
    width: int
    height: int
    seen: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    requests: int = 0
    answered_by: str = ""
    letters: Mapping[str, float] = field(default_factory=dict)


class NoReply(TrueHueError):
    """There is no answer to this question, and why; ``requests`` were sent for it, and ``tokens``
    (in, out) paid for an answer that was kept back, None where that is not known.

    ``counts``: it may be the model's fault, not the question's; many in a row end the work.
    """

    def __init__(
        self,
        reason: str,
        requests: int = 0,
        *,
        counts: bool = True,
        tokens: tuple[int | None, int | None] = (None, None),
    ) -> None:
        super().__init__(reason)
        self.requests, self.counts, self.tokens = requests, counts, tokens


class Answerer(Protocol):
    """A model that can be asked."""

    def answers(
        self, image_prompts: Iterable[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply | NoReply]:
        """The reply to each, in their order, or why there is none; lazily, and closing the
        iterator gives up what is under way.

        Raises CannotAnswer where no further question could be answered, and Halted once ``stop``
        says so.
        """
        ...

    def close(self) -> None:
        """Gives back what it holds."""
        ...


class CannotAnswer(TrueHueError):
    """This model cannot be asked now, whatever the question: no key, no server, no budget."""


class EvaluationStopped(Exception):
    """People want an end, and the question in work was given up."""


def _settings(kind: type[S], values: Mapping[str, Any]) -> S:
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(values) - set(names))
    if unknown:
        raise BadInput(f"{unknown[0]!r:.60} is no setting. Known are: {', '.join(names)}.")
    try:
        return kind(**values)
    except TypeError as error:
        raise BadInput(f"A setting is missing: {error}.") from None


def _check_count(name: str, count: Any, limit: int) -> None:
    if type(count) is not int or not 1 <= count <= limit:
        raise BadInput(f"{name} is a number from 1 to {limit}, not {count!r:.40}.")
