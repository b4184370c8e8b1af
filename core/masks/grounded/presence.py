"""Presence by Janus: one yes/no question per object, all questions of an image in one batch.

The paper uses Janus-1.3B (section 3.4); its weights are not in transformers' layout, Janus-Pro's
are. The released code (moatifbutt/gen-color-bench @ 802a3ba) also asks about each object, in COA,
MOC and ICA alone: it quotes the prompt, asks whether the object is visible as a distinct, separate
one, and searches the whole answer for yes or no if it begins with neither. Its repository has no
license text, so the wording of the question is ours, and answers may differ.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import save_count
from truehue.core.generation.weights.folders import JanusParts, device_bytes, read_janus
from truehue.core.machine import Placement
from truehue.core.masks.grounded.records import PAPER_QUESTION, Answer, Presence, PresenceQuestion
from truehue.core.masks.grounded.transformers_loading import computing
from truehue.core.prompts.prompt import article

Protocol = Literal["paper", "released", "truehue"]
_UNKNOWN: Mapping[str, bool | None] = MappingProxyType(
    {"paper": None, "released": False, "truehue": None}
)
MAX_NAME_CHARACTERS = 200
_LEADING_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_SINGULAR_S = frozenset(("atlas", "canvas", "gas", "iris", "lens", "oasis", "tennis", "thermos"))
_PLURAL_OTHERWISE = frozenset(
    ("children", "feet", "geese", "men", "mice", "people", "teeth", "women")
)
# Among them those of the bundled prompts that take neither article nor plural.
_NOT_COUNTED = (
    "arugula asparagus bamboo basil beer bread broccoli butter celery cereal cheese chocolate choy "
    "clothing coffee corn furniture garlic grass honey ivy jasmine jelly jewelry juice kale "
    "lavender lettuce luggage milk mint moss oatmeal okra parsley pasta rice salt sand seaweed "
    "snow spinach straw sugar sushi tea toast water wheat wood yogurt"
)
_NO_ARTICLE = frozenset(_NOT_COUNTED.split())
_FIRST_WORD = re.compile(r"\W*(yes|no)\b(?!\s*(?:/|,?\s*or\b)\s*(?:yes|no)\b)", re.IGNORECASE)

ANSWER_TOKENS = 10  # as in the released code
AT_ONCE = 8
"""Questions of one batch: each holds the image's 576 tokens in memory."""


def load_presence(
    folder: Path, placement: Placement, revision: str = "", model_id: str = "janus"
) -> JanusPresence:
    """Loads a Janus in the hub's layout as a PresenceModel.

    Nothing is downloaded, no code of the folder is run. Raises BadModelFolder for a folder that
    holds no whole Janus.
    """
    again = f"Get it again with: python -m truehue masks download {model_id}"
    loaded = JanusPresence(read_janus(folder, placement, again), placement, revision, model_id)
    save_count(loaded)
    return loaded


