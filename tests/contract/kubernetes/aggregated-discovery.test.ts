import { sendJson } from '@fairway/apiserver/aggregation/testing/extension-server';
import type { APIService, ConfigMap, EndpointSlice, Namespace, Service } from '@fairway/kube/kinds/generated/types';
import { APIServices, ConfigMaps, EndpointSlices, Namespaces, Services } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { beforeAll, expect, it } from 'vitest';
import { Extension } from './extension-services.ts';
import { describeServers } from './targets.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const WAIT = { timeout: 100_000, interval: 200 };

describeServers('APIServices', (server, target) => {
  let namespace: string;

  beforeAll(async () => {
    namespace = await server().namespace();
  });

  async function discoveryOf({ group, version }: Extension) {
    const { json } = await server().raw('GET', '/apis', { headers: { accept: AGGREGATED } });
    const item = json.items.find(({ metadata }) => metadata.name === group);
    const versions = item?.['versions'] as { version: string; freshness: string; resources?: object[] }[] | undefined;
    return versions?.find((one) => one.version === version);
  }

  it('report why they are unreachable, and do not serve their kinds in the meantime', async () => {
    await using extension = await Extension.open(server(), namespace);
    const { service: name } = extension;
    const where = `service/${name} in "${namespace}"`;
    const services = server().client.resource<Service>(Services);

    await extension.register({ service: { namespace, name, port: 443 } });
    expect(await extension.waitForCondition('ServiceNotFound')).toMatchObject({
      status: 'False',
      message: `${where} is not present`,
    });
    await services.create({ metadata: { name, namespace }, spec: { ports: [{ port: 444 }] } });
    expect(await extension.waitForCondition('ServicePortError')).toMatchObject({
      status: 'False',
      message: `${where} is not listening on port 443`,
    });
    await services.patch(name, { type: 'merge', value: { spec: { ports: [{ port: 443 }] } } }, { namespace });
    expect(await extension.waitForCondition('EndpointsNotFound')).toMatchObject({
      status: 'False',
      message: `cannot find ${target.minor >= 33 ? 'endpointslices' : 'endpoints'} for ${where}`,
    });

    const path = `${extension.path}/things`;
    await expect.poll(async () => (await server().raw('GET', path)).status, WAIT).toBe(503);
    const { status, text, headers } = await server().raw('GET', path);
    expect({ status, text, headers }).toMatchObject({
      status: 503,
      text: 'service unavailable\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
  });

  it.runIf(target.minor >= 33)('report that no endpoint is ready', async () => {
    await using extension = await Extension.open(server(), namespace);
    const { service: name } = extension;
    const metadata = { name, namespace };
    await server()
      .client.resource<Service>(Services)
      .create({ metadata, spec: { ports: [{ port: 443 }] } });
    await server()
      .client.resource<EndpointSlice>(EndpointSlices)
      .create({
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: [],
        ports: [{ name: '', port: 1, protocol: 'TCP' }],
      });
    await extension.register({ service: { namespace, name, port: 443 } });

    expect(await extension.waitForCondition('MissingEndpoints')).toMatchObject({
      status: 'False',
      message: `endpointslices for service/${name} in "${namespace}" have no addresses with port name ""`,
    });
  });

  it('are checked with a request that every API server serves', async () => {
    await using extension = await Extension.open(server(), namespace);
    const { path } = extension;
    extension.extension.respond(path, (_request, response) => sendJson(response, 500, {}));
    await extension.connect();
    await extension.register();

    const condition = await extension.waitForCondition('FailedDiscoveryCheck');
    expect(condition?.status).toBe('False');
    expect(condition?.message).toMatch(
      /^failing or missing response from (https:\/\/[\w.]+:\d+\/apis\/\S+): bad status from \1: 500$/,
    );
  });

  // Earlier releases check certificates only on requests.
  it.runIf(target.minor >= 34)('are not trusted if their certificate is for another name', async () => {
    await using extension = await Extension.open(server(), namespace);
    await using other = await Extension.open(server(), namespace);
    await extension.connect();
    await extension.register({ caBundle: other.extension.caBundle });

    const condition = await extension.waitForCondition('FailedDiscoveryCheck');
    expect(condition?.message).toMatch(/x509: certificate signed by unknown authority/);
    expect(extension.extension.received).toEqual([]);
  });

  it('are local without a Service', async () => {
    await using extension = await Extension.open(server(), namespace);
    const { group, version, name } = extension;
    const spec = { group, version, groupPriorityMinimum: 1000, versionPriority: 10 };
    await server().client.resource<APIService>(APIServices).create({ metadata: { name }, spec });

    expect(await extension.waitForCondition('Local')).toMatchObject({
      status: 'True',
      message: 'Local APIServices are always available',
    });
    expect((await server().raw('GET', `${extension.path}/things`)).status).toBe(404);
  });

  it('appear in discovery, with their kinds', async () => {
    await using extension = await Extension.available(server(), namespace);
    const { group, version } = extension;
    const groupVersion = { groupVersion: `${group}/${version}`, version };
    const listed = { name: group, versions: [groupVersion], preferredVersion: groupVersion };

    const { json: groups } = await server().raw('GET', '/apis');
    expect(groups['groups']).toContainEqual(listed);
    expect((await server().raw('GET', `/apis/${group}`)).json).toMatchObject({ kind: 'APIGroup', ...listed });
    expect((await server().raw('GET', extension.path)).json).toMatchObject({ kind: 'APIResourceList' });
    if (target.minor < 30) return;
    const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    await expect
      .poll(() => discoveryOf(extension), WAIT)
      .toMatchObject({
        version,
        freshness: 'Current',
        resources: [
          {
            resource: 'things',
            responseKind: { kind: 'Thing' },
            scope: 'Namespaced',
            singularResource: 'thing',
            verbs,
            shortNames: ['th'],
            subresources: [{ subresource: 'status', verbs: ['get', 'patch', 'update'] }],
          },
        ],
      });
  });

  it.runIf(target.minor >= 30)('have their OpenAPI documents in the index', async () => {
    await using extension = await Extension.open(server(), namespace);
    const { group, version } = extension;
    const key = `apis/${group}/${version}`;
    const document = { openapi: '3.0.0', info: { title: group } };
    const foreign = 'apis/apps/v1';
    extension.extension.respond('/openapi/v3', (_request, response) =>
      sendJson(response, 200, { paths: { [key]: { serverRelativeURL: `/openapi/v3/${key}?hash=ABC` } } }),
    );
    extension.extension.respond(`/openapi/v3/${key}`, (_request, response) => sendJson(response, 200, document));
    await extension.connect();
    await extension.register();
    const paths = async () => (await server().raw('GET', '/openapi/v3')).json['paths'] as Record<string, object>;

    await expect
      .poll(async () => (await paths())[key], WAIT)
      .toEqual({
        serverRelativeURL: `/openapi/v3/${key}?hash=ABC`,
      });
    expect(await paths()).toHaveProperty([foreign]);
    expect((await server().raw('GET', `/openapi/v3/${key}?hash=ABC`)).json).toEqual(document);
  });

  it('have their OpenAPI v2 documents merged', async () => {
    await using extension = await Extension.open(server(), namespace);
    const path = `${extension.path}/things`;
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    const document = {
      swagger: '2.0',
      info: { title: 'some', version: '1' },
      paths: {
        [path]: {
          get: {
            operationId: `list${extension.service.replaceAll('-', '')}`,
            produces: ['application/json'],
            responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${extension.service}.Thing` } } },
          },
        },
        '/apis/apps/v1/deployments': { get: { operationId: 'mine', responses: {} } },
      },
      definitions: {
        [`${extension.service}.Thing`]: { type: 'object', properties: { metadata: { $ref: `#/definitions/${meta}` } } },
        [meta]: { type: 'object', description: 'theirs' },
      },
    };
    extension.extension.respond('/openapi/v2', (_request, response) => sendJson(response, 200, document));
    await extension.connect();
    await extension.register();
    const merged = async () => (await server().raw('GET', '/openapi/v2')).json as unknown as typeof document;

    await expect.poll(async () => Object.keys((await merged()).paths), WAIT).toContain(path);
    const { paths, definitions } = await merged();
    expect(paths['/apis/apps/v1/deployments']?.get.operationId).not.toBe('mine');
    expect(definitions[meta]?.description).not.toBe('theirs');
    expect(definitions[`${extension.service}.Thing`]).toMatchObject({
      properties: { metadata: { $ref: `#/definitions/${meta}_v2` } },
    });
  });

  it.runIf(target.minor >= 30)('block the deletion of namespaces while they are down', async () => {
    await using extension = await Extension.available(server(), namespace);
    const { path } = extension;
    await expect.poll(async () => (await discoveryOf(extension))?.freshness, WAIT).toBe('Current');
    const doomedNamespace = await server().namespace();
    const content = `${path}/namespaces/${doomedNamespace}/things`;
    extension.extension.respond(content, (_request, response) =>
      sendJson(response, 200, {
        kind: 'ThingList',
        apiVersion: `${extension.group}/v1alpha1`,
        metadata: {},
        items: [],
      }),
    );
    extension.extension.respond(path, (_request, response) => sendJson(response, 500, {}));
    await server()
      .client.resource<APIService>(APIServices)
      .patch(extension.name, {
        type: 'merge',
        value: { spec: { versionPriority: 201 } },
      });
    await extension.waitForCondition('FailedDiscoveryCheck');
    await expect.poll(async () => (await discoveryOf(extension))?.freshness, WAIT).toBe('Stale');

    const namespaces = server().client.resource<Namespace>(Namespaces);
    await namespaces.delete(doomedNamespace);
    const terminating = await eventuallyObject(namespaces, { name: doomedNamespace }, ({ status }) =>
      Boolean(status?.conditions?.some(({ type }) => type === 'NamespaceDeletionDiscoveryFailure')),
    );
    const failure = terminating.status?.conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
    expect(failure).toMatchObject({ status: 'True', reason: 'DiscoveryFailed' });
    expect(failure?.message).toContain(`${extension.group}/${extension.version}`);

    await server().client.resource(APIServices).delete(extension.name);
    await expect
      .poll(async () => (await server().raw('GET', `/api/v1/namespaces/${doomedNamespace}`)).status, WAIT)
      .toBe(404);
  });

  it('find their CA certificates in a ConfigMap', async () => {
    const { data } = await server()
      .client.resource<ConfigMap>(ConfigMaps)
      .get('extension-apiserver-authentication', { namespace: 'kube-system' });

    expect(data).toMatchObject({
      'client-ca-file': expect.stringContaining('-----BEGIN CERTIFICATE-----'),
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': expect.stringContaining('-----BEGIN CERTIFICATE-----'),
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });

  it.each<{ reason: string; spec: Partial<APIService['spec']>; expectedMessage: string }>([
    {
      reason: 'skip TLS verification and have a CA bundle',
      spec: { insecureSkipTLSVerify: true, caBundle: Buffer.from('x').toString('base64') },
      expectedMessage: 'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    },
    {
      reason: 'have too high a priority',
      spec: { groupPriorityMinimum: 20_001 },
      expectedMessage: 'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
    },
    {
      reason: 'have no priority',
      spec: { versionPriority: 0 },
      expectedMessage: 'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    },
    {
      reason: 'do not name a Service',
      spec: { service: { namespace: 'x' } },
      expectedMessage: 'spec.service.name: Required value',
    },
    {
      reason: 'have a group that does not match their name',
      spec: { group: 'other.example.com' },
      expectedMessage: 'must be `spec.version+"."+spec.group`: "v1alpha1.other.example.com"',
    },
  ])('are refused if they $reason', async ({ spec, expectedMessage }) => {
    await using extension = await Extension.open(server(), namespace);

    await expect(extension.register({ caBundle: '', ...spec })).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining(expectedMessage),
    });
  });
});
