"""The app as a process: how it starts, what it refuses, and what it answers over HTTP."""

from __future__ import annotations

import hashlib
import io
import signal
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.running import App, free_port, run, run_forked, running, running_alone
from truehue.storage import Storage
from truehue.tabs.command.serve import (
    EVERY_HOST,
    allowed_hosts,
    listen,
    main,
    read_settings,
    startup_message,
)

pytestmark = pytest.mark.process

# What the page is built of: seconds to load, which a refusal must not wait for.
PAGE = {"gradio", "truehue.tabs.page", "uvicorn", "fastapi", "plotly", "cv2", "torch"}
# What the storage is built of.
STORAGE = {"truehue.storage", "duckdb", "numpy", "PIL"}


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


def picture(seed: int = 0, side: int = 24) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)


def huge_png() -> bytes:
    """A PNG of a few bytes whose header claims 100,000 × 100,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def state(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def loaded(errors: str) -> set[str]:
    """The modules and packages that an app with ``PYTHONPROFILEIMPORTTIME`` named as it imported
    them."""
    lines = [line for line in errors.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip() for line in lines}
    return names | {name.partition(".")[0] for name in names}


# ── starting ────────────────────────────────────────────────────────────────────────────────────


def test_a_port_in_use_is_said_before_anything_slow_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        used.listen()
        port = used.getsockname()[1]
        done = run("--data", str(tmp_path / "data"), "--port", str(port))
    result = loaded(done.stderr)
    assert "truehue.core" in result
    assert result & (PAGE | STORAGE) == set()
    assert done.returncode not in (0, None)
    assert f"Port {port} is in use" in done.stderr
    assert f"--port {port + 1}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("port", ["0", "65536", "-1", "many", "7860.5", ""])
def test_a_wrong_port_is_said_with_the_range(tmp_path: Path, port: str) -> None:
    done = called(main, "--data", str(tmp_path / "data"), f"--port={port}")
    assert done.returncode == 2
    assert "a port is a number from 1 to 65535" in done.stderr
    assert not (tmp_path / "data").exists()


def test_an_unknown_option_ends_with_usage() -> None:
    done = called(main, "--colour", "red")
    assert done.returncode == 2
    assert "See python app.py --help." in done.stderr


def test_an_address_that_is_not_of_this_machine_is_refused(tmp_path: Path) -> None:
    # 192.0.2.0/24 is kept for documentation (RFC 5737): no machine has it.
    done = called(
        main, "--data", str(tmp_path / "data"), "--host", "192.0.2.1", "--port", str(free_port())
    )
    assert done.returncode not in (0, None)
    assert "Cannot listen on 192.0.2.1" in done.stderr


def test_a_name_in_place_of_an_address_that_nobody_has_is_refused(tmp_path: Path) -> None:
    done = called(
        main,
        "--data",
        str(tmp_path / "data"),
        "--host",
        "no.such.invalid",
        "--port",
        str(free_port()),
    )
    assert done.returncode not in (0, None)
    assert "Cannot listen on no.such.invalid" in done.stderr


def test_a_file_in_place_of_the_data_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    done = called(main, "--data", str(tmp_path / "data"), "--port", str(free_port()))
    assert done.returncode == 2
    assert "data folder" in done.stderr
    assert "Choose a folder" in done.stderr
    assert (tmp_path / "data").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_data_folder_that_cannot_be_written_is_refused() -> None:
    done = called(main, "--data", "/proc/truehue", "--port", str(free_port()))
    assert done.returncode == 2
    assert "/proc/truehue cannot be used" in done.stderr


def test_a_damaged_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Storage.open(data) as storage:
        storage.images.add(picture(), "a", "upload")
    path = data / "truehue.duckdb"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    before = state(data)
    done = called(main, "--data", str(data), "--port", str(free_port()))
    assert done.returncode == 2
    assert "cannot be read as a database" in done.stderr
    assert "The file was left as it is" in done.stderr
    assert state(data) == before


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    Storage.open(data).close()
    with duckdb.connect(str(data / "truehue.duckdb")) as connection:
        connection.execute(
            "INSERT INTO schema_migrations VALUES (999, 'tomorrow', now()::TIMESTAMP, '9.0')"
        )
    before = state(data)
    done = called(main, "--data", str(data), "--port", str(free_port()))
    assert done.returncode == 2
    assert "written by a newer TrueHue" in done.stderr
    assert state(data) == before


def test_a_missing_munsell_file_is_refused(tmp_path: Path) -> None:
    # Refused when all is loaded, which is what the nursery has already.
    missing = ("--munsell", str(tmp_path / "none.csv"), "--port", str(free_port()))
    done = run_forked("--data", str(tmp_path / "data"), *missing, log=tmp_path / "log")
    assert done.returncode == 2
    assert "none.csv" in done.stderr
    assert "Traceback" not in done.stderr


# ── one running app, asked over HTTP ────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with running(tmp_path_factory.mktemp("app") / "data") as started:
        yield started


def counts(app: App) -> str:
    """``1 image · 0 verdicts``."""
    said: str = app.ask("/api/ready").json["data"]
    return said.split(" · ", 1)[1]


def image_files(app: App) -> list[str]:
    """Every file below the folder of images, half written ones too."""
    folder = app.data / "images"
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_data_folder_in_use_says_who_has_it_before_the_page_is_loaded(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    done = run("--data", str(app.data), "--port", str(free_port()))
    result = loaded(done.stderr)
    assert "duckdb" in result
    assert result & PAGE == set()
    assert done.returncode == 2
    assert f"process {app.process.pid}" in done.stderr
    assert "one process owns the database" in done.stderr
    assert "Traceback" not in done.stderr
    assert app.ask("/api/ready").status == 200


def test_the_page_and_its_parts_are_served(app: App) -> None:
    assert b"TrueHue" in app.ask("/").body
    plotly = app.ask("/assets/plotly.min.js")
    assert plotly.status == 200
    assert "javascript" in plotly.headers["content-type"]
    assert app.ask("/assets/favicon.svg").headers["content-type"] == "image/svg+xml"


def test_an_address_that_others_reach_is_said_with_a_warning(tmp_path: Path) -> None:
    port = free_port()
    for values, reached in ((["--host", "0.0.0.0"], "at http://"), (["--public"], "")):
        settings = read_settings(["--port", str(port), "--data", str(tmp_path), *values])
        first = startup_message(settings)
        assert f"http://127.0.0.1:{port}" in first
        assert ("for others" in first) == bool(reached)
        assert allowed_hosts(settings.host, settings.public) == EVERY_HOST
    assert "for others" not in startup_message(read_settings([]))
    assert "127.0.0.1" in allowed_hosts(read_settings([]).host)


def test_a_space_is_a_demonstration_unless_it_is_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert (read_settings([]).demo, read_settings(["--demo"]).demo) == (False, True)
    monkeypatch.setenv("SPACE_ID", "somebody/truehue")
    assert (read_settings([]).demo, read_settings(["--no-demo"]).demo) == (True, False)
    assert read_settings([]).host == "0.0.0.0"


def test_an_image_that_is_not_stored_is_not_found(app: App) -> None:
    for name in ("f" * 64, "no-such-image", "0", "..%2f..%2ftruehue", "%00"):
        for kind in ("images", "thumbs"):
            answer = app.ask(f"/media/{kind}/{name}.png")
            assert answer.status == 404, (kind, name)
    assert "error" in app.ask(f"/media/images/{'f' * 64}.png").json


def test_the_database_cannot_be_fetched(app: App) -> None:
    for path in (
        "/media/images/../../truehue.duckdb",
        "/media/images/%2e%2e/%2e%2e/truehue.duckdb",
        "/file=" + str(app.data / "truehue.duckdb"),
        "/gradio_api/file=" + str(app.data / "truehue.duckdb"),
    ):
        answer = app.ask(path)
        assert answer.status >= 400 or b"DUCK" not in answer.body[:64], path


def test_an_upload_from_another_page_is_refused(app: App) -> None:
    before = image_files(app), counts(app)
    for headers in ({}, {"X-TrueHue": "0"}, {"Origin": "http://example.com"}):
        answer = app.ask("/api/images", png(picture(1)), headers)
        assert answer.status == 403
        said = "another site" if "Origin" in headers else "X-TrueHue"
        assert said in answer.json["error"]
    assert (image_files(app), counts(app)) == before


def test_a_page_elsewhere_cannot_reach_the_app_under_its_own_name(app: App) -> None:
    """A foreign name that points at this machine would share its page's rights with the app."""
    for path in ("/api/images", "/", "/api/ready"):
        assert app.ask(path, headers={"Host": "example.com"}).status == 400
        assert app.ask(path, headers={"Host": "localhost"}).status == 200


