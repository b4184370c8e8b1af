// One study: its kind, state and actions, and the switch between its views.
import { arrowKeys, make, many } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';
import { API } from './choices.js';
import { galleryView } from './colorings/gallery.js';
import { practiceView } from './colorings/practice.js';
import { qualityView } from './colorings/quality.js';
import { exportView } from './export.js';
import { linksView } from './invitations.js';
import { liveView } from './live.js';
import { metricsView } from './metrics.js';
import {
  CASE,
  KINDS,
  MATERIALS,
  button,
  doing,
  problemLine,
  question,
  reasonField,
  stamp,
  stateMark,
} from './parts.js';
import { peopleView } from './people.js';
import { planView } from './plan.js';
import { resultsView } from './results.js';
import { VIEWS, isSeen, studyView, openList, openNew, openStudy, publishStudies } from './view.js';

/**
 * The study on screen: what the app told of it last, and how it is asked for again.
 * @typedef {object} Current
 * @property {Api.StudyView} study
 * @property {`/api/studies/${string}`} address
 * @property {() => Promise<void>} reload
 * @property {(study: Api.StudyView) => void} take shows what an action answered
 */

const MAKERS = {
  live: liveView,
  results: resultsView,
  metrics: metricsView,
  people: peopleView,
  links: linksView,
  plan: planView,
  export: exportView,
};
/** Views of a study of colorings that others do not have, or have otherwise. */
const COLORED = {
  ...MAKERS,
  results: qualityView,
  gallery: galleryView,
  practice: practiceView,
};

/** @param {Current} current @param {{ say: (text: string) => void }} line @param {HTMLElement} said */
function actions(current, line, said) {
  const { study, address } = current;
  const { can } = study;
  const become = async (state, reason = '') => {
    const answer = await send(`${address}/state`, { state, reason });
    current.take(answer.study);
    store.tell('study-view');
  };
  const nodes = [];
  if (study.state === 'draft') {
    const open = doing('Open the study', () => become('open'), line, 'th-study-do');
    if (!can.open) {
      open.setAttribute('aria-disabled', 'true');
      open.title = study.blocks.join(' ');
    }
    nodes.push(open);
  }
  if (study.state === 'paused' && can.open)
    nodes.push(doing('Resume', () => become('open'), line, 'th-study-do'));
  if (can.pause) nodes.push(doing('Pause', () => become('paused'), line));
  if (can.close)
    nodes.push(
      button('Close…', () => {
        const reason = reasonField(
          'Why, for the log',
          'Optional, for example “all votes received”.',
        );
        question({
          title: 'Close “' + study.title + '”?',
          body: [
            make(
              'p',
              '',
              'Its links then say that the study is closed, and later answers are rejected. ' +
                'Stored data stays. To stop temporarily, pause the study.',
            ),
            make('p', 'th-soft', study.kept),
            reason.box,
          ],
          action: 'Close the study',
          act: () => become('closed', reason.input.value),
        });
      }),
    );
  if (can.reopen)
    nodes.push(
      button('Open again…', () => {
        const reason = reasonField(
          'Why',
          'The log records the reason: continuing after looking at results must be reported.',
        );
        question({
          title: 'Open “' + study.title + '” again?',
          body: [
            make(
              'p',
              '',
              'Participants with a link can then answer again.' +
                (study.publication
                  ? ' The public results page is off until you close the study again.'
                  : ''),
            ),
            reason.box,
          ],
          action: 'Open again',
          act: () => become('open', reason.input.value),
        });
      }),
    );
  if (study.state === 'closed' && can.publish)
    nodes.push(
      button(study.publication ? 'Public results…' : 'Publish results…', () =>
        openStudy(study.id, 'links'),
      ),
    );
  nodes.push(
    doing(
      'Preview',
      async () => {
        // Opened before the answer is there: a browser opens nothing that no press asked for.
        const tab = window.open('', '_blank');
        try {
          const { url } = await send(`${address}/preview`, {});
          if (tab) tab.location.href = url;
          const link = make('a', '', 'another tab');
          link.href = url;
          link.target = '_blank';
          said.replaceChildren(
            'The preview is open in ',
            link,
            ' for an hour. Its answers are not stored.',
          );
        } catch (error) {
          if (tab) tab.close();
          throw error;
        }
      },
      line,
    ),
  );
  if (study.form && (study.state === 'draft' || study.revisable.length))
    nodes.push(
      button(study.state === 'draft' ? 'Edit the plan' : 'Edit…', () => openNew('', study.id)),
    );
  nodes.push(
    doing(
      'Copy',
      async () => {
        const answer = await send(`${address}/copy`, {});
        store.tell('studies');
        studyView.title = answer.study.title;
        openStudy(answer.study.id, 'plan');
      },
      line,
    ),
  );
  if (can.delete)
    nodes.push(
      button('Delete…', () =>
        question({
          title: 'Delete the draft “' + study.title + '”?',
          body: [
            make(
              'p',
              '',
              'Its links are deleted too. You can restore it for seven days: here now, later in ' +
                'Inspect, Stored…, Deleted.',
            ),
          ],
          action: 'Delete the draft',
          async act() {
            const { deleted } = await send(`${address}/delete`, {});
            studyView.deleted = deleted;
            store.tell('studies');
            openList();
          },
        }),
      ),
    );
  return nodes;
}

