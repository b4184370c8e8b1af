"""The parts of a study that only its author and admins see: names and payments of people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.errors import NotAllowed
from truehue.core.studies import StudyRecord
from truehue.tabs.page.roles import Actor, Resource, allowed
from truehue.tabs.studies.making import FORM

EXPERTS = "experts"
"""Where the stored rule has the ids of the accounts that review colorings, if they are named: those
are of this installation, and in no export."""
_NO_COMPLETION: Mapping[str, str] = {"code": "", "url": "", "text": ""}


def may_personal(actor: Actor, study: StudyRecord) -> bool:
    """Whether the actor may have personal data of the study: who made it, admins and the owner."""
    return allowed(actor, "change", Resource(frozenset({study.author})))


def require_personal(actor: Actor, study: StudyRecord, advice: str = "") -> None:
    """Returns where :func:`may_personal` lets it pass. Raises NotAllowed, with ``advice`` on what
    else can be done."""
    if not may_personal(actor, study):
        text = "Personal data of participants are visible to the study's owner and admins."
        raise NotAllowed(f"{text} {advice}".strip(), "personal")


def without_completion(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A stored plan, and the form in it, without the codes, addresses and texts of its endings: who
    has these is paid."""
    content = {**plan, "completion": dict(_NO_COMPLETION), "endings": []}
    if isinstance(content.get(FORM), Mapping):
        content[FORM] = {**content[FORM], "completion": dict(_NO_COMPLETION), "endings": {}}
    return content


def anonymous_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A stored plan without what names those who run the study, for exports: the text to agree to
    says who they are, so that only its version stays. A copy of such a study does not open before
    the text is written again: what stands in its place has brackets."""
    content = without_completion(plan)
    version = content["consent"]["version"]
    text = f"[This text, version {version}, is left out of anonymous exports]"
    content["consent"] = {"version": version, "text": text}
    if isinstance(content.get(FORM), Mapping):
        content[FORM] = {**content[FORM], "consent": text}
    return content
