"""What participants are told when something cannot be."""

from __future__ import annotations

from truehue.core.errors import BadInput


class Refusal(BadInput):
    """Something that a participant's page asked for and does not get.

    ``code`` is one word for the page, ``status`` the one of HTTP.
    """

    def __init__(self, message: str, code: str, status: int = 409, field: str = "") -> None:
        super().__init__(message, field)
        self.code, self.status = code, status