BROKEN = {
    "text.png": b"This is no image.",
    "empty.png": b"",
    "cut.png": png(picture(2, 200))[:5000],
    "cut.jpg": b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(40),
    "huge.png": huge_png(),
    "noise.bin": bytes(np.random.default_rng(3).integers(0, 256, 4000, dtype=np.uint8)),
    "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_image_is_refused_and_leaves_nothing(app: App, name: str) -> None:
    before = image_files(app), counts(app)
    answer = app.upload(BROKEN[name], name)
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"error"}
    assert name in answer.json["error"]
    assert (image_files(app), counts(app)) == before
    assert app.ask("/api/ready").status == 200


def test_a_decompression_bomb_is_named_as_too_large(app: App) -> None:
    said = app.upload(huge_png(), "bomb.png").json["error"]
    assert "up to 64 megapixels" in said


def test_an_uploaded_image_comes_back_pixel_for_pixel(app: App) -> None:
    pixels = picture(4, 40)
    answer = app.upload(png(pixels), "näh/../ball ☂.png")
    assert answer.status == 200
    assert answer.json["name"] == "ball ☂.png"
    assert (answer.json["width"], answer.json["height"]) == (40, 40)
    shown = app.ask(answer.json["url"])
    assert shown.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(shown.body)) as image:
        assert np.array_equal(np.asarray(image), pixels)
    assert (
        shown.body
        == (
            app.data / "images" / answer.json["image_id"][:2] / f"{answer.json['image_id']}.png"
        ).read_bytes()
    )
    with Image.open(io.BytesIO(app.ask(answer.json["thumb"]).body)) as image:
        assert max(image.size) <= 192


