// Work that takes the device: an object that is found, a point that is cut out. The app begins it,
// and what came of it becomes a mark.
import { stageWork } from './work.js';

const FINDING = 'truehue-finding';

/**
 * @param {import('./hands.js').Stage} stage
 * @param {Record<string, any>} props
 * @param {(event: string, detail?: any) => void} trigger
 */
export function stageFinding(stage, props, trigger) {
  const { root, view, say, refresh, showable, change } = stage;
  const work = stageWork(root);
  let request = ''; // 'find' or 'points': what the app is to begin

  function forget() {
    request = '';
    if (work.busy) sessionStorage.removeItem(FINDING);
    work.stop();
    if (stage.wanted) {
      stage.wanted = null;
      view.showMarks(showable());
      refresh();
    }
  }

  // A mask is found, or a point is cut out, before it becomes a mark: until then the marks stay as they
  // are, and the rest of the page goes on.
  function findObject() {
    forget();
    say('');
    request = 'find';
    work.expect('Checking…');
    trigger('find', { image_id: stage.imageId });
  }

  function addPoint(mark) {
    const next = [...(stage.wanted || stage.marks), mark];
    forget();
    stage.wanted = next;
    request = 'points';
    say('');
    work.expect('Checking…');
    view.showMarks(next.filter((item) => item.type === 'point'));
    refresh();
    trigger('points', { image_id: stage.imageId, marks: next });
  }

  function started() {
    const start = props.work;
    if (!start) return;
    if (start.image_id !== stage.imageId || start.kind !== request) {
      // Cancelled, or another image was opened, before the app had answered.
      if (start.job) work.drop(start.job);
      return;
    }
    if (start.problem) {
      forget();
      say(String(start.problem));
      return;
    }
    request = '';
    if (start.kind === 'find')
      sessionStorage.setItem(FINDING, JSON.stringify({ job: start.job, image_id: stage.imageId }));
    follow(start.job, String(start.words || ''), start.kind === 'points' ? stage.wanted : null);
  }

  // A search goes on while the page is loaded again.
  function resume() {
    let known = null;
    try {
      known = JSON.parse(sessionStorage.getItem(FINDING));
    } catch {
      /* not ours: nothing to go on with */
    }
    if (known && known.image_id === stage.imageId && stage.imageId)
      follow(known.job, 'Searching…', null);
  }

  function follow(job, text, points) {
    work.follow(job, text, (end) => {
      sessionStorage.removeItem(FINDING);
      if (end.status !== 'done') {
        stage.wanted = null;
        view.showMarks(showable());
        if (end.status === 'failed') say(String(end.words || 'Detection failed.'));
        refresh();
      } else if (points) {
        stage.wanted = null;
        change(
          points.map((point) =>
            point.type === 'point' && !point.by ? { ...point, by: end.segmenter } : point,
          ),
        );
      } else {
        change([...stage.marks, { type: 'stored', mask_id: end.mask_id }]);
      }
    });
  }

  return { forget, findObject, addPoint, started, resume };
}
