import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { ARCHIVE_FILE_BYTES, NamespaceArchive } from './namespace-archive.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

function open(path = folder) {
  const clock = new FakeClock();
  const counts = { lost: 0, failed: 0 };
  const observer = {
    lost: (events: number) => void (counts.lost += events),
    writeFailed: () => void counts.failed++,
  };
  const archive = new NamespaceArchive({ folder: path, observer, clock, log: silentLogger });
  return { archive, clock, counts };
}

interface Told {
  readonly id: string;
  readonly namespace?: string;
  readonly code?: number;
  readonly isStranger?: boolean;
  readonly decision?: 'allow' | 'forbid';
  readonly pad?: number;
  readonly requestObject?: unknown;
}

function record(archive: NamespaceArchive, { id, namespace = 'red', code = 200, pad = 0, ...more }: Told): void {
  const event: AuditEvent = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: more.requestObject === undefined ? 'Metadata' : 'Request',
    auditID: id,
    stage: 'ResponseComplete',
    requestURI: `/${'x'.repeat(pad)}`,
    verb: 'create',
    user: more.isStranger ? {} : { username: 'alice' },
    objectRef: { resource: 'clusters', namespace, apiVersion: 'v1' },
    responseStatus: { metadata: {}, code },
    ...(more.decision && { annotations: { 'authorization.k8s.io/decision': more.decision } }),
    ...(more.requestObject !== undefined && { requestObject: more.requestObject }),
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    stageTimestamp: '2026-01-01T00:00:00.000000Z',
  };
  archive.record(JSON.stringify(event), event);
}

async function idsIn(archive: NamespaceArchive, namespace = 'red'): Promise<string[]> {
  const entries = [...new Set(await archive.read(namespace))];
  return entries.map((entry) => (JSON.parse(entry.slice(28)) as AuditEvent).auditID).sort();
}

test('what was recorded is read at once, and after a restart', async () => {
  const { archive } = open();
  record(archive, { id: 'a' });
  record(archive, { id: 'b' });
  record(archive, { id: 'other', namespace: 'blue' });
  expect(await idsIn(archive)).toEqual(['a', 'b']);
  await archive.close();

  expect(await idsIn(open().archive)).toEqual(['a', 'b']);
  expect((await stat(join(folder, 'red'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'red/events.log'))).mode & 0o777).toBe(0o600);
});

test('a line that was cut off is left out, and those after it are whole', async () => {
  const first = open();
  record(first.archive, { id: 'a' });
  await first.archive.close();
  await appendFile(join(folder, 'red/events.log'), '2026-01-01T00:00:00.000000Z {"kind":"Ev');
  const second = open();
  record(second.archive, { id: 'b' });
  await second.archive.close();

  expect(await idsIn(open().archive)).toEqual(['a', 'b']);
});

test('bodies stay with the operator', async () => {
  const { archive } = open();
  record(archive, { id: 'a', requestObject: { spec: 'hunter2' } });
  const [entry = ''] = await archive.read('red');

  expect(entry).not.toContain('hunter2');
  expect(JSON.parse(entry.slice(28))).toMatchObject({ auditID: 'a', level: 'Metadata' });
});

test.each(['../red', '..', 'red/..', 'Red', '', 'a'.repeat(64), 'red\0'])('%j is no namespace', async (namespace) => {
  const { archive } = open();
  record(archive, { id: 'a', namespace });
  await archive.close();

  expect(await readdir(folder)).toEqual([]);
  expect(await archive.read(namespace)).toEqual([]);
});

test('a namespace has at most two files of a mebibyte, the newest events in them', async () => {
  for (let round = 0; round < 5; round++) {
    const { archive } = open();
    for (let count = 0; count < 90; count++) record(archive, { id: `${round}-${count}`, pad: 8_000 });
    await archive.close();
  }
  const names = await readdir(join(folder, 'red'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'red', name))).size));

  expect(names.sort()).toEqual(['events-2.log', 'events-3.log']);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(ARCHIVE_FILE_BYTES.events);
  expect((await idsIn(open().archive)).map((id) => id.split('-')[0])).toContain('4');
});

test('of two processes that find a file full at once neither loses what the other has put aside', async () => {
  const before = open().archive;
  for (let count = 0; count < 110; count++) record(before, { id: `before-${count}`, pad: 8_000 });
  await before.close();
  const both = [open(), open()];
  for (const [index, { archive }] of both.entries()) {
    for (let count = 0; count < 25; count++) record(archive, { id: `${index}-${count}`, pad: 8_000 });
  }
  await Promise.all(both.map(({ archive }) => archive.close()));

  expect(both.map(({ counts }) => counts)).toEqual([0, 1].map(() => ({ lost: 0, failed: 0 })));
  expect(await idsIn(open().archive)).toHaveLength(160);
});