def test_the_same_image_twice_is_stored_once(app: App) -> None:
    first = app.upload(png(picture(5)), "once.png").json
    before = image_files(app), counts(app)
    again = app.upload(png(picture(5)), "again.png").json
    assert again["image_id"] == first["image_id"]
    assert (image_files(app), counts(app)) == before


def test_an_animation_gives_its_first_picture_and_says_so(app: App) -> None:
    first, second = Image.new("RGB", (20, 20), "red"), Image.new("RGB", (20, 20), "blue")
    out = io.BytesIO()
    first.save(out, format="GIF", save_all=True, append_images=[second])
    answer = app.upload(out.getvalue(), "two.gif").json
    assert any("first one was read" in note for note in answer["notes"])
    with Image.open(io.BytesIO(app.ask(answer["url"]).body)) as image:
        assert image.convert("RGB").getpixel((0, 0)) == (255, 0, 0)


def test_stored_images_are_listed_newest_first(app: App) -> None:
    ids = [app.upload(png(picture(seed)), f"{seed}.png").json["image_id"] for seed in (11, 12, 13)]
    listed = app.ask("/api/images?limit=2").json
    assert [image["image_id"] for image in listed["images"]] == [ids[2], ids[1]]
    assert app.ask("/api/images?limit=2&offset=2").json["images"][0]["image_id"] == ids[0]
    assert listed["total"] == len(app.ask("/api/images?limit=200").json["images"])
    assert app.ask("/api/images?source=render").json["images"] == []


@pytest.mark.parametrize("query", ["limit=-5&offset=-1", "limit=999999", "limit=0"])
def test_a_listing_out_of_range_is_a_listing(app: App, query: str) -> None:
    assert app.ask("/api/images?" + query).status == 200


@pytest.mark.parametrize("query", ["limit=many", f"offset={10**30}", f"limit={10**30}"])
def test_a_listing_that_makes_no_sense_is_no_failure(app: App, query: str) -> None:
    assert app.ask("/api/images?" + query).status < 500


def test_nothing_of_all_this_reached_the_log(app: App) -> None:
    """Refusals are answers, not failures of the app."""
    assert "Traceback" not in app.log.read_text()


@pytest.mark.process
@pytest.mark.parametrize(
    ("kind", "begin"),
    [
        pytest.param(signal.SIGINT, running_alone, id="Ctrl+C, by itself"),
        pytest.param(signal.SIGTERM, running, id="SIGTERM, forked"),
    ],
)
def test_the_app_ends_soon_and_closes_its_database(
    tmp_path: Path, kind: signal.Signals, begin: Callable[[Path], AbstractContextManager[App]]
) -> None:
    """A page holds connections open, which must not keep the app from ending."""
    # The folder is made with those above it.
    with begin(tmp_path / "new" / "data") as app:
        assert counts(app) == "0 images · 0 verdicts"
        host, port = app.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            # What Gradio's page listens to for as long as it is open.
            connection.sendall(
                b"GET /gradio_api/heartbeat/somebody HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            )
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
            image_id = app.upload(png(picture(7)), "last.png").json["image_id"]
            assert app.stop(kind) == 0
        assert "Traceback" not in app.log.read_text()
        assert "ERROR" not in app.log.read_text()
    # A log beside the database is what a crash leaves behind.
    # The log is gone with its content in the database; how many writes were confirmed stays beside.
    left = sorted(path.name for path in app.data.glob("truehue*"))
    assert left == ["truehue.duckdb", "truehue.duckdb.confirmed"]
    with Storage.open(app.data) as storage:
        assert storage.images.get(image_id).name == "last.png"
        assert np.array_equal(storage.images.srgb8(image_id), picture(7))
        assert storage.check() == []


def test_answers_do_not_wait_for_a_confirmation() -> None:
    with listen("127.0.0.1", free_port()) as server_socket:
        address = server_socket.getsockname()
        with socket.create_connection(address), server_socket.accept()[0] as accepted:
            # What asyncio looks at before it sets TCP_NODELAY.
            assert accepted.proto == socket.IPPROTO_TCP
