import { FakeTracer } from '@fairway/base/testing/tracer-fake';
import { currentSpan, inSpan, versionName } from '@fairway/base/tracing';
import { expect, test } from 'vitest';
import { ApiError } from '../object/api-error.ts';
import { TracedKeys } from './traced-keys.ts';

const KEY = 'team/demo';
const done = () => Promise.resolve({});

function object(resourceVersion: string) {
  return { metadata: { name: 'demo', namespace: 'team', uid: 'u1', resourceVersion } };
}

/** A writer that produced these versions of the object. */
function writer(tracer: FakeTracer, ...versions: readonly string[]) {
  const span = tracer.request(undefined, () => ({ name: 'create clusters.fairway.dev', attributes: {} }));
  for (const version of versions) span.recordWrite(versionName('u1', version) ?? '');
  return span;
}

test('continues the trace of the write that caused a run', async () => {
  const tracer = new FakeTracer();
  const request = writer(tracer, '1');
  const keys = new TracedKeys(tracer, 'cluster');
  keys.record([KEY], object('1'));

  await keys.run(KEY, done);

  const [, run] = tracer.rootSpans;
  expect(run).toMatchObject({
    name: 'reconcile cluster',
    traceId: request.traceId,
    isEnded: true,
    attributes: { 'k8s.namespace.name': 'team', 'fairway.object.name': 'demo' },
  });
});

test('continues the trace of the last run in a run triggered by time or by the cloud', async () => {
  const tracer = new FakeTracer();
  const request = writer(tracer, '1');
  const keys = new TracedKeys(tracer, 'cluster');
  keys.record([KEY], object('1'));
  await keys.run(KEY, done);

  await keys.run(KEY, done);

  expect(tracer.rootSpans.at(-1)?.traceId).toBe(request.traceId);
});

test('links several writes before a run, the newest first', async () => {
  const tracer = new FakeTracer();
  const [first, second] = [writer(tracer, '1'), writer(tracer, '2')];
  const keys = new TracedKeys(tracer, 'cluster');
  keys.record([KEY], object('1'));
  keys.record([KEY], object('2'));

  await keys.run(KEY, done);

  expect(tracer.rootSpans.at(-1)?.links.map(({ traceId }) => traceId)).toEqual([second.traceId, first.traceId]);
});

test('links a run to a write whose event arrived before the response to the write', async () => {
  const tracer = new FakeTracer();
  const keys = new TracedKeys(tracer, 'cluster');
  keys.record([KEY], object('1'));
  await keys.run(KEY, done);
  const request = writer(tracer, '1');

  await keys.run(KEY, done);

  expect(tracer.rootSpans.at(-1)?.traceId).toBe(request.traceId);
});

test('never runs within the span of the code that delivered the event', async () => {
  const tracer = new FakeTracer();
  const notRecorded = { request: () => undefined, work: () => undefined, causeOf: () => undefined };
  const keys = new TracedKeys(notRecorded, 'cluster');
  let seen: unknown = 'nothing yet';

  await inSpan(writer(tracer), () =>
    keys.run(KEY, () => {
      seen = currentSpan();
      return done();
    }),
  );

  expect(seen).toBeUndefined();
});

test('records a one-word reason for a failed run, without the error message', async () => {
  const tracer = new FakeTracer();
  const keys = new TracedKeys(tracer, 'cluster');

  await expect(
    keys.run(KEY, () => Promise.reject(new ApiError(409, 'Conflict', 'the password is "hunter2"'))),
  ).rejects.toThrow('the password');

  expect(tracer.rootSpans[0]).toMatchObject({ isEnded: true, attributes: { 'error.type': 'Conflict' } });
  expect(JSON.stringify(tracer.rootSpans)).not.toContain('hunter2');
});
