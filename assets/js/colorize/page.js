// Colorize: what `truehue.tabs.page.widgets` mounts of it.

export { mount as colorize } from './colorize.js';
