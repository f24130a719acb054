import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'testbed/*/README.md'], { cwd: root });
/** Text in backticks that names a file, or a folder with its slash. Outside of rooms, folders are mostly those of a running Fairway. */
const FILE = /^(?:[\w.-]+\/)*[\w.-]+\.(?:ts|md|json|ya?ml|svg|sh)$|^(?:[\w.-]+\/)+$/;
/** Files that exist elsewhere: on a user's machine, in a home of Fairway, in a cluster, in a container. */
const ELSEWHERE = new Set(['control-planes/CLUSTER_UID/record.json', 'clouds.yaml', 'x.test.ts', 'utils.ts']);

test.each(documents)('the links of %s lead somewhere', (document) => {
  const targets = [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const dead = targets.filter((target) => !/^[a-z]+:/.test(target) && !isLinked(document, target));

  expect(dead).toEqual([]);
});

test.each(documents)('the files that %s names exist', (document) => {
  const named = [...textOf(document).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
  const isRoom = document.startsWith('packages/');
  const files = named.filter((text) => FILE.test(text) && (isRoom || !text.endsWith('/')) && !ELSEWHERE.has(text));
  const unknown = files.filter((text) => !isFile(document, text));

  expect(unknown).toEqual([]);
});

/** Without blocks of code, which show commands and their output. */
function textOf(document: string): string {
  return readFileSync(join(root, document), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

function isLinked(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, document) : join(root, dirname(document), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

/** GitHub's anchors of the headings. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ +(.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

/** By its path in the repository or from the document, or by its name where a list gives the folder before it. */
function isFile(document: string, text: string): boolean {
  const folder = dirname(document);
  if ([text, join(folder, text), join(folder, 'src', text)].some((path) => existsSync(join(root, path)))) return true;
  return (
    globSync(`${folder === '.' || folder.startsWith('docs') ? '*' : folder}/**/${text}`, {
      cwd: root,
      exclude: ['node_modules'],
    }).length > 0
  );
}
