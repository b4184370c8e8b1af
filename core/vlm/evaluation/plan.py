"""The plan of one evaluation, its model, questions and settings, and its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.batch.folder import PLAN, BatchFolder, json_bytes, json_object
from truehue.core.batch.records import WorkNames
from truehue.core.errors import BadInput, DataFolderError, ImageError
from truehue.core.files import replace_file
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.load import image_id, load_image
from truehue.core.vlm.models.files import with_dtype
from truehue.core.vlm.models.records import Sampling, VisionModel
from truehue.core.vlm.models.registry import fingerprint
from truehue.core.vlm.parsing import FIRST as FIRST_PARSER
from truehue.core.vlm.parsing import RELEASED as RELEASED_PARSER
from truehue.core.vlm.parsing import VERSION as PARSER
from truehue.core.vlm.presentation import OURS, RELEASED, TRUEHUE, Presentation
from truehue.core.vlm.question_set import open_set
from truehue.core.vlm.records import Form, Question
from truehue.core.vlm.variants import gray


class Version(StrEnum):
    """``gray`` asks what a model knows without color, ``black`` what it says without seeing."""

    COLORED = "colored"
    GRAY = "gray"
    BLACK = "black"


def as_sent(srgb8: NDArray[np.uint8], version: Version) -> NDArray[np.uint8]:
    """uint8 ``(H, W, 3)`` in and out. Gray is :func:`truehue.core.vlm.variants.gray`;
    black is an image of the same size."""
    if version is Version.BLACK:
        return np.zeros_like(srgb8)
    return gray(srgb8) if version is Version.GRAY else srgb8


def read_question_image(path: Path, expected_id: str, version: Version) -> NDArray[np.uint8]:
    """The pixels of a question's image as they are sent, uint8 sRGB ``(H, W, 3)``. Raises
    ImageError where the file cannot be read, or holds other pixels than the question was made
    for."""
    srgb8 = load_image(path).srgb8
    if image_id(srgb8) != expected_id:
        raise ImageError(f"{path} holds other pixels than those the question was made for.")
    return as_sent(srgb8, version)


VERSION = 1
"""Rises where the same plan would ask otherwise."""
QUESTIONS = "questions.jsonl"
WAITING = "waiting.json"
PLACES = "places.json"
"""Where the set and its images lie: no part of what is asked, for a folder may be moved."""
MAX_SEED = 2**31 - 1

PromptText = Callable[[Question], str]
"""The text that is sent with a question's image."""


@dataclass(frozen=True)
class QuestionSource:
    """Where questions are from: ``path`` of the set, and the ``checksum`` of what is in it."""

    path: str
    checksum: str


@dataclass(frozen=True)
class EvaluationSettings:
    """How it is asked. ``style`` names the prompt's, such as ``plain`` or ``reasoned``; the prompts
    themselves are in the folder. A question's seed is ``seed`` plus its position. ``presentation``
    is the rest of the protocol."""

    style: str = "plain"
    version: Version = Version.COLORED
    max_tokens: int = 512
    temperature: float = 0.0
    seed: int = 0
    presentation: Presentation = OURS

    def __post_init__(self) -> None:
        if self.version not in tuple(Version):
            raise BadInput(f"The image is {', '.join(Version)}, not {self.version!r:.40}.")
        if type(self.max_tokens) is not int or not 1 <= self.max_tokens <= 65_536:
            raise BadInput(f"The most tokens are 1 to 65,536, not {self.max_tokens!r:.40}.")
        if not 0 <= self.temperature <= 2:
            raise BadInput(f"The temperature is 0 to 2, not {self.temperature!r:.40}.")
        if type(self.seed) is not int or not 0 <= self.seed <= MAX_SEED:
            raise BadInput(f"The seed is 0 to {MAX_SEED:,}, not {self.seed!r:.40}.")

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, as a plan has it: plans of TrueHue's own presentation do not name it."""
        fields = {key: value for key, value in vars(self).items() if key != "presentation"}
        presentation = self.presentation.as_json()
        return {**fields, **({"presentation": presentation} if presentation else {})}

    @property
    def sampling(self) -> Sampling:
        """What of it a model is told."""
        return Sampling(self.max_tokens, self.temperature)


@dataclass(frozen=True)
class PromptedQuestion:
    """A question as it is asked: its ``prompt``, and where the PNG of its image lies."""

    question: Question
    image: Path
    prompt: str


