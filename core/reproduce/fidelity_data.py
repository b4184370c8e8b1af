"""What the recipes of "Too Vivid to Be Real?" share: their files, and the registered CFM."""

from __future__ import annotations

from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import HOW_TO, Registration, registered
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import ReproduceContext
from truehue.core.scores.sets import cfm_key

PAPER, PRESET = "fidelity", "cfd"
PAPER_ID = "cfd"


def file_of(context: ReproduceContext, name: str) -> Path:
    """A file of one's own, below ``fidelity`` of the data folder."""
    return context.data / "fidelity" / name


def own_options(context: ReproduceContext) -> list[str]:
    """The options of the data folder and of the models' folder."""
    models = context.sources.models_folder
    return ["--data", str(context.data), *(["--models", str(models)] if models else [])]


def registration_of(context: ReproduceContext) -> Registration | None:
    """The registered CFM; None without one."""
    try:
        return registered(context.data)
    except BadInput:
        return None


def registered_key(registration: Registration) -> str:
    """The name of the registered CFM's number of a set."""
    return cfm_key(
        registration.checkpoint, registration.instruction_sha256, bool(registration.rotary)
    )


def cfm_need(context: ReproduceContext) -> Need:
    """The weights of CFM."""
    registration = registration_of(context)
    if registration is None:
        return Need("weights", "CFM", False, HOW_TO, "truehue score --register CFM_7B")
    return Need("weights", "CFM", True, f"{registration.name}, {registration.instruction_text}")


def table_id(number: str) -> str:
    """The id of a published table by its number."""
    return f"cfd-table{number}"
