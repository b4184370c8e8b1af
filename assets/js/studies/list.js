// The list of studies, and an explanation if there is none yet.
import { arrange, make, many, put, strip } from '../shared/dom.js';
import { ask, sendFile } from '../shared/http.js';
import { undo } from '../shared/verdict_actions.js';
import { store } from '../shared/state.js';
import { API, presetCards, readPresets } from './choices.js';
import { CASE, KINDS, ago, bar, linkButton, stateMark, whole } from './parts.js';
import { isSeen, studyView, openNew, openStudy, reviewAddress } from './view.js';

const POLL_MS = 10000;
/** Which studies are listed; the strip is there once there are so many of several kinds. */
const FILTERS = [
  { id: 'all', name: 'All', states: ['draft', 'open', 'paused', 'closed'] },
  { id: 'draft', name: 'Drafts', states: ['draft'] },
  { id: 'going', name: 'Active', states: ['open', 'paused'] },
  { id: 'closed', name: 'Closed', states: ['closed'] },
];
const FILTERED_FROM = 5;

/**
 * A link to a study that a click follows on this page.
 * @param {Api.StudyRow} study
 */
function studyLink(study) {
  const link = make('a', 'th-study-title', study.title);
  link.href = '?tab=studies&study=' + study.id;
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    studyView.title = study.title;
    openStudy(study.id);
  });
  return link;
}

