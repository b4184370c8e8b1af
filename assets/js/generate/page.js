// Generate: what `truehue.tabs.page.widgets` mounts of it.

export { mount as gallery } from './gallery.js';
export { mount as pair } from './pair.js';
export { mount as prompts } from './prompts.js';
export { mount as request } from './request.js';
