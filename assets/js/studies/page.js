// Studies: what `truehue.tabs.page.widgets` mounts of it.

export { mount as judge } from './judge.js';
