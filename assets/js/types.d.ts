// Types for the checks alone; no page loads this file.

/**
 * A node of our own templates. Which kind it is, the selector knows and a type does not: what
 * fields, buttons, links and dialogs have beyond other elements is named here once.
 */
interface Found extends HTMLElement {
  alt: string;
  checked: boolean;
  disabled: boolean;
  download: string;
  elements: HTMLFormControlsCollection;
  files: FileList | null;
  form: HTMLFormElement | null;
  href: string;
  htmlFor: string;
  max: string;
  name: string;
  naturalHeight: number;
  naturalWidth: number;
  open: boolean;
  options: HTMLOptionsCollection;
  required: boolean;
  selectedOptions: HTMLCollectionOf<HTMLOptionElement>;
  src: string;
  type: string;
  value: string;
  close(): void;
  getContext(kind: '2d', settings?: CanvasRenderingContext2DSettings): CanvasRenderingContext2D;
  requestSubmit(): void;
  reset(): void;
  select(): void;
  setSelectionRange(start: number, end: number): void;
  show(): void;
  showModal(): void;
}

/** What plotly adds to the node that it draws into. */
interface HTMLDivElement {
  on?(event: string, call: (event: any) => void): void;
}

interface ParentNode {
  querySelector(selectors: string): Found | null;
  querySelectorAll(selectors: string): NodeListOf<Found>;
}

interface Element {
  readonly dataset: DOMStringMap;
  readonly offsetParent: Element | null;
  blur(): void;
  closest(selectors: string): Found | null;
}

/** What a GET of an address answers, by the addresses in `Api`; unknown of any other address. */
type Answer<Address extends string> =
  Route<Address> extends keyof Api.Get ? Api.Get[Route<Address>] : unknown;

/** What a POST to an address takes and answers; any other address takes nothing. */
type Sent<Address extends string> =
  Route<Address> extends keyof Api.Post ? Api.Post[Route<Address>] : [never, unknown];

/** An address as `Api` has it: without its query, and with `{}` for what is put into it. */
type Route<Address extends string> = Address extends `${infer Path}?${string}`
  ? Route<Path>
  : Address extends `${infer Part}/${infer Rest}`
    ? `${Segment<Part>}/${Route<Rest>}`
    : Segment<Address>;
type Segment<Part extends string> = {} extends Record<Part, 1> ? '{}' : Part;
