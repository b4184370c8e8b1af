"""The registered CFM of an app: its measures, and the model as a tool of the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import (
    HOW_TO,
    Registration,
    memory_bytes,
    open_registered,
    registered,
)
from truehue.core.scores.cfm import cfm_measures
from truehue.core.scores.measures import add_measures

if TYPE_CHECKING:
    from concurrent.futures import Future

    from truehue.core.engine import Engine

_TOOL = "cfm "


class Fidelity:
    """What is registered in a data folder, also after a command changed it. For any thread."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._lock = Lock()
        self._known: Registration | None = None
        self._scorers: dict[str, Registration] = {}

    def registration(self) -> Registration | None:
        """What is registered now, on the list of measures too. None where nothing is, or its file
        cannot be read."""
        try:
            registration = registered(self.data)
        except BadInput:
            registration = None
        with self._lock:
            if registration != self._known or registration is None:
                add_measures("cfm", () if registration is None else cfm_measures(registration))
            self._known = registration
        return registration

    def required(self) -> Registration:
        """The same; raises BadInput with what to get where nothing is registered."""
        registration = self.registration()
        if registration is None:
            raise BadInput(HOW_TO)
        return registration

    def ask(
        self, engine: Engine, question: Callable[[Any], Any], title: str, owner: str
    ) -> Future[Any]:
        """Has the engine put a question to the scorer, when the device is free."""
        registration = self.required()
        tool = f"{_TOOL}{registration.version} {registration.instruction_sha256}"
        tool += f" {registration.rotary}".rstrip()
        with self._lock:
            self._scorers = {tool: registration}
        return engine.call(tool, question, title=title, owner=owner)

    def opens(self, tool: str) -> bool:
        """Whether that is a tool of ours."""
        return tool.startswith(_TOOL)

    def open(self, tool: str) -> Any:
        """Loads it. Raises what :func:`truehue.core.fidelity.cfm.registration.open_registered`
        raises."""
        registration = self._of(tool)
        return LoadedScorer(open_registered(registration), memory_bytes(registration))

    def memory(self, tool: str) -> int:
        """Bytes that it is expected to hold."""
        return memory_bytes(self._of(tool))

    def _of(self, tool: str) -> Registration:
        with self._lock:
            registration = self._scorers.get(tool)
        if registration is None:
            raise BadInput("Another CFM was registered meanwhile. Ask again.")
        return registration


class LoadedScorer:
    """A scorer in the engine's memory."""

    def __init__(self, scorer: Any, memory_bytes: int) -> None:
        self.scorer, self.memory_bytes = scorer, memory_bytes

    def unload(self) -> None:
        """Gives its memory back."""
        self.scorer.unload()