class EvaluationFolder(BatchFolder):
    """Its plan names the set, the model and the settings. Beside it lie ``questions.jsonl``, a line
    with question and prompt each, and ``places.json``, where the images are.

    Folders of before have an image's path in each line, and perhaps no ``places.json``.
    """

    words = WorkNames("asking", "question", "questions")

    def plan_files(self) -> tuple[Path, ...]:
        """The questions, too."""
        return (*super().plan_files(), self.path / QUESTIONS)

    def checked(self, summary: dict[str, Any]) -> dict[str, Any]:
        """The plan, with all that it names."""
        for name in ("model", "settings", "set"):
            if not isinstance(summary.get(name), dict):
                raise BadInput(f"it does not say its {name}")
        return super().checked(summary)

    def settings(self) -> EvaluationSettings:
        """Of the plan."""
        fields = dict(self.summary()["settings"])
        presentation = Presentation(**fields.pop("presentation", {}))
        fields = {**fields, "version": Version(fields["version"]), "presentation": presentation}
        return EvaluationSettings(**fields)

    def protocol(self) -> str:
        """The name of its protocol: all that its numbers may be compared within."""
        return protocol_name(self.settings(), str(self.summary().get("protocol", "")))

    def model(self) -> VisionModel:
        """Of the plan, with the settings that it was begun with."""
        fields = self.summary()["model"]
        return VisionModel(fields["id"], fields["kind"], fields["location"], fields["settings"])

    def sampling(self) -> Sampling:
        """How answers are written. Plans of before leave a local model its own top_k and top_p."""
        return replace(self.settings().sampling, all_tokens="sampling" in self.summary())

    def parser(self) -> str:
        """The version of the parser that reads its answers: the one that it began with."""
        return str(self.summary().get("parser", FIRST_PARSER))

    def report_wait(self, message: str) -> None:
        """Says in the folder that a busy server is waited for; empty: no longer. What cannot be
        written is not said, for the work goes on without it."""
        with suppress(OSError, DataFolderError):
            if message:
                replace_file(self.path / WAITING, json_bytes({"message": message}))
            else:
                (self.path / WAITING).unlink(missing_ok=True)

    def wait_message(self) -> str:
        """What is waited for now, in a sentence; empty where nothing is."""
        try:
            message = json.loads((self.path / WAITING).read_bytes())
            return str(message["message"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def source(self) -> QuestionSource:
        """Of the plan; the path is where the set lay when it was last asked."""
        source = QuestionSource(**self.summary()["set"])
        return replace(source, path=str(self._positions().get("set", source.path)))

    def _positions(self) -> dict[str, Any]:
        return json_object(self.path / PLACES) if (self.path / PLACES).is_file() else {}

    def save_positions(self, positions: Mapping[str, Any]) -> None:
        """Says where the set and its images lie now, as :func:`source_positions`."""
        if positions != self._positions():
            replace_file(self.path / PLACES, json_bytes(positions))
            self.__dict__.pop("questions", None)

    def records(self) -> list[dict[str, Any]]:
        """The lines of its questions. Raises BadInput where the file is not the plan's."""
        path = self.path / QUESTIONS
        try:
            lines = path.read_bytes()
        except OSError as error:
            raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
        if hashlib.sha256(lines).hexdigest() != self.summary()["questions"]:
            raise BadInput(f"{path} was changed since the evaluation started.")
        return [json.loads(line) for line in lines.splitlines()]

    @cached_property
    def questions(self) -> list[PromptedQuestion]:
        """In the order of their positions. Raises BadInput where the file is not the plan's, or
        where nothing says where the images are."""
        records = self.records()
        images = self._positions().get("images", [record.get("image") for record in records])
        if len(images) != len(records) or not all(isinstance(image, str) for image in images):
            raise BadInput(
                f"{self.path / PLACES} does not say where the images are. Run the same command "
                "again: it says where the set lies."
            )
        return [
            _prompted(record, Path(image)) for record, image in zip(records, images, strict=True)
        ]


def begin(
    path: Path,
    questions: Iterable[tuple[Question, Path]],
    source: QuestionSource,
    prompt_text: PromptText,
    model: VisionModel,
    settings: EvaluationSettings,
    sources: Sources | None = None,
    protocol: str = "",
) -> EvaluationFolder:
    """Makes the folder of a plan, or takes up one that was begun with the same.

    Raises BadInput where it was begun with other questions, another model or other settings, and
    for a set with no questions; ModelMissing and BadModelFolder where a local model's files are not
    here. How a model is asked (its timeout, its batch, its key's name) may change. ``protocol`` is
    the preset that the settings are, if they are one.
    """
    prompted = [
        PromptedQuestion(question, image, prompt_text(question)) for question, image in questions
    ]
    if not prompted:
        raise BadInput(f"{source.path} holds no questions.")
    lines = _lines(map(_record, prompted))
    positions = source_positions(source, prompted)
    folder = EvaluationFolder(path)
    if (path / PLAN).is_file():
        model = as_started(folder.model(), model)
    decided = with_dtype(model, sources or Sources.local())
    plan = {
        "total": len(prompted),
        "version": VERSION,
        "set": asdict(source),
        "questions": hashlib.sha256(lines).hexdigest(),
        "settings": settings.as_json(),
        **({"protocol": protocol} if protocol else {}),
        "parser": RELEASED_PARSER if protocol == RELEASED else PARSER,
        **_drawing(model, settings),
        "model": {**decided.as_json(), "fingerprint": fingerprint(decided, sources)},
    }
    folder.begin(plan, {QUESTIONS: lines, PLACES: json_bytes(positions)})
    _check_same(folder, plan)
    folder.save_positions(positions)
    return folder


def _drawing(model: VisionModel, settings: EvaluationSettings) -> dict[str, Any]:
    """What of a local model's own settings is replaced where tokens are drawn by chance."""
    if model.kind != "local" or settings.temperature == 0:
        return {}
    return {"sampling": {"top_k": 0, "top_p": 1.0}}


def as_started(vision_model: VisionModel, model: VisionModel) -> VisionModel:
    """The model, in the dtype that a plan was begun with unless it names one itself."""
    if model.kind != "local" or model.local().dtype != "auto":
        return model
    settings = {**model.settings, "dtype": vision_model.settings.get("dtype", "auto")}
    return VisionModel(model.id, model.kind, model.location, settings)


def _check_same(folder: EvaluationFolder, plan: Mapping[str, Any]) -> None:
    started = folder.summary()
    differs = {
        "with another version of TrueHue": started.get("version") != plan["version"],
        "with another set of questions, or another prompt": (
            started.get("questions") != plan["questions"]
            # The lines of folders of before have paths in them, too.
            and hashlib.sha256(_lines(folder.records())).hexdigest() != plan["questions"]
        ),
        "with other settings": started["settings"] != json.loads(json.dumps(plan["settings"])),
        "with another protocol": started.get("protocol", "") != plan.get("protocol", ""),
        f"with another model, or other files of it ({started['model'].get('id')})": (
            started["model"].get("fingerprint") != plan["model"]["fingerprint"]
        ),
    }
    for text, other in differs.items():
        if other:
            raise BadInput(f"{folder.path} was started {text}: choose another folder.")


def _lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """What is asked, a line each, without where the images lie."""
    requested = ({name: record[name] for name in ("question", "prompt")} for record in records)
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in requested)


def _record(prompted: PromptedQuestion) -> dict[str, Any]:
    question = asdict(prompted.question)
    question["construction"] = json.loads(
        json.dumps(question["construction"], default=_plain, ensure_ascii=False)
    )
    return {"question": question, "prompt": prompted.prompt}


def source_positions(
    source: QuestionSource, prompted: Iterable[PromptedQuestion]
) -> dict[str, Any]:
    return {"set": source.path, "images": [str(question.image.resolve()) for question in prompted]}


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, and enums, as JSON has them."""
    if isinstance(value, StrEnum):
        return value.value
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)


def _prompted(line: Mapping[str, Any], image: Path) -> PromptedQuestion:
    fields = dict(line["question"])
    question = Question(
        **{**fields, "form": Form(fields["form"]), "choices": tuple(fields["choices"])}
    )
    return PromptedQuestion(question, image, line["prompt"])


def protocol_name(settings: EvaluationSettings, preset: str = "") -> str:
    """The preset's name, or ours with what is switched: "truehue, jpeg-75"."""
    return preset or ", ".join([TRUEHUE, *settings.presentation.differences()])


def read_questions(
    folder: Path, released: bool = False
) -> tuple[Sequence[tuple[Question, Path]], QuestionSource]:
    """The questions of a folder with their images' paths, and where they are from. The images are
    as ``convert("RGB")`` gives them where the pixels are ``released``.

    Raises BadInput and StorageError as :func:`truehue.core.vlm.question_set.open_set`.
    """
    opened = open_set(folder)
    questions = [
        (question, opened.image_path(question, released)) for question in opened.questions()
    ]
    return questions, QuestionSource(str(folder.resolve()), opened.sha256)
