import { describe, expect, test } from 'vitest';
import { foreignEvent } from './foreign-event.ts';

const EVENT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: '9c3f8b1e-0000-4000-8000-000000000000',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/default/configmaps?fieldManager=kubectl',
  verb: 'create',
  user: { username: 'alice', groups: ['system:authenticated'], extra: { key: ['value'] } },
  sourceIPs: ['192.0.2.1'],
  userAgent: 'kubectl',
  objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 201 },
  requestObject: { kind: 'ConfigMap' },
  responseObject: { kind: 'ConfigMap' },
  requestReceivedTimestamp: '2026-01-31T10:20:30.456000Z',
  stageTimestamp: '2026-01-31T10:20:30.457000Z',
  annotations: { 'authorization.k8s.io/decision': 'allow' },
};

test('reads an event as it was written', () => {
  expect(foreignEvent(JSON.stringify(EVENT))).toEqual(EVENT);
});

test('returns an event without a user if it has none', () => {
  const { user: _, ...eventWithoutUser } = EVENT;

  expect(foreignEvent(JSON.stringify(eventWithoutUser))).toEqual({ ...eventWithoutUser, user: {} });
});

test('drops unknown fields', () => {
  const text = JSON.stringify({ ...EVENT, metadata: { name: 'x' }, objectRef: { ...EVENT.objectRef, evil: 1 } });

  expect(foreignEvent(text)).toEqual(EVENT);
});

test('treats inherited property names like any other name', () => {
  const text = JSON.stringify(EVENT)
    .replace('"extra":{', '"extra":{"__proto__":["polluted"],')
    .replace('"annotations":{', '"annotations":{"__proto__":"polluted","constructor":"x",');
  const event = foreignEvent(text);

  expect(event?.annotations?.['authorization.k8s.io/decision']).toBe('allow');
  expect(Object.getPrototypeOf(event?.annotations)).toBe(Object.prototype);
  expect({}).not.toHaveProperty('polluted');
});

describe('returns undefined for', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const changed = (change: object) => JSON.stringify({ ...EVENT, ...change });
  test.each<[what: string, line: string]>([
    ['nothing', ''],
    ['a truncated line', JSON.stringify(EVENT).slice(0, 100)],
    ['null bytes of a sparse file', '\0\0\0'],
    ['null', 'null'],
    ['a number', '7'],
    ['a list', '[]'],
    ['another kind', changed({ kind: 'Pod' })],
    ['another version', changed({ apiVersion: 'audit.k8s.io/v2' })],
    ['level None', changed({ level: 'None' })],
    ['an unknown level', changed({ level: 'Everything' })],
    ['an invalid time', changed({ stageTimestamp: 'yesterday' })],
    ['a time without microseconds', changed({ stageTimestamp: '2026-01-31T10:20:30Z' })],
    ['an empty ID', changed({ auditID: '' })],
    ['an excessively long ID', changed({ auditID: 'x'.repeat(300) })],
    ['a verb that is an object', changed({ verb: {} })],
    ['groups that are not strings', changed({ user: { username: 'a', groups: [{}] } })],
    ['addresses that are not strings', changed({ sourceIPs: [[]] })],
    ['a code that is a string', changed({ responseStatus: { code: '200' } })],
    ['annotations that are objects', changed({ annotations: { a: {} } })],
    ['a body that is nested too deeply', JSON.stringify(EVENT).replace('{"kind":"ConfigMap"}', nested(5_000))],
  ])('%s', (_, line) => {
    expect(foreignEvent(line)).toBeUndefined();
  });
});
