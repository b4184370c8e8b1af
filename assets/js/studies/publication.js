// The public page of a study's results: published, copied, withdrawn.
import { arrange, make, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { button, card, doing, linkButton, problemLine, question, time } from './parts.js';

const ABOUT =
  'A page that everyone with its link can read without an account, for a paper’s supplement: method, participants and exclusions, results with 95% intervals, agreement, codebook and CSV files. It names the models, and no participant.';
const IMAGES = 'Show the images of the stimuli';
const IMAGES_HINT =
  'Only if everyone may see them: the page is public, and images may be saved from it.';

/**
 * @param {import('./study.js').Current} current
 * @param {(text: string, said: HTMLElement) => Promise<void>} copy
 */
export function publicationCard(current, copy) {
  const part = card('Public results page', ABOUT);
  const line = problemLine();
  const said = make('p', 'th-study-said');
  const images = make('input');
  const label = make('label', '', IMAGES);
  const hint = make('p', 'th-study-hint', IMAGES_HINT);
  const choice = make('div', 'th-study-field th-study-check');
  const tools = make('div', 'th-study-buttons');
  said.setAttribute('role', 'status');
  images.type = 'checkbox';
  images.id = 'th-study-publish-images';
  label.htmlFor = images.id;
  hint.id = images.id + '-hint';
  images.setAttribute('aria-describedby', hint.id);
  choice.append(images, label, hint);
  part.body.classList.add('th-study-publication');

  /** @param {boolean} shown whether the page shows images */
  const publish = async (shown) => {
    const answer = await send(`${current.address}/publish`, { images: shown });
    current.study.publication = answer.publication;
    show();
  };
  const act = doing(
    'Publish results',
    async () => {
      await publish(images.checked);
      await current.reload();
      put(said, 'The results are public under this link.');
    },
    line,
    'th-study-do',
  );
  images.addEventListener('change', async () => {
    if (!current.study.publication) return;
    line.say('');
    try {
      await publish(images.checked);
      put(said, images.checked ? 'The page shows images now.' : 'The page shows no images now.');
    } catch (error) {
      images.checked = !images.checked;
      line.say(error.message);
    }
  });
  const back = button('Withdraw…', () =>
    question({
      title: 'Withdraw the results of “' + current.study.title + '”?',
      body: [
        make(
          'p',
          '',
          'The link is dead at once, also in papers that print it. If you publish again, the page gets another link.',
        ),
      ],
      action: 'Withdraw',
      async act() {
        const answer = await send(`${current.address}/unpublish`, {});
        current.study.publication = answer.publication;
        await current.reload();
        put(said, 'The results are not public any more.');
        show();
      },
    }),
  );

  /** @param {Api.PublicationJson} publication */
  function published(publication) {
    const { study } = current;
    const url = new URL(publication.url, location.href).href;
    const list = make('ul', 'th-study-urls');
    const item = make('li');
    item.append(
      make('code', '', url),
      button('Copy', () => copy(url, said), 'th-study-small'),
    );
    list.append(item);
    const open = linkButton('Open the page', url);
    open.target = '_blank';
    open.rel = 'noopener';
    const since = make('p', publication.shown ? '' : 'th-study-note');
    if (publication.shown) since.append('Published ', time(publication.published_at), '.');
    else
      since.append(
        'The study is open again, so the page is off. It is back under the same link when you close the study.',
      );
    arrange(tools, [...(publication.shown ? [open] : []), ...(study.can.publish ? [back] : [])]);
    return [since, list, tools];
  }
  function show() {
    const { study } = current;
    const { publication } = study;
    const able = study.can.publish && study.state === 'closed';
    if (publication) images.checked = publication.images;
    /** @type {Node[]} */
    const nodes = [line];
    if (publication) nodes.push(...published(publication));
    else if (!study.can.publish)
      nodes.push(
        make('p', 'th-soft', 'Only the study’s owner and admins can publish its results.'),
      );
    else if (!able)
      nodes.push(make('p', 'th-soft', 'Close the study first. You can publish its results then.'));
    if (able) nodes.push(choice);
    if (able && !publication) {
      arrange(tools, [act]);
      nodes.push(tools);
    }
    arrange(part.body, [...nodes, said]);
  }
  return { node: part.node, show };
}
