import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LinePosition } from '@fairway/apiserver/audit/newest-lines';
import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClusterAuditReader, formatLinePosition, parseLinePosition } from './cluster-audit-reader.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-reader-'));
});
afterEach(() => rm(folder, { recursive: true }));

const DEMO = { uid: 'u', namespace: 'team' };
const ALL = { limit: 500, sinceMs: 0, matches: () => true };

function open() {
  const clock = new FakeClock();
  const skipped: number[] = [];
  const place = { folder, file: 'log.log', owners: [process.getuid?.() ?? 0] };
  const find = (uid: string) => Promise.resolve(uid === 'elsewhere' ? undefined : place);
  const reader = new ClusterAuditReader(find, { onSkipped: (lines) => skipped.push(lines) }, clock);
  return { reader, clock, skipped };
}

function lineOf(auditID: string, time: string, pad = 0): string {
  return `${JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/',
    verb: 'create',
    user: { username: 'alice', uid: 'x'.repeat(pad) },
    requestReceivedTimestamp: `2026-01-31T${time}.000000Z`,
    stageTimestamp: `2026-01-31T${time}.000000Z`,
  })}\n`;
}

function write(...lines: readonly string[]): Promise<void> {
  return writeFile(join(folder, 'log.log'), lines.join(''));
}

async function idsOf(reader: ClusterAuditReader, change: Partial<typeof ALL> = {}): Promise<readonly string[]> {
  const page = await reader.read(DEMO, { ...ALL, ...change }, undefined);
  return page?.events.map(({ auditID }) => auditID) ?? [];
}

test('does not scan events older than requested, except those that ended out of order', async () => {
  const { reader, skipped } = open();
  await write(
    'no event\n',
    lineOf('old', '09:00:00'),
    lineOf('late', '10:00:30'),
    lineOf('out-of-order', '09:59:30'),
    lineOf('new', '10:01:00'),
  );
  const page = await reader.read(DEMO, { ...ALL, sinceMs: Date.parse('2026-01-31T10:00:00Z') }, undefined);

  expect(page?.events.map(({ auditID }) => auditID)).toEqual(['new', 'late']);
  expect(page?.next).toBeUndefined();
  expect(skipped).toEqual([]);
});

test('returns at most one MiB, or one event', async () => {
  const { reader } = open();
  await write(...[1, 2, 3, 4].map((id) => lineOf(String(id), '10:00:00', 390_000)));

  expect(await idsOf(reader)).toEqual(['4', '3']);
});

test('includes an event whose line a client has made long', async () => {
  const { reader, skipped } = open();
  await write(
    lineOf('long', '10:00:00').replace('"/"', `"/${'\\u0026'.repeat(1024 * 1024)}"`),
    lineOf('new', '10:00:00'),
  );
  const first = await reader.read(DEMO, ALL, undefined);
  const second = await reader.read(DEMO, ALL, first?.next);

  expect(first?.events).toMatchObject([{ auditID: 'new' }]);
  expect(second).toMatchObject({ events: [{ auditID: 'long', requestURI: '/...TRUNCATED' }], next: undefined });
  expect(skipped).toEqual([]);
});

test('may return an empty page that is not the last one', async () => {
  const { reader } = open();
  await write(lineOf('wanted', '10:00:00'), ...Array.from({ length: 50 }, () => lineOf('x', '10:00:00', 100_000)));
  const selection = { ...ALL, matches: ({ auditID }: { readonly auditID: string }) => auditID === 'wanted' };
  const first = await reader.read(DEMO, selection, undefined);
  const second = await reader.read(DEMO, selection, first?.next);

  expect(first).toMatchObject({ events: [], next: { file: expect.any(String) as string } });
  expect(second).toMatchObject({ events: [{ auditID: 'wanted' }], next: undefined });
});

test('does not return a page from a log that is on another replica', async () => {
  expect(await open().reader.read({ uid: 'elsewhere', namespace: 'team' }, ALL, undefined)).toBeUndefined();
});

test('reads the logs of one project’s clusters at most twice a second, regardless of other projects', async () => {
  const { reader, clock } = open();
  for (let read = 0; read < 20; read++) await reader.read(DEMO, ALL, undefined);

  for (const uid of ['u', 'v', 'elsewhere']) {
    const secondRead = reader.read({ ...DEMO, uid }, ALL, undefined);
    await expect(secondRead).rejects.toMatchObject({ code: 429, retryAfterSeconds: 1 });
  }
  await reader.read({ uid: 'u', namespace: 'other' }, ALL, undefined);
  await clock.advance(1_000);
  await reader.read(DEMO, ALL, undefined);
  await reader.read(DEMO, ALL, undefined);
  await expect(reader.read(DEMO, ALL, undefined)).rejects.toMatchObject({ code: 429 });
});

test.each<[token: string, position: LinePosition | undefined]>([
  [formatLinePosition({ file: '12345678901234567890.1', end: 7 }), { file: '12345678901234567890.1', end: 7 }],
  ['', undefined],
  ['x', undefined],
  [Buffer.from('1.1:-1').toString('base64url'), undefined],
  [Buffer.from(`1.1:${'9'.repeat(16)}`).toString('base64url'), undefined],
  [Buffer.from('2026-01-31T10:20:30.456000Z 1').toString('base64url'), undefined],
])('the token %j is %j', (token, position) => {
  expect(parseLinePosition(token)).toEqual(position);
});
