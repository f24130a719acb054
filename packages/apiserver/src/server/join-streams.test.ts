import { duplexPair } from 'node:stream';
import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, test } from 'vitest';
import { joinStreams } from './join-streams.ts';

const HOUR_MS = 3_600_000;

function joined() {
  const clock = new FakeClock();
  const [client, one] = duplexPair();
  const [server, other] = duplexPair();
  joinStreams(one, other, clock);
  return { clock, client, server, one, other };
}

function whenClosed(stream: { readonly destroyed: boolean }): Promise<void> {
  return expect.poll(() => stream.destroyed).toBe(true);
}

describe('two joined connections', () => {
  test('forward bytes in both directions', async () => {
    const { client, server } = joined();
    client.write('there');
    server.write('and back');

    await expect.poll(() => String(server.read() ?? '')).toBe('there');
    await expect.poll(() => String(client.read() ?? '')).toBe('and back');
  });

  test('buffer a little unread data', async () => {
    const { client, one, other } = joined();
    const chunk = Buffer.alloc(16 * 1024);
    let written = 0;
    while (client.write(chunk) && written < 1000) written++;
    await new Promise(setImmediate);

    expect(written).toBeLessThan(100);
    expect(one.readableLength + other.writableLength).toBeLessThan(256 * 1024);
  });

  test('end after the last byte when one of them ends', async () => {
    const { client, server, one, other, clock } = joined();
    let heard = '';
    client.on('data', (chunk: Buffer) => {
      heard += String(chunk);
    });
    server.end('the last');
    await whenClosed(one);
    await whenClosed(other);

    expect(heard).toBe('the last');
    expect(clock.pendingTimers).toBe(0);
  });

  test.each(['one', 'other'] as const)('end when %s breaks', async (end) => {
    const streams = joined();
    streams[end].destroy(new Error('broken'));
    await whenClosed(streams.one);
    await whenClosed(streams.other);

    expect(streams.clock.pendingTimers).toBe(0);
  });

  test('end immediately if they were already closed', async () => {
    const clock = new FakeClock();
    const [, one] = duplexPair();
    const [, other] = duplexPair();
    one.destroy();
    await whenClosed(one);
    joinStreams(one, other, clock);

    expect(other.destroyed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  test('end when both are idle for four hours', async () => {
    const { clock, client, server, one, other } = joined();
    server.resume();
    await clock.advance(3 * HOUR_MS);
    client.write('still there');
    await new Promise(setImmediate);
    await clock.advance(3 * HOUR_MS);
    expect([one.destroyed, other.destroyed]).toEqual([false, false]);
    await clock.advance(HOUR_MS);

    expect([one.destroyed, other.destroyed]).toEqual([true, true]);
    expect(clock.pendingTimers).toBe(0);
  });
});
