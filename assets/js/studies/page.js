// Studies: what `truehue.tabs.page.widgets` mounts of it.

export { mount as studies } from './studies.js';
