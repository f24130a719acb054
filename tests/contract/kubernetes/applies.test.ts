import {
  ACCEPTED_MANIFESTS,
  type Manifest,
  NAMESPACE,
  RECENT_MANIFESTS,
} from '@fairway/apiserver/kinds/testing/kinds-corpus';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { FlowSchemas } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries } from './binaries.ts';
import { startEmbedded } from './embedded-api-server.ts';
import { collectionPath, create, definitionOf } from './kinds-comparison.ts';
import { startRealApiServer } from './real-api-server.ts';
import { describeServers } from './targets.ts';

const APPLY_HEADERS = { 'content-type': 'application/apply-patch+yaml' };

interface Port {
  readonly port?: number;
  readonly protocol?: string | null;
  readonly name?: string;
}

describeServers('applies of list items whose key has a default', (server, target) => {
  // Earlier releases have no defaults for keys, and reject items without them.
  let namespace: string;
  beforeAll(async () => {
    namespace = await server().namespace();
  });

  function serviceOf(name: string, ports: readonly Port[]) {
    return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: name }, ports } };
  }

  async function apply(name: string, ports: readonly Port[], manager = 'git') {
    const path = `/api/v1/namespaces/${namespace}/services/${name}?fieldManager=${manager}`;
    const { json, status } = await server().raw('PATCH', path, {
      headers: APPLY_HEADERS,
      body: serviceOf(name, ports),
    });
    return { status, json, ports: (json.spec?.['ports'] ?? []) as readonly Required<Port>[] };
  }

  function pathsOf({ json }: Awaited<ReturnType<typeof apply>>, manager = 'git'): string[] {
    const entries: readonly ManagedFieldsEntry[] = json.metadata.managedFields;
    const fields = entries.find((entry) => entry.manager === manager)?.fieldsV1 as {
      'f:spec': { 'f:ports': Record<string, unknown> };
    };
    return Object.keys(fields['f:spec']['f:ports']).filter((path) => path !== '.');
  }

  it.runIf(target.minor >= 25)('keep one item however often they are repeated', async () => {
    const first = await apply('stays', [{ port: 80 }]);
    const second = await apply('stays', [{ port: 80 }]);
    const third = await apply('stays', [{ port: 80 }]);

    expect(first.ports).toHaveLength(1);
    expect(second.json).toEqual(first.json);
    expect(third.json).toEqual(first.json);
    expect(pathsOf(first)).toEqual(['k:{"port":80,"protocol":"TCP"}']);
  });

  it.runIf(target.minor >= 25)('address the same item with and without the key', async () => {
    const withoutProtocol = await apply('said', [{ port: 80 }]);
    const applied = await apply('said', [{ port: 80, protocol: 'TCP' }], 'flux');

    expect(applied.ports).toEqual(withoutProtocol.ports);
    expect(pathsOf(applied, 'git')).toEqual(pathsOf(applied, 'flux'));
  });

  it.runIf(target.minor >= 25)(
    'remove items that are no longer applied, and distinguish items with a different key',
    async () => {
      const bothPorts = [
        { port: 53, name: 'tcp' },
        { port: 53, protocol: 'UDP', name: 'udp' },
      ];
      await apply('dns', bothPorts);
      const less = await apply('dns', [{ port: 53, protocol: 'UDP', name: 'udp' }]);
      const again = await apply('dns', bothPorts);

      expect(less.ports.map(({ protocol, name }) => `${protocol} ${name}`)).toEqual(['UDP udp']);
      expect(again.ports.map(({ protocol, name }) => `${protocol} ${name}`)).toEqual(['TCP tcp', 'UDP udp']);
    },
  );

  it.runIf(target.minor >= 25)('conflict under the key that the item is stored under', async () => {
    await apply('fought', [{ port: 80, name: 'x' }]);
    const refused = await apply('fought', [{ port: 80, name: 'y' }], 'flux');

    expect(refused.json).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "git": .spec.ports[port=80,protocol="TCP"].name',
    });
  });

  it.runIf(target.minor >= 25)('are refused if they contain an item twice', async () => {
    const refused = await apply('twice', [{ port: 80 }, { port: 80, protocol: 'TCP' }]);

    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.json['message']).toContain('.spec.ports: duplicate entries for key [port=80,protocol="TCP"]');
  });

  it.runIf(target.minor >= 25)('merge items that were stored twice', async () => {
    const templates = `/api/v1/namespaces/${namespace}/podtemplates`;
    const templateOf = (ports: readonly object[]) => ({
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'doubled' },
      template: { spec: { containers: [{ name: 'a', image: 'a', ports }] } },
    });
    const body = templateOf([{ containerPort: 80 }, { containerPort: 80, name: 'x' }]);
    await server().raw('POST', templates, { body });

    const { json } = await server().raw('PATCH', `${templates}/doubled?fieldManager=git&force=true`, {
      headers: APPLY_HEADERS,
      body: templateOf([{ containerPort: 80 }]),
    });

    expect(json['template']).toMatchObject({
      spec: { containers: [{ ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
    });
    expect(JSON.stringify(json['template'])).not.toContain('"name":"x"');
  });
});

