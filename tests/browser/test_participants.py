"""The participants' page as they use it: by keys, by touch, without a network, twice at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.participants import quality
from annotation.studies.cases import Kind
from annotation.studies.plan import Material, Screening
from core.studies import State
from tests.browser.axe import barriers_here
from tests.browser.conftest import Visit, Watch
from tests.browser.people import PHONE, Person, of_kind, one_person, too_small
from tests.browser.study_room import BACK, CODE, INTRO, StudyRoom, study_room

pytestmark = pytest.mark.browser


WEIGHT = """() => ['.tie', '.choose', 'figure:last-of-type .choose'].map((name) => {
  const node = document.querySelector(name);
  const style = getComputedStyle(node);
  let ground = node.parentElement;
  while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)')
    ground = ground.parentElement;
  const under = getComputedStyle(ground).backgroundColor;
  return [style.backgroundColor, style.color, style.fontWeight, under];
})"""
"""What makes an answer loud: its gray, its letters, and what it stands on."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRoom]:
    with study_room(tmp_path_factory.mktemp("studies")) as opened:
        yield opened


def test_from_the_link_to_the_code_by_keys_alone(room: StudyRoom, visit: Visit) -> None:
    """And axe finds nothing serious on any screen on the way."""
    plan = room.plan(
        intro=INTRO, screening=Screening(), training=room.training(), attention=1, trials=3
    )
    link = room.opened(plan)
    page = visit(f"{link}?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=e1")
    person, keyboard = Person(page), page.keyboard
    barriers: list[str] = []

    def through(screen: str) -> None:
        person.at(screen)
        barriers.extend(f"{screen}: {words}" for words in barriers_here(page))
        keyboard.press("Tab")
        keyboard.press("Enter")

    through("welcome")
    through("consent")
    for number in range(1, 7):
        expect(page.get_by_text(f"Picture {number} of 6")).to_be_visible()
        if number in (1, 5):
            barriers.extend(barriers_here(page))
        keyboard.press("n" if number == 2 else "3")
    through("instructions")
    for position in (0, 1):
        person.sees(position)
        keyboard.press("ArrowLeft")
        expect(page.get_by_role("button", name="Continue")).to_be_focused()
        barriers.extend(barriers_here(page) if not position else [])
        keyboard.press("Enter")
    if page.get_by_text("Once more").count():
        through("between")
        person.answers(range(2, 4), "2")
    first = 2
    through("between")
    checked = 0
    for position in range(first, first + 4):
        person.sees(position)
        asked = page.locator(".field-words:visible")
        if asked.count():
            checked += 1
            barriers.extend(barriers_here(page))
            keyboard.press(re.findall(r"\d", asked.inner_text())[0])
        else:
            barriers.extend(barriers_here(page) if position == first else [])
            keyboard.press("=")
        tie, *sides = page.evaluate(WEIGHT)
        assert sides == [tie, tie], "no difference is as loud as a side, also in a check"
    assert checked == 1
    person.at("comment")
    barriers.extend(barriers_here(page))
    keyboard.press("Tab")
    expect(page.locator("textarea")).to_be_focused()
    keyboard.type("Some were hard: 1 2 0 <b>!</b>")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(person.at("finished")).to_contain_text(CODE)
    barriers.extend(barriers_here(page))
    assert page.get_by_role("link").get_attribute("href") == BACK
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert barriers == []

    events = one_person(room, link)
    kinds = [event.kind.value for event in events]
    assert kinds == ["screening", *["answer"] * 6, "comment", "finish"]
    assert events[0].body["answers"]["plates"][1] == ""
    assert events[0].body["shown"] == 4
    assert events[-2].body["text"] == "Some were hard: 1 2 0 <b>!</b>"
    answers = [event for event in events if event.kind == "answer"]
    assert [event.position for event in answers] == list(range(6))
    assert all(event.body["response_ms"] >= 200 for event in answers)
    facts = answers[-1].body["display"]
    assert facts == {
        "viewport": "1360x1000",
        "dpr": 1,
        "arrangement": "below",
        "zoomed": False,
        "hidden_ms": 0,
    }


