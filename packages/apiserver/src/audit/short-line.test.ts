import { describe, expect, test } from 'vitest';
import { foreignEvent } from './foreign-event.ts';
import { shortenLine } from './short-line.ts';

/** In kube-apiserver's order. */
const EVENT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: 'a-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/pods?x=1',
  verb: 'delete',
  user: { username: 'alice', groups: ['system:authenticated'] },
  impersonatedUser: { username: 'bob', groups: ['system:masters'] },
  authenticationMetadata: { impersonationConstraint: 'x' },
  sourceIPs: ['192.0.2.1', '198.51.100.1'],
  userAgent: 'kubectl',
  objectRef: { resource: 'pods', namespace: 'shop', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 200 },
  requestObject: { kind: 'DeleteOptions' },
  responseObject: { kind: 'PodList' },
  requestReceivedTimestamp: '2026-01-31T10:20:30.456000Z',
  stageTimestamp: '2026-01-31T10:20:30.457000Z',
  annotations: { 'authorization.k8s.io/decision': 'allow' },
};
const LONG_LENGTH = 1024 * 1024;
const TRUNCATED_ANNOTATIONS = { 'authorization.k8s.io/decision': 'allow', 'audit.k8s.io/truncated': 'true' };
const { requestObject: _, responseObject: __, authenticationMetadata: ___, ...BARE } = EVENT;
/** As Go writes it. */
const lineOf = (change: object) => JSON.stringify({ ...EVENT, ...change }).replaceAll('&', '\\u0026');
const short = (change: object) => foreignEvent(shortenLine(lineOf(change)));

test('leaves a line of up to 100 KiB unchanged', () => {
  expect(shortenLine(lineOf({}))).toBe(lineOf({}));
});

describe('an event that is too long', () => {
  test.each<[what: string, change: object]>([
    ['the request body', { requestObject: { a: 'x'.repeat(LONG_LENGTH) } }],
    ['the response body', { responseObject: { a: 'x'.repeat(LONG_LENGTH) } }],
    [
      'bodies that look like its other fields',
      { responseObject: { ...EVENT, annotations: { a: 'x'.repeat(LONG_LENGTH) } } },
    ],
  ])('loses only %s', (_what, change) => {
    expect(short(change)).toEqual({ ...BARE, annotations: TRUNCATED_ANNOTATIONS });
  });

  test('is annotated as truncated, even without other annotations', () => {
    for (const annotations of [undefined, {}]) {
      expect(short({ requestURI: `/${'x'.repeat(LONG_LENGTH)}`, annotations })?.annotations).toEqual({
        'audit.k8s.io/truncated': 'true',
      });
    }
  });

  test.each<[uri: string, kept: RegExp]>([
    [`/api?x=${'a'.repeat(LONG_LENGTH)}`, /^\/api\?x=a{8185}\.\.\.TRUNCATED$/],
    [`/api?x=${'&'.repeat(LONG_LENGTH)}`, /^\/api\?x=\.\.\.TRUNCATED$/],
    [`/api?x=\\"${'","verb":'.repeat(LONG_LENGTH / 8)}`, /^\/api\?x=\.\.\.TRUNCATED$/],
  ])('has a truncated URI: %.12j', (requestURI, kept) => {
    const event = short({ requestURI });

    expect(event?.requestURI).toMatch(kept);
    expect(event).toEqual({
      ...BARE,
      requestURI: event?.requestURI,
      impersonatedUser: { username: 'bob' },
      annotations: TRUNCATED_ANNOTATIONS,
    });
  });

  test.each<[what: string, change: object, expected: object]>([
    [
      'the impersonated groups',
      { impersonatedUser: { username: 'bob', groups: ['system:masters', 'x'.repeat(LONG_LENGTH)] } },
      { impersonatedUser: { username: 'bob' } },
    ],
    [
      'the impersonated user name',
      { impersonatedUser: { username: 'b'.repeat(LONG_LENGTH), groups: ['system:masters'] } },
      { impersonatedUser: { username: `${'b'.repeat(8192)}...TRUNCATED` } },
    ],
    [
      'the claimed source addresses',
      { sourceIPs: [...Array.from({ length: LONG_LENGTH / 10 }, () => '192.0.2.1'), '198.51.100.1'] },
      { sourceIPs: expect.arrayContaining(['192.0.2.1', '198.51.100.1']) as unknown },
    ],
  ])('has %s truncated', (_what, change, expected) => {
    const event = short(change);

    expect(event).toMatchObject({ ...expected, verb: 'delete', user: EVENT.user, annotations: TRUNCATED_ANNOTATIONS });
    expect(JSON.stringify(event).length).toBeLessThan(20_000);
  });
});

test.each(['', '{', 'x'.repeat(LONG_LENGTH), `${',"requestReceivedTimestamp":'.repeat(9_000)},"requestObject":`])(
  'ignores a line that is not an event: %.10s',
  (line) => {
    expect(foreignEvent(shortenLine(line))).toBeUndefined();
  },
);
