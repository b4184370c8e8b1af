// VLMs: what `truehue.tabs.page.widgets` mounts of it.

export { mount as vlm } from './vlm.js';
