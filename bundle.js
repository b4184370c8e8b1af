// Writes assets/bundle: the scripts of the workbench, one file a tab and what tabs share.
//
//   npm run bundle           writes it
//   npm run bundle -- check  only says whether it is what the sources make
//
// Each page.js of a folder below assets/js is an entry; participants' pages load their sources. The
// app serves the bundle as long as bundle.json names the digest of its scripts, and the sources
// themselves otherwise: tabs/page/asset_files.py.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OUT = 'assets/bundle/';

/** The files below a folder that end so, in order. */
const below = (folder, ending) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith(ending))
        .map((name) => folder + name)
        .sort()
    : [];

const sources = below('assets/js/', '.js').filter(
  (path) => !path.startsWith('assets/js/participants/'),
);

const entries = sources.filter((path) => path.endsWith('/page.js'));
const options = { bundle: true, splitting: true, format: 'esm', outdir: OUT, write: false };
const { metafile: first } = await build({ ...options, entryPoints: entries, metafile: true });

/** All scripts that one imports, and itself. */
function closure(path, reached = new Set()) {
  if (reached.has(path)) return reached;
  reached.add(path);
  for (const other of first.inputs[path].imports) closure(other.path, reached);
  return reached;
}

// esbuild makes a chunk for each group of tabs that have scripts in common, a dozen for the first
// page. Where every tab imports all that two tabs share, that is one group and one chunk.
const closures = entries.map((path) => closure(path));
const shared = sources.filter((path) => closures.filter((all) => all.has(path)).length > 1);
const oneChunk = {
  name: 'one-chunk',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/page\.js$/ }, ({ path }) => ({
      contents: [
        readFileSync(path, 'utf8'),
        ...shared.map((other) => `import '${resolve(other)}';`),
      ].join('\n'),
    })),
};

// What the participants' page fetches when it is wanted comes with its tab: each would be a chunk,
// and so would what it has in common with the tab.
const atOnce = {
  name: 'at-once',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/js\/canvas\/\w+\.js$/ }, ({ path }) => {
      const wanted = [];
      // Types in comments are imported alike, and followed by a name.
      const contents = readFileSync(path, 'utf8').replace(
        /\bimport\('(\.[^']+)'\)(?=\)|;|\s*\.then\()/g,
        (_, name) => `Promise.resolve(later${wanted.push(name)})`,
      );
      const imports = wanted.map((name, i) => `import * as later${i + 1} from '${name}';`);
      return { contents: [...imports, contents].join('\n') };
    }),
};

const { metafile, outputFiles } = await build({
  ...options,
  entryPoints: entries,
  minify: true,
  target: 'es2023',
  outbase: 'assets',
  chunkNames: 'js/chunks/[hash]',
  metafile: true,
  plugins: [oneChunk, atOnce],
});

const digest = createHash('sha256');
for (const path of sources) {
  const content = readFileSync(path);
  digest.update(`${path.slice('assets/'.length)}\0${content.length}\0`).update(content);
}
const files = {};
for (const [path, { imports }] of Object.entries(metafile.outputs))
  files[path.slice(OUT.length)] = imports.map((other) => other.path.slice(OUT.length)).sort();
const wanted = new Map(outputFiles.map((file) => [OUT + file.path.split(OUT)[1], file.text]));
const list = { sources: digest.digest('hex'), files };
wanted.set(`${OUT}bundle.json`, JSON.stringify(list, null, 1) + '\n');

const here = [...below(OUT, '.js'), ...below(OUT, '.json')];
const current =
  here.length === wanted.size &&
  [...wanted].every(([path, text]) => existsSync(path) && readFileSync(path, 'utf8') === text);
if (process.argv[2] === 'check') {
  if (!current) console.error('assets/bundle is not of these scripts: make bundle writes it.');
  process.exitCode = current ? 0 : 1;
} else {
  rmSync(OUT, { recursive: true, force: true });
  for (const [path, text] of wanted) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
