// Files on their way into Compare: distributions, and images of a concept. A file waits under a
// session of its own until it is stored; a page that is closed loses only what waits.
// Needs basket.js. For other views:
//   uploadDistribution(file, { words, normalize, as_58, name, source, of_people })
//     -> { set_id, source, words, concept, kind, name, known } of the first set, .sets of all and .said;
//     where the file can be read another way, the error carries .offer ('words' wants these), its
//     .question and .buttons, each with .text and .options.
//   uploadImages(files, words, { mask: 'stored' | 'whole' | 'paper', contributors: '' | 'name' |
//     'table', of_people, name, said })
//     -> the report: { set_id, source, words, concept, taken, refused: [{ name, why, image_id }] };
//     where no set came of it, the error carries .report.
import { many } from '../shared/dom.js';
import { send, sendAll, sendFile } from '../shared/http.js';
import { randomId } from '../shared/ids.js';
import { cancelJob, followJob } from '../shared/jobs.js';
import { store } from '../shared/state.js';

export function uploadSession() {
  return randomId();
}
export function uploadForget(session) {
  // What cannot be told goes when the app starts again.
  if (session) send(`/api/compare/sets/forget/${session}`, {}).catch(() => {});
}
export async function stageDistribution(session, file) {
  return sendFile(`/api/compare/sets/distributions/${session}`, file);
}
export async function readDistribution(session, options) {
  return send(`/api/compare/sets/distributions/${session}/read`, options);
}
export async function storeDistribution(session, options) {
  const made = await send(`/api/compare/sets/distributions/${session}/store`, options);
  store.tell('compare-sets');
  return made;
}
export async function uploadDistribution(file, options) {
  const session = uploadSession();
  try {
    await stageDistribution(session, file);
    const report = await readDistribution(session, options || {});
    if (report.refused)
      throw Object.assign(new Error(report.refused), {
        offer: report.offer,
        question: report.question,
        buttons: report.buttons,
      });
    return await storeDistribution(session, options || {});
  } catch (error) {
    uploadForget(session);
    throw error;
  }
}
// Sends pictures three at a time; `said` is told how many have arrived.
export async function stageImages(session, files, said) {
  let sent = 0;
  await sendAll([...files].entries(), async ([index, file]) => {
    await sendFile(`/api/compare/sets/pictures/${session}/${index}`, file);
    sent += 1;
    if (said)
      said('Sending ' + sent.toLocaleString('en-US') + ' of ' + many(files.length, 'file') + '…');
  });
}
export function planImages(session, options) {
  return send(`/api/compare/sets/pictures-plan/${session}`, options);
}
// Follows the job to its end; `begun` gets a function that cancels it.
export async function storeImages(session, options, said, started) {
  const job = (await send(`/api/compare/sets/pictures-store/${session}`, options)).job;
  if (started) started(() => cancelJob(job));
  const ended = await followJob(job, (state) => said && said(state.words, state));
  const report = ended.result;
  if (!report.words) throw new Error(ended.problem || ended.words); // it failed
  if (report.set_id) store.tell('compare-sets');
  store.tell('drawn');
  return report;
}
export async function uploadImages(files, text, options) {
  const session = uploadSession();
  const wanted = { mask: 'stored', ...(options || {}), words: text };
  const said = wanted.said;
  delete wanted.said;
  try {
    await stageImages(session, files, said);
    const report = await storeImages(session, wanted, said);
    if (!report.set_id)
      throw Object.assign(
        new Error(report.refused.length === 1 ? report.refused[0].why : report.title),
        { report },
      );
    return report;
  } catch (error) {
    uploadForget(session);
    throw error;
  }
}
