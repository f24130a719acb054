import {
  type CrdVersion,
  type CustomResourceDefinition,
  CustomResourceDefinitions,
} from '@fairway/apiserver/crd/types';
import {
  type ReceivedReview,
  type WebhookResponse,
  WebhookServer,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { describeServers } from './targets.ts';

interface Thing extends KubeObject {
  spec: { readonly address?: string; readonly host?: string; readonly port?: string };
}

const thing = (version: string): ResourceType<Thing> => ({
  group: 'convert.example.org',
  version,
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});
const V1 = thing('v1');
const V2 = thing('v2');

function definition(webhooks: WebhookServer): CustomResourceDefinition {
  const version = (name: string, properties: Record<string, Schema>): CrdVersion => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: { type: 'object' as const, properties: { spec: { type: 'object' as const, properties } } },
    },
  });
  const text = { type: 'string' as const };
  return {
    metadata: { name: 'things.convert.example.org' },
    spec: {
      group: 'convert.example.org',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        version('v1', { address: text }),
        { ...version('v2', { host: text, port: text }), selectableFields: [{ jsonPath: '.spec.host' }] },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: webhooks.url('/convert'), caBundle: webhooks.caBundle },
        },
      },
    },
  };
}

function convert({ request }: ReceivedReview): WebhookResponse {
  const { uid, desiredAPIVersion } = request;
  const convertedObjects = (request['objects'] as readonly Thing[]).map((object) => {
    const { address = '', host, port } = object.spec;
    const [left, right] = address.split(':');
    const spec = String(desiredAPIVersion).endsWith('/v1')
      ? { address: `${host}:${port}` }
      : { host: left, port: right };
    return { ...object, apiVersion: desiredAPIVersion, spec };
  });
  const response = { uid, convertedObjects, result: { status: 'Success' } };
  return { body: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response } };
}

