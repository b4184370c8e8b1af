// Shared parts of the screens of Studies: the visible screen, and the link.
import { comeForward } from '../explore/view.js';
import { inFront } from '../shared/dom.js';
import { places, STUDY_ID } from '../shared/links.js';
import { store } from '../shared/state.js';

/**
 * The views of one study, in the order of their tabs; `of` says of which kinds of study where that is
 * not all.
 * @type {{ id: string, name: string, of?: string[] }[]}
 */
export const VIEWS = [
  { id: 'live', name: 'Live' },
  { id: 'practice', name: 'Practice', of: ['colorings'] },
  { id: 'results', name: 'Results' },
  { id: 'gallery', name: 'Gallery', of: ['colorings'] },
  { id: 'metrics', name: 'Metrics', of: ['pairs', 'ratings', 'best-of'] },
  { id: 'people', name: 'People' },
  { id: 'links', name: 'Links' },
  { id: 'plan', name: 'Plan' },
  { id: 'export', name: 'Export' },
];
const NEW = 'new';
const REVIEW = 'review';

/** The page of the review of one study, or of all of them. @param {string} [study] */
export const reviewAddress = (study = '') =>
  '/review' + (STUDY_ID.test(study) ? '?study=' + study : '');

/** @param {string} study */
const openReview = (study) => location.replace(reviewAddress(study));

/** @param {URLSearchParams} query */
function read(query) {
  const view = query.get('view') || '';
  const study = query.get('study') || '';
  const known = VIEWS.some((item) => item.id === view);
  if (query.get('tab') !== 'studies')
    return { screen: 'list', study: '', view: 'live', preset: '' };
  const set = query.get('set') || '';
  // A short form, for links from elsewhere: ?tab=studies&new=questions&set=ID.
  const started = query.get('new') || '';
  if (view === NEW || started)
    return {
      screen: NEW,
      study: STUDY_ID.test(study) ? study : '',
      view: 'live',
      preset: started || query.get('preset') || '',
      set: STUDY_ID.test(set) ? set : '',
    };
  // A link from before experts had a page of their own.
  if (view === REVIEW) openReview(study);
  if (STUDY_ID.test(study))
    return {
      screen: 'study',
      study,
      view: known ? view : 'live',
      preset: '',
      concept: view === 'gallery' ? query.get('concept') || '' : '',
      group: view === 'results' ? query.get('group') || '' : '',
    };
  return { screen: 'list', study: '', view: 'live', preset: '' };
}

/**
 * Where Studies is: the list of studies, a new study (or another version of `study`), or one study.
 * `concept` is the id of a case whose colorings are looked at; `group` is the answer about themselves
 * that results are narrowed to, as `item:choice`; `deleted` is the draft that was deleted a moment
 * ago; `set` is the set of questions that a new study is made of.
 * @type {{ screen: string, study: string, view: string, preset: string, title?: string, concept?: string,
 *   group?: string, set?: string, deleted?: { id: string, words: string } }}
 */
export const studyView = {
  concept: '',
  group: '',
  set: '',
  ...read(new URLSearchParams(location.search)),
  title: '',
};

/** The address bar always opens what is on screen. */
export function publishStudies() {
  const root = document.querySelector('.th-studies');
  if (!root || !inFront(root)) return;
  const values = new URLSearchParams({ tab: 'studies' });
  if (studyView.study) values.set('study', studyView.study);
  if (studyView.screen === 'study') values.set('view', studyView.view);
  if (studyView.screen === 'study' && studyView.view === 'gallery' && studyView.concept)
    values.set('concept', studyView.concept);
  if (studyView.screen === 'study' && studyView.view === 'results' && studyView.group)
    values.set('group', studyView.group);
  if (studyView.screen === NEW) {
    values.set('view', NEW);
    if (studyView.preset) values.set('preset', studyView.preset);
    if (studyView.preset && studyView.set) values.set('set', studyView.set);
  }
  places.show('?' + values.toString(), studyView.screen === 'list' ? '' : studyView.title);
}

/** @param {Partial<typeof studyView>} to */
function go(to) {
  const held = document.activeElement;
  const before = studyView.screen + studyView.study;
  Object.assign(studyView, to);
  store.tell('study-view');
  publishStudies();
  if (before !== studyView.screen + studyView.study) {
    window.scrollTo(0, 0);
    // What had the focus is gone with its screen.
    if (held && held !== document.body && !inFront(held)) {
      const heading = document.querySelector(
        '.th-studies [data-screen="' + studyView.screen + '"] h2',
      );
      if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
    }
  } else comeForward('.th-studies-switch', studyView.view, held);
}

/**
 * All colorings of one concept.
 * @param {string} study
 * @param {string} concept the id of its case
 */
export function openGallery(study, concept) {
  studyView.concept = concept;
  openStudy(study, 'gallery');
}

/** The list of studies. */
export const openList = () => go({ screen: 'list', study: '', preset: '', title: '' });

/**
 * The form of a new study, from a preset; with a study's id the form of its next version.
 * @param {string} [preset]
 * @param {string} [study]
 */
export const openNew = (preset = '', study = '') =>
  go({ screen: NEW, study, preset, set: '', title: study ? studyView.title : '' });

/**
 * One study.
 * @param {string} study
 * @param {string} [view]
 */
export const openStudy = (study, view = 'live') =>
  go({
    screen: 'study',
    study,
    view,
    preset: '',
    title: study === studyView.study ? studyView.title : '',
  });

// Back and Forward.
store.subscribe('place', ({ query }) => {
  if (query.get('tab') !== 'studies') return;
  const to = read(query);
  Object.assign(studyView, { concept: '', set: '' }, to, {
    title: to.study === studyView.study ? studyView.title : '',
  });
  store.tell('study-view');
});

/** Whether somebody sees this view of a study now. @param {string} view */
export const onView = (view) => studyView.screen === 'study' && studyView.view === view && isSeen();

/** Whether somebody sees Studies now. */
export function isSeen() {
  const root = document.querySelector('.th-studies');
  return Boolean(root && inFront(root)) && !document.hidden;
}
