// A study behind a link, and the page that participants see of it, opened as often as a test wants:
// each time its scripts begin anew, as in a browser, with what the one before left in the storages.
// Time stands still until a test lets it pass.
import { register } from 'node:module';
import { mock } from 'node:test';

import { answer, language } from '../page.js';

// What a page imports is its own: `?page=3` goes on from the first script to all others.
const OWN_MODULES = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const page = /[?]page=[0-9]+$/.exec(context.parentURL ?? '');
  if (!page || !found.url.includes('/assets/js/')) return found;
  return { ...found, url: found.url + page[0] };
}`;
register('data:text/javascript,' + encodeURIComponent(OWN_MODULES));

// ── time, and what jsdom leaves out ──────────────────────────────────────────────────────────────

/** Nothing takes so long: it will never happen. */
const HANGS_NS = 90_000_000_000n;
const realTimeout = globalThis.setTimeout;
const timers = () => mock.timers.enable({ apis: ['setTimeout'] });
timers();
let now = 1000;
performance.now = () => now;
Object.defineProperty(Event.prototype, 'timeStamp', { get: () => now });

/** Lets milliseconds pass, and all that was due by then happen. */
export function pass(ms) {
  now += ms;
  mock.timers.tick(ms);
}

/** Waits for what promises, scripts and answers bring about; time stands still meanwhile. */
export async function until(holds, text = String(holds)) {
  const started = process.hrtime.bigint();
  for (let turn = 0; process.hrtime.bigint() - started < HANGS_NS; turn++) {
    const value = holds();
    if (value) return value;
    // Scripts are read from the disk, which a busy machine is slow to do.
    await new Promise((done) => (turn < 100 ? setImmediate(done) : realTimeout(done, 1)));
  }
  throw new Error(`Never happened: ${text}`);
}

globalThis.requestAnimationFrame = (draw) => setImmediate(draw);
AbortSignal.timeout = () => new AbortController().signal;
HTMLImageElement.prototype.decode = async () => {};
Element.prototype.setPointerCapture = () => {};
performance.measure = () => {};

const channels = new Set();
let asks = 0;
globalThis.BroadcastChannel = class {
  constructor(name) {
    this.name = name;
    channels.add(this);
  }
  postMessage(data) {
    if (data.say === 'anybody') asks++;
    for (const channel of channels)
      if (channel !== this && channel.name === this.name)
        queueMicrotask(() => channel.onmessage?.({ data }));
  }
};

// ── the study ────────────────────────────────────────────────────────────────────────────────────

const ADDRESS = '/study/link';
let participants = 0;

/** What the app answers behind a link: it stores events and gives the trials of one participant. */
export class Study {
  state = 'open';
  stage = 'trials';
  /** What is stored, in order. */
  events = [];
  answered = [];
  enrolled = false;
  withheld = false;
  /** What is got at an ending, by its stage. */
  backs = { finished: { code: 'C1A9' } };
  /** What somebody gets who is no participant. */
  endings = { no_consent: { text: '', code: '', url: '' } };
  /** The stage after an event, by its kind. */
  ends = {};
  online = true;
  /** Whether what is sent gets lost, though the page can be loaded. */
  losing = false;
  /** What the app refuses of the next events, by their kind. */
  refuses = {};

  constructor({ trials = 4, colors = [], kind = 'pairs', ...study } = {}) {
    const positions = { pairs: 2, 'best-of': 4, ratings: 1 }[kind];
    const blank = () => ({ images: ['i'], weights: null });
    const shown = { words: 'a fox', places: Array.from({ length: positions ?? 0 }, blank) };
    this.trials = Array.from({ length: trials.length ?? trials }, (_, position) => ({
      position,
      practice: false,
      reference: null,
      ...shown,
      ...trials[position],
    }));
    this.colors = colors;
    this.participant = 'p' + ++participants;
    this.study = {
      title: 'Colors',
      kind,
      material: 'images',
      question: 'Which?',
      instructions: 'Look.',
      intro: '',
      outro: '',
      tie: false,
      skip: true,
      consent: { version: '1', text: 'Voluntary.' },
      language: 'en',
      wording: {},
      rating: kind === 'ratings' ? { steps: 11 } : null,
      places: positions,
      returns_after_s: null,
      time_limit_s: null,
      screens_out: false,
      survey: { before: [], after: [] },
      ...study,
    };
    const { canvas, ...parts } = language(this.study.language);
    const said = [parts.page, parts.survey, parts.votes, parts.colorings, parts.questions];
    Page.texts = JSON.stringify(Object.assign({}, ...said, { canvas }));
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState(null, '', ADDRESS);
    answer(`GET ${ADDRESS}/state`, () => this.#told());
    answer(`POST ${ADDRESS}/enroll`, () => {
      this.enrolled = true;
      return this.#told();
    });
    answer(`POST ${ADDRESS}/events`, ({ body }) => this.#take(body.events));
  }

  #told() {
    if (!this.online) throw new TypeError('no network');
    return {
      study: { ...this.study, state: this.state },
      colors: this.colors,
      sides: [],
      preview: false,
      returning: false,
      participant: this.enrolled ? this.#person() : null,
      trials: this.enrolled ? this.trials : [],
      endings: this.enrolled ? {} : this.endings,
    };
  }

  #person() {
    return {
      id: this.participant,
      number_of_trials: this.trials.length,
      positions_answered: this.answered,
      stage: this.stage,
      language: 'en',
      ...{ text: '', code: '', url: '' },
      ...(this.withheld ? {} : this.backs[this.stage]),
      withheld: this.stage === 'finished' && this.withheld,
      surveyed: this.events.filter(({ kind }) => kind === 'survey').map(({ body }) => body.part),
      plates: 0,
      patches: [],
      training: {},
    };
  }

  #take(events) {
    if (!this.online || this.losing) throw new TypeError('no network');
    const stored = [];
    const refused = [];
    for (const event of events) {
      const said = this.refuses[event.kind];
      delete this.refuses[event.kind];
      if (said) {
        refused.push({ id: event.id, ...said });
        continue;
      }
      stored.push(event.id);
      if (this.events.some((item) => item.id === event.id)) continue;
      this.events.push(event);
      this.answered = this.answered.filter((position) => position !== event.position);
      if (event.kind === 'answer') this.answered.push(event.position);
      if (this.ends[event.kind]) this.stage = this.ends[event.kind];
      if (event.kind === 'finish') this.stage = 'finished';
      if (event.kind === 'withdrawal') this.stage = 'withdrawn';
    }
    return { stored, refused, trials: [], feedback: {}, participant: this.#person() };
  }

  /** Stored events of these kinds: `[kind, position, value]`. */
  told(...kinds) {
    return this.events
      .filter((event) => kinds.includes(event.kind))
      .map(({ kind, position, body }) => [kind, position, body.value]);
  }
}

// ── the page ─────────────────────────────────────────────────────────────────────────────────────

let pages = 0;
const listening = [];
for (const target of [document, globalThis]) {
  const listen = target.addEventListener.bind(target);
  target.addEventListener = (name, call, options) => {
    listening.push([target, name, call, options]);
    listen(name, call, options);
  };
}

/** One tab with the page of the link. */
export class Page {
  /** What the app puts into the page of the study. */
  static texts = '{}';

  constructor() {
    document.getElementById('study')?.removeAttribute('id'); // another tab's document
    this.root = document.createElement('div');
    this.root.id = 'study';
    this.root.dataset.texts = Page.texts;
    this.before = asks;
    document.body.prepend(this.root);
  }

  /** Opens the link; `beside`: in another tab, while those before stay. */
  static async open({ beside = false } = {}) {
    if (!beside) Page.close();
    const page = new Page();
    await import(`../../../assets/js/participants/page.js?page=${++pages}`);
    return page;
  }

  /** Closes all tabs. */
  static close() {
    dispatchEvent(new Event('pagehide'));
    for (const [target, ...listener] of listening.splice(0))
      target.removeEventListener(...listener);
    channels.clear();
    mock.timers.reset(); // what it would try again later
    timers();
    document.body.replaceChildren();
  }

  get text() {
    return this.root.textContent;
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  /** Waits for a screen. */
  at(name) {
    return until(() => this.find(`main[data-screen=${name}]`), `the screen ${name}`);
  }

  /** Waits until a trial can be answered, and as long as it is not taken for a slip. */
  async sees(position) {
    await until(() => this.find(`.trial[data-painted='${position}']`), `trial ${position}`);
    pass(230);
  }

  button(text) {
    const all = [...this.root.querySelectorAll('button')];
    return all.find((item) => item.firstElementChild?.textContent === text);
  }

  press(text) {
    this.button(text).click();
  }

  key(key, more = {}) {
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
  }

  async begins() {
    await this.at('consent');
    this.press('I agree');
    await this.asksOtherTabs();
    await this.at('instructions');
    this.press('Start');
    await this.sees(0);
  }

  /** Whoever takes part asks other tabs of the link first: lets the time for their answer pass. */
  async asksOtherTabs() {
    await until(() => asks > this.before, 'the question to other tabs');
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    pass(120);
  }

  async answers(positions, key = '1') {
    for (const position of positions) {
      await this.sees(position);
      this.key(key);
    }
  }

  async finishes() {
    await this.at('comment');
    this.press('Finish');
    return this.at('finished');
  }
}