@pytest.mark.parametrize(
    ("kind", "values", "name"),
    [
        (Kind.PAIRS, {"tie": True}, "Choose 2"),
        (Kind.PAIRS, {"material": Material.DISTRIBUTIONS}, "Choose 2"),
        (Kind.RATINGS, {}, "10"),
        (Kind.BEST_OF, {}, "Choose 4"),
    ],
    ids=["pairs", "distributions", "ratings", "best of four"],
)
def test_a_phone_360_pixels_wide_by_touch(
    room: StudyRoom, visit: Visit, kind: Kind, values: dict[str, Any], name: str
) -> None:
    link = room.opened(room.plan(kind, trials=2, **values))
    page = visit(link, **PHONE)
    page.set_viewport_size({"width": 360, "height": 740})
    person = Person(page)
    person.at("consent")
    assert too_small(page) == []
    page.get_by_role("button", name="I agree").tap()
    person.at("instructions")
    page.get_by_role("button", name="Start").tap()
    for position in range(2):
        person.sees(position)
        assert too_small(page) == []
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth "
            "&& document.documentElement.scrollHeight <= innerHeight"
        )
        sizes = page.evaluate(
            """() => [...document.querySelectorAll('.frame, .strip')].map((one) => {
              const box = one.getBoundingClientRect();
              return one.className.split(' ')[0] + ' ' + box.width + ' x ' + box.height;
            })"""
        )
        assert len(set(sizes)) == (2 if "material" in values else 1), sizes
        assert barriers_here(page) == []
        page.get_by_role("button", name=name, exact=True).tap()
    person.at("comment")
    assert too_small(page) == []
    page.get_by_role("button", name="Finish").tap()
    expect(person.at("finished")).to_contain_text(CODE)
    value = {"Choose 2": 1, "10": 10, "Choose 4": 3}[name]
    assert [given[2] for given in of_kind(one_person(room, link), "answer")] == [value] * 2
    answer = next(event for event in one_person(room, link) if event.kind == "answer")
    lying = {Kind.PAIRS: "rows", Kind.RATINGS: None, Kind.BEST_OF: "below"}[kind]
    assert answer.body["display"].get("arrangement") == lying


def test_strips_have_areas_by_weight_in_one_order(room: StudyRoom, visit: Visit) -> None:
    page = visit(room.opened(room.plan(material=Material.DISTRIBUTIONS, trials=1)))
    Person(page).begins()
    trial = page.evaluate("fetch(location.pathname + '/state').then((answer) => answer.json())")
    shown = page.evaluate(
        """() => [...document.querySelectorAll('.strip svg')].map((strip) =>
          [...strip.children].map((part) =>
            [part.getAttribute('fill'), Number(part.getAttribute('width')) / 10_000]))"""
    )
    (only,) = trial["trials"]
    weights = [only["reference"], *(place["weights"] for place in only["places"])]
    for strip, shares in zip(shown, weights, strict=True):
        drawn = dict(strip)
        wanted = {c: s for c, s in zip(trial["colors"], shares, strict=True) if s > 0}
        assert drawn == pytest.approx(wanted, abs=1e-4)
    order = {color: at for at, (color, _) in enumerate(max(shown, key=len))}
    for strip in shown:
        places = [order[color] for color, _ in strip if color in order]
        assert places == sorted(places)


