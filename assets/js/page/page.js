// The page around the tabs: what `truehue.tabs.page.widgets` mounts of it.

export { mount as drop } from './drop.js';
export { mount as header } from './header.js';
export { mount as imports } from './imports.js';
export { mount as notices } from './notices.js';
export { mount as scrolling } from './scrolling.js';
export { mount as tour } from './tour.js';
