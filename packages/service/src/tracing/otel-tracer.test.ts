import { FakeClock } from '@fairway/base/clock-fake';
import type { RequestSpan } from '@fairway/base/tracing';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { OtelTracer } from './otel-tracer.ts';
import type { Sampling } from './tracing-settings.ts';

const ALL: Sampling = { isParentBased: true, ratio: 1 };
const NONE: Sampling = { isParentBased: true, ratio: 0 };
const CLIENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const REQUESTED = `00-${CLIENT_TRACE}-00f067aa0ba902b7-01`;
const facts = (name = 'create clusters.fairway.dev') => ({ name, attributes: {} });

function open(sampling: Sampling) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const clock = new FakeClock();
  const tracer = new OtelTracer({ api: provider.getTracer('test'), sampling, clock, random: () => 0.5 });
  return { tracer, clock, spans: () => exporter.getFinishedSpans() };
}

function startRequest(tracer: OtelTracer, traceparent = REQUESTED): RequestSpan {
  const span = tracer.request(traceparent, () => facts());
  if (span === undefined) throw new Error('it is not recorded');
  return span;
}

test('does not even compute the name of an unrecorded span', () => {
  const { tracer } = open(NONE);

  const span = tracer.request(undefined, () => {
    throw new Error('described');
  });

  expect(span).toBeUndefined();
});

test('records the requested trace of a known client, including spans from before authentication', () => {
  const { tracer, spans } = open(NONE);
  const request = startRequest(tracer);
  request.child('GET /v3/auth/tokens', { kind: 'client' })?.end();
  expect(spans()).toEqual([]);

  request.admit('anna');
  request.end();

  const found = spans().map(({ name, parentSpanContext }) => [name, parentSpanContext?.traceId]);
  expect(found).toEqual([
    ['GET /v3/auth/tokens', CLIENT_TRACE],
    ['create clusters.fairway.dev', CLIENT_TRACE],
  ]);
});

test('records no trace of an unauthenticated client, whatever the request says', () => {
  const { tracer, spans } = open(ALL);
  const request = startRequest(tracer);
  request.child('GET /v3/auth/tokens')?.end();
  request.end();

  expect(spans()).toEqual([]);
});

test('does not ask other servers to record a trace that may be dropped', () => {
  const { tracer } = open(NONE);
  const flagsOf = ({ traceparent }: RequestSpan) => traceparent.slice(-2);
  const requests = Array.from({ length: 31 }, (_, n) => startRequest(tracer, REQUESTED.replace('4bf9', `00${n + 10}`)));
  expect(new Set(requests.map(flagsOf))).toEqual(new Set(['00']));

  for (const request of requests) request.admit('anna');

  expect(requests.map(flagsOf)).toEqual([...Array.from({ length: 30 }, () => '01'), '00']);
});

test('keeps traces regardless of the number of unauthenticated clients and of clients that only read', () => {
  const { tracer } = open(ALL);
  const request = startRequest(tracer);
  request.admit('anna');
  request.recordWrite('u1/1');
  request.end();

  for (let n = 0; n < 3_000; n++) {
    startRequest(tracer, REQUESTED.replace('4bf9', n.toString(16).padStart(4, '0'))).end();
    tracer.request(undefined, () => facts('list secrets'))?.end();
  }

  const run = tracer.work('reconcile cluster', [tracer.causeOf('u1/1') ?? request], {});
  expect(run?.traceId).toBe(CLIENT_TRACE);
});

test('limits the length of a name, whatever the path of the request', () => {
  const { tracer, spans } = open(ALL);
  tracer.request(undefined, () => facts(`list ${'x'.repeat(8_000)}`))?.end();

  expect(spans()[0]?.name).toHaveLength(128);
});

test('records at most one requested trace a second per client', async () => {
  const { tracer, clock, spans } = open(NONE);
  const requestAs = (count: number) => {
    for (let n = 0; n < count; n++) {
      const request = startRequest(tracer, REQUESTED.replace('4bf9', n.toString(16).padStart(4, '0')));
      request.admit('mallory');
      request.end();
    }
    return spans().length;
  };

  expect(requestAs(1_000)).toBe(30);
  await clock.advance(10_000);
  expect(requestAs(1_000)).toBe(40);
});

test('also limits the requested traces of all clients together', () => {
  const { tracer, spans } = open(NONE);

  for (let n = 0; n < 1_000; n++) {
    const request = startRequest(tracer);
    request.admit(`user-${n}`);
    request.end();
  }

  expect(spans()).toHaveLength(300);
});

test('lets a client opt out of tracing, and ignores an invalid header', () => {
  const { tracer } = open(ALL);
  expect(tracer.request(REQUESTED.replace(/01$/, '00'), () => facts())).toBeUndefined();

  const ownTrace = tracer.request('00-zz', () => facts());

  expect(ownTrace?.traceId).toMatch(/^[0-9a-f]{32}$/);
});

test('continues the trace of one of a reconcile’s causes, and links to the other causes', () => {
  const { tracer, spans } = open(NONE);
  const [first, second] = [startRequest(tracer), startRequest(tracer, REQUESTED.replace('4bf9', '0001'))];
  for (const [version, span] of [
    ['u1/1', first],
    ['u1/2', second],
  ] as const) {
    span.admit('anna');
    span.recordWrite(version);
    span.end();
  }
  const causes = ['u1/2', 'u1/1'].flatMap((version) => tracer.causeOf(version) ?? []);

  tracer.work('reconcile cluster', causes, {})?.end();

  const run = spans().at(-1);
  expect(run?.parentSpanContext?.traceId).toBe(second.traceId);
  expect(run?.links.map(({ context }) => context.traceId)).toEqual([first.traceId]);
});

test('ends a trace after half an hour, even if controllers keep reacting to each other', async () => {
  const { tracer, clock } = open(NONE);
  const request = startRequest(tracer);
  request.admit('anna');
  request.recordWrite('u1/1');
  const causes = [tracer.causeOf('u1/1') ?? request];
  expect(tracer.work('reconcile cluster', causes, {})).toBeDefined();

  await clock.advance(31 * 60_000);

  expect(tracer.work('reconcile cluster', causes, {})).toBeUndefined();
});

test('limits a trace to 5,000 spans, however many writes follow', () => {
  const { tracer, spans } = open(NONE);
  const request = startRequest(tracer);
  request.admit('anna');

  for (let n = 0; n < 6_000; n++) request.child('PATCH clusters/status')?.end();

  expect(spans()).toHaveLength(4_999);
});

test('excludes work done after its span ended', () => {
  const { tracer } = open(ALL);
  const run = tracer.work('reconcile cluster', [], {});
  run?.end();

  run?.recordWrite('u1/1');

  expect(run?.child('GET /servers')).toBeUndefined();
  expect(tracer.causeOf('u1/1')).toBeUndefined();
});

test('remembers at most 5,000 writes', () => {
  const { tracer } = open(ALL);
  const run = tracer.work('reconcile cluster', [], {});

  for (let n = 0; n <= 5_000; n++) run?.recordWrite(`u1/${n}`);

  expect(tracer.causeOf('u1/0')).toBeUndefined();
  expect(tracer.causeOf('u1/1')).toBeDefined();
});
