// Work that takes the device: an object that is found, a point that is cut out. The app begins it,
// and what came of it becomes a mark.
import { stageWork } from './work.js';

const FINDING = 'truehue-finding';

/**
 * @param {import('./hands.js').Stage} stage
 * @param {Record<string, any>} props
 */
export function stageFinding(stage, props) {
  const { root, view, say, refresh, showable, change } = stage;
  const work = stageWork(root);
  let turn = 0; // grows with all that is begun or given up

  function forget() {
    turn += 1;
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
    begin('find');
  }

  function addPoint(mark) {
    const next = [...(stage.wanted || stage.marks), mark];
    forget();
    stage.wanted = next;
    view.showMarks(next.filter((item) => item.type === 'point'));
    refresh();
    begin('points', next);
  }

  async function begin(kind, marks = null) {
    const mine = turn;
    const image_id = stage.imageId;
    say('');
    work.expect('Checking…');
    try {
      const { job, words } = await props.search(kind, { image_id, marks });
      // Given up, or another image was opened, before the app had answered.
      if (mine !== turn) work.drop(job);
      else {
        if (!marks) sessionStorage.setItem(FINDING, JSON.stringify({ job, image_id }));
        follow(job, words, marks);
      }
    } catch (error) {
      if (mine !== turn) return;
      forget();
      say(error.message);
    }
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

  return { forget, findObject, addPoint, resume };
}
