"""What everybody at the page has to know: that nothing can be stored, or that something is lost."""

from __future__ import annotations

from typing import Any

from tabs.page.context import Context

NOTICES = """<section class="th-notices" role="alert" aria-label="Notices" hidden></section>"""


def notices(context: Context) -> dict[str, Any]:
    """``{"notices": [{"number", "text"}, …]}``; a number can be marked as read, None stays.

    What was lost names files of this machine: it is told to the people at it alone.
    """
    shown: list[dict[str, Any]] = []
    if problem := context.folder_problem():
        text = problem if context.local else "Nothing can be stored now: the data folder is gone."
        shown.append({"number": None, "text": text})
    elif context.local:
        words = context.storage.losses.words()
        shown += [{"number": number, "text": text} for number, text in words.items()]
    return {"notices": shown}
