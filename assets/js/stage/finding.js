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
  let asked = ''; // 'find' or 'points': what the app is to begin

  function forget() {
    asked = '';
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
    asked = 'find';
    work.expect('Checking…');
    trigger('find', { image_id: stage.imageId });
  }

  function addPoint(mark) {
    const next = [...(stage.wanted || stage.marks), mark];
    forget();
    stage.wanted = next;
    asked = 'points';
    say('');
    work.expect('Checking…');
    view.showMarks(next.filter((one) => one.type === 'point'));
    refresh();
    trigger('points', { image_id: stage.imageId, marks: next });
  }

  function started() {
    const begun = props.work;
    if (!begun) return;
    if (begun.image_id !== stage.imageId || begun.kind !== asked) {
      // Cancelled, or another image was opened, before the app had answered.
      if (begun.job) work.drop(begun.job);
      return;
    }
    if (begun.problem) {
      forget();
      say(String(begun.problem));
      return;
    }
    asked = '';
    if (begun.kind === 'find')
      sessionStorage.setItem(FINDING, JSON.stringify({ job: begun.job, image_id: stage.imageId }));
    follow(begun.job, String(begun.words || ''), begun.kind === 'points' ? stage.wanted : null);
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

  function follow(job, words, points) {
    work.follow(job, words, (end) => {
      sessionStorage.removeItem(FINDING);
      if (end.status !== 'done') {
        stage.wanted = null;
        view.showMarks(showable());
        if (end.status === 'failed') say(String(end.words || 'Detection failed.'));
        refresh();
      } else if (points) {
        stage.wanted = null;
        change(
          points.map((one) =>
            one.type === 'point' && !one.by ? { ...one, by: end.segmenter } : one,
          ),
        );
      } else {
        change([...stage.marks, { type: 'stored', mask_id: end.mask_id }]);
      }
    });
  }

  return { forget, findObject, addPoint, started, resume };
}
