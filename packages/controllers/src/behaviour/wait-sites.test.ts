import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import { describe, expect, test } from 'vitest';
import { CAUSES } from '../testing/causes/all.ts';
import { WAIT_SITES } from '../testing/causes/sites.ts';

const PACKAGES = join(import.meta.dirname, '../../..');
/** The directories whose code starts and deletes clusters, pools and machines. */
const FOLDERS = [
  'controllers/src/cluster',
  'controllers/src/machine',
  'controllers/src/node-pool',
  'controllers/src/gc/missing-clusters',
  'tenancy/src/cloud',
  'tenancy/src/connection',
  'tenancy/src/credentials',
  'tenancy/src/reconcile',
];
const FILES = [
  'controllers/src/pause.ts',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(PACKAGES, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  ),
];
/** Reasons of conditions other than Ready, for existing objects. */
const OTHER_SOURCES = new Set([
  'credentials-status.ts',
  'plan-conditions.ts',
  'snapshots.ts',
  'version-status.ts',
  'forced-upgrade.ts',
]);

const REASON_SITE = /reason: (?:ConditionReason\.|')(\w{1,40})/g;

/** File and reason of each place that reports that someone other than Fairway must act. */
const found = FILES.filter((path) => !OTHER_SOURCES.has(path.slice(path.lastIndexOf('/') + 1))).flatMap((path) => {
  const text = readFileSync(join(PACKAGES, path), 'utf8');
  const reasons = [...text.matchAll(REASON_SITE)].map(([, reason = '']) => reason);
  return [...new Set(reasons)]
    .filter((reason): reason is ConditionReason => Object.hasOwn(ConditionReason, reason))
    .filter((reason) => actionRequiredBy(reason) !== 'fairway')
    .map((reason) => ({ file: relative('', path).replace('/src/', '/'), reason }));
});
const listed = Object.entries(WAIT_SITES).flatMap(([file, reasons]) =>
  Object.entries(reasons).map(([reason, row]) => ({ file, reason, row })),
);

describe('each place in the code that waits for someone else', () => {
  test.each(found)('$file, $reason, is listed', (site) => {
    expect(listed).toContainEqual(expect.objectContaining(site));
  });

  test('exists', () => {
    const sites = listed.map(({ file, reason }) => ({ file, reason }));

    expect(
      sites.filter(({ file, reason }) => !found.some((each) => each.file === file && each.reason === reason)),
    ).toEqual([]);
  });

  test.each(listed.filter(({ row }) => !row.startsWith('- ')))('$file, $reason: $row', ({ reason, row }) => {
    expect(CAUSES).toContainEqual(expect.objectContaining({ cause: row, reason }));
  });

  test.each(listed.filter(({ row }) => row.endsWith('.test.ts)')))('$file, $reason, has a test', ({ row }) => {
    const test = row.slice(row.lastIndexOf('(') + 1, -1);
    const path = test.includes('/src/') ? join(PACKAGES, test) : join(PACKAGES, 'controllers/src', test);

    expect(existsSync(path)).toBe(true);
  });
});
