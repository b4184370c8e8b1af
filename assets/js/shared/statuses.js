// Labels of long work that waits in a queue, by its status.

/** @type {Record<string, string>} */
export const STATUS_WORDS = {
  waiting: 'Waiting',
  planned: 'Not started',
  running: 'Running',
  pausing: 'Pausing…',
  cancelling: 'Cancelling…',
  paused: 'Paused',
  chosen: 'Chosen images done',
  awaiting: 'Waiting for tasks',
  cancelled: 'Cancelled',
  finished: 'Finished',
  interrupted: 'Interrupted',
  broken: 'Unreadable',
  imported: 'Imported',
};
