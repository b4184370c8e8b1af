"""Error messages for the page; only unexpected errors are also logged."""

from __future__ import annotations

import errno
import logging
import os
import re
from contextvars import ContextVar

from truehue.core.errors import StorageError, TrueHueError
from truehue.core.packages import missing_package

log = logging.getLogger("truehue")

MAX_CHARACTERS = 2_000
"""A message is for people: what was given is not given back whole."""

RELOAD = "Reload the page."
"""What a page can do where it sent what it never sends by itself."""
FOR_PROGRAMS = "See /api/openapi.json for what this address accepts."
"""The same for a program, which has no page."""

_program: ContextVar[bool] = ContextVar("program", default=False)
_others_read = False
_REPORTS = re.compile(r"(The database) \S.* reports: .*", re.DOTALL)
# Everything up to the last slash of an absolute path: no address of a site, no single slash.
_INSIDE = r"[^/\\'\"“”,;:()\n]{1,255}"
_FOLDERS = re.compile(rf"(?<![\w:/.\\])(?:[A-Za-z]:)?[/\\](?:{_INSIDE}[/\\])+(?=[^/\\\s])")

_FULL = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT))


def message_of(error: BaseException) -> str:
    """The text to show for an error; logs the ones that are not ours with their trace."""
    if is_full(error):
        log.error("no room", exc_info=error)
        text = "The disk is full: nothing was stored. Make room, then try again."
    elif isinstance(error, TrueHueError):
        text = str(error)
        if _others_read:
            if (sentence := for_others(text)) != text:
                log.error("told without paths: %s", text)
            text = sentence
    elif package := missing_package(error):
        text = package
    else:
        log.error("unexpected error", exc_info=error)
        about = "" if _others_read or not str(error) else f": {error}"
        text = (
            f"TrueHue met an unexpected error ({type(error).__name__}"
            f"{shorten(about, MAX_CHARACTERS // 2)}). Nothing was stored. The log has "
            "the details."
        )
    return shorten(as_text_for_user(text), MAX_CHARACTERS)


def requested_by_program(yes: bool) -> None:
    """Whether what is answered from here on, in this task, is read by a program: one that is no
    browser."""
    _program.set(yes)


def as_text_for_user(text: str) -> str:
    """A message without advice that who asks cannot follow: a program has no page to reload."""
    return text.replace(RELOAD, FOR_PROGRAMS) if _program.get() else text


def is_full(error: BaseException) -> bool:
    """Whether there was no room for a file, or no more of one's share of the disk; the database
    says so in the system's words."""
    if isinstance(error, StorageError):
        return any(text in str(error) for text in _FULL)
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def others_read_errors(yes: bool = True) -> None:
    """From now on messages name files alone, not where they lie, and nothing of the database:
    others than the people at this machine read them."""
    global _others_read
    _others_read = yes


def for_others(text: str) -> str:
    """A message without the folders of paths, and without what the database says in SQL."""
    text = _REPORTS.sub(r"\1 reports an error.", text)
    return _FOLDERS.sub("", text)


def shorten(text: str, limit: int) -> str:
    """The text, its middle left out where it is longer than ``limit`` characters."""
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]} … {text[-half:]}"


def count_noun(number: int, noun: str) -> str:
    """``1 image``, ``1,200 images``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
