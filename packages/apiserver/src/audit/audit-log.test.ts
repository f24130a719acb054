import { FakeClock } from '@fairway/base/clock-fake';
import { type Logger, silentLogger } from '@fairway/base/log';
import { describe, expect, test } from 'vitest';
import { AuditLog, type AuditLoss, type LineWriter } from './audit-log.ts';

/** A fake disk that can be full or stuck, and its content. */
class Disk implements LineWriter {
  text = '';
  isFull = false;
  isClosed = false;
  attempts = 0;
  blockedUntil: Promise<void> | undefined;

  async write(lines: Uint8Array): Promise<void> {
    this.attempts++;
    await this.blockedUntil;
    if (this.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    this.text += Buffer.from(lines).toString();
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function setUp(maxBufferedBytes?: number) {
  const clock = new FakeClock();
  const disk = new Disk();
  const counts = { written: 0, failed: 0, lost: { buffer_full: 0, refusal_rate: 0 } };
  const messages: string[] = [];
  const collect = (_: object, message: string) => void messages.push(message);
  const log: Logger = { ...silentLogger, warn: collect, error: collect };
  const observer = {
    onWritten: (events: number) => void (counts.written += events),
    onLost: (reason: AuditLoss, events: number) => void (counts.lost[reason] += events),
    onWriteFailed: () => void counts.failed++,
  };
  const audit = new AuditLog({ writer: disk, observer, clock, log, ...(maxBufferedBytes && { maxBufferedBytes }) });
  return { clock, disk, counts, messages, audit };
}

test('writes lines in order, and lines from the same event-loop turn together', async () => {
  const { clock, disk, counts, audit } = setUp();
  for (const line of ['a', 'b', 'c']) audit.record(line);
  await clock.advance(0);
  audit.record('d');
  await clock.advance(0);

  expect(disk.text).toBe('a\nb\nc\nd\n');
  expect(disk.attempts).toBe(2);
  expect(counts).toEqual({ written: 4, failed: 0, lost: { buffer_full: 0, refusal_rate: 0 } });
});

test('writes each line without waiting for the next, regardless of their timing', async () => {
  const { clock, disk, counts, audit } = setUp();
  for (let ticks = 0; ticks < 12; ticks++) {
    audit.record('a');
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    audit.record('b');
    await clock.advance(0);
    expect(counts.written).toBe(2 * (ticks + 1));
  }
  expect(disk.text).toHaveLength(48);
});

test('queues lines during a write, and writes them in chunks of 256 KiB', async () => {
  const { clock, disk, counts, audit } = setUp();
  const written = Promise.withResolvers<void>();
  disk.blockedUntil = written.promise;
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(1_000)}`);
  for (const line of lines) {
    audit.record(line);
    if (line.startsWith('500 ')) await clock.advance(0);
  }
  written.resolve();
  await clock.advance(0);

  expect(disk.text).toBe(lines.map((line) => `${line}\n`).join(''));
  expect(disk.attempts).toBeGreaterThanOrEqual(4);
  expect(counts.written).toBe(1_000);
});

describe('a full disk', () => {
  test('is logged once and retried after 1, 2, 4 … 30 s, without losing any buffered line', async () => {
    const { clock, disk, counts, messages, audit } = setUp();
    disk.isFull = true;
    audit.record('a');
    await clock.advance(60_000);
    audit.record('b');
    expect(disk.attempts).toBe(6);
    expect(counts.failed).toBe(6);
    expect(messages).toEqual(['the audit log cannot be written: events wait in memory']);
    disk.isFull = false;
    await clock.advance(30_000);

    expect(disk.text).toBe('a\nb\n');
    expect(messages).toEqual([expect.any(String), 'the audit log is written again']);
    expect(counts.lost.buffer_full).toBe(0);
  });

  test('uses bounded memory: excess lines are counted, and logged once', async () => {
    const { clock, disk, counts, messages, audit } = setUp(100);
    disk.isFull = true;
    for (let count = 0; count < 1_000; count++) audit.record('123456789');
    await clock.advance(1_000);
    disk.isFull = false;
    await clock.advance(30_000);

    expect(disk.text).toBe('123456789\n'.repeat(10));
    expect(counts).toEqual({ written: 10, failed: 2, lost: { buffer_full: 990, refusal_rate: 0 } });
    expect(messages.filter((message) => message.includes('lost'))).toHaveLength(1);
  });
});

describe('a graceful shutdown', () => {
  test('flushes the buffer and then closes the file', async () => {
    const { disk, audit } = setUp();
    for (const line of ['a', 'b']) audit.record(line);
    await audit.close();

    expect([disk.text, disk.isClosed]).toEqual(['a\nb\n', true]);
  });

  test('retries a write to a full disk once, and counts the lost lines', async () => {
    const { clock, disk, counts, audit } = setUp();
    disk.isFull = true;
    audit.record('a');
    audit.record('b');
    await clock.advance(0);
    await audit.close();
    audit.record('late');

    expect(disk.attempts).toBe(2);
    expect(disk.isClosed).toBe(true);
    expect(counts.lost.buffer_full).toBe(3);
    expect(clock.pendingTimers).toBe(0);
  });

  test('waits at most 5 s for a hanging disk', async () => {
    const { clock, disk, counts, audit } = setUp();
    disk.blockedUntil = new Promise(() => undefined);
    audit.record('a');
    const closed = audit.close();
    await clock.advance(5_000);
    await closed;

    expect(disk.isClosed).toBe(true);
    expect(counts.lost.buffer_full).toBe(1);
  });
});
