"""A hub on this machine: the few answers of huggingface.co that a download asks for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "89abcdef0123456789abcdef0123456789abcdef"


class TinyHub:
    """Serves folders as repositories. ``gated`` repositories are refused; ``asked`` lists the files
    that were fetched."""

    def __init__(self, repos: dict[str, Path], gated: frozenset[str] = frozenset()) -> None:
        self.repos = repos
        self.gated = gated
        self.asked: list[str] = []
        self.url = ""

    def names(self, repo: str) -> list[str]:
        root = self.repos[repo]
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def _handler(hub: TinyHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            path = unquote(urlsplit(self.path).path).strip("/")
            kind, _, rest = path.partition("/models/")
            if kind == "api" and rest:
                parts = rest.split("/")
                repo, more = "/".join(parts[:2]), parts[2:]
                if repo not in hub.repos:
                    self._refuse(404, "RepoNotFound")
                elif more and more[0] == "tree":
                    self._send(json.dumps(self._tree(repo)).encode(), body)
                else:
                    siblings = [{"rfilename": name} for name in hub.names(repo)]
                    about = {
                        "id": repo,
                        "sha": COMMIT,
                        "siblings": siblings,
                        "private": False,
                        "tags": [],
                        "downloads": 0,
                        "gated": repo in hub.gated,
                    }
                    self._send(json.dumps(about).encode(), body)
                return
            repo, _, name = path.partition("/resolve/")
            name = name.partition("/")[2]
            if repo in hub.gated:
                self._refuse(403, "GatedRepo")
            elif repo not in hub.repos or name not in hub.names(repo):
                self._refuse(404, "EntryNotFound")
            else:
                data = (hub.repos[repo] / name).read_bytes()
                if body:
                    hub.asked.append(f"{repo}/{name}")
                self._send(data, body, etag=hashlib.sha256(data).hexdigest())

        def _tree(self, repo: str) -> list[dict[str, Any]]:
            root = hub.repos[repo]
            return [
                {"type": "file", "path": name, "size": (root / name).stat().st_size, "oid": COMMIT}
                for name in hub.names(repo)
            ]

        def _send(self, data: bytes, body: bool, etag: str = "") -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Repo-Commit", COMMIT)
            if etag:
                self.send_header("ETag", f'"{etag}"')
            self.end_headers()
            if body:
                self.wfile.write(data)

        def _refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Handler


@contextmanager
def serving(hub: TinyHub) -> Iterator[TinyHub]:
    """Serves on a free port of 127.0.0.1 while the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
