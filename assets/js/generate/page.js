// Generate: what `truehue.tabs.page.widgets` mounts of it.

export { mount as ask } from './ask.js';
export { mount as draw } from './draw.js';
export { mount as fold } from './fold.js';
export { mount as gallery } from './gallery.js';
export { mount as line } from './line.js';
export { mount as models } from './models.js';
export { mount as pair } from './pair.js';
export { mount as prompts } from './prompts.js';
export { mount as queue } from './queue.js';
export { mount as reading } from './reading.js';
export { mount as realism } from './realism.js';
export { mount as result } from './result.js';
export { mount as picker } from '../picker/picker.js';
