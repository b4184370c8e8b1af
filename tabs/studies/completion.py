"""What participants get at each ending: codes, return URLs and texts, and what recruiting sites
expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from truehue.annotation.studies.plan import Completion, Ending
from truehue.core.errors import BadInput
from truehue.tabs.page.requests import PageRequest

MAX_ENDING_TEXT = 2_000
_PLAIN = re.compile(r"[\x20-\x7e]+")
OTHER_ENDINGS: Mapping[str, tuple[str, str]] = {
    Ending.NO_CONSENT.value: ("No consent", "The participant does not agree to the consent text."),
    Ending.SCREENED_OUT.value: (
        "Screened out",
        "The pass mark of the screening is not reached.",
    ),
    Ending.FAILED_CHECKS.value: (
        "Failed checks",
        "Too many attention checks are missed, or a required training is not passed.",
    ),
    Ending.FULL.value: ("Full", "No place is free, or the study is closed."),
    Ending.TIMED_OUT.value: ("Timed out", "The time limit is over before everything is answered."),
    Ending.WITHDRAWN.value: ("Withdrawn", "The participant chooses Stop."),
}
"""Titles and explanations of the endings beside the completion, by name."""


def https_url(url: str) -> str:
    """The address, if it is one of a site by https; ``{code}`` and ``{id}`` in it are filled in for
    each participant. Raises BadInput for another one."""
    plain = url.replace("{code}", "code").replace("{id}", "id")
    try:
        parts = urlsplit(plain)
        is_site = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:  # of brackets that do not close
        is_site = False
    if url and not (is_site and _PLAIN.fullmatch(plain)):
        raise BadInput(
            "The return URL must start with https:// and a site name. Copy it from the "
            "recruiting site."
        )
    return url


class CompletionForm(PageRequest):
    """What a participant gets at an ending (see :class:`Completion`)."""

    code: str = Field(default="", max_length=200, title="Completion code")
    url: Annotated[str, Field(max_length=2_000, title="Return URL"), AfterValidator(https_url)] = ""
    text: str = Field(default="", max_length=MAX_ENDING_TEXT, title="Text")


class EndingsForm(PageRequest):
    """What participants get at the endings beside the completion."""

    no_consent: CompletionForm = CompletionForm()
    screened_out: CompletionForm = CompletionForm()
    failed_checks: CompletionForm = CompletionForm()
    full: CompletionForm = CompletionForm()
    timed_out: CompletionForm = CompletionForm()
    withdrawn: CompletionForm = CompletionForm()


def form_of_completion(completion: Completion) -> CompletionForm:
    """The form that says what a plan says."""
    return CompletionForm.model_construct(**asdict(completion))


@dataclass(frozen=True)
class RecruitingSite:
    """A site that sends participants. ``query`` is what it fills in behind a link, ``url`` its return
    URL, ``codes`` the endings that have a code there. The texts for people who did not complete the
    study are in the files of the languages, by ``id``."""

    id: str
    name: str
    query: str = ""
    url: str = ""
    codes: tuple[str, ...] = ()
    hint: str = ""


RECRUITING_SITES = (
    RecruitingSite(
        "prolific",
        "Prolific",
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "https://app.prolific.com/submissions/complete?cc={code}",
        ("completed", *OTHER_ENDINGS),
        "Enter each code as a completion path of your Prolific study.",
    ),
    RecruitingSite(
        "mturk",
        "MTurk",
        codes=("completed",),
        hint="Workers paste the code into your HIT. An external question appends the ids itself.",
    ),
    RecruitingSite(
        "sona",
        "Sona",
        "?survey_code=%SURVEY_CODE%",
        "https://[SCHOOL].sona-systems.com/webstudy_credit.aspx?experiment_id=[ID]"
        "&credit_token=[TOKEN]&survey_code={id}",
        hint="Take the client-side completion URL of your Sona study, with {id} in place of XXXX.",
    ),
)
"""Facts of the sites: docs.prolific.com, docs.aws.amazon.com/AWSMechTurk (external questions),
sona-systems.com/researcher (external study credit granting), read in November 2026."""
