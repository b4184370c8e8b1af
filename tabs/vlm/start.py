"""Models and sets for an evaluation, and its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from pydantic import Field

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import named_path, shown_path
from truehue.core.vlm.evaluation.plan import MAX_SEED, EvaluationSettings, Version
from truehue.core.vlm.evaluation.protocols import released_preset
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.records import (
    BASELINES,
    LENGTHS,
    ServedSettings,
    VisionModel,
)
from truehue.core.vlm.models.registry import KNOWN, is_hub_id, model_of
from truehue.core.vlm.presentation import PROTOCOLS, RELEASED, TRUEHUE
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.question_set import select_questions
from truehue.core.vlm.released import families
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.requests import EmptyRequest, PageRequest, Whole, single_of
from truehue.tabs.page.roles import Actor, allowed, authorize
from truehue.tabs.vlm.messages import (
    BASELINE_NAMES,
    BASELINE_WORDS,
    IMAGES,
    STYLES,
    model_name,
)
from truehue.tabs.vlm.service import EvaluationOptions, EvaluationRequest, EvaluationService
from truehue.tabs.vlm.sets import (
    DescribedChoice,
    GeneratorChoices,
    QuestionSetJson,
    generator_json,
    opened,
    sets_json,
)

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

FOLDER = "folder:"
MAX_TOKENS = 65_536


class StartEvaluation(PageRequest):
    """One set asked of one model. ``model`` is a short id, a baseline, an id of the hub, a path
    after ``folder:``, or a server's URL, which calls the model ``name``. ``tasks`` are all where
    there are none, and ``limit`` is the most questions of each. ``protocol``
    decides prompt, codec, pixels and most tokens, and ``family`` whose released texts the model
    gets; by its name where it is empty."""

    set: str = Field(title="Questions")
    model: Annotated[str, Field(min_length=1, title="Model")]
    name: str = ""
    key_env: str = ""
    style: Annotated[str, single_of("prompt style", list(Style))] = str(Style.PLAIN)
    image: Annotated[str, single_of("version of the image", list(Version))] = str(Version.COLORED)
    max_tokens: Annotated[Whole, Field(ge=1, le=MAX_TOKENS, title="Max. tokens")] = 512
    temperature: Annotated[float, Field(ge=0, le=2, title="Temperature")] = 0.0
    seed: Annotated[Whole, Field(ge=0, le=MAX_SEED, title="Seed")] = 0
    batch: Annotated[Whole, Field(ge=1, le=256, title="Batch size")] = 1
    at_once: Annotated[Whole, Field(ge=1, le=256, title="Concurrent requests")] = 4
    timeout: Annotated[float, Field(ge=1, le=3600, title="Timeout")] = 120.0
    length: Annotated[str, single_of("parameter", LENGTHS)] = LENGTHS[0]
    sends_temperature: bool = True
    most_requests: Annotated[Whole | None, Field(ge=1, title="Max. requests")] = None
    most_tokens: Annotated[Whole | None, Field(ge=1, title="Max. total tokens")] = None
    tasks: tuple[str, ...] = ()
    limit: Annotated[Whole | None, Field(ge=1, title="Questions per task")] = None
    protocol: Annotated[str, single_of("protocol", PROTOCOLS)] = TRUEHUE
    family: Annotated[str, Field(title="Family")] = ""


class VisionModelJson(TypedDict):
    """A model that can be chosen; ``words`` says why one is not ``ready``."""

    id: str
    name: str
    repo: str
    size: str
    ready: bool
    words: str
    baseline: bool


class EvaluationLimits(TypedDict):
    """The limits of the form."""

    max_tokens: int
    tokens_default: int
    questions: int


class StartView(TypedDict):
    """The sets, the choices of both forms, and what the user may do."""

    sets: list[QuestionSetJson]
    generator: GeneratorChoices
    models: list[VisionModelJson]
    styles: list[DescribedChoice]
    images: list[DescribedChoice]
    families: list[str]
    limits: EvaluationLimits
    may: dict[str, bool]


class StartedEvaluation(TypedDict):
    """The id of the evaluation that was started or resumed."""

    id: str


@requires("look")
def start_view(context: Context, actor: Actor, request: EmptyRequest) -> StartView:
    """The sets, the models, and what may be done."""
    return {
        "sets": sets_json(context, actor),
        "generator": generator_json(),
        "models": [*_baselines_json(), *_models_json(context)],
        "styles": [
            {"id": str(style), "title": title, "about": about}
            for style, (title, about) in STYLES.items()
        ],
        "images": [
            {"id": str(version), "title": title, "about": about}
            for version, (title, about) in IMAGES.items()
        ],
        "families": list(families()),
        "limits": {
            "max_tokens": MAX_TOKENS,
            "tokens_default": StartEvaluation.model_fields["max_tokens"].default,
            "questions": context.limits.run_pictures,
        },
        "may": {
            "add": allowed(actor, "add"),
            "compute": allowed(actor, "compute"),
            "folders": allowed(actor, "name-folder"),
            "servers": allowed(actor, "name-server"),
            "studies": not context.demo and allowed(actor, "study"),
        },
    }


def _baselines_json() -> list[VisionModelJson]:
    return [
        {
            "id": baseline,
            "name": BASELINE_NAMES[baseline],
            "repo": "",
            "size": "",
            "ready": True,
            "words": BASELINE_WORDS[baseline],
            "baseline": True,
        }
        for baseline in BASELINES
    ]


def _models_json(context: Context) -> list[VisionModelJson]:
    rows: list[VisionModelJson] = []
    for known in KNOWN:
        problem = describe_missing(context, model_of(known.id))
        rows.append(
            {
                "id": known.id,
                "name": known.repo.partition("/")[2],
                "repo": known.repo,
                "size": f"{known.parameters_b:g} billion weights",
                "ready": not problem,
                "words": problem or "Installed.",
                "baseline": False,
            }
        )
    return rows


def describe_missing(context: Context, model: VisionModel) -> str:
    """Why a local model cannot answer here; empty where it can."""
    if model.kind != "local":
        return ""
    try:
        check_files(files_of(model, context.sources), model.id)
    except TrueHueError as error:
        return message_of(error)
    return ""


@requires("compute")
def start_evaluation(context: Context, actor: Actor, request: StartEvaluation) -> StartedEvaluation:
    """Starts the evaluation of a set, or resumes it; the answer has its id. Raises BadInput, also
    for a model whose files are not here, and NotAllowed."""
    question_set = opened(context, request.set)
    model = _model(actor, request)
    if problem := describe_missing(context, model):
        raise BadInput(f"{model_name(model)} cannot be evaluated yet. {problem}", "model")
    questions = select_questions(question_set.questions(), request.tasks, request.limit)
    service = context.service(EvaluationService)
    try:
        context.limits.check_runs(
            [len(questions)], service.queue.waiting(), service.limit.waiting()
        )
    except BadInput as error:
        raise BadInput(str(error), "model") from None
    settings = EvaluationSettings(
        request.style,
        Version(request.image),
        request.max_tokens,
        request.temperature,
        request.seed,
    )
    protocol = RELEASED if request.protocol == RELEASED else ""
    if protocol:
        model, settings = released_preset(model, settings, request.family)
    options = EvaluationOptions(
        owner=actor.id,
        model_settings={} if model.kind == "baseline" else dict(model.settings),
        most_requests=request.most_requests,
        most_tokens=request.most_tokens,
    )
    evaluation = EvaluationRequest(question_set, questions, model, settings, protocol)
    return {"id": service.start(evaluation, options, actor)}


def _model(actor: Actor, request: StartEvaluation) -> VisionModel:
    name = request.model.removeprefix(FOLDER).strip()
    if name.lower().startswith(("http://", "https://")):
        authorize(actor, "name-server", field="model")
        served = ServedSettings(
            request.name,
            request.key_env,
            request.timeout,
            request.at_once,
            request.length,
            request.sends_temperature,
        )
        return model_of(name, vars(served))
    short = (*BASELINES, *(known.id for known in KNOWN))
    # What is neither a short id nor one of the hub is a folder. Whether it is there is looked up
    # only for people who may name one.
    if request.model.startswith(FOLDER) or not (name in short or is_hub_id(name)):
        authorize(actor, "name-folder", field="model")
    try:
        if request.model.startswith(FOLDER) and not named_path(name).is_dir():
            raise BadInput(f"There is no folder {shown_path(name)}.")
        folders = allowed(actor, "name-folder")
        return model_of(name, {"batch": request.batch}, folders=folders)
    except BadInput as error:
        raise BadInput(str(error), "model") from None
