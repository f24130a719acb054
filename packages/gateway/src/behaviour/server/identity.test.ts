import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { writeStatus } from '@fairway/controllers/status-writer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const ORIGIN = '123e4567-e89b-42d3-a456-426614174000';
const OTHER_UID = '00000000-e89b-42d3-a456-426614174000';

let gateway: TestGateway;
let cluster: Cluster;
let counter = 0;
beforeAll(async () => {
  gateway = await TestGateway.start();
  await gateway.populate();
});
beforeEach(async () => {
  counter += 1;
  cluster = await gateway.createCluster(`demo-${counter}`);
});
afterAll(() => gateway.close());

type Writer = 'alice' | 'operator';

function name(): string {
  return cluster.metadata.name ?? '';
}

async function current(): Promise<Cluster> {
  return gateway.as('operator').resource(clusters).get(name(), { namespace: TEAM });
}

function patchStatus(who: Writer, status: object): Promise<Cluster> {
  const options = { namespace: TEAM, subresource: 'status' };
  return gateway.as(who).resource(clusters).patch(name(), { type: 'merge', value: { status } }, options);
}

/** All ways in which a client may try to set a status. */
const WAYS: readonly { readonly way: string; readonly write: (who: Writer) => Promise<unknown> }[] = [
  { way: 'a patch of the status', write: (who) => patchStatus(who, { originUID: ORIGIN }) },
  {
    way: 'an update of the status',
    write: async (who) => {
      const { status, ...object } = await current();
      const changed = { ...object, status: { ...status, originUID: ORIGIN } };
      return gateway.as(who).resource(clusters).updateStatus(changed);
    },
  },
  {
    way: 'server-side apply of the status',
    write: (who) => {
      const { apiVersion, kind, metadata, spec } = cluster;
      const { namespace = TEAM } = metadata;
      const createBody = {
        apiVersion,
        kind,
        metadata: { name: name(), namespace },
        spec,
        status: { originUID: ORIGIN },
      };
      const options = { fieldManager: 'a-client', subresource: 'status', force: true };
      return gateway
        .as(who)
        .resource(clusters)
        .apply(createBody as Cluster, options);
    },
  },
];

describe('the cloud identity of a cluster', () => {
  test.each(WAYS)('cannot be set by a member through $way', async ({ write }) => {
    const error = await refusal(write('alice'));

    expect(error.reason).toBe('Forbidden');
    expect(identityOf(await current())).toBe(cluster.metadata.uid);
  });

  test.each(WAYS)('can be set by the operator through $way', async ({ write }) => {
    await write('operator');

    expect(identityOf(await current())).toBe(ORIGIN);
  });

  test('is ignored in the status of a created object', async () => {
    const { apiVersion, kind, spec } = cluster;
    const metadata = { name: `${name()}b`, namespace: TEAM };
    const created = await gateway
      .as('alice')
      .resource(clusters)
      .create({ apiVersion: apiVersion ?? '', kind: kind ?? '', metadata, spec, status: { originUID: ORIGIN } });

    expect(identityOf(created)).toBe(created.metadata.uid);
  });

  test.each([
    { status: { originUID: OTHER_UID }, what: 'another identity' },
    { status: { originUID: null }, what: 'none' },
    { status: null, what: 'removing the status' },
  ])('cannot be changed: $what is refused', async ({ status }) => {
    await patchStatus('operator', { originUID: ORIGIN });
    const options = { namespace: TEAM, subresource: 'status' };
    const resource = gateway.as('operator').resource(clusters);

    const error = await refusal(resource.patch(name(), { type: 'merge', value: { status } }, options));

    expect(error.message).toContain('status.originUID: Forbidden: cannot be changed once it is set');
    expect(identityOf(await current())).toBe(ORIGIN);
  });

  test('can only be set before Fairway has acted on the cluster', async () => {
    await patchStatus('operator', { observedGeneration: 1 });

    const error = await refusal(patchStatus('operator', { originUID: ORIGIN }));

    expect(error.message).toContain('can be set only before Fairway has acted on the object');
  });

  test('survives a status update that omits it', async () => {
    await patchStatus('operator', { originUID: ORIGIN, phase: 'Ready' });

    await writeStatus(gateway.gateway.client.resource(clusters), await current(), { observedGeneration: 1 });

    expect((await current()).status).toEqual({ originUID: ORIGIN, observedGeneration: 1 });
  });
});
