import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError, NO_GRANT, runUnderGrant } from '@fairway/base/fence';
import { describe, expect, test } from 'vitest';
import { ConfigMaps, Deployments, Nodes } from '../kinds/resources.ts';
import { ApiError, isApiError, tooManyRequests } from '../object/api-error.ts';
import { KubeClient } from './kube-client.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface CannedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Returns the responses in order, then the last one repeatedly, and records the requests. */
function cannedClient(...responses: readonly CannedResponse[]) {
  const requests: TransportRequest[] = [];
  const queue = [...responses];
  const transport: Transport = {
    request(request): Promise<TransportResponse> {
      requests.push(request);
      const { status = 200, headers = {}, body = {} } = (queue.length > 1 ? queue.shift() : queue[0]) ?? {};
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return Promise.resolve({
        status,
        headers,
        text: () => Promise.resolve(text),
        async *lines() {
          yield* text.split('\n');
        },
      });
    },
    close: () => undefined,
  };
  const clock = new FakeClock();
  return { client: new KubeClient(transport, { clock, userAgent: 'test/1' }), requests, clock };
}

function bodyOf(request: TransportRequest | undefined): unknown {
  return JSON.parse(request?.body ?? 'null');
}

const map = { metadata: { name: 'm', namespace: 'ns', uid: 'u', resourceVersion: '7' } };

