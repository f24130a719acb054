import { describe, expect, it } from 'vitest';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../crd/custom-resource-definition.ts';
import { builtinDefinitions } from '../kinds/definitions.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { type TestObject, TestServer, testResources } from './test-server.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const machines = '/apis/example.org/v1/namespaces/default/machines';
const resources = [...testResources, CUSTOM_RESOURCE_DEFINITIONS];

function machineCrd(names: object = {}, versions: readonly string[] = ['v1']): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'machines.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'machines', kind: 'Machine', shortNames: ['mc'], ...names },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === versions.length - 1,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { flavor: { type: 'string', default: 'b3-8' } } },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      })),
    },
  };
}

async function crdServer(store = new MemoryStore()): Promise<TestServer> {
  const server = new TestServer({ resources, definitions: builtinDefinitions(), store });
  await server.namespace();
  return server;
}

function conditionsOf({ status }: TestObject): Record<string, string> {
  const { conditions } = status as { conditions: { type: string; status: string }[] };
  return Object.fromEntries(conditions.map(({ type, status: value }) => [type, value]));
}

describe('CustomResourceDefinitions', () => {
  it('change on one server without affecting another with the same kinds', async () => {
    const [changed, other] = [await crdServer(), await crdServer()];
    const flavors: unknown[] = [];
    for (const server of [changed, other]) await server.call('POST', crds, machineCrd());

    const patch = [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/flavor/default',
        value: 'r3-16',
      },
    ];
    const type = { 'content-type': 'application/json-patch+json' };
    const { status } = await changed.call('PATCH', `${crds}/machines.example.org`, JSON.stringify(patch), type);
    for (const server of [changed, other]) {
      const { body } = await server.call('POST', machines, { metadata: { name: 'a' }, spec: {} });
      flavors.push(body.spec?.['flavor']);
    }

    expect([status, ...flavors]).toEqual([200, 'r3-16', 'b3-8']);
  });

  it('are served as soon as they are stored, and established', async () => {
    const server = await crdServer();

    const created = await server.call('POST', crds, machineCrd());
    const machine = await server.call('POST', machines, { metadata: { name: 'a' }, spec: {} });
    const { body: crd } = await server.call('GET', `${crds}/machines.example.org`);

    expect([created.status, machine.status]).toEqual([201, 201]);
    expect(machine.body).toMatchObject({ kind: 'Machine', spec: { flavor: 'b3-8' } });
    expect(conditionsOf(crd)).toEqual({ NamesAccepted: 'True', Established: 'True' });
    expect(crd.status).toMatchObject({
      acceptedNames: { singular: 'machine', shortNames: ['mc'] },
      storedVersions: ['v1'],
    });
  });

  it('are served again after a restart', async () => {
    const store = new MemoryStore();
    const first = await crdServer(store);
    await first.call('POST', crds, machineCrd());
    await first.call('POST', machines, { metadata: { name: 'a' } });
    await first.server.close();

    const second = await crdServer(store);

    expect((await second.call('GET', `${machines}/a`)).status).toBe(200);
  });

  it('serve objects in every version', async () => {
    const server = await crdServer();
    await server.call('POST', crds, machineCrd({}, ['v1', 'v2']));
    await server.call('POST', machines, { metadata: { name: 'a' } });

    const { body } = await server.call('GET', machines.replace('/v1/', '/v2/').concat('/a'));
    const { body: list } = await server.list(machines);

    expect(body.apiVersion).toBe('example.org/v2');
    expect(list.items[0]).toMatchObject({ apiVersion: 'example.org/v1', metadata: { name: 'a' } });
  });

  it('are no longer served in a removed version', async () => {
    const server = await crdServer();
    await server.call('POST', crds, machineCrd({}, ['v1', 'v2']));
    const { body: crd } = await server.call('GET', `${crds}/machines.example.org`);
    const versions = (crd as TestObject & { spec: { versions: { name: string }[] } }).spec.versions.map((it) => ({
      ...it,
      served: it.name === 'v2',
    }));

    await server.call('PUT', `${crds}/machines.example.org`, { ...crd, spec: { ...crd.spec, versions } });

    expect((await server.call('GET', machines)).status).toBe(404);
    expect((await server.call('GET', machines.replace('/v1/', '/v2/'))).status).toBe(200);
  });

  it('are not served under a name that another definition already uses', async () => {
    const server = await crdServer();
    await server.call('POST', crds, machineCrd());
    const rival = machineCrd({ plural: 'engines' }) as TestObject;

    await server.call('POST', crds, { ...rival, metadata: { name: 'engines.example.org' } });
    await server.clock.advance(0);
    const { body } = await server.call('GET', `${crds}/engines.example.org`);

    expect(conditionsOf(body)).toEqual({ NamesAccepted: 'False', Established: 'False' });
    expect((await server.call('GET', '/apis/example.org/v1/engines')).status).toBe(404);
  });

  it('are deleted with their objects, and wait for objects with finalizers', async () => {
    const server = await crdServer();
    await server.call('POST', crds, machineCrd());
    await server.call('POST', machines, { metadata: { name: 'free' } });
    const { body: held } = await server.call('POST', machines, {
      metadata: { name: 'held', finalizers: ['example.org/hold'] },
    });

    await server.call('DELETE', `${crds}/machines.example.org`);
    await server.clock.advance(0);
    const { body: terminating } = await server.call('GET', `${crds}/machines.example.org`);
    const { body: left } = await server.list(machines);
    const late = await server.call('POST', machines, { metadata: { name: 'late' } });
    await server.call(
      'PATCH',
      `${machines}/${held.metadata.name}`,
      { metadata: { finalizers: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await server.clock.advance(0);

    expect(conditionsOf(terminating)).toMatchObject({ Terminating: 'True' });
    expect(left.items.map((item) => item.metadata.name)).toEqual(['held']);
    expect(late.status).toBe(405);
    expect((await server.call('GET', `${crds}/machines.example.org`)).status).toBe(404);
    expect((await server.call('GET', machines)).status).toBe(404);
  });
});
