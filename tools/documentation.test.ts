import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf } from './site/anchors.ts';
import { linksOf, PAGES, ROOT, targetOf, textOf } from './site/pages.ts';

/**
 * Matches file names in backticks, and directories with a slash. Outside packages, directories are mostly those of a
 * running Fairway.
 */
const FILE = /^(?:[\w.-]+\/)*[\w.-]+\.(?:ts|md|json|ya?ml|svg|sh)$|^(?:[\w.-]+\/)+$/;
/** Files that exist elsewhere: on a user's machine, in a Fairway home, in a cluster, in a container. */
const EXTERNAL_FILES = new Set(['control-planes/CLUSTER_UID/record.json', 'clouds.yaml', 'x.test.ts', 'utils.ts']);

test.each(PAGES)('%s has valid links', (document) => {
  const deadLinks = linksOf(document).filter((link) => !isLinked(document, link));

  expect(deadLinks).toEqual([]);
});

test.each(PAGES)('%s names existing files', (document) => {
  const named = [...textOf(document).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
  const isPackageReadme = document.startsWith('packages/');
  const files = named.filter(
    (text) => FILE.test(text) && (isPackageReadme || !text.endsWith('/')) && !EXTERNAL_FILES.has(text),
  );
  const unknown = files.filter((text) => !isFile(document, text));

  expect(unknown).toEqual([]);
});

function isLinked(document: string, link: string): boolean {
  const target = targetOf(document, link);
  if (target === undefined) return true;
  if (!existsSync(join(ROOT, target.file))) return false;
  return target.anchor === undefined || anchorsOf(target.file).includes(target.anchor);
}

/** Finds a file by its path from the repository root or the document, or by its name if a list gives the directory. */
function isFile(document: string, text: string): boolean {
  const folder = dirname(document);
  if ([text, join(folder, text), join(folder, 'src', text)].some((path) => existsSync(join(ROOT, path)))) return true;
  return (
    globSync(`${folder === '.' || folder.startsWith('docs') ? '*' : folder}/**/${text}`, {
      cwd: ROOT,
      exclude: ['node_modules'],
    }).length > 0
  );
}
