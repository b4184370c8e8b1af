// Explore: what `truehue.tabs.page.widgets` mounts of it.

export { mount as audit } from './audit.js';
export { mount as board } from './board.js';
export { mount as judgments } from './judgments.js';
export { mount as runs } from './runs.js';
export { mount as switch } from './switch.js';
export { mount as trust } from './trust.js';
export { mount as wall } from './wall.js';
