"""Links and participants' keys: 256 random bits, of which only the SHA-256 is stored."""

from __future__ import annotations

import re
import secrets

from truehue.tabs.page.actor import hashed as hash_of

__all__ = ["KEPT_S", "cookie", "cookie_name", "hash_of", "new_token", "well_formed"]

KEPT_S = 180 * 24 * 3600
"""How long a participant's browser keeps its key, in seconds."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """A link's token or a participant's key: 43 characters that nobody can guess."""
    return secrets.token_urlsafe(32)


def well_formed(token: str) -> bool:
    """Whether this can be a token at all."""
    return _TOKEN.fullmatch(token) is not None


def cookie_name(study_id: str) -> str:
    """The cookie with a participant's key; every study has its own."""
    return f"truehue-participant-{study_id[:8]}"


def cookie(study_id: str, key: str, https: bool) -> str:
    """The header's value by which a browser keeps a key, for participants' pages alone."""
    secure = "; Secure" if https else ""
    return (
        f"{cookie_name(study_id)}={key}; Path=/study/; Max-Age={KEPT_S}; HttpOnly; SameSite=Lax"
        f"{secure}"
    )
