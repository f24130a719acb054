import * as fc from 'fast-check';
import { TestServer } from '../../test-server.ts';
import { anyJson } from './any-json.ts';
import { JSON_PIECES } from './json.ts';
import { type Runs, textOf } from './property.ts';
import { YAML_PIECES } from './yaml.ts';

const CONTENT_TYPES = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/x',
];

/** Sends whole requests, none of which may cause a server error. */
export async function fuzz(parameters: Runs): Promise<number> {
  const server = new TestServer();
  await server.namespace();
  await server.call('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { l: [1] } });
  const object = fc
    .tuple(anyJson, anyJson)
    .map(([metadata, spec]) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
  const fields = fc.record({
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE', 'GET'),
    path: fc.constantFrom('pods', 'pods/p', 'pods/q', 'configmaps', 'configmaps/p', 'pods/p/status'),
    query: textOf([
      'a',
      '=',
      '&',
      'continue=',
      'limit=1',
      'labelSelector=',
      'fieldSelector=',
      'fieldManager=x',
      'force=true',
      '%5B',
    ]),
    token: fc.oneof(
      fc.constant(''),
      textOf(JSON_PIECES).map((text) => Buffer.from(text).toString('base64url')),
    ),
    type: fc.constantFrom(...CONTENT_TYPES),
    body: fc.oneof(object, textOf(JSON_PIECES), textOf(YAML_PIECES)),
    accept: textOf(['application/json', '*/*', ';', 'as=Table', 'g=meta.k8s.io', 'v=v1', ',', 'q=0.5']),
  });
  await fc.assert(
    fc.asyncProperty(fields, async ({ method, path, query, token, type, body, accept }) => {
      const url = `/api/v1/namespaces/default/${path}?${query}${token === '' ? '' : `&continue=${token}`}`;
      const headers = { 'content-type': type, ...(accept !== '' && { accept }) };
      const { status } = await server.send(method, url, body, headers);
      if (status >= 500) throw new Error(`${status} for ${method} ${url}`);
    }),
    parameters as fc.Parameters<[never]> as never,
  );
  return parameters.numRuns ?? 0;
}
