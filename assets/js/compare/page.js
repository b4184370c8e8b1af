// Compare: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as concept } from './concept.js';
export { mount as guidance } from './guidance.js';
export { mount as modifiers } from './modifiers.js';
export { mount as people } from './people.js';
export { mount as switch } from './switch.js';
export { mount as tables } from './tables.js';
