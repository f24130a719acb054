import { FakeClock } from '@fairway/base/clock-fake';
import type { Cause } from '@fairway/base/tracing';
import { expect, test } from 'vitest';
import { TraceGossip } from './trace-gossip.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OBJECT = 'Cluster/team/demo';

function causeOf(span = 1, flags = '01'): Cause {
  return { traceId: TRACE, traceparent: `00-${TRACE}-${span.toString(16).padStart(16, '0')}-${flags}` };
}

function connectedPair() {
  const clock = new FakeClock();
  return { clock, writer: new TraceGossip(clock), reader: new TraceGossip(clock) };
}

test('notifies a replica of the trace of a completed write, and of a write in progress', () => {
  const { writer, reader } = connectedPair();
  writer.wrote('u1/7', causeOf(1));
  writer.announce(OBJECT, causeOf(2));

  const received = reader.receive('a', writer.text() ?? '');

  expect(received).toEqual([{ version: 'u1/7', cause: causeOf(1) }]);
  expect(reader.announced(OBJECT)).toEqual(causeOf(2));
  expect(reader.announced('Cluster/team/other')).toBeUndefined();
});

test('expires entries after a minute, however often they are repeated', async () => {
  const { clock, writer, reader } = connectedPair();
  writer.announce(OBJECT, causeOf());
  const text = writer.text() ?? '';
  reader.receive('a', text);
  await clock.advance(30_000);
  reader.receive('a', `${text} `);
  await clock.advance(30_000);

  expect(writer.text()).toBeUndefined();
  expect(reader.announced(OBJECT)).toBeUndefined();
});

test('parses a repeated message only once', () => {
  const { writer, reader } = connectedPair();
  writer.wrote('u1/7', causeOf());
  const text = writer.text() ?? '';
  reader.receive('a', text);

  expect(reader.receive('a', text)).toEqual([]);
  expect(reader.receive('b', text)).toHaveLength(1);
});

test('shares the newest entries, within a limit', () => {
  const { writer, reader } = connectedPair();
  for (let n = 1; n <= 1_000; n++) writer.wrote(`u1/${n}`, causeOf(n));

  const text = writer.text() ?? '';

  expect(text.length).toBeLessThan(10_000);
  expect(reader.receive('a', text).at(-1)?.version).toBe('u1/1000');
});

test('does not share an invalid object name, which keeps messages small', () => {
  const { writer } = connectedPair();
  writer.announce(`Cluster/team/${'x'.repeat(400)}`, causeOf());
  writer.announce('Cluster/team/\u0000', causeOf());

  expect(writer.text()).toBeUndefined();
});

test('does not share a trace that may be dropped', () => {
  const { writer } = connectedPair();
  writer.wrote('u1/7', causeOf(1, '00'));

  expect(writer.text()).toBeUndefined();
});

const ENTRY = ['u1/7', causeOf().traceparent];
test.each([
  ['invalid JSON', '{'],
  ['a value of another type', '[]'],
  ['an invalid traceparent', JSON.stringify({ writes: [['u1/7', 'x'.repeat(55)]], objects: [] })],
  [
    'a traceparent that is not sampled',
    JSON.stringify({ writes: [['u1/7', causeOf(1, '00').traceparent]], objects: [] }),
  ],
  ['too many writes', JSON.stringify({ writes: Array.from({ length: 65 }, () => ENTRY), objects: [] })],
  ['a long name', JSON.stringify({ writes: [['x'.repeat(401), causeOf().traceparent]], objects: [] })],
  ['too much data', JSON.stringify({ writes: [ENTRY], objects: [], more: 'x'.repeat(70_000) })],
])('ignores %s', (_, text) => {
  expect(connectedPair().reader.receive('a', text)).toEqual([]);
});
