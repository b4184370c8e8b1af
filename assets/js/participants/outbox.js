// What the participant did and the study has not confirmed yet. Each event is kept in the browser
// under a key of its own until the study says that it is stored, so that neither a reload nor a
// while without a network loses one. A browser has room for some megabytes: where an event does not
// fit, that is told, and it is tried again when others have gone.

import { Refusal } from './link.js';

/**
 * @typedef {{ id: string, kind: string, position: number | null, body: object, client_ms: number,
 *   place?: number }} PageEvent `place`: which action of its trial it is, from 0
 * @typedef {{ order: number, event: PageEvent, error?: string, code?: string }} Entry
 */

const MAX_EVENTS = 100;
/** Bytes of one sending: the study takes 256 KiB at once. */
const MAX_BYTES = 200_000;
/** Bytes that are sent by a page that is left: browsers take 64 KiB in all. */
const MAX_PARTING_BYTES = 60_000;
const encoder = new TextEncoder();
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** What somebody said: where it is refused, that stays on the page. */
const SAID = ['answer', 'undo', 'comment', 'survey'];

/** 32 hexadecimal characters of chance; `crypto.randomUUID` is not there without https. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The answer that names what it refused is one, whatever its status.
 * @param {unknown} error
 */
function refusedByName(error) {
  if (error instanceof Refusal && error.data.refused?.length) return error.data;
  throw error;
}

export class Outbox {
  /** @type {Entry[]} */ #waiting = [];
  /** @type {Entry[]} */ #refused = [];
  /** @type {Set<string>} ids of what waits and is not kept in the browser */ #loose = new Set();
  #order = 0;
  #running = false;
  /** @type {(() => void) | null} */ #wake = null;

  /** Whether the last attempt failed. */
  failing = false;

  /** @type {Refusal | null} What ended the sending: the study takes nothing more. */
  ended = null;

