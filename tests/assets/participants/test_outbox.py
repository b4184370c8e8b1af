"""What waits to be sent: in parts that a study takes, kept in the browser while there is room."""

from __future__ import annotations

from typing import Any

import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

BROWSER = """
  const box = (room) => {
    const kept = new Map();
    const size = () => [...kept].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
    return {
      kept,
      get length() { return kept.size; },
      key: (index) => [...kept.keys()][index] ?? null,
      getItem: (key) => kept.get(key) ?? null,
      removeItem: (key) => kept.delete(key),
      setItem(key, text) {
        const before = kept.get(key);
        kept.set(key, String(text));
        if (size() <= room) return;
        if (before === undefined) kept.delete(key); else kept.set(key, before);
        throw new Error('QuotaExceededError');
      },
    };
  };
  globalThis.localStorage = box(value.room);
  const { Outbox } = await load('participants/outbox');
  const stroke = (points) => ({ do: 'stroke', points: Array(2 * points).fill(1023), diameter: 9 });
  const taken = (events) => ({ stored: events.map((one) => one.id), refused: [] });
  const settled = () => new Promise((done) => setTimeout(done, 5));
"""


def run(code: str, room: int = 5_000_000) -> Any:
    return run_module(BROWSER + code, {"room": room})


def test_long_strokes_are_sent_in_parts_below_the_limit_of_a_body() -> None:
    parts = run("""
      const sent = [];
      let online = false;
      const send = async (events) => {
        if (!online) throw new Error('no network');
        sent.push([events.length, JSON.stringify({ events }).length]);
        return taken(events);
      };
      const outbox = new Outbox('p', send, () => {});
      for (let n = 0; n < 30; n++) outbox.add('action', 4, stroke(2048), n);
      for (let n = 0; n < 250; n++) outbox.add('action', 4, { do: 'undo' }, 30 + n);
      await settled();
      online = true;
      for (let n = 0; n < 12; n++) { outbox.flush(); await settled(); }
      return { sent, left: outbox.waiting.length, kept: localStorage.length };
    """)
    assert parts["left"] == parts["kept"] == 0
    assert sum(count for count, _ in parts["sent"]) == 280
    assert max(count for count, _ in parts["sent"]) == 100
    assert max(size for _, size in parts["sent"]) < 256 * 1024
    assert 4 < len(parts["sent"]) < 10


def test_what_the_browser_has_no_room_for_is_said_and_kept_once_there_is() -> None:
    message = run(
        """
      let online = false;
      const send = async (events) => {
        if (!online) throw new Error('no network');
        return taken(events.slice(0, 1));
      };
      const outbox = new Outbox('p', send, () => {});
      const seen = [];
      for (let n = 0; n < 4; n++) {
        outbox.add('action', 0, stroke(2048), n);
        seen.push(outbox.unkept);
      }
      await settled();
      online = true;
      outbox.flush();
      await settled();
      return { seen, left: outbox.waiting.length, unkept: outbox.unkept };
    """,
        room=50_000,
    )
    assert message == {"seen": [0, 0, 1, 2], "left": 0, "unkept": 0}


def test_a_page_that_is_left_sends_no_more_than_browsers_allow() -> None:
    sizes = run("""
      const sizes = [];
      const send = (events, last) => {
        if (last) sizes.push(JSON.stringify({ events }).length);
        return new Promise(() => {});
      };
      const outbox = new Outbox('p', send, () => {});
      for (let n = 0; n < 9; n++) outbox.add('action', 0, stroke(2048), n);
      outbox.parting();
      return sizes;
    """)
    assert len(sizes) == 1
    assert 40_000 < sizes[0] < 64 * 1024


def test_what_was_refused_is_told_by_its_kind_and_not_sent_again() -> None:
    heard = run("""
      const answers = [];
      const send = async (events) => ({
        stored: [],
        refused: events.map(({ id }) => ({ id, error: 'No.', code: 'bad' })),
      });
      const outbox = new Outbox('p', send, (answer) => answer && answers.push(answer));
      outbox.add('action', 0, { do: 'clear' }, 0);
      await settled();
      outbox.add('answer', 0, {});
      await settled();
      const kinds = answers.flatMap((one) => one.refused.map((it) => it.kind));
      return { kinds, left: outbox.waiting.length, refused: outbox.refused };
    """)
    assert heard["kinds"] == ["action", "answer"]
    assert heard["left"] == 0
    assert heard["refused"] == [{"error": "No.", "code": "bad"}]
