// Labels of long work that waits in a queue, by its status.

/** @type {Record<string, string>} */
export const STATUS_WORDS = {
  waiting: 'Waiting',
  planned: 'Not started',
  running: 'Running',
  pausing: 'Pausing…',
  cancelling: 'Cancelling…',
  paused: 'Paused',
  cancelled: 'Cancelled',
  finished: 'Finished',
  interrupted: 'Interrupted',
  broken: 'Unreadable',
  imported: 'Imported',
};
