import { expect, it } from 'vitest';
import { parseWatches } from './watch-request.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/team/clusters?watch=true&resourceVersion=7';
const bodyOf = (...paths: string[]) => JSON.stringify({ watches: paths.map((path, id) => ({ id, path })) });

it('accepts watches of the API', () => {
  expect(parseWatches(bodyOf(CLUSTERS, '/api/v1/events?watch=true'))).toEqual([
    { id: 0, path: CLUSTERS },
    { id: 1, path: '/api/v1/events?watch=true' },
  ]);
});

it('accepts selectors in browsers’ encoding', () => {
  const path = '/api/v1/events?labelSelector=fairway.dev%2Fcluster%3Ddemo&watch=true';

  expect(parseWatches(bodyOf(path))).toEqual([{ id: 0, path }]);
});

it.each([
  ['a list', '/api/v1/events'],
  ['a request with watch=false', '/api/v1/events?watch=false'],
  ['a request that specifies watch twice', '/api/v1/events?watch=true&watch=false'],
  ['a path outside the API', '/metrics?watch=true'],
  ['the console itself', '/console/session?watch=true'],
  ['a path with parent segments', '/api/v1/../../metrics?watch=true'],
  ['another host', '//evil.example/api/v1/events?watch=true'],
  ['an absolute URL', 'https://evil.example/api/v1/events?watch=true'],
  ['a path with an encoded slash', '/api/v1/a%2fb?watch=true'],
  ['a line break', '/api/v1/events?watch=true\r\nhost: evil'],
  ['a fragment', '/api/v1/events?watch=true#a'],
])('refuses %s', (_reason, path) => {
  expect(() => parseWatches(bodyOf(path))).toThrow(expect.objectContaining({ code: 400 }));
});

it.each([
  ['invalid JSON', '{'],
  ['none', '{"watches":[]}'],
  ['seventeen', bodyOf(...Array.from({ length: 17 }, () => CLUSTERS))],
  ['two watches with the same ID', JSON.stringify({ watches: [1, 1].map((id) => ({ id, path: CLUSTERS })) })],
  ['an unknown field', '{"watches":[],"as":"root"}'],
])('refuses %s', (_reason, body) => {
  expect(() => parseWatches(body)).toThrow(expect.objectContaining({ code: 400 }));
});