interface TargetServer {
  readonly name: string;
  readonly client: KubeClient;
}

/** The kinds, and the key defaults, that this server serves. */
const REAL = findBinaries().filter(({ minor }) => minor >= 34);

/** Objects that kube-apiserver writes again at the second apply because of its own defaults, but not at the third. */
const WRITES_ON_REAPPLY: ReadonlySet<string> = new Set(['Job pi', 'Job indexed', 'PersistentVolumeClaim data']);

/** Kinds for which kube-apiserver loses the field manager. */
const UNTRACKED_FIELDS: ReadonlySet<string> = new Set(['CertificateSigningRequest']);

describe.each(REAL.map((binaries) => [binaries.version, binaries] as const))(
  'server-side apply on the embedded server and on kube-apiserver %s',
  (_, { folder }) => {
    let apiServers: readonly TargetServer[];
    let stop: (() => PromiseLike<void>) | undefined;

    beforeAll(async () => {
      const real = await startRealApiServer(folder);
      stop = () => real[Symbol.asyncDispose]();
      apiServers = [
        { name: 'kube-apiserver', client: real.client },
        { name: 'embedded', client: startEmbedded().client },
      ];
      for (const { client } of apiServers) {
        await create(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      }
    });
    afterAll(() => stop?.());

    async function apply(client: KubeClient, manifest: Manifest): Promise<KubeObject> {
      const name = encodeURIComponent(manifest.metadata.name);
      const path = `${collectionPath(definitionOf(manifest))}/${name}?fieldManager=git`;
      const response = await client.raw({
        method: 'PATCH',
        path,
        headers: APPLY_HEADERS,
        body: JSON.stringify(manifest),
      });
      return JSON.parse(await response.text()) as KubeObject;
    }

    /** Excludes an object whose items have only one key, and APIServices, whose status kube-apiserver writes itself. */
    const applicableManifests = [...ACCEPTED_MANIFESTS, ...RECENT_MANIFESTS].filter(
      ({ metadata, kind }) => metadata.name !== 'odd' && kind !== 'APIService',
    );

    it.each(applicableManifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
      'keeps %s and its owners unchanged when applied repeatedly',
      async (_name, manifest) => {
        const seen = await Promise.all(apiServers.map((apiServer) => applyThreeTimes(apiServer, manifest)));

        expect(seen.map(({ second, third }) => jsonEqual(second, third))).toEqual([true, true]);
        expect(versionOf(seen[1]?.second)).toBe(versionOf(seen[1]?.rested));
        expect(versionOf(seen[0]?.second) === versionOf(seen[0]?.rested)).toBe(
          !WRITES_ON_REAPPLY.has(`${manifest.kind} ${manifest.metadata.name}`),
        );
        expect(ownersOf(seen[1]?.first)).toEqual(
          ownersOf(UNTRACKED_FIELDS.has(manifest.kind) ? seen[1]?.first : seen[0]?.first),
        );
      },
    );

    async function applyThreeTimes({ name, client }: TargetServer, manifest: Manifest) {
      const first = await apply(client, manifest);
      const stable = name === 'kube-apiserver' ? await waitUntilStable(client, first) : first;
      const second = await apply(client, manifest);
      return { first, rested: stable, second, third: await apply(client, manifest) };
    }

    /** kube-apiserver itself writes the object once, to report whether the level of a new FlowSchema exists. */
    async function waitUntilStable(client: KubeClient, object: KubeObject): Promise<KubeObject> {
      if (object.kind !== 'FlowSchema') return object;
      const { name = '' } = object.metadata;
      return eventuallyObject(client.resource(FlowSchemas), { name }, ({ status }) => status?.conditions !== undefined);
    }

    it('has the same list keys and defaults', async () => {
      const [real = new Map(), embedded = new Map()] = await Promise.all(
        apiServers.map(({ client }) => keysOfLists(client)),
      );

      expect(embedded.size).toBeGreaterThan(50);
      for (const [list, keys] of embedded) expect({ list, keys }).toEqual({ list, keys: real.get(list) });
    });

    it.each<[string, Manifest]>([
      ['an item without its name', podOf({ containers: [{ image: 'a' }] })],
      ['a variable without its name', podOf({ containers: [{ name: 'a', image: 'a', env: [{ value: 'x' }] }] })],
      ['a port without its number', podOf({ containers: [{ name: 'a', image: 'a', ports: [{ protocol: 'TCP' }] }] })],
    ])('refuses %s with the same message', async (_name, manifest) => {
      const refusals = await Promise.all(apiServers.map(({ client }) => rejectionOf(() => apply(client, manifest))));

      expect(refusals[0]).toBeDefined();
      expect(refusals[1]).toEqual(refusals[0]);
    });
  },
);

describe.skipIf(REAL.length === 0)(
  'server-side apply on kube-apiserver (skipped: no binaries of Kubernetes 1.34 or later)',
  () => {
    it('is compared with the embedded server', () => expect(REAL).not.toEqual([]));
  },
);

function versionOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}

