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

it('accepts selectors as browsers encode them', () => {
  const path = '/api/v1/events?labelSelector=fairway.dev%2Fcluster%3Ddemo&watch=true';

  expect(parseWatches(bodyOf(path))).toEqual([{ id: 0, path }]);
});

it.each([
  ['a list', '/api/v1/events'],
  ['a watch that is none', '/api/v1/events?watch=false'],
  ['a watch that is told twice', '/api/v1/events?watch=true&watch=false'],
  ['a path beside the API', '/metrics?watch=true'],
  ['the console itself', '/console/session?watch=true'],
  ['a path that leads elsewhere', '/api/v1/../../metrics?watch=true'],
  ['another host', '//evil.example/api/v1/events?watch=true'],
  ['an absolute URL', 'https://evil.example/api/v1/events?watch=true'],
  ['a path with an encoded slash', '/api/v1/a%2fb?watch=true'],
  ['a line break', '/api/v1/events?watch=true\r\nhost: evil'],
  ['a fragment', '/api/v1/events?watch=true#a'],
])('refuses %s', (_reason, path) => {
  expect(() => parseWatches(bodyOf(path))).toThrow(expect.objectContaining({ code: 400 }));
});

it.each([
  ['no JSON', '{'],
  ['none', '{"watches":[]}'],
  ['seventeen', bodyOf(...Array.from({ length: 17 }, () => CLUSTERS))],
  ['two of an id', JSON.stringify({ watches: [1, 1].map((id) => ({ id, path: CLUSTERS })) })],
  ['more than is asked for', '{"watches":[],"as":"root"}'],
])('refuses %s', (_reason, body) => {
  expect(() => parseWatches(body)).toThrow(expect.objectContaining({ code: 400 }));
});
