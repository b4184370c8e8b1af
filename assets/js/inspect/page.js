// Inspect: what `truehue.tabs.page.widgets` mounts of it.

export { mount as form } from './form.js';
