import { describe, expect, test } from 'vitest';
import { foreignEvent } from './foreign-event.ts';
import { shortLine } from './short-line.ts';

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
const LONG = 1024 * 1024;
const TRUNCATED = { 'authorization.k8s.io/decision': 'allow', 'audit.k8s.io/truncated': 'true' };
const { requestObject: _, responseObject: __, authenticationMetadata: ___, ...BARE } = EVENT;
/** As Go writes it. */
const lineOf = (change: object) => JSON.stringify({ ...EVENT, ...change }).replaceAll('&', '\\u0026');
const short = (change: object) => foreignEvent(shortLine(lineOf(change)));

test('a line of no more than 100 KiB is as it was', () => {
  expect(shortLine(lineOf({}))).toBe(lineOf({}));
});

describe('of an event that is too long', () => {
  test.each<[what: string, change: object]>([
    ['what was sent', { requestObject: { a: 'x'.repeat(LONG) } }],
    ['what was answered', { responseObject: { a: 'x'.repeat(LONG) } }],
    ['bodies that look like its other fields', { responseObject: { ...EVENT, annotations: { a: 'x'.repeat(LONG) } } }],
  ])('%s goes, and all else stays', (_what, change) => {
    expect(short(change)).toEqual({ ...BARE, annotations: TRUNCATED });
  });

  test('it is said so where it has no annotations', () => {
    for (const annotations of [undefined, {}]) {
      expect(short({ requestURI: `/${'x'.repeat(LONG)}`, annotations })?.annotations).toEqual({
        'audit.k8s.io/truncated': 'true',
      });
    }
  });

  test.each<[uri: string, kept: RegExp]>([
    [`/api?x=${'a'.repeat(LONG)}`, /^\/api\?x=a{8185}\.\.\.TRUNCATED$/],
    [`/api?x=${'&'.repeat(LONG)}`, /^\/api\?x=\.\.\.TRUNCATED$/],
    [`/api?x=\\"${'","verb":'.repeat(LONG / 8)}`, /^\/api\?x=\.\.\.TRUNCATED$/],
  ])('the URI is cut: %.12j', (requestURI, kept) => {
    const event = short({ requestURI });

    expect(event?.requestURI).toMatch(kept);
    expect(event).toEqual({
      ...BARE,
      requestURI: event?.requestURI,
      impersonatedUser: { username: 'bob' },
      annotations: TRUNCATED,
    });
  });

  test.each<[what: string, change: object, expected: object]>([
    [
      'the groups',
      { impersonatedUser: { username: 'bob', groups: ['system:masters', 'x'.repeat(LONG)] } },
      { impersonatedUser: { username: 'bob' } },
    ],
    [
      'the name',
      { impersonatedUser: { username: 'b'.repeat(LONG), groups: ['system:masters'] } },
      { impersonatedUser: { username: `${'b'.repeat(8192)}...TRUNCATED` } },
    ],
    [
      'the addresses that it claims',
      { sourceIPs: [...Array.from({ length: LONG / 10 }, () => '192.0.2.1'), '198.51.100.1'] },
      { sourceIPs: expect.arrayContaining(['192.0.2.1', '198.51.100.1']) as unknown },
    ],
  ])('%s of whom it impersonates are cut', (_what, change, expected) => {
    const event = short(change);

    expect(event).toMatchObject({ ...expected, verb: 'delete', user: EVENT.user, annotations: TRUNCATED });
    expect(JSON.stringify(event).length).toBeLessThan(20_000);
  });
});

test.each(['', '{', 'x'.repeat(LONG), `${',"requestReceivedTimestamp":'.repeat(9_000)},"requestObject":`])(
  'what is no event stays none: %.10s',
  (line) => {
    expect(foreignEvent(shortLine(line))).toBeUndefined();
  },
);