  /**
   * @param {string} participant whose events these are
   * @param {(events: PageEvent[], last?: boolean) => Promise<Api.PostedEvents>} send
   * @param {(answer: Api.PostedEvents | null) => void} report after each change; with the study's
   *   answer where it gave one
   */
  constructor(participant, send, report) {
    this.prefix = 'truehue-study:' + participant + ':';
    this.send = send;
    this.told = report;
    for (const entry of this.#stored()) (entry.error ? this.#refused : this.#waiting).push(entry);
    this.#order = Math.max(0, ...[...this.#waiting, ...this.#refused].map((item) => item.order));
  }

  /** Events that are not confirmed, in their order. */
  get waiting() {
    return this.#waiting.map((entry) => entry.event);
  }

  /** How many of those the browser does not keep: they are lost where this page is. */
  get unkept() {
    return this.#loose.size;
  }

  /** Events that the study would not take, with its words. */
  get refused() {
    return this.#refused.map(({ error = '', code = '' }) => ({ error, code }));
  }

  /**
   * Keeps an event and begins to send it.
   * @param {string} kind
   * @param {number | null} position
   * @param {object} body
   * @param {number} [index] which action of its trial it is
   * @returns {string} its id
   */
  add(kind, position, body, index) {
    const id = newId();
    /** @type {PageEvent} */
    const event = { id, kind, position, body, client_ms: Date.now() };
    if (index !== undefined) event.place = index;
    const entry = { order: ++this.#order, event };
    this.#waiting.push(entry);
    this.#keep(entry);
    this.told(null);
    this.flush();
    return id;
  }

  /** Sends what waits, now; also where the next attempt would be later. */
  flush() {
    this.#wake?.();
    if (!this.#running && this.#waiting.length && !this.ended) this.#run();
  }

  /** A last attempt of a page that is being left; nothing is taken for sent because of it. */
  parting() {
    if (this.#waiting.length && !this.ended)
      this.send(this.#batch(MAX_PARTING_BYTES), true).catch(() => {});
  }

  /**
   * The first events that wait, as many as go into one sending; one at least.
   * @param {number} max bytes
   */
  #batch(max) {
    /** @type {PageEvent[]} */
    const batch = [];
    let bytes = 0;
    for (const { event } of this.#waiting) {
      bytes += encoder.encode(JSON.stringify(event)).length + 1;
      if (batch.length && (bytes > max || batch.length === MAX_EVENTS)) break;
      batch.push(event);
    }
    return batch;
  }

  async #run() {
    this.#running = true;
    let wait = FIRST_WAIT_MS;
    while (this.#waiting.length && !this.ended) {
      try {
        const answer = await this.send(this.#batch(MAX_BYTES)).catch(refusedByName);
        if (!this.#settle(answer)) throw new Refusal('', 0);
        this.failing = false;
        wait = FIRST_WAIT_MS;
        this.told(answer);
      } catch (error) {
        const refusal = error instanceof Refusal ? error : new Refusal(String(error), 0);
        this.failing = true;
        if (!refusal.passing) this.ended = refusal;
        this.told(null);
        if (this.ended) break;
        await this.#rest(Math.max(wait * (0.75 + Math.random() / 2), refusal.waitS * 1000));
        wait = Math.min(wait * 2, LONGEST_WAIT_MS);
      }
    }
    this.#running = false;
  }

  /**
   * Takes out what the study stored or refused, and says of which kind that was; gives back whether
   * it was anything.
   * @param {{ stored?: string[], refused?: (Api.RefusedEvent & { kind?: string })[] } | null} answer
   */
  #settle(answer) {
    const stored = new Set(answer?.stored);
    const refused = new Map((answer?.refused || []).map((item) => [item.id, item]));
    const before = this.#waiting.length;
    for (const { event } of this.#waiting)
      if (event.kind === 'answer' && stored.has(event.id)) this.#forgetRefused(event.position);
    this.#waiting = this.#waiting.filter((entry) => {
      const { id, kind } = entry.event;
      const refusal = refused.get(id);
      if (refusal) refusal.kind = kind;
      if (refusal && SAID.includes(kind)) {
        this.#refused.push(Object.assign(entry, { error: refusal.error, code: refusal.code }));
        this.#keep(entry);
      } else if (refusal || stored.has(id)) this.#forget(id);
      else return true;
      return false;
    });
    for (const entry of this.#waiting)
      if (this.#loose.has(entry.event.id) && !this.#keep(entry)) break;
    return this.#waiting.length < before;
  }

  /** @param {number} ms */
  #rest(ms) {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done(null);
      };
    }).then(() => (this.#wake = null));
  }

  /** @returns {Entry[]} */
  #stored() {
    const results = [];
    try {
      for (let index = 0; index < localStorage.length; index++) {
        const key = localStorage.key(index) || '';
        if (key.startsWith(this.prefix)) results.push(JSON.parse(localStorage.getItem(key) || ''));
      }
    } catch {
      // Without a storage the events live as long as the page: beforeunload warns.
    }
    return results.sort((a, b) => a.order - b.order);
  }

  /**
   * @param {Entry} entry
   * @returns {boolean} whether there was room
   */
  #keep(entry) {
    const { id } = entry.event;
    try {
      localStorage.setItem(this.prefix + id, JSON.stringify(entry));
      this.#loose.delete(id);
      return true;
    } catch {
      // Full or not allowed: as above.
      this.#loose.add(id);
      return false;
    }
  }

  /** All is over: nobody is to read here what was not taken. */
  clearRefused() {
    this.#forgetRefused();
  }

  /**
   * What was not taken of a trial is settled once it has another answer; without one, of all.
   * @param {number | null} [position]
   */
  #forgetRefused(position) {
    this.#refused = this.#refused.filter(({ event }) => {
      const settled = position === undefined || event.position === position;
      if (settled) this.#forget(event.id);
      return !settled;
    });
  }

  /** @param {string} id */
  #forget(id) {
    this.#loose.delete(id);
    try {
      localStorage.removeItem(this.prefix + id);
    } catch {
      // Then nothing was kept either.
    }
  }
}
