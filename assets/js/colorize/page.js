// Colorize: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as colorize } from './colorize.js';
