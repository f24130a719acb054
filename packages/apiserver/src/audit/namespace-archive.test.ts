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
    onLost: (events: number) => void (counts.lost += events),
    onWriteFailed: () => void counts.failed++,
  };
  const archive = new NamespaceArchive({ folder: path, observer, clock, log: silentLogger });
  return { archive, clock, counts };
}

interface EventFields {
  readonly id: string;
  readonly namespace?: string;
  readonly code?: number;
  readonly isAnonymous?: boolean;
  readonly decision?: 'allow' | 'forbid';
  readonly pad?: number;
  readonly requestObject?: unknown;
}

function record(archive: NamespaceArchive, { id, namespace = 'red', code = 200, pad = 0, ...more }: EventFields): void {
  const event: AuditEvent = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: more.requestObject === undefined ? 'Metadata' : 'Request',
    auditID: id,
    stage: 'ResponseComplete',
    requestURI: `/${'x'.repeat(pad)}`,
    verb: 'create',
    user: more.isAnonymous ? {} : { username: 'alice' },
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

test('returns recorded events immediately, and after a restart', async () => {
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

test('skips a truncated line, and returns the following ones', async () => {
  const first = open();
  record(first.archive, { id: 'a' });
  await first.archive.close();
  await appendFile(join(folder, 'red/events.log'), '2026-01-01T00:00:00.000000Z {"kind":"Ev');
  const second = open();
  record(second.archive, { id: 'b' });
  await second.archive.close();

  expect(await idsIn(open().archive)).toEqual(['a', 'b']);
});

test('stores no request or response bodies', async () => {
  const { archive } = open();
  record(archive, { id: 'a', requestObject: { spec: 'hunter2' } });
  const [entry = ''] = await archive.read('red');

  expect(entry).not.toContain('hunter2');
  expect(JSON.parse(entry.slice(28))).toMatchObject({ auditID: 'a', level: 'Metadata' });
});

test.each(['../red', '..', 'red/..', 'Red', '', 'a'.repeat(64), 'red\0'])(
  'rejects the namespace %j',
  async (namespace) => {
    const { archive } = open();
    record(archive, { id: 'a', namespace });
    await archive.close();

    expect(await readdir(folder)).toEqual([]);
    expect(await archive.read(namespace)).toEqual([]);
  },
);

test('keeps at most two files of 1 MiB with the newest events of a namespace', async () => {
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

test('loses no events when two processes find a file full at the same time', async () => {
  const previous = open().archive;
  for (let count = 0; count < 110; count++) record(previous, { id: `before-${count}`, pad: 8_000 });
  await previous.close();
  const both = [open(), open()];
  for (const [index, { archive }] of both.entries()) {
    for (let count = 0; count < 25; count++) record(archive, { id: `${index}-${count}`, pad: 8_000 });
  }
  await Promise.all(both.map(({ archive }) => archive.close()));

  expect(both.map(({ counts }) => counts)).toEqual([0, 1].map(() => ({ lost: 0, failed: 0 })));
  expect(await idsIn(open().archive)).toHaveLength(160);
});

test('never lets refusals displace other events', async () => {
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
  { what: 'an unauthenticated client', code: 401, isStranger: true },
  { what: 'an anonymous client that disconnects before the response', code: 0, isStranger: true },
  { what: 'a user without permission', code: 403 },
  { what: 'a user who disconnects before authorization', code: 0 },
  { what: 'a user with an invalid header', code: 400 },
  { what: 'a user with too many requests', code: 429 },
])('creates no directory for $what', async ({ code, isStranger = false }) => {
  const { archive } = open();
  for (const namespace of ['a', 'b', 'c']) record(archive, { id: 'x', namespace, code, isAnonymous: isStranger });
  await archive.close();

  expect(await readdir(folder)).toEqual([]);
});

test.each([
  { what: 'an authorized user who disconnects before the response', code: 0 },
  { what: 'an authorized user whose request is invalid', code: 422 },
])('does not count a request by $what as a refusal', async ({ code }) => {
  const { archive } = open();
  record(archive, { id: 'x', code, decision: 'allow' });
  await archive.close();

  expect(await readdir(join(folder, 'red'))).toEqual(['events.log']);
});

test('reserves room for performed requests during a flood of refusals', async () => {
  const { archive, counts } = open();
  for (let count = 0; count < 500; count++) {
    record(archive, { id: `${count}`, namespace: 'blue', code: 403, pad: 10_000 });
  }
  record(archive, { id: 'done' });

  expect(counts.lost).toBeGreaterThan(300);
  expect(await idsIn(archive)).toEqual(['done']);
  await archive.close();
});

test('buffers events within limits while the disk is full, and counts the events lost at the end', async () => {
  // A file occupies the directory's path.
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

test('retries a persistent failure less and less often, down to twice a minute', async () => {
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, '');
  const { archive, clock, counts } = open(blocked);
  record(archive, { id: 'a' });
  // Attempts fail in real time, not on the fake clock.
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

test("deletes a namespace's archive a day after the namespace is deleted", async () => {
  const { archive, clock } = open();
  for (const namespace of ['red', 'blue', 'new']) record(archive, { id: 'a', namespace });
  await archive.close();
  const swept = open().archive;
  const longAgo = new Date(clock.now() - 25 * 3_600_000);
  for (const namespace of ['red', 'blue']) await utimes(join(folder, namespace, 'events.log'), longAgo, longAgo);
  await swept.sweep(new Set(['red']));

  expect((await readdir(folder)).sort()).toEqual(['new', 'red']);
});

test('throttles repeated reads of a single namespace only', async () => {
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