class JanusPresence:
    """A Janus that answers whether objects are in an image, as the engine's tool."""

    def __init__(
        self, parts: JanusParts, placement: Placement, revision: str, model_id: str
    ) -> None:
        self._parts: JanusParts | None = parts
        self._placement, self._id, self.revision = placement, model_id, revision
        self._yes, self._no = _first_tokens(parts.processor.tokenizer)

    @property
    def placement(self) -> Placement:
        """Where its weights are."""
        return self._placement

    @property
    def id(self) -> str:
        """Its id in the registry of vision models."""
        return self._id

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights on the device: all, or the largest layer where layers are moved."""
        return 0 if self._parts is None else device_bytes(self._parts.model, self._placement)

    @property
    def ram_bytes(self) -> int:
        """Bytes of weights that wait in main memory; 0 where all are on the device."""
        if self._parts is None or self._placement.offload == "none":
            return 0
        return self._parts.weight_bytes

    def ask(
        self,
        srgb8: np.ndarray,
        object_names: Sequence[str],
        form: PresenceQuestion = PAPER_QUESTION,
    ) -> tuple[Presence, ...]:
        """One answer an object, in the asked order.

        ``srgb8`` uint8 ``(H, W, 3)``; ``form`` is how the questions are put. The image is encoded
        once. The answer is what the model says (the likeliest token each time), ``yes_percent`` its
        probability of yes against no at the first token, over their spellings. Raises BadInput for
        an image of another kind or a name that cannot be asked, TrueHueError for an unloaded model
        or one that computes no numbers.
        """
        import torch

        if self._parts is None:
            raise TrueHueError(f"{self._id} was unloaded; load it again to ask.")
        if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or not srgb8.size:
            raise BadInput(
                f"An image is uint8 of (height, width, 3), not {srgb8.dtype} {srgb8.shape}."
            )
        questions = [self._question(name, form) for name in object_names]
        if not questions:
            return ()
        with torch.inference_mode(), computing(self._placement.device, form.autocast):
            seen = self._encoded(srgb8)
            rows = list(zip(object_names, questions, strict=True))
            return tuple(
                answer
                for some in (rows[n : n + AT_ONCE] for n in range(0, len(rows), AT_ONCE))
                for answer in self._answers(some, seen, form)
            )

    def unload(self) -> None:
        """Drops the weights; safe to call twice."""
        self._parts = None
        gc.collect()

    def _question(self, object_name: str, form: PresenceQuestion) -> str:
        """The question of an object; raises BadInput for one that holds a token of the model's."""
        assert self._parts is not None
        text = question(object_name, form)
        for token in self._parts.processor.tokenizer.all_special_tokens:
            if token in text:
                holder = "object's name" if token in object_name else "prompt"
                raise BadInput(f"The {holder} holds {token!r}, a sign of the model's own.")
        return text

    def _encoded(self, srgb8: np.ndarray) -> _EncodedImage:
        """The image through the vision encoder: embeddings ``(1, N, D)``."""
        from PIL import Image

        assert self._parts is not None
        image = Image.fromarray(np.ascontiguousarray(srgb8))
        pixels = self._parts.processor.image_processor(images=[image], return_tensors="pt")
        model = self._parts.model
        values = pixels["pixel_values"].to(self._placement.device, model.dtype)
        features = model.model.get_image_features(values, return_dict=True)
        return _EncodedImage(image.resize((16, 16)), features.pooler_output)

    def _answers(
        self, rows: Sequence[tuple[str, str]], seen: _EncodedImage, form: PresenceQuestion
    ) -> list[Presence]:
        """The answers to one batch of (name, question)."""
        import torch

        assert self._parts is not None
        processor, model = self._parts.processor, self._parts.model
        prompts = [_prompt(processor, question_text) for _, question_text in rows]
        inputs = processor(
            text=prompts,
            images=[seen.small] * len(rows),
            generation_mode="text",
            padding=True,
            padding_side="left",  # so that every row ends where its answer begins
            return_tensors="pt",
        )
        ids = inputs["input_ids"].to(self._placement.device)
        embedded = model.get_input_embeddings()(ids)
        images = seen.embeddings.to(embedded.dtype).expand(len(rows), -1, -1)
        local = (ids == model.config.image_token_id).unsqueeze(-1)
        generation = model.generate(
            inputs_embeds=embedded.masked_scatter(local, images),
            attention_mask=inputs["attention_mask"].to(self._placement.device),
            generation_mode="text",
            max_new_tokens=ANSWER_TOKENS,
            max_length=None,  # a config's own would be warned of at each question
            do_sample=False,
            return_dict_in_generate=True,
            output_logits=True,
        )
        likely = torch.log_softmax(generation.logits[0].float(), dim=-1).cpu()
        texts = processor.batch_decode(generation.sequences, skip_special_tokens=True)
        return [
            self._presence((name, question_text), text.strip(), row, form)
            for (name, question_text), text, row in zip(rows, texts, likely, strict=True)
        ]

    def _presence(
        self, requested: tuple[str, str], text: str, likely: Any, form: PresenceQuestion
    ) -> Presence:
        """The record of one answer; ``likely`` are the log probabilities of its first token."""
        import torch

        if not torch.isfinite(likely).any() or torch.isnan(likely).any():
            raise TrueHueError(
                f"{self._id} computed no numbers ({self._placement.dtype}). Take a machine that "
                "computes in bfloat16, or answer by hand."
            )
        percent = None
        if self._yes and self._no:
            yes, no = (torch.logsumexp(likely[list(source)], 0) for source in (self._yes, self._no))
            percent = float(torch.sigmoid(yes - no)) * 100
        name, question_text = requested
        answer = parse_presence(text, form.wording)
        return Presence(name, answer, question_text, text, percent, self._id)