function ownersOf(object: KubeObject | undefined): unknown {
  return object?.metadata.managedFields?.map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 })) ?? [];
}

function podOf(spec: object): Manifest {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'refused' }, spec };
}

async function rejectionOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    if (isApiError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return undefined;
}

interface PublishedSchema {
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly $ref?: string;
  readonly allOf?: readonly PublishedSchema[];
  readonly default?: unknown;
  readonly [word: `x-kubernetes-${string}`]: unknown;
}

/** How each list merges and the defaults of its keys, by `definition.property`. */
async function keysOfLists(client: KubeClient): Promise<Map<string, unknown>> {
  const read = async <T>(path: string) => JSON.parse(await (await client.raw({ method: 'GET', path })).text()) as T;
  const { paths } = await read<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
  const found = new Map<string, unknown>();
  for (const { serverRelativeURL } of Object.values(paths)) {
    const document = await read<{ components?: { schemas?: Record<string, PublishedSchema> } }>(serverRelativeURL);
    const schemas = document.components?.schemas ?? {};
    for (const [definition, schema] of Object.entries(schemas)) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const keys = property['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
        if (keys === undefined) continue;
        const reference = property.items?.$ref ?? property.items?.allOf?.[0]?.$ref ?? '';
        const item = schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? property.items;
        const extensions = Object.entries(property).filter(([word]) => word.startsWith('x-kubernetes-'));
        const defaults = keys.map((key) => [key, item?.properties?.[key]?.default]);
        found.set(`${definition}.${name}`, { ...Object.fromEntries(extensions), defaults });
      }
    }
  }
  return found;
}
