"""The reference of ``tests.bench.votes``: the same votes through a Gradio app's default queue."""

from __future__ import annotations

import json
import random
import secrets
from pathlib import Path

from tests.bench.voters import Connection

SERVER = """
import hashlib, json, secrets
import gradio as gr
from truehue.core.studies import Enrolment, Event, EventKind
from truehue.storage.store import Storage

storage = Storage.open({data!r})
study = storage.studies.add({{"title": "queue"}}, "owner")
digest = hashlib.sha256(b"queue").hexdigest()
link = storage.invitations.add(study.id, digest, "queue", False, "owner")
people = [
    storage.participants.enroll(
        Enrolment(study.id, link.id, secrets.token_hex(32), 1, "en", {{}}), lambda number: ()
    )[0].id
    for _ in range({people})
]

def vote(person, text):
    content = json.loads(text)
    event = Event(
        content["id"], EventKind.ANSWER, content["position"], content["body"], content["client_ms"]
    )
    return storage.study_events.append(people[int(person)], [event])[0].id

with gr.Blocks(analytics_enabled=False) as demo:
    person, text, stored = gr.Number(), gr.Textbox(), gr.Textbox()
    gr.Button().click(vote, [person, text], stored)
demo.queue()
demo.launch(server_name="127.0.0.1", server_port={port}, quiet=True)
"""


def server_code(data: Path, port: int, people: int) -> str:
    """The program of an app with one button, whose event stores a vote."""
    return SERVER.format(data=str(data), port=port, people=people)


class GradioVoter:
    """One page of that app: joins the queue, then reads its stream until the vote is done."""

    def __init__(self, address: str, number: int) -> None:
        self._connection = Connection(address)
        self._number, self._votes = number, 0
        self._random = random.Random(number)

    async def vote(self) -> bool:
        """One vote, acknowledged. Raises AssertionError where it is not."""
        session = secrets.token_hex(8)
        content = {
            "id": secrets.token_hex(16),
            "position": self._votes,
            "body": {"kind": "place", "value": self._random.randrange(2), "response_ms": 1500},
            "client_ms": 0,
        }
        self._votes += 1
        status, body = await self._connection.ask(
            "/gradio_api/queue/join",
            {"data": [self._number, json.dumps(content)], "fn_index": 0, "session_hash": session},
        )
        assert status == 200, body
        status, body = await self._connection.ask(f"/gradio_api/queue/data?session_hash={session}")
        assert status == 200, body
        assert str(content["id"]).encode() in body, body[-500:]
        return True