def test_answers_wait_where_there_is_no_network_and_none_is_lost(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/events")
    link = room.opened(room.plan(trials=6))
    page = visit(link, fresh=True)
    person, notice = Person(page), page.get_by_text("Not sent yet")
    person.begins()
    person.answers(range(1))
    person.sees(1)
    page.context.set_offline(True)
    person.answers(range(1, 5))
    expect(notice).to_contain_text("4 answers")
    person.sees(5)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("location.reload()")
    page.wait_for_timeout(200)
    assert asked == ["beforeunload"]
    page.context.set_offline(False)
    expect(notice).to_be_hidden()
    person.answers(range(5, 6))
    person.finishes()
    given = of_kind(one_person(room, link), "answer")
    assert [position for _, position, _ in given] == list(range(6))


def test_who_comes_back_goes_on_with_what_was_not_sent(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/events")
    link = room.opened(room.plan(trials=5))
    page = visit(link, fresh=True)
    person = Person(page)
    person.begins()
    person.answers(range(2))
    person.sees(2)
    page.context.set_offline(True)
    person.answers(range(2, 4))
    person.sees(4)
    context = page.context
    page.close()
    # A closing page may still send what waited: the browser then forgets that it was offline.
    assert len(of_kind(one_person(room, link), "answer")) in (2, 4)
    context.set_offline(False)
    person = Person(context.new_page())
    person.page.goto(link)
    expect(person.at("again")).to_contain_text(re.compile("[24] of 5"))
    person.presses("Continue")
    person.answers(range(4, 5))
    person.page.reload()
    expect(person.at("again")).to_contain_text("5 of 5")
    person.presses("Continue")
    person.finishes()
    given = of_kind(one_person(room, link), "answer")
    assert [position for _, position, _ in given] == list(range(5))
    person.page.reload()
    expect(person.at("finished")).to_contain_text(CODE)


def test_what_is_refused_is_said_and_asked_again(
    room: StudyRoom, visit: Visit, watch: Watch
) -> None:
    watch.refused.add("/events")
    link = room.opened(room.plan(trials=3))
    page = visit(link, fresh=True)
    person = Person(page)
    person.begins()

    def refuse(route: Any) -> None:
        (event,) = route.request.post_data_json["events"]
        refused = [{"id": event["id"], "error": "No such trial.", "code": "unknown"}]
        participant = {"number_of_trials": 3, "positions_answered": [], "stage": "trials"}
        content = {"stored": [], "refused": refused, "trials": [], "participant": participant}
        route.fulfill(status=400, json=content)

    page.route("**/events", refuse, times=1)
    page.keyboard.press("1")
    expect(page.get_by_text("1 answer was not taken: No such trial.")).to_be_visible()
    person.sees(1)
    page.keyboard.press("1")
    person.sees(0)
    page.keyboard.press("2")
    person.answers(range(2, 3))
    person.finishes()
    given = of_kind(one_person(room, link), "answer")
    assert sorted(given) == [("answer", 0, 1), ("answer", 1, 0), ("answer", 2, 0)]


def test_two_people_at_once_and_the_next_pair_comes_at_once(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(trials=6))
    people = [Person(visit(link)), Person(visit(link))]
    for person in people:
        person.begins()
    for position in range(6):
        for key, person in zip("12", people, strict=True):
            person.answers(range(position, position + 1), key)
    for person in people:
        person.finishes()
        took = person.page.evaluate(
            "performance.getEntriesByName('answer to next trial').map((one) => one.duration)"
        )
        assert sorted(took)[len(took) // 2] < 100, took
    values = {tuple(e[2] for e in of_kind(v, "answer")) for v in room.events(link).values()}
    assert values == {(0,) * 6, (1,) * 6}


def test_the_last_answer_is_taken_back_and_stays_stored(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(trials=3))
    page = visit(link)
    person = Person(page)
    person.begins()
    expect(page.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("u")
    person.answers(range(2))
    person.sees(2)
    page.keyboard.press("Backspace")
    person.sees(1)
    expect(page.locator("header")).to_contain_text("Taken back")
    person.answers(range(1, 3), "2")
    person.at("comment")
    person.presses("Undo")
    person.answers(range(2, 3), "s")
    person.finishes()
    assert of_kind(one_person(room, link), "answer", "undo") == [
        ("answer", 0, 0),
        ("answer", 1, 0),
        ("undo", 1, None),
        ("answer", 1, 1),
        ("answer", 2, 1),
        ("undo", 2, None),
        ("answer", 2, None),
    ]


def test_mashed_keys_answer_once(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(trials=4))
    page = visit(link)
    Person(page).begins()
    page.evaluate(
        """async () => {
          for (let at = 0; at < 12; at++) {
            document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
            await new Promise((done) => setTimeout(done, 12));
          }
        }"""
    )
    Person(page).sees(1)
    # A key that is held down is one press.
    for _ in range(6):
        page.keyboard.down("2")
        page.wait_for_timeout(60)
    page.keyboard.up("2")
    Person(page).sees(2)
    expect(page.get_by_text("Not sent yet")).to_be_hidden()
    assert of_kind(one_person(room, link), "answer") == [("answer", 0, 0), ("answer", 1, 1)]


def test_ten_is_typed_as_one_and_zero(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(Kind.RATINGS, trials=4))
    page = visit(link)
    person = Person(page)
    person.begins()
    for position, keys in enumerate((["1", "0"], ["1"], ["0"], ["7"])):
        person.sees(position)
        for key in keys:
            page.keyboard.press(key)
    person.finishes()
    given = [value for _, _, value in of_kind(one_person(room, link), "answer")]
    assert given == [10, 1, 0, 7]


def test_pictures_are_looked_at_closely_together(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(trials=2))
    page = visit(link)
    person = Person(page)
    person.begins()

    def moved() -> set[str]:
        return set(
            page.locator(".frame img").evaluate_all("all => all.map(i => i.style.transform)")
        )

    assert moved() == {""}
    page.keyboard.press("z")
    assert moved() == {"translate(-75%, -75%) scale(2.5)"}
    first = page.locator(".frame").first
    box = first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + box["width"] / 4, y, steps=3)
    page.mouse.up()
    (close,) = moved()
    assert close == "translate(-50%, -75%) scale(2.5)"
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(50)
    (closer,) = moved()
    assert float(closer.rsplit("scale(", 1)[1][:-1]) > 4
    page.mouse.dblclick(x, y)
    assert moved() == {""}
    page.keyboard.press("2")
    person.sees(1)
    assert moved() == {""}
    page.keyboard.press("2")
    person.finishes()
    answers = [event for event in one_person(room, link) if event.kind == "answer"]
    assert [event.body["display"]["zoomed"] for event in answers] == [True, False]


def test_a_person_stops_for_good(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan())
    page = visit(link)
    person = Person(page)
    person.begins()
    person.answers(range(1))
    person.sees(1)
    person.presses("Stop")
    assert barriers_here(page) == []
    page.keyboard.press("2")
    person.presses("Go on")
    person.sees(1)
    person.presses("Stop")
    person.presses("Withdraw")
    person.at("withdrawn")
    page.wait_for_timeout(200)
    kinds = [event.kind.value for event in one_person(room, link)]
    assert kinds == ["answer", "withdrawal"]
    page.reload()
    person.at("withdrawn")


def test_what_is_in_the_way_is_said(room: StudyRoom, visit: Visit, watch: Watch) -> None:
    watch.refused |= {"unknown/state", "/x"}
    page = visit(room.opened(room.plan(), State.DRAFT))
    Person(page).at("draft")
    for state in (State.PAUSED, State.CLOSED):
        page.goto(room.opened(room.plan(), state))
        Person(page).at(state.value)
    assert barriers_here(page) == []
    page.goto(f"{room.address}/study/x")
    Person(page).at("unknown")
    page.goto(room.opened(room.plan(language="de", wording=(("agree", "Ja, gern"),))))
    Person(page).presses("Ja, gern")
    expect(Person(page).at("instructions")).to_contain_text("Was zu tun ist")
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_no_agreement_stores_nobody(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan())
    person = Person(visit(link))
    person.at("consent")
    person.presses("I do not agree")
    person.at("declined")
    assert room.events(link) == {}
    person.presses("Back to the text")
    person.at("consent")


def test_a_second_tab_takes_over(room: StudyRoom, visit: Visit) -> None:
    page = visit(room.opened(room.plan()))
    Person(page).begins()
    other = page.context.new_page()
    other.goto(page.url)
    Person(other).at("twice")
    Person(other).presses("Go on here")
    Person(other).at("instructions")
    Person(page).at("moved")


def test_time_away_is_noted(room: StudyRoom, visit: Visit) -> None:
    link = room.opened(room.plan(trials=1))
    page = visit(link)
    person = Person(page)
    person.begins()
    page.evaluate(
        """async () => {
          const set = (hidden) => {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
            document.dispatchEvent(new Event('visibilitychange'));
          };
          set(true);
          await new Promise((done) => setTimeout(done, 300));
          set(false);
        }"""
    )
    page.keyboard.press("1")
    person.finishes()
    away, answer = one_person(room, link)[:2]
    assert (away.kind, away.position) == ("away", 0)
    assert away.body["ms"] >= 300
    assert answer.body["display"]["hidden_ms"] == away.body["ms"]


@pytest.mark.parametrize("kind", [Kind.PAIRS, Kind.COLORINGS])
def test_the_page_is_light(room: StudyRoom, visit: Visit, kind: Kind) -> None:
    """All script and style that a participant's browser fetches, plain and as it is sent: what
    another kind of study needs is not among it."""
    colored = kind is Kind.COLORINGS
    values: dict[str, Any] = {"trials": 1, "screening": Screening(), "language": "de"}
    plan = room.colorings(**values) if colored else room.plan(**values)
    link = room.opened(plan)
    page = visit(link, fresh=True)
    page.get_by_role("button", name="Ich stimme zu").click()
    Person(page).at("plate")
    fetched = page.evaluate(
        """() => performance.getEntriesByType('resource').map((one) =>
          [one.name, one.decodedBodySize, one.encodedBodySize])"""
    )
    ours = (link, f"{room.address}/assets/participants/")
    assert [name for name, *_ in fetched if not name.startswith(ours)] == []
    files = {name: sizes for name, *sizes in fetched if name.endswith((".js", ".css"))}
    assert len(files) > 12
    names = " ".join(files)
    assert ("/canvas/" in names, "/trials.js" in names) == (colored, not colored)
    assert sum(sent for _, sent in files.values()) < (55_000 if colored else 35_000)
    assert sum(plain for plain, _ in files.values()) < (160_000 if colored else 90_000)


def test_the_page_runs_no_script_but_its_own(room: StudyRoom, visit: Visit, watch: Watch) -> None:
    link = room.opened(room.plan(question="<img src=x onerror=alert(1)>", trials=1))
    page = visit(link, fresh=True)
    Person(page).begins()
    expect(page.get_by_role("heading")).to_have_text("<img src=x onerror=alert(1)>")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), "
        "{ textContent: 'window.foreign = 1' }))"
    )
    assert page.evaluate("window.foreign") is None
    assert any("Content Security Policy" in fault for fault in watch.faults)
    watch.faults.clear()


def test_who_is_faster_than_anybody_reads_why_there_is_no_code(
    room: StudyRoom, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quality, "LEAST_ANSWER_S", 3600.0)
    page = visit(room.opened(room.plan(trials=2)))
    person = Person(page)
    person.begins()
    person.answers(range(2))
    person.at("comment")
    person.presses("Finish")
    end = person.at("finished")
    expect(end).to_contain_text("faster than people can give them")
    expect(end).not_to_contain_text(CODE)
    expect(end.get_by_role("link")).to_have_count(0)