test('refusals displace nothing but refusals', async () => {
  const { archive } = open();
  record(archive, { id: 'done' });
  await archive.close();
  for (let round = 0; round < 3; round++) {
    const flooded = open();
    for (let count = 0; count < 200; count++) {
      record(flooded.archive, { id: `refused-${round}-${count}`, code: 403, pad: 1_000 });
    }
    await flooded.archive.close();
  }

  expect(await idsIn(open().archive)).toContain('done');
  const files = (await readdir(join(folder, 'red'))).filter((name) => name.startsWith('refusals'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, 'red', name))).size));
  expect(files).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(ARCHIVE_FILE_BYTES.refusals);
});

test.each([
  { what: 'a stranger', code: 401, isStranger: true },
  { what: 'a stranger who went before the answer', code: 0, isStranger: true },
  { what: 'a user who may not', code: 403 },
  { what: 'a user who went before it was known whether he may', code: 0 },
  { what: 'a user with a header that is wrong', code: 400 },
  { what: 'a user who asks too much', code: 429 },
])('$what makes no folder', async ({ code, isStranger = false }) => {
  const { archive } = open();
  for (const namespace of ['a', 'b', 'c']) record(archive, { id: 'x', namespace, code, isStranger });
  await archive.close();

  expect(await readdir(folder)).toEqual([]);
});

test.each([
  { what: 'who may, and has gone before the answer', code: 0 },
  { what: 'who may, and is told what is wrong', code: 422 },
])('what somebody asks for $what is no refusal', async ({ code }) => {
  const { archive } = open();
  record(archive, { id: 'x', code, decision: 'allow' });
  await archive.close();

  expect(await readdir(join(folder, 'red'))).toEqual(['events.log']);
});

test('a flood of refusals at once leaves room for what is done meanwhile', async () => {
  const { archive, counts } = open();
  for (let count = 0; count < 500; count++) {
    record(archive, { id: `${count}`, namespace: 'blue', code: 403, pad: 10_000 });
  }
  record(archive, { id: 'done' });

  expect(counts.lost).toBeGreaterThan(300);
  expect(await idsIn(archive)).toEqual(['done']);
  await archive.close();
});

test('what a full disk does not take waits within bounds, and is lost and counted at the end', async () => {
  // A file stands where the folder would be.
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, '');
  const { archive, counts } = open(blocked);
  for (let count = 0; count < 600; count++) record(archive, { id: `${count}`, pad: 10_000 });
  const kept = 600 - counts.lost;
  expect(counts.lost).toBeGreaterThan(100);
  await archive.close();

  expect(counts).toEqual({ lost: 600, failed: 1 });
  expect(kept * 10_000).toBeLessThan(4 * 1024 * 1024);
});

test('a lasting failure is tried again less and less often, in the end twice a minute', async () => {
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, '');
  const { archive, clock, counts } = open(blocked);
  record(archive, { id: 'a' });
  // An attempt fails outside of the clock's time.
  const attempts = async (count: number) => {
    await expect.poll(() => counts.failed).toBe(count);
  };
  await clock.advance(100);
  await attempts(1);
  for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
    await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0);
    await clock.advance(seconds * 1_000 - 1);
    expect(counts.failed).toBe(index + 1);
    await clock.advance(1);
    await attempts(index + 2);
  }
  await rm(blocked);
  await expect.poll(() => clock.pendingTimers).toBeGreaterThan(0);
  await clock.advance(30_000);

  await expect.poll(() => readFile(join(blocked, 'red/events.log'), 'utf8').catch(() => '')).toContain('"auditID":"a"');
});

test('a namespace that is gone for a day is forgotten', async () => {
  const { archive, clock } = open();
  for (const namespace of ['red', 'blue', 'new']) record(archive, { id: 'a', namespace });
  await archive.close();
  const swept = open().archive;
  const longAgo = new Date(clock.now() - 25 * 3_600_000);
  for (const namespace of ['red', 'blue']) await utimes(join(folder, namespace, 'events.log'), longAgo, longAgo);
  await swept.sweep(new Set(['red']));

  expect((await readdir(folder)).sort()).toEqual(['new', 'red']);
});

test('who reads over and over waits, and nobody of another namespace with him', async () => {
  const { archive, clock } = open();
  record(archive, { id: 'a' });
  for (let count = 0; count < 30; count++) await archive.read('red');

  await expect(archive.read('red')).rejects.toMatchObject({ code: 429, retryAfterSeconds: 1 });
  expect(await archive.read('blue')).toEqual([]);
  await clock.advance(1_000);
  await archive.read('red');
  await archive.read('red');
  await expect(archive.read('red')).rejects.toMatchObject({ code: 429 });
});
