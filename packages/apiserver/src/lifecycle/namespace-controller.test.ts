import { InformerSet } from '@fairway/kube/client/informer-set';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type Transport, TransportError } from '@fairway/kube/client/transport';
import { Manager } from '@fairway/kube/controller/manager';
import { ConfigMaps, Namespaces, Pods } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import { afterEach, describe, expect, test } from 'vitest';
import { TestServer } from '../server/test-server.ts';
import { namespaceController } from './namespace-controller.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp() {
  const server = new TestServer();
  const failures = new Map<string, Error>();
  const requests: string[] = [];
  const transport: Transport = {
    request: (request) => {
      requests.push(`${request.method} ${request.path}`);
      const failure = [...failures].find(([path]) => request.path.includes(path))?.[1];
      return failure ? Promise.reject(failure) : server.transport.request(request);
    },
    close: () => undefined,
  };
  const { clock } = server;
  const outside = new KubeClient(server.transport);
  const client = new KubeClient(transport, { clock });
  const informers = new InformerSet(client, { clock });
  for (const name of ['team', 'other']) await server.namespace(name);
  const stop = new AbortController();
  stops.push(stop);
  const controller = namespaceController({ client, informers, clock, random: () => 1 });
  void new Manager().addInformers(informers).add(controller).run(stop.signal);
  await clock.advance(0);
  const maps = outside.resource(ConfigMaps);
  return {
    clock,
    failing: failures,
    requests,
    map: (name: string, metadata: ObjectMeta = {}) =>
      maps.create({ metadata: { name, namespace: 'team', ...metadata } }),
    release: (name: string) =>
      maps.patch(name, { type: 'merge', value: { metadata: { finalizers: null } } }, { namespace: 'team' }),
    pod: (name: string, spec: object = {}) =>
      outside.resource(Pods).create({ metadata: { name, namespace: 'team' }, spec } as never),
    deleteNamespace: async () => {
      await outside.resource(Namespaces).delete('team');
      await clock.advance(0);
    },
    namespace: () =>
      outside
        .resource(Namespaces)
        .get('team')
        .catch((error: unknown) => (isApiError(error, 'NotFound') ? undefined : Promise.reject(error))),
    mapNames: async () => (await maps.list()).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  };
}

describe('the namespace controller', () => {
  test('empties a namespace and finalizes it', async () => {
    const w = await setUp();
    await w.map('a');
    await w.map('b', { namespace: 'other' });
    await w.pod('p');

    await w.deleteNamespace();

    expect(await w.namespace()).toBeUndefined();
    expect(await w.mapNames()).toEqual(['other/b']);
  });

  test('leaves other namespaces alone', async () => {
    const w = await setUp();
    await w.map('a');
    await w.clock.advance(600_000);

    expect(await w.mapNames()).toEqual(['team/a']);
    expect(w.requests.filter((request) => !request.startsWith('GET /api/v1/namespaces?'))).toEqual([]);
  });

  test('reports what blocks the deletion, and continues once unblocked', async () => {
    const w = await setUp();
    await w.map('held', { finalizers: ['example.com/hold'] });
    await w.deleteNamespace();

    const { conditions } = (await w.namespace())?.status ?? {};
    expect(conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      ],
    ]);

    await w.release('held');
    await w.clock.advance(1_000);
    expect(await w.namespace()).toBeUndefined();
  });

  test('deletes pods first, then everything else', async () => {
    const w = await setUp();
    await w.map('a');
    await w.pod('p', { nodeName: 'n' });
    await w.deleteNamespace();

    expect(await w.mapNames()).toEqual(['team/a']);
    expect((await w.namespace())?.status?.conditions?.[3]?.message).toContain('pods. has 1 resource instances');
  });

  test('continues past a kind that fails, and reports it', async () => {
    const w = await setUp();
    await w.map('a');
    w.failing.set('/pools', new TransportError('the webhook is down'));
    await w.deleteNamespace();

    expect((await w.namespace())?.status?.conditions?.[2]).toMatchObject({
      status: 'True',
      reason: 'ContentDeletionFailed',
      message: 'Failed to delete all resource types, 1 remaining: unexpected error deleting pools: the webhook is down',
    });
    expect(await w.mapNames()).toEqual([]);

    w.failing.clear();
    await w.clock.advance(1_000);
    expect(await w.namespace()).toBeUndefined();
  });

  test('retries less often over time', async () => {
    const w = await setUp();
    await w.map('held', { finalizers: ['example.com/hold'] });
    await w.deleteNamespace();
    const attempts = () => w.requests.filter((request) => request === 'GET /api/v1/namespaces/team').length;
    await w.clock.advance(60_000);
    const early = attempts();
    await w.clock.advance(60_000);

    expect(attempts() - early).toBeLessThanOrEqual(8);
  });

  test('skips a kind that is no longer served', async () => {
    const w = await setUp();
    w.failing.set('/pools', new ApiError(404, 'NotFound', 'gone'));
    await w.deleteNamespace();

    expect(await w.namespace()).toBeUndefined();
  });
});
