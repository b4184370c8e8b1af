// The page around the tabs: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as drop } from './drop.js';
export { mount as header } from './header.js';
export { mount as imports } from './imports.js';
export { mount as notices } from './notices.js';
export { mount as scrolling } from './scrolling.js';
export { mount as tour } from './tour.js';
