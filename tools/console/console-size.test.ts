import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CONSOLE_FOLDER, type ConsoleIndex } from '@fairway/gateway/console/console-files';
import { describe, expect, it } from 'vitest';

const KIB = 1024;
/** Size of the gzipped scripts loaded before the list of clusters is shown. */
const MAX_FIRST_SCRIPT_BYTES = 200 * KIB;
/** Size of the entire packed console, with each file in two compressed forms. */
const MAX_BYTES = 2_500 * KIB;

describe.skipIf(!existsSync(join(CONSOLE_FOLDER, 'index.json')))('the built console', () => {
  const sizeOf = (path: string) => statSync(join(CONSOLE_FOLDER, path)).size;
  const index = () => JSON.parse(readFileSync(join(CONSOLE_FOLDER, 'index.json'), 'utf8')) as ConsoleIndex;
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

  it('shows its first view after 200 KiB of scripts', () => {
    const { firstScripts } = index();

    expect(firstScripts.length).toBeGreaterThan(2);
    expect(sum(firstScripts.map((path) => sizeOf(`${path}.gz`)))).toBeLessThanOrEqual(MAX_FIRST_SCRIPT_BYTES);
  });

  it('stays within its share of the package', () => {
    const sizes = index().files.map(({ path, isCompressed }) =>
      isCompressed ? sizeOf(`${path}.gz`) + sizeOf(`${path}.br`) : sizeOf(path),
    );

    expect(sum(sizes)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('loads styles and scripts only from its own files', () => {
    const page = index().files.find(({ path }) => path === 'index.html');

    expect(page).toMatchObject({ type: 'text/html; charset=utf-8', isImmutable: false });
    expect(index().files.every(({ path }) => /^[A-Za-z0-9_./-]+$/.test(path))).toBe(true);
  });
});
