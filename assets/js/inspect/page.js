// Inspect: what `truehue.tabs.page.widgets` mounts of it.

export { mount as evidence } from './evidence.js';
export { mount as examples } from './examples.js';
export { mount as film } from './film.js';
export { mount as library } from './library.js';
export { mount as rule_choice } from './rule_choice.js';
export { mount as verdict } from './verdict.js';
export { mount as picker } from '../picker/picker.js';
export { mount as stage } from '../stage/stage.js';
