import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  readonly link?: boolean;
  readonly integrity?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const installedPackages = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

it('pins the content of each package, including those for other platforms', () => {
  const unpinned = installedPackages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(unpinned.map(([path]) => path)).toEqual([]);
  expect(installedPackages.length).toBeGreaterThan(300);
});