@dataclass(frozen=True)
class _EncodedImage:
    """An image that was encoded, and a small one in its place: the processor takes an image a
    question to put the image's tokens into each, and its pixels are not needed again."""

    small: Any
    embeddings: Any


def _prompt(processor: Any, question_text: str) -> str:
    content = [{"type": "image"}, {"type": "text", "text": question_text}]
    conversation = [{"role": "user", "content": content}]
    return str(processor.apply_chat_template(conversation, add_generation_prompt=True))


def _first_tokens(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tokens with which the spellings of yes, and those of no, begin.

    With a vocabulary that has them as one token each these are the words themselves. A token that
    begins both (a space of its own) tells nothing and is left out.
    """
    begins: list[set[int]] = []
    for word in ("yes", "no"):
        spelled = [f"{space}{form}" for space in ("", " ") for form in _forms(word)]
        coded = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in spelled]
        begins.append({int(ids[0]) for ids in coded if len(ids)})
    yes, no = begins
    return tuple(sorted(yes - no)), tuple(sorted(no - yes))


def _forms(word: str) -> tuple[str, ...]:
    return word, word.capitalize(), word.upper()


def question(object_name: str, form: PresenceQuestion = PAPER_QUESTION) -> str:
    """``"Is there a car in the image? Answer yes or no."``, or the ``released`` form's.

    The paper's words (section 3.4, "Is there a car in the image") and what makes the answer one
    word. ``"Are there skis ..."`` for plurals, no article for what is not counted. Raises BadInput
    for an empty name or one of more than 200 characters.
    """
    name = _LEADING_ARTICLE.sub("", " ".join(object_name.split()))
    if not name:
        raise BadInput("The object has no name. Write what to look for, as in: car.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise BadInput(
            f"The object's name has {len(name):,} characters, {MAX_NAME_CHARACTERS} at most."
        )
    if form.wording == "released":
        return _released_question(name, " ".join(form.prompt_text.split()))
    last = name.rpartition(" ")[2].casefold()
    if _is_plural(last):
        opening = f"Are there {name}"
    elif last in _NO_ARTICLE:
        opening = f"Is there {name}"
    else:
        opening = f"Is there {article(name)} {name}"
    return f"{opening} in the image? Answer yes or no."


def _released_question(name: str, prompt_text: str) -> str:
    """In our words what the released code asks; see the head of this module."""
    opening = f"An image generator was given the prompt “{prompt_text}”. " if prompt_text else ""
    return (
        f"{opening}Look closely at the image. Can the {name} be seen in it as a distinct object, "
        "separate from all others? Answer yes or no."
    )


def parse_presence(text: str, wording: str = "paper") -> Answer:
    """What a model said: its first word decides. What begins with neither yes nor no, or repeats
    the choice ("yes or no"), is ``unknown``, never guessed.

    The ``released`` code takes the first letters ("nothing" is no), and where these are neither,
    the one of both that occurs anywhere.
    """
    if wording == "released":
        message = text.lower().replace(".", "").replace(",", "").strip()
        said = [answer for answer in ("yes", "no") if message.startswith(answer)]
        said = said or [answer for answer in ("yes", "no") if answer in message]
        return cast(Answer, said[0]) if len(said) == 1 else "unknown"
    match = _FIRST_WORD.match(text)
    if match is None:
        return "unknown"
    return "yes" if match[1].lower() == "yes" else "no"


def present(answer: Answer, protocol: str) -> bool | None:
    """Whether an answer counts as present; None leaves the image unscored.

    An unknown answer is absence in the ``released`` code (PROTOCOLS 1.3); the ``paper`` says
    nothing of it, and ``truehue`` judges nothing that was not answered. Raises BadInput for another
    protocol.
    """
    if protocol not in _UNKNOWN:
        raise BadInput(f"There is no protocol {protocol!r:.60}: {', '.join(_UNKNOWN)}.")
    return _UNKNOWN[protocol] if answer == "unknown" else answer == "yes"


def _is_plural(word: str) -> bool:
    if word in _PLURAL_OTHERWISE:
        return True
    return (
        word.endswith("s")
        and not word.endswith(("ss", "us"))
        and word not in (_SINGULAR_S | _NO_ARTICLE)
    )
