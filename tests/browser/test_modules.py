"""Scripts of the page that need no page, imported by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tabs.page.asset_files import asset_files
from tabs.page.templates import html
from tests.browser.modules import STORE, module

pytestmark = pytest.mark.browser


def run(modules: Page, body: str, value: Any = None) -> Any:
    """What the body of an async function gives back; ``value`` is its ``value``."""
    return modules.evaluate(f"async (value) => {{ {body} }}", value)


def test_all_modules_load(modules: Page) -> None:
    """Nothing imports a name that is not there, and none needs the workbench to be loaded."""
    failed = run(
        modules,
        """const failed = [];
        for (const one of value) await import(one).catch((error) => failed.push(one + ' ' + error));
        return failed;""",
        [asset_files().address(name) for name in asset_files().under("js/")],
    )
    assert failed == []


def test_the_store_keeps_and_tells(modules: Page) -> None:
    heard = run(
        modules,
        f"""const store = {STORE}, heard = [];
        const leave = store.subscribe('a', (detail) => heard.push(['first', detail]));
        store.subscribe('a', (detail) => heard.push(['second', detail]));
        store.set('a', 1);
        store.set('a', 2, 'news');
        store.tell('a', 3);
        const kept = store.get('a');
        leave();
        store.tell('a', 4);
        return [heard, kept, store.take('a'), store.get('a') === undefined];""",
    )
    first = [["first", 1], ["second", 1], ["first", "news"], ["second", "news"]]
    assert heard == [[*first, ["first", 3], ["second", 3], ["second", 4]], 2, 2, True]


def test_a_fault_of_one_listener_is_not_the_others(modules: Page) -> None:
    reported: list[str] = []
    modules.on("pageerror", lambda error: reported.append(str(error)))
    heard = run(
        modules,
        f"""const store = {STORE}, heard = [];
        store.subscribe('b', () => {{ throw new Error('a fault'); }});
        store.subscribe('b', () => heard.push('heard'));
        store.tell('b');
        return heard;""",
    )
    assert heard == ["heard"]
    assert any("a fault" in one for one in reported)


def test_words_of_numbers_and_times(modules: Page) -> None:
    said = run(
        modules,
        f"""const {{ many, duration }} = await {module("shared/dom")};
        return [many(1, 'picture'), many(1200, 'picture'), duration(0.2), duration(90),
          duration(5400)];""",
    )
    assert said == ["1 picture", "1,200 pictures", "1 s", "2 min", "1.5 h"]


def test_what_stays_is_not_taken_out_of_its_box(modules: Page) -> None:
    kept = run(
        modules,
        f"""const {{ arrange, make }} = await {module("shared/dom")};
        const box = make('div');
        const [a, b, c] = ['a', 'b', 'c'].map((text) => make('button', '', text));
        document.body.append(box);
        arrange(box, [a, b]);
        b.focus();
        arrange(box, [c, b]);
        const order = box.textContent, focused = document.activeElement === b;
        box.remove();
        return [order, focused];""",
    )
    assert kept == ["cb", True]


def test_what_others_say_of_a_verdict_stands_there_as_theirs(modules: Page) -> None:
    told = run(
        modules,
        f"""const {{ judging }} = await {module("shared/judging")};
        const own = {{ id: '1', answer: 'fail', reason: '', status: 'pass', agrees: false }};
        const others = [{{ answer: 'pass', reason: 'It is red.' }}];
        const card = (answers) => judging({{
          question: {{}}, status: 'pass', ruleName: 'paper', evidence: 'kept', answers,
        }}).node;
        const shown = (node) => [
          [...node.querySelectorAll('p')].map((one) => one.textContent),
          [...node.querySelectorAll('button')].map((one) => one.textContent),
        ];
        return [
          shown(card({{ judgment: null, others, others_total: 3 }})),
          shown(card({{ judgment: own, others, others_total: 1 }})),
          shown(card()),
        ];""",
    )
    other = "Somebody else says: it has the color. “It is red.”"
    agree = ["I agree", "I disagree"]
    assert told == [
        [[other, "2 more: Explore, Where the rules disagree"], agree],
        [["You disagree: it does not have the color.", other], ["Change", "Take back"]],
        [[], agree],
    ]


def test_the_basket_is_kept_in_the_browser(modules: Page) -> None:
    held = run(
        modules,
        f"""const {{ basket }} = await {module("shared/basket")};
        const one = {{ source: 's', id: '1', text: 'A red mug' }};
        const told = [], leave = basket.watch((elsewhere) => told.push(elsewhere));
        basket.toggle(one);
        basket.add([one, {{ source: 's', id: '2' }}]);
        const kept = JSON.parse(localStorage.getItem('th-basket')).map((item) => item.id);
        const refs = basket.refs();
        basket.drop([one]);
        leave();
        const left = basket.items().map((item) => item.id);
        basket.clear();
        return [kept, refs, left, told];""",
    )
    assert held == [["1", "2"], [["s", "1"], ["s", "2"]], ["2"], [False, False, False]]


def test_colors_of_a_figure_are_the_page_s(modules: Page) -> None:
    drawn = run(
        modules,
        f"""const {{ themed }} = await {module("shared/figure")};
        const style = {{ getPropertyValue: (name) => ' #123 ' + name }};
        return themed({{ line: ['var(--th-ink)', 'var(--other)', 3, null] }}, style);""",
    )
    assert drawn == {"line": ["#123 --th-ink", "var(--other)", 3, None]}


JOBS = [
    {"id": "a", "active": True, "problem": ""},
    {"id": "b", "active": False, "problem": "gone"},
    {"id": "c", "active": False, "problem": ""},
    {"id": "d", "active": True, "problem": ""},
]


@pytest.mark.parametrize(
    ("jobs", "old", "ids", "words"),
    [
        ([], [], "", ""),
        (JOBS, [], "adbc", "2 at work, 1 problem"),
        (JOBS, ["b", "c"], "ad", "2 at work"),
        (JOBS[1:3], ["b"], "c", "Done"),
        (JOBS[1:3], ["b", "c"], "", ""),
        ([dict(JOBS[2], id=str(n)) for n in range(9)], [], "01234", "Done"),
    ],
)
def test_what_is_at_work_and_what_has_ended_is_listed(
    modules: Page, jobs: list[Any], old: list[str], ids: str, words: str
) -> None:
    shown = run(
        modules,
        f"""const work = await {module("page/work")};
        const shown = work.shownJobs(value[0], new Set(value[1]));
        return [shown.map((job) => job.id).join(''), work.workWords(shown)];""",
        [jobs, old],
    )
    assert shown == [ids, words]


def test_a_view_shows_the_work_of_its_kind_and_its_end_once(modules: Page) -> None:
    shown = run(
        modules,
        f"""const store = {STORE};
        const {{ watchWork }} = await {module("shared/jobs")};
        const box = document.createElement('div');
        const asked = [];
        const ask = window.fetch;
        window.fetch = (...given) => {{ asked.push(given); return ask(...given); }};
        const seen = [];
        document.body.append(box);
        store.set('work', [{{ id: 'a', kind: 'cells', active: false }}]);
        watchWork(box, 'cells', (job, ended) => seen.push([job && job.id, ended]));
        const told = (...jobs) => store.set('work', jobs);
        const other = {{ id: 'x', kind: 'export', active: true }};
        told(other, {{ id: 'b', kind: 'cells', active: true }});
        box.hidden = true;
        told({{ id: 'b', kind: 'cells', active: false }});
        box.hidden = false;
        told({{ id: 'b', kind: 'cells', active: false }});
        told({{ id: 'b', kind: 'cells', active: false }});
        told({{ id: 'c', kind: 'cells', active: false }});
        told();
        box.remove();
        told({{ id: 'd', kind: 'cells', active: false }});
        document.body.append(box);
        told({{ id: 'd', kind: 'cells', active: false }});
        box.remove();
        window.fetch = ask;
        return [seen, asked];""",
    )
    expected = [["a", False], ["b", False], ["b", True], ["b", False], ["c", True], [None, False]]
    assert shown == [expected, []]


def test_own_work_is_followed_where_nobody_looks(modules: Page) -> None:
    """And what others do only once somebody does again."""
    counts = run(
        modules,
        f"""const store = {STORE};
        const {{ mountWork }} = await {module("page/work")};
        const box = document.createElement('div');
        box.innerHTML = value;
        document.body.append(box);
        const job = (active) => ({{ id: 'a', kind: 'export', title: 'An export', mine: true, active,
          status: active ? 'running' : 'done', words: '', problem: '', left_s: null,
          elapsed_s: 1 }});
        const lists = [[job(true)], [job(false)]];
        const ask = window.fetch;
        let hidden = false;
        let asked = 0;
        Object.defineProperty(document, 'hidden', {{ configurable: true, get: () => hidden }});
        window.fetch = async () => {{
          hidden = true;
          const jobs = lists[asked++];
          if (!jobs) return new Promise(() => {{}});
          return new Response(JSON.stringify({{ jobs, version: asked }}));
        }};
        const rest = () => new Promise((done) => setTimeout(done, 100));
        mountWork(box);
        await rest();
        const counts = [asked, store.get('work')[0].active];
        hidden = false;
        document.dispatchEvent(new Event('visibilitychange'));
        await rest();
        counts.push(asked);
        box.remove();
        delete document.hidden;
        window.fetch = ask;
        return counts;""",
        html("page/header"),
    )
    assert counts == [2, False, 3]


def test_what_is_not_confirmed_is_sent_again_and_what_is_refused_stays(modules: Page) -> None:
    """A network that fails once, a study that stores one event of two, and a page that is opened
    again: each event is stored or refused once."""
    told = run(
        modules,
        f"""const {{ Outbox }} = await {module("participants/outbox")};
        const sent = [];
        let failures = 1;
        const send = async (events) => {{
          sent.push(events.map((event) => event.position));
          if (failures-- > 0) throw new Error('no network');
          return {{
            stored: events.filter((event) => event.position !== 1).map((event) => event.id),
            refused: events.filter((event) => event.position === 1)
              .map((event) => ({{ id: event.id, error: 'No.', code: 'bad' }})),
          }};
        }};
        const open = () => new Outbox('p', send, () => {{}});
        const first = open();
        first.add('answer', 0, {{ value: 1 }});
        await new Promise((done) => setTimeout(done, 20));
        const ours = (key) => key.startsWith(first.prefix);
        const stored = () => Object.keys(localStorage).filter(ours);
        const failing = [first.failing, first.waiting.length, stored().length];
        first.add('answer', 1, {{ value: 0 }});
        await new Promise((done) => setTimeout(done, 50));
        const again = open();
        const kept = [again.waiting.length, again.refused];
        const keys = stored();
        keys.forEach((key) => localStorage.removeItem(key));
        return [failing, sent, first.waiting.length, kept, keys.length];""",
    )
    refused = [{"error": "No.", "code": "bad"}]
    assert told == [[True, 1, 1], [[0], [0, 1]], 0, [0, refused], 1]


@pytest.mark.parametrize(
    ("places", "room", "name", "width"),
    [
        (2, [1334, 560], "below", 496),
        (2, [344, 450], "rows", 221),
        (2, [700, 180], "beside", 180),
        (4, [344, 520], "below", 168),
        (1, [344, 400], "below", 344),
    ],
)
def test_pictures_are_as_large_as_the_screen_lets_them(
    modules: Page, places: int, room: list[int], name: str, width: int
) -> None:
    shown = run(
        modules,
        f"""const {{ arrangement }} = await {module("participants/layout")};
        const [places, width, height] = value;
        const free = arrangement(places, {{ width, height }}, 1);
        const held = arrangement(places, {{ width, height: height - 30 }}, 1, free.name);
        return [free.name, free.width, free.height, held.name];""",
        [places, *room],
    )
    assert shown == [name, width, width, name]


def test_participants_read_every_word_in_every_language(modules: Page) -> None:
    """And the same places are filled in."""
    differing = run(
        modules,
        f"""const modules = await Promise.all([
          {module("participants/words")}, {module("participants/words_de")},
          {module("participants/vote_words")}, {module("participants/vote_words_de")},
          {module("participants/coloring_words")}, {module("participants/coloring_words_de")}]);
        const english = Object.assign({{}}, ...modules.map((one) => one.english));
        const words = Object.assign({{}}, ...modules.map((one) => one.words));
        const places = (text) => (text?.match(/{{[a-z]+}}/g) || []).sort().join();
        const names = new Set([...Object.keys(english), ...Object.keys(words)]);
        return [...names].filter((name) => places(english[name]) !== places(words[name])
          || !english[name] || !words[name]);""",
    )
    assert differing == []
