// What changed on a layer, written down so that it can be taken back: runs of pixels in raster order,
// a few bytes each.

/** @typedef {{ x: number, y: number, width: number, height: number }} Rectangle in pixels */

/** Where pixels changed. */
export class Extent {
  x0 = Infinity;
  y0 = Infinity;
  x1 = -1;
  y1 = -1;

  /**
   * @param {number} x
   * @param {number} y
   */
  add(x, y) {
    if (x < this.x0) this.x0 = x;
    if (x > this.x1) this.x1 = x;
    if (y < this.y0) this.y0 = y;
    if (y > this.y1) this.y1 = y;
  }

  /**
   * @param {number} first pixel of a run
   * @param {number} end
   * @param {number} width of a row
   */
  run(first, end, width) {
    const [x, y] = [first % width, Math.floor(first / width)];
    const last = x + end - first - 1;
    this.add(last < width ? x : 0, y);
    this.add(Math.min(last, width - 1), y + Math.floor(last / width));
  }

  /** @param {Extent} other where more pixels changed */
  include(other) {
    if (other.x1 < 0) return;
    this.add(other.x0, other.y0);
    this.add(other.x1, other.y1);
  }

  /** @returns {Rectangle | null} */
  get box() {
    const { x0: x, y0: y } = this;
    return this.x1 < 0 ? null : { x, y, width: this.x1 - x + 1, height: this.y1 - y + 1 };
  }
}

/** Writes a change down, run by run in raster order. */
export class Recorder {
  static #bytes = new Uint8Array(1 << 16);
  #at = 0;
  #end = 0;
  #extent = new Extent();

  /** @param {number} width */
  constructor(width) {
    this.width = width;
  }

  /**
   * @param {number} first
   * @param {number} end
   * @param {number} color the number of the color that was there
   */
  add(first, end, color) {
    this.#extent.run(first, end, this.width);
    this.#number(first - this.#end);
    this.#number(end - first);
    this.#number(color);
    this.#end = end;
  }

  /** @param {number} value */
  #number(value) {
    if (this.#at + 5 > Recorder.#bytes.length) {
      const more = new Uint8Array(2 * Recorder.#bytes.length);
      more.set(Recorder.#bytes);
      Recorder.#bytes = more;
    }
    for (; value > 127; value >>>= 7) Recorder.#bytes[this.#at++] = (value & 127) | 128;
    Recorder.#bytes[this.#at++] = value;
  }

  get runs() {
    return Recorder.#bytes.slice(0, this.#at);
  }

  get box() {
    return this.#extent.box;
  }
}

/**
 * Reads what a recorder wrote.
 * @param {Uint8Array} runs
 * @param {(first: number, end: number, color: number) => void} call
 */
export function readRuns(runs, call) {
  let index = 0;
  const next = () => {
    let number = 0;
    for (let bits = 0; ; bits += 7) {
      const byte = runs[index++];
      number |= (byte & 127) << bits;
      if (byte < 128) return number;
    }
  };
  for (let end = 0; index < runs.length;) {
    const first = end + next();
    end = first + next();
    call(first, end, next());
  }
}
