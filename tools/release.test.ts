import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
/** Sorted from newest to oldest. */
const released = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)$/gm)].map(([, release = '']) => release);

test('every package has Fairway’s version', () => {
  const others = globSync('packages/*/package.json', { cwd: root }).filter((path) => {
    const manifest = JSON.parse(read(path)) as { version: string; dependencies?: Readonly<Record<string, string>> };
    const fairwayDependencies = Object.entries(manifest.dependencies ?? {}).filter(([name]) =>
      name.startsWith('@fairway/'),
    );
    return [manifest.version, ...fairwayDependencies.map(([, dependencyVersion]) => dependencyVersion)].some(
      (found) => found !== version,
    );
  });

  expect(others).toEqual([]);
});

test('the changelog starts with this version', () => {
  expect(released[0]).toBe(version);
});

test.each(released.slice(1))('objects stored by %s are kept for later releases to read', (release) => {
  expect(existsSync(join(root, 'tests/fixtures/releases', release, 'home.tar.gz'))).toBe(true);
});

test('documents name the package and the image of this version', () => {
  const named = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.{md,yaml}'], { cwd: root, exclude: ['CHANGELOG.md'] })
    .flatMap((path) => [...read(path).matchAll(/fairway[-:](\d+\.\d+\.\d+)/g)].map(([, found]) => `${path}: ${found}`))
    .filter((line) => !line.endsWith(`: ${version}`));

  expect(named).toEqual([]);
});