/** @param {Api.StudyRow} study */
function studyLine(study) {
  const node = make('article', 'th-study-entry');
  const name = make('div', 'th-study-name');
  const title = make('h3');
  const votes = make('div', 'th-study-votes');
  const people = make('div', 'th-study-people');
  const colored = study.kind === 'colorings';
  const answered = colored ? 'colorings' : study.kind === 'questions' ? 'answers' : 'votes';
  const share = study.votes_wanted ? study.answers / study.votes_wanted : 0;
  title.append(studyLink(study));
  name.append(
    title,
    make(
      'p',
      'th-soft',
      [
        KINDS[study.kind],
        many(study.cases, CASE[study.kind] || 'case'),
        study.models.join(', '),
        study.kind in CASE
          ? ''
          : many(study.stimuli, 'stimul').replace(/stimul(s?)$/, (_, s) =>
              s ? 'stimuli' : 'stimulus',
            ),
        study.version > 1 ? 'version ' + study.version : '',
        study.author_name,
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
  const count = make('p');
  count.append(
    make('b', '', whole(study.answers)),
    make(
      'span',
      'th-soft',
      ' of ' + whole(study.votes_wanted) + ' ' + answered + ' · ' + Math.floor(100 * share) + '%',
    ),
  );
  votes.append(
    count,
    bar(
      study.answers,
      study.votes_wanted,
      answered[0].toUpperCase() + answered.slice(1) + ' of ' + study.title,
    ),
  );
  const persons = make('p');
  persons.append(
    make('b', '', whole(study.participants)),
    make(
      'span',
      'th-soft',
      (study.participants === 1 ? ' person' : ' people') +
        ', ' +
        whole(study.finished) +
        ' finished',
    ),
  );
  const last = study.last_at
    ? 'last ' + answered.slice(0, -1) + ' ' + ago(study.last_at)
    : 'made ' + ago(study.created_at);
  people.append(persons, make('p', 'th-soft', last));
  node.append(stateMark(study.state), name, votes, people);
  return node;
}

/**
 * @param {HTMLElement} box the screen
 * @returns {{ shown: () => void }}
 */
export function studyList(box) {
  const list = box.querySelector('.th-study-list');
  const begin = box.querySelector('.th-study-begin');
  const refused = box.querySelector('.th-study-refused');
  const waiting = box.querySelector('.th-study-waiting');
  const said = box.querySelector('.th-study-said');
  const file = box.querySelector('.th-study-file');
  const reviews = make('section', 'th-card th-colorings-reviews');
  let timer;
  let request = 0;
  let shown = '';
  const choice = make('span', 'th-strip th-study-filter');
  let filter = 'all';
  reviews.hidden = true;
  box.prepend(reviews);
  forMakers(false);
  choice.hidden = true;
  choice.setAttribute('role', 'group');
  choice.setAttribute('aria-label', 'Filter studies');
  list.before(choice);

  /** What admins, who may review, find here. */
  async function reviewing() {
    try {
      return await ask('/api/reviews');
    } catch {
      return null;
    }
  }
  /** @param {any[] | null} studies */
  function drawReviews(studies) {
    const left = (studies || []).reduce((sum, study) => sum + study.left, 0);
    reviews.hidden = !left;
    if (!left) return;
    const text = many(left, 'coloring') + (left === 1 ? ' waits' : ' wait') + ' for your review';
    if (reviews.dataset.words === text) return;
    reviews.dataset.words = text;
    const to = studies?.length === 1 ? studies[0].id : '';
    const act = linkButton('Review', reviewAddress(to));
    act.classList.add('th-study-do');
    reviews.replaceChildren(make('p', '', text + '.'), act);
  }
  /** What only those who may make studies need is not shown before it is known who looks. */
  function forMakers(known) {
    box.querySelectorAll('.th-study-top .th-study-buttons, .th-study-lead').forEach((part) => {
      part.hidden = !known;
    });
  }
  function problem(text) {
    put(refused, text);
    refused.hidden = !text;
  }
  async function load() {
    clearTimeout(timer);
    if (studyView.screen !== 'list' || !isSeen()) return;
    const mine = ++request;
    try {
      const toReview = await reviewing();
      if (mine !== request) return;
      forMakers(true);
      const { studies } = await ask(API);
      const presets = await readPresets();
      if (mine !== request) return;
      problem('');
      draw(studies, presets.presets);
      drawReviews(toReview?.studies || null);
    } catch (error) {
      if (mine !== request) return;
      forMakers(true);
      problem('The studies cannot be shown. ' + error.message);
    }
    waiting.hidden = true;
    clearTimeout(timer);
    timer = setTimeout(load, POLL_MS);
  }
  function draw(studies, presets) {
    // What did not change stays: a press that has begun, and the focus.
    const now = JSON.stringify(studies) + filter + Math.floor(Date.now() / 60000);
    if (now === shown) return;
    shown = now;
    const held =
      document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : '';
    const some = FILTERS.filter((item) =>
      studies.some((study) => item.states.includes(study.state)),
    );
    const few = studies.length < FILTERED_FROM || some.length < 3;
    if (few || !some.some((item) => item.id === filter)) filter = 'all';
    choice.hidden = few;
    strip(
      choice,
      some.map((item) => ({
        id: item.id,
        name:
          item.name +
          ' ' +
          whole(studies.filter((study) => item.states.includes(study.state)).length),
      })),
      filter,
      (id) => {
        filter = id;
        draw(studies, presets);
      },
    );
    const { states } = FILTERS.find((item) => item.id === filter) || FILTERS[0];
    arrange(list, studies.filter((study) => states.includes(study.state)).map(studyLine));
    if (held)
      [...list.querySelectorAll('a')]
        .find((link) => link.href === held)
        ?.focus({ preventScroll: true });
    const none = !studies.length;
    put(begin.querySelector('h3'), none ? 'No studies yet: create one' : 'Create another study');
    put(
      begin.querySelector('.th-study-begin-words'),
      none
        ? 'A study asks people one question about many pairs of images or color distributions. Choose a study type below; you can change everything in it. ' +
            'Preview the draft as a participant, open it and send out a link. ' +
            'Votes appear here, and all of them are stored.'
        : 'Each type starts with published or common settings. You can change all of them.',
    );
    presetCards(begin.querySelector('.th-study-presets'), presets, openNew);
    begin.hidden = false;
  }

  box.querySelector('.th-study-new').addEventListener('click', () => openNew());
  box.querySelector('.th-study-take').addEventListener('click', () => file.click());
  file.addEventListener('change', async () => {
    const [chosen] = file.files || [];
    if (!chosen) return;
    problem('');
    put(said, 'Reading ' + chosen.name + '…');
    try {
      const { study, notes } = await sendFile(`${API}/import`, chosen);
      const people = study.participants === 1 ? '1 person' : whole(study.participants) + ' people';
      put(said, ['Imported “' + study.title + '”, ' + people + '.', ...(notes || [])].join(' '));
    } catch (error) {
      put(said, '');
      problem(error.message);
    }
    file.value = '';
    shown = '';
    load();
  });
  store.subscribe('studies', load);
  /** The draft that was deleted a moment ago can be put back while the list is on the screen. */
  function gone() {
    box.querySelector('.th-undo')?.remove();
    if (!studyView.deleted) return;
    const { id, words } = studyView.deleted;
    studyView.deleted = undefined;
    const line = undo(list.parentElement, words + ' was deleted.', id, () => {
      shown = '';
      load();
    });
    list.before(line);
    line.querySelector('button')?.focus();
  }
  return {
    shown() {
      gone();
      load();
    },
  };
}
