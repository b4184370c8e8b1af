// VLMs: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as vlm } from './vlm.js';
