// Generate: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as gallery } from './gallery.js';
export { mount as pair } from './pair.js';
export { mount as prompts } from './prompts.js';
export { mount as request } from './request.js';