describe('requests on the wire', () => {
  const NS = '/api/v1/namespaces/ns/configmaps';
  const cases: readonly (readonly [string, (client: KubeClient) => Promise<unknown>, string, string])[] = [
    ['get', (c) => c.resource(ConfigMaps).get('m', { namespace: 'ns' }), 'GET', `${NS}/m`],
    ['get of a cluster-scoped object', (c) => c.resource(Nodes).get('n'), 'GET', '/api/v1/nodes/n'],
    ['list of all namespaces', (c) => c.resource(Deployments).list(), 'GET', '/apis/apps/v1/deployments'],
    [
      'list with a selector and a limit',
      (c) => c.resource(ConfigMaps).list({ namespace: 'ns', labelSelector: 'a=b,c!=d', limit: 5, continue: 'x/y' }),
      'GET',
      `${NS}?labelSelector=a%3Db%2Cc%21%3Dd&limit=5&continue=x%2Fy`,
    ],
    ['create', (c) => c.resource(ConfigMaps).create(map, { dryRun: true }), 'POST', `${NS}?dryRun=All`],
    ['update', (c) => c.resource(ConfigMaps).update(map, { fieldManager: 'me' }), 'PUT', `${NS}/m?fieldManager=me`],
    ['updateStatus', (c) => c.resource(ConfigMaps).updateStatus(map), 'PUT', `${NS}/m/status`],
    [
      'patch of a subresource',
      (c) => c.resource(ConfigMaps).patch('m', { type: 'merge', value: {} }, { namespace: 'ns', subresource: 'scale' }),
      'PATCH',
      `${NS}/m/scale`,
    ],
    [
      'apply',
      (c) => c.resource(ConfigMaps).apply(map, { fieldManager: 'me', force: true }),
      'PATCH',
      `${NS}/m?fieldManager=me&force=true`,
    ],
    ['delete', (c) => c.resource(ConfigMaps).delete('m', { namespace: 'ns' }), 'DELETE', `${NS}/m`],
    [
      'deleteCollection',
      (c) => c.resource(ConfigMaps).deleteCollection({ namespace: 'ns', labelSelector: 'a' }),
      'DELETE',
      `${NS}?labelSelector=a`,
    ],
    [
      'createSubresource',
      (c) => c.resource(ConfigMaps).createSubresource('m', 'token', map, { namespace: 'ns' }),
      'POST',
      `${NS}/m/token`,
    ],
  ];
  test.each(cases)('%s', async (_verb, call, method, path) => {
    const { client, requests } = cannedClient({});
    await call(client);

    expect(requests.map((request) => `${request.method} ${request.path}`)).toEqual([`${method} ${path}`]);
    expect(requests[0]?.headers?.['user-agent']).toBe('test/1');
  });

  test('adds apiVersion and kind to written objects', async () => {
    const { client, requests } = cannedClient({});
    await client.resource(Deployments).create({ metadata: { name: 'd', namespace: 'ns' } } as never);
    expect(bodyOf(requests[0])).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment' });
  });

  test.each`
    type           | contentType
    ${'merge'}     | ${'application/merge-patch+json'}
    ${'strategic'} | ${'application/strategic-merge-patch+json'}
    ${'json'}      | ${'application/json-patch+json'}
  `('sends a $type patch as $contentType', async ({ type, contentType }) => {
    const { client, requests } = cannedClient({});
    await client.resource(Nodes).patch('n', { type, value: [] });
    expect(requests[0]?.headers?.['content-type']).toBe(contentType);
  });

  test('sends the preconditions of a delete', async () => {
    const { client, requests } = cannedClient({});
    await client.resource(Nodes).delete('n', {
      uid: 'u',
      resourceVersion: '7',
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    expect(bodyOf(requests[0])).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
  });

  test('requests PartialObjectMetadata for metadata reads', async () => {
    const { client, requests } = cannedClient({ body: { items: [] } });
    await client.metadata(Nodes).list();
    expect(requests[0]?.headers?.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    );
  });

  test('treats a list with null or missing items as empty', async () => {
    const { client } = cannedClient({ body: { kind: 'PartialObjectMetadataList', metadata: {}, items: null } });

    expect((await client.metadata(Nodes).list()).items).toEqual([]);
  });

  test('throws when a namespaced object is addressed without a namespace', () => {
    const { client } = cannedClient({});
    expect(() => client.resource(ConfigMaps).get('m')).toThrow('requires a namespace');
  });
});

describe('a watch', () => {
  test('yields events and ends with the stream', async () => {
    const lines = ['ADDED', 'BOOKMARK'].map((type) => JSON.stringify({ type, object: map })).join('\n');
    const { client, requests } = cannedClient({ body: `${lines}\n` });
    const types: string[] = [];
    const watch = client
      .resource(ConfigMaps)
      .watch({ resourceVersion: '5', allowWatchBookmarks: true, timeoutSeconds: 9 });
    for await (const { type } of watch) types.push(type);

    expect(types).toEqual(['ADDED', 'BOOKMARK']);
    expect(requests[0]?.path).toBe(
      '/api/v1/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=9',
    );
  });

  test('rejects on an ERROR event', async () => {
    const status = new ApiError(410, 'Expired', 'too old').toStatus();
    const { client } = cannedClient({ body: JSON.stringify({ type: 'ERROR', object: status }) });
    const next = client.resource(ConfigMaps).watch()[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('ends without an error when its signal aborts', async () => {
    const { client } = cannedClient({ status: 500 });
    const abort = new AbortController();
    abort.abort();
    const next = client.resource(ConfigMaps).watch({ signal: abort.signal })[Symbol.asyncIterator]().next();
    expect((await next).done).toBe(true);
  });
});

describe('an error response', () => {
  test('becomes the ApiError of its Status', async () => {
    const error = new ApiError(409, 'Conflict', 'changed', { subject: { resource: 'configmaps', name: 'm' } });
    const { client } = cannedClient({ status: 409, body: error.toStatus() });
    await expect(client.resource(ConfigMaps).update(map)).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'changed',
      subject: { resource: 'configmaps', name: 'm' },
    });
  });

  test.each`
    status | body               | reason                  | message
    ${404} | ${'not here'}      | ${'NotFound'}           | ${'HTTP 404: not here'}
    ${502} | ${'<html>'}        | ${'Unknown'}            | ${'HTTP 502: <html>'}
    ${503} | ${''}              | ${'ServiceUnavailable'} | ${'HTTP 503'}
    ${500} | ${'{"kind":"Foo"'} | ${'InternalError'}      | ${'HTTP 500: {"kind":"Foo"'}
  `('maps status $status with body "$body" to $reason', async ({ status, body, reason, message }) => {
    const { client } = cannedClient({ status, body });
    await expect(client.version()).rejects.toMatchObject({ code: status, reason, message });
  });
});

describe('the caller’s grant', () => {
  const busy = { status: 429, body: tooManyRequests('busy', 1).toStatus() };

  test('is checked before each write, including retries', async () => {
    const { client, requests, clock } = cannedClient(busy);
    let isGranted = true;
    const grant = { subject: 'team/demo', isValid: () => isGranted };
    const written = runUnderGrant(grant, () => client.resource(ConfigMaps).update(map));
    const outcome = written.catch((error: unknown) => error);
    isGranted = false;
    await clock.advance(1_000);

    expect(await outcome).toBeInstanceOf(FencedError);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.beforeWrite).toThrow(FencedError);
  });

  test('is not checked for reads', async () => {
    const { client, requests } = cannedClient({ body: map });
    await runUnderGrant(NO_GRANT, () => client.resource(ConfigMaps).get('m', { namespace: 'ns' }));

    expect(requests[0]?.beforeWrite).toBeUndefined();
  });
});

describe('a 429 response', () => {
  const busy = { status: 429, body: tooManyRequests('slow down', 2).toStatus() };

  test('delays the retry by the time that it requests', async () => {
    const { client, clock, requests } = cannedClient(busy, { body: map });
    const response = client.resource(ConfigMaps).get('m', { namespace: 'ns' });
    await clock.advance(1_999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);

    expect(await response).toEqual(map);
  });

  test('may specify the delay in a header', async () => {
    const { client, clock, requests } = cannedClient(
      { status: 429, headers: { 'retry-after': '3' }, body: 'busy' },
      {},
    );
    const response = client.resource(Nodes).delete('n');
    await clock.advance(3_000);
    await response;
    expect(requests).toHaveLength(2);
  });

  test('is returned after five attempts', async () => {
    const { client, clock, requests } = cannedClient(busy);
    const response = client.resource(Nodes).get('n');
    const failure = response.catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await failure).toMatchObject({ retryAfterSeconds: 2 });
    expect(requests).toHaveLength(5);
  });

  test.each`
    reason                                  | answer                                                        | call
    ${'a POST is not repeated (eviction)'}  | ${busy}                                                       | ${(c: KubeClient) => c.resource(ConfigMaps).create(map)}
    ${'a long delay is left to the caller'} | ${{ status: 429, body: tooManyRequests('x', 60).toStatus() }} | ${(c: KubeClient) => c.version()}
    ${'there is no Retry-After'}            | ${{ status: 429, body: 'busy' }}                              | ${(c: KubeClient) => c.version()}
  `('is returned immediately when $reason', async ({ answer, call }) => {
    const { client, requests } = cannedClient(answer);
    await expect(call(client)).rejects.toSatisfy((error) => isApiError(error, 'TooManyRequests'));
    expect(requests).toHaveLength(1);
  });
});

describe('discovery', () => {
  const pods = { resource: 'pods', responseKind: { group: '', version: 'v1', kind: 'Pod' }, scope: 'Namespaced' };

  test('reads the aggregated form in two requests', async () => {
    const list = (items: object[]) => ({ body: { kind: 'APIGroupDiscoveryList', items } });
    const core = {
      metadata: {},
      versions: [
        { version: 'v1', resources: [{ ...pods, verbs: ['list'], subresources: [{ subresource: 'status' }] }] },
      ],
    };
    const group = {
      metadata: { name: 'example.io' },
      versions: [
        {
          version: 'v2',
          freshness: 'Current',
          resources: [
            {
              resource: 'foos',
              responseKind: { group: '', version: '', kind: 'Foo' },
              scope: 'Cluster',
              verbs: ['get'],
            },
          ],
        },
        {
          version: 'v1',
          resources: [
            { resource: 'foos', responseKind: { kind: 'Foo' }, scope: 'Cluster', verbs: ['get'] },
            { resource: 'bars', responseKind: { kind: 'Bar' }, scope: 'Cluster', verbs: ['get'] },
          ],
        },
      ],
    };
    const silent = { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] };
    const { client, requests } = cannedClient(list([core]), list([group, silent]));

    const discovery = await client.resources();

    expect(discovery.unavailable).toEqual(['metrics.k8s.io/v1beta1']);
    expect(discovery.resources.map(({ group, version, plural }) => `${group}/${version}/${plural}`)).toEqual([
      '/v1/pods',
      'example.io/v2/foos',
      'example.io/v1/bars',
    ]);
    expect(discovery.resources[0]).toEqual({
      group: '',
      version: 'v1',
      plural: 'pods',
      kind: 'Pod',
      namespaced: true,
      verbs: ['list'],
      subresources: ['status'],
    });
    expect(requests.map(({ path }) => path)).toEqual(['/api', '/apis']);
  });

  test('falls back to one request per group version', async () => {
    const { client } = cannedClient(
      { body: { kind: 'APIVersions', versions: ['v1'] } },
      {
        body: {
          kind: 'APIGroupList',
          groups: [
            {
              name: 'example.io',
              versions: [{ version: 'v1' }, { version: 'v2' }],
              preferredVersion: { version: 'v2' },
            },
          ],
        },
      },
      {
        body: {
          resources: [
            { name: 'pods', namespaced: true, kind: 'Pod', verbs: ['list'] },
            { name: 'pods/status', namespaced: true, kind: 'Pod', verbs: ['get'] },
          ],
        },
      },
      { body: { resources: [{ name: 'foos', namespaced: false, kind: 'Foo', verbs: ['get'] }] } },
      { status: 503, body: 'away' },
    );

    const discovery = await client.resources();

    expect(discovery.unavailable).toEqual(['example.io/v1']);
    expect(discovery.resources.map(({ version, plural, subresources }) => ({ version, plural, subresources }))).toEqual(
      [
        { version: 'v1', plural: 'pods', subresources: ['status'] },
        { version: 'v2', plural: 'foos', subresources: [] },
      ],
    );
  });
});
