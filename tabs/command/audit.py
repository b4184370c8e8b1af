"""``truehue runs audit``: a study in which people judge a random sample of a run's images."""

from __future__ import annotations

import argparse
import json

from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.runs.folder import folder_named
from truehue.core.verdict.rules import rule
from truehue.tabs.command.status import runs_root
from truehue.tabs.page.roles import OWNER


def audit_run(options: argparse.Namespace) -> int:
    """Makes the study as a draft, and says how it is opened."""
    from truehue.storage.store import Storage
    from truehue.tabs.shell.compose import make_context
    from truehue.tabs.studies.audits import audit_sample, create_audit

    folder = folder_named(runs_root(options), options.name)
    rules = [rule_id for rule_id, _ in folder.plan().rules]
    rule_id = options.rule or next(iter(rules), "")
    if rule_id not in rules:
        available = ", ".join(rules) or "no rule"
        raise BadInput(f"The run was scored by {available}, not by {rule_id[:40]!r}.")
    if options.n < 1 or options.answers < 1:
        raise BadInput("--n and --answers are whole numbers of 1 or more.")
    try:
        with Storage.open(options.data) as storage:
            storage.runs.register(folder)
            storage.runs.ingest(folder)
            context = make_context(storage, str(options.data))
            try:
                audit = audit_sample(
                    context, folder.run_id, rule(rule_id).id, options.n, options.seed
                )
                study = create_audit(context, OWNER, audit, options.answers, options.language)
            finally:
                context.close()
    except DatabaseBusy:
        raise BadInput(
            f"The app has {options.data} open. End it, run this command again, and start it."
        ) from None
    if options.json:
        answer = {"run_id": folder.run_id, "study": study, "images": len(audit.images)}
        print(json.dumps(answer))
    else:
        print(audit.text())
        print(
            f"Study {study} is a draft, with {options.answers} answers per image. Open it in the "
            "tab Studies: complete the consent text, and invite people by its link. The "
            "leaderboard shows the accuracy by people from the tenth judged image on. "
            "Names of objects and colors are in English."
        )
    return 0
