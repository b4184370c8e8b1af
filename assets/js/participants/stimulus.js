// What a trial shows: images, or strips of color with images for reference. The frames and their
// buttons stay from trial to trial; only what is in them is exchanged.

import { arrangement } from './layout.js';
import { make, put } from './frame.js';
import { decoded, sharpen } from './images.js';
import { orderOf, strip } from './strips.js';
import { say } from './texts.js';
import { Zoom } from './zoom.js';

const REFERENCE_SHARE = 0.2;
const MAX_REFERENCES = 4;

/**
 * @typedef {Api.ChoiceTrial & Partial<Api.QuestionTrial>} PageTrial without anything to look at it is
 *   words alone
 * @typedef {{ trial: PageTrial, ready: boolean, missing: boolean, done: Promise<void>,
 *   images: HTMLImageElement[][], strips: SVGElement[], reference: SVGElement | null }} Prepared
 */

export class Stimulus {
  #aspect = 1;
  #screen = '';
  /** @type {Prepared | null} */ #shown = null;

  /**
   * @param {Api.StudyOnPage} study
   * @param {string[]} colors of the bins, hex
   * @param {(place: number, event: MouseEvent) => void} choose
   * @param {(close: boolean) => void} closer called when pictures are looked at closely, or no more
   */
  constructor(study, colors, choose, closer) {
    this.distributions = study.material === 'distributions';
    this.places = study.kind === 'ratings' ? 1 : study.kind === 'pairs' ? 2 : 4;
    this.colors = colors;
    this.order = orderOf(colors);
    this.zoom = new Zoom(
      () => this.frames,
      (close) => {
        if (close && this.#shown) sharpen(this.#shown.images.flat());
        closer(close);
      },
    );
    this.node = make('div', `field ${study.material} places-${this.places}`);
    this.notice = make('p', 'field-words');
    this.notice.hidden = true;
    this.people = make('figure', 'people');
    this.people.append(make('figcaption', '', say('people')), make('div', 'strip'));
    this.figures = Array.from({ length: this.places }, (_, index) => this.#figure(index, choose));
    const set = make('div', 'figures');
    set.append(...this.figures.map((figure) => figure.node));
    if (this.distributions) this.node.append(this.people);
    this.node.append(set, this.notice);
    new ResizeObserver(() => this.#arrange()).observe(this.node);
  }

  /**
   * @param {number} index
   * @param {(place: number, event: MouseEvent) => void} choose
   */
  #figure(index, choose) {
    const node = make('figure', 'candidate');
    node.dataset.place = String(index);
    const bar = make('div', 'strip');
    const images = make('div', 'pictures');
    if (this.distributions) node.append(bar);
    node.append(images);
    const button = make('button', 'choose', String(index + 1));
    button.type = 'button';
    button.setAttribute('aria-label', say('place', { n: index + 1 }));
    button.addEventListener('click', (event) => choose(index, event));
    if (this.places > 1) node.append(button);
    if (!this.distributions) this.#frames(images, 1);
    return { node, bar, pictures: images, button };
  }

  /**
   * So many frames in a box; those that are there stay.
   * @param {HTMLElement} box
   * @param {number} count
   */
  #frames(box, count) {
    while (box.children.length > count) box.lastElementChild?.remove();
    while (box.children.length < count) {
      const frame = make('div', 'frame');
      this.zoom.listen(frame);
      box.append(frame);
    }
    return /** @type {HTMLElement[]} */ ([...box.children]);
  }

  /** @returns {HTMLElement[]} */
  get frames() {
    return this.figures.flatMap(
      (figure) => /** @type {HTMLElement[]} */ ([...figure.pictures.children]),
    );
  }

  /**
   * Gets a trial ready: its images decoded, its strips drawn.
   * @param {PageTrial} trial
   * @param {() => void} changed called when a picture is not to be had for now
   * @returns {Prepared}
   */
  prepare(trial, changed) {
    const { places } = trial;
    const named = (/** @type {number} */ index) =>
      this.places > 1 ? say('picture', { n: index + 1 }) : say('picture_one');
    /** @type {Prepared} */
    const prepared = {
      trial,
      ready: false,
      missing: false,
      done: Promise.resolve(),
      images: places.map(() => []),
      strips: [],
      reference: null,
    };
    if (this.distributions && places.length) {
      const draw = (/** @type {number[] | null} */ weights, /** @type {string} */ text) =>
        strip(weights || [], this.colors, this.order, text);
      prepared.strips = places.map(({ weights }, n) => draw(weights, say('strip', { n: n + 1 })));
      prepared.reference = draw(trial.reference, say('people_strip'));
    }
    const px = this.#framePx();
    const missing = () => {
      prepared.missing = true;
      changed();
    };
    const wanted = places.map(({ images }, index) =>
      Promise.all(
        images
          .slice(0, this.distributions ? MAX_REFERENCES : 1)
          .map((id) => decoded(id, px, named(index), missing)),
      ),
    );
    prepared.done = Promise.all(wanted).then((images) => {
      prepared.images = images;
      prepared.ready = true;
      prepared.missing = false;
    });
    return prepared;
  }

  /** About how large images are shown, in CSS pixels. */
  #framePx() {
    if (this.distributions)
      return this.frames[0]?.clientWidth || Math.min(innerWidth, innerHeight) * REFERENCE_SHARE;
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return Math.max(innerWidth, innerHeight) / 2;
    const frame = arrangement(this.places, { width, height }, this.#aspect);
    return Math.max(frame.width, frame.height);
  }

  /**
   * Puts a prepared trial on the page, all at once.
   * @param {Prepared} prepared
   * @param {string} [text] in place of pictures
   */
  show(prepared, text) {
    this.#shown = prepared;
    this.clear(text || '');
    this.figures.forEach((figure, position) => {
      const images = prepared.images[position] || [];
      const frames = this.#frames(figure.pictures, this.distributions ? images.length : 1);
      frames.forEach((frame, index) => frame.replaceChildren(...images.slice(index, index + 1)));
      figure.bar.replaceChildren(...prepared.strips.slice(position, position + 1));
    });
    this.people.lastElementChild?.replaceChildren(
      ...(prepared.reference ? [prepared.reference] : []),
    );
    const first = prepared.images[0]?.[0];
    if (first?.naturalHeight) this.#aspect = first.naturalWidth / first.naturalHeight;
    this.#arrange();
    this.zoom.reset();
  }

  /**
   * Nothing to compare, and words in its place where there are any.
   * @param {string} text
   */
  clear(text) {
    this.mark(null, '');
    put(this.notice, text);
    this.notice.hidden = !text;
    this.node.classList.toggle('words-only', !!text);
  }

  /**
   * Marks the place that was chosen, by a shape.
   * @param {number | null} position
   * @param {string} how
   */
  mark(position, how) {
    this.figures.forEach(({ node }, index) => {
      if (index === position) node.dataset.mark = how;
      else delete node.dataset.mark;
    });
  }

  /** @param {boolean} on whether buttons at the pictures may be pressed */
  enable(on) {
    this.figures.forEach(({ button }) => button.setAttribute('aria-disabled', String(!on)));
  }

  /**
   * How the places lie now, by the names of layout.js: where there are several, results tell a
   * preference of the left from one of the upper place.
   * @returns {string | undefined}
   */
  get arrangement() {
    if (this.places < 2) return undefined;
    if (!this.distributions) return this.node.dataset.arrangement;
    const [first, second] = this.figures.map(({ node }) => node.getBoundingClientRect());
    return second.top >= first.bottom ? 'rows' : 'below';
  }

  #arrange() {
    if (this.distributions) return;
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    const screen = innerWidth + 'x' + innerHeight;
    const same = this.#screen === screen ? this.node.dataset.arrangement : '';
    const frame = arrangement(this.places, { width, height }, this.#aspect, same);
    // Words of two lines leave less room than those of one: that is no reason for another place.
    if (this.#shown?.images.length) this.#screen = screen;
    this.node.dataset.arrangement = frame.name;
    const { style } = this.node;
    style.setProperty('--frame-width', frame.width + 'px');
    style.setProperty('--frame-height', frame.height + 'px');
    style.setProperty('--frame-gap', frame.gap + 'px');
  }
}
