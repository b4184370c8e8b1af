// Inspect: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as form } from './form.js';
