// Studies: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as studies } from './studies.js';