/**
 * @param {HTMLElement} box the screen
 * @returns {{ shown: () => void }}
 */
export function studyScreen(box) {
  const head = box.querySelector('.th-study-head');
  const nav = box.querySelector('.th-studies-switch');
  const index = box.querySelector('.th-study-views');
  /** @type {Current | null} */
  let current = null;
  /** @type {Record<string, { box: HTMLElement, shown: () => void }>} */
  let views = {};
  let request = 0;
  let wanted = '';

  const tabs = VIEWS.map((view) => {
    const tab = make('button', '', view.name);
    tab.type = 'button';
    tab.dataset.view = view.id;
    tab.id = 'th-study-tab-' + view.id;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'th-study-view');
    tab.addEventListener('click', () => openStudy(studyView.study, view.id));
    return tab;
  });
  nav.append(...tabs);
  arrowKeys(tabs);
  index.id = 'th-study-view';
  index.setAttribute('role', 'tabpanel');

  function draw() {
    if (!current) return;
    const { study } = current;
    const line = problemLine();
    const said = make('p', 'th-study-said');
    const top = make('header');
    const title = make('h2', '', study.title);
    const row = make('div', 'th-study-buttons');
    const back = button('All studies', openList, 'th-study-back');
    said.setAttribute('role', 'status');
    title.tabIndex = -1;
    top.append(title, stateMark(study.state), back);
    row.append(...actions(current, line, said));
    const parts = [
      KINDS[study.kind],
      MATERIALS[study.material],
      many(study.plan.cases, CASE[study.kind] || 'case'),
      study.plan.question_set?.name,
      study.plan.models.join(', '),
      'version ' + study.version,
      study.author_name,
      study.state === 'draft'
        ? 'made ' + stamp(study.created_at)
        : study.state + ' since ' + stamp(study.state_at),
    ];
    const held = head.contains(document.activeElement) ? document.activeElement?.textContent : '';
    head.replaceChildren(
      top,
      make('p', 'th-soft', parts.filter(Boolean).join(' · ')),
      row,
      line,
      said,
    );
    if (study.state === 'draft' && study.blocks.length) {
      const blocks = make('div', 'th-study-blocks');
      const list = make('ul');
      list.append(...study.blocks.map((text) => make('li', '', text)));
      blocks.append(make('b', '', 'Required before opening:'), list);
      head.append(blocks);
    }
    // What was pressed is made again: the one that has its words, or the heading, gets the focus.
    if (held) {
      const same = [...head.querySelectorAll('button, h2')].find(
        (node) => node.textContent === held,
      );
      /** @type {HTMLElement} */ (same || title).focus({ preventScroll: true });
    }
    studyView.title = study.title;
    publishStudies();
  }
  /** Whether this study has such a view. @param {{ of?: string[] }} view */
  const suits = ({ of }) => !of || !current || of.includes(current.study.kind);
  function front() {
    if (current && !VIEWS.some((view) => view.id === studyView.view && suits(view)))
      studyView.view = 'live';
    tabs.forEach((tab, position) => {
      tab.hidden = !suits(VIEWS[position]);
      const on = tab.dataset.view === studyView.view;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    });
    nav.dataset.tabs = String(tabs.filter((tab) => !tab.hidden).length);
    index.setAttribute('aria-labelledby', 'th-study-tab-' + studyView.view);
    if (!current) return;
    if (!views[studyView.view]) {
      const made = make('div', 'th-study-view');
      const makers = current.study.kind === 'colorings' ? COLORED : MAKERS;
      views[studyView.view] = { box: made, ...makers[studyView.view](made, current) };
      index.append(made);
    }
    Object.entries(views).forEach(([name, view]) => {
      view.box.hidden = name !== studyView.view;
    });
    if (isSeen()) views[studyView.view].shown();
  }
  async function load(id) {
    const mine = ++request;
    try {
      const study = await ask(`${API}/${id}`);
      if (mine !== request || studyView.study !== id) return;
      if (current && current.study.id === study.id) {
        current.study = study;
        draw();
        return;
      }
      /** @type {Current} */
      const made = {
        study,
        address: `${API}/${study.id}`,
        reload: () => load(study.id),
        take(now) {
          if (current !== made) return;
          made.study = now;
          draw();
        },
      };
      current = made;
      views = {};
      index.replaceChildren();
      nav.hidden = false;
      draw();
      front();
    } catch (error) {
      if (mine !== request) return;
      const line = problemLine();
      line.say('This study cannot be shown. ' + error.message);
      const title = make('h2', '', 'A study');
      title.tabIndex = -1;
      if (current && current.study.id === id) return; // what is shown stays; the view says what fails
      nav.hidden = true;
      index.replaceChildren();
      head.replaceChildren(title, line, button('All studies', openList));
    }
  }
  return {
    shown() {
      if (studyView.study !== wanted || !current) {
        wanted = studyView.study;
        if (!current || current.study.id !== wanted) {
          current = null;
          views = {};
          index.replaceChildren();
          nav.hidden = true;
          head.replaceChildren(make('p', 'th-soft', 'Reading the study…'));
        }
        load(wanted);
      }
      front();
    },
  };
}