describeServers('conversion webhooks', (server, target) => {
  let webhooks: WebhookServer;
  let namespace: string;
  let serial = 0;
  const of = (type: ResourceType<Thing>) => server().client.resource(type);
  const named = (name: string, labels?: Record<string, string>) => ({
    metadata: { name, namespace, ...(labels && { labels }) },
  });

  beforeAll(async () => {
    webhooks = await WebhookServer.open();
    webhooks.reply('/convert', convert);
    namespace = await server().namespace();
    await server().client.resource(CustomResourceDefinitions).create(definition(webhooks));
    // The kind is served shortly after it is written.
    await vi.waitFor(() => of(V2).list({ namespace }), { timeout: 300_000 });
  });
  afterAll(() => webhooks[Symbol.asyncDispose]());
  beforeEach(() => {
    serial++;
    webhooks.reply('/convert', convert);
    webhooks.reviewsByPath.clear();
  });

  it('writes one version and reads another', async () => {
    const name = `both-${serial}`;
    const created = await of(V2).create({ ...named(name), spec: { host: 'a', port: '1' } });
    const stored = await of(V1).get(name, { namespace });
    await of(V1).update({ ...stored, spec: { address: 'b:2' } });
    const patched = await of(V2).patch(name, { type: 'merge', value: { spec: { port: '3' } } }, { namespace });

    expect(created).toMatchObject({ apiVersion: 'convert.example.org/v2', spec: { host: 'a', port: '1' } });
    expect(stored).toMatchObject({ apiVersion: 'convert.example.org/v1', spec: { address: 'a:1' } });
    expect(patched.spec).toEqual({ host: 'b', port: '3' });
    expect((await of(V1).get(name, { namespace })).spec).toEqual({ address: 'b:3' });
  });

  it('lists, watches and deletes in either version', async () => {
    const name = `watched-${serial}`;
    const labels = { serial: `${serial}` };
    const query = `labelSelector=serial%3D${serial}`;
    const path = `/apis/convert.example.org/v2/namespaces/${namespace}/things?${query}`;
    await of(V1).create({ ...named(name, labels), spec: { address: 'a:1' } });
    const { json: list } = await server().raw('GET', path);
    const stop = new AbortController();
    const events: string[] = [];
    const watching = (async () => {
      const watch = server().client.raw({ method: 'GET', path: `${path}&watch=1`, signal: stop.signal });
      for await (const line of (await watch).lines()) {
        const { type, object } = JSON.parse(line) as { type: string; object: Thing };
        events.push(`${type} ${object.apiVersion} ${object.spec.host}:${object.spec.port}`);
        if (type === 'DELETED') return;
      }
    })();
    await expect.poll(() => events.length).toBe(1);
    await of(V1).patch(name, { type: 'merge', value: { spec: { address: 'b:2' } } }, { namespace });
    await of(V2).delete(name, { namespace });
    await watching;
    stop.abort();

    expect(list.items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
      ['convert.example.org/v2', { host: 'a', port: '1' }],
    ]);
    expect(events).toEqual([
      'ADDED convert.example.org/v2 a:1',
      'MODIFIED convert.example.org/v2 b:2',
      'DELETED convert.example.org/v2 b:2',
    ]);
  });

  it('resumes a watch with the missed events, converting each state once', async () => {
    const name = `missed-${serial}`;
    const labels = { serial: `${serial}` };
    const created = await of(V1).create({ ...named(name, labels), spec: { address: 'a:1' } });
    await of(V1).patch(name, { type: 'merge', value: { spec: { address: 'b:2' } } }, { namespace });
    await of(V1).patch(name, { type: 'merge', value: { metadata: { labels: { serial: 'none' } } } }, { namespace });
    const query = `labelSelector=serial%3D${serial}&resourceVersion=${created.metadata.resourceVersion}&timeoutSeconds=2`;
    const watch = await server().client.raw({
      method: 'GET',
      path: `/apis/convert.example.org/v2/namespaces/${namespace}/things?watch=1&${query}`,
    });
    const events: string[] = [];
    for await (const line of watch.lines()) {
      const { type, object } = JSON.parse(line) as { type: string; object: Thing };
      events.push(`${type} ${object.spec.host}:${object.spec.port}`);
    }

    expect(events).toEqual(['MODIFIED b:2', 'DELETED b:2']);
    expect(webhooks.reviewsByPath.get('/convert')?.length).toBeLessThan(10);
  });

  it.skipIf(target.minor < 31)('lists and watches by a field from another version', async () => {
    const name = `selected-${serial}`;
    await of(V1).create({ ...named(name), spec: { address: `host-${serial}:1` } });
    const query = `fieldSelector=spec.host%3Dhost-${serial}&timeoutSeconds=2`;
    const path = `/apis/convert.example.org/v2/namespaces/${namespace}/things`;
    const watch = await server().client.raw({ method: 'GET', path: `${path}?watch=1&${query}` });
    const names: string[] = [];
    for await (const line of watch.lines())
      names.push((JSON.parse(line) as { object: Thing }).object.metadata.name ?? '');

    const list = `${path}?fieldSelector=spec.host%3Dhost-${serial}`;
    const { metadata } = await of(V1).patch(
      name,
      { type: 'merge', value: { spec: { address: 'x:1' } } },
      { namespace },
    );
    await of(V1).patch(name, { type: 'merge', value: { spec: { address: `host-${serial}:2` } } }, { namespace });
    const { json: now } = await server().raw('GET', list);
    const { json: before } = await server().raw(
      'GET',
      `${list}&resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );

    expect(names).toEqual([name]);
    expect([now.items.length, before.items.length]).toEqual([1, 0]);
  });

  it.each<{ reason: string; respond: (review: ReceivedReview) => WebhookResponse; expectedMessage: RegExp }>([
    {
      reason: 'refuses the conversion',
      respond: ({ request: { uid } }) => ({
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid, convertedObjects: [], result: { status: 'Failure', message: 'not this one' } },
        },
      }),
      expectedMessage:
        /^500 Unknown conversion webhook for convert\.example\.org\/v1, Kind=Thing failed: not this one$/,
    },
    {
      reason: 'returns no objects',
      respond: ({ request: { uid } }) => ({
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid, convertedObjects: [], result: { status: 'Success' } },
        },
      }),
      expectedMessage:
        /^500 Unknown conversion webhook for convert\.example\.org\/v1, Kind=Thing returned 0 objects, expected 1$/,
    },
    {
      reason: 'fails',
      respond: () => ({ status: 500, body: 'oh no' }),
      expectedMessage:
        /^500 Unknown conversion webhook for convert\.example\.org\/v1, Kind=Thing failed: an error on the server \("oh no"\) has prevented the request from succeeding$/,
    },
  ])('reports to the reader if a webhook $reason', async ({ respond, expectedMessage }) => {
    const name = `failing-${serial}`;
    await of(V1).create({ ...named(name), spec: { address: 'a:1' } });
    webhooks.reply('/convert', respond);
    const refusal = await of(V2)
      .get(name, { namespace })
      .then(
        () => '',
        (error: unknown) => (isApiError(error) ? `${error.code} ${error.reason} ${error.message}` : String(error)),
      );

    expect(refusal).toMatch(expectedMessage);
  });

  it.each([
    {
      reason: 'no webhook',
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } },
      says: 'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    },
    {
      reason: 'a webhook that its strategy does not allow',
      conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } },
      says: 'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    },
    {
      reason: 'an unknown strategy',
      conversion: { strategy: 'Magic' },
      says: 'spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
    },
  ])('refuses a definition with $reason', async ({ conversion, says }) => {
    const { spec } = definition(webhooks);
    const names = { plural: 'others', kind: 'Other' };
    const other = { metadata: { name: 'others.convert.example.org' }, spec: { ...spec, names, conversion } };

    await expect(server().client.resource(CustomResourceDefinitions).create(other)).rejects.toThrow(says);
  });
});
