import { API_VERSION } from '@fairway/api/group';
import { type NewNodePool, type NodePoolStatus, nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestObjects } from '../../testing/manifests/test-objects.ts';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const condition = (reason: string) => ({
  type: 'Ready',
  status: 'False' as const,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const NOT_FOUND: NodePoolStatus = { conditions: [condition('ClusterNotFound')], replicas: 0 };

describe.each(FORMS)('%s gateway: a pool with a misspelt cluster name', (form) => {
  let gateway: TestGateway;
  let counter = 0;
  beforeAll(async () => {
    gateway = await TestGateway.start(form, undefined, 1);
    await gateway.populate();
    await createTestObjects(gateway.as('operator'), gateway.project(TEAM));
  });
  afterAll(() => gateway.close());

  async function misspell(spec: Partial<NewNodePool['spec']>, status: NodePoolStatus): Promise<string> {
    counter += 1;
    const name = `misspelt-${counter}`;
    const metadata = { name, namespace: TEAM };
    const pool = { apiVersion: API_VERSION, kind: nodePools.kind, metadata, spec: { clusterName: 'dmeo', ...spec } };
    await gateway
      .as('alice')
      .resource(nodePools)
      .create(pool as never);
    const patch = { type: 'merge', value: { status } } as const;
    await gateway.as('operator').resource(nodePools).patch(name, patch, { namespace: TEAM, subresource: 'status' });
    return name;
  }

  const rename = async (name: string, spec: object) => {
    const resource = gateway.as('alice').resource(nodePools);
    return (await resource.patch(name, { type: 'merge', value: { spec } }, { namespace: TEAM })).spec.clusterName;
  };

  test('can be corrected while the cluster does not exist', async () => {
    const name = await misspell({ flavor: 'b3-8' }, NOT_FOUND);

    expect(await rename(name, { clusterName: 'demo' })).toBe('demo');
  });

  test.each<{ reason: string; status: NodePoolStatus }>([
    { reason: 'its cluster was found', status: { conditions: [condition('WaitingForCluster')] } },
    { reason: 'it has a machine', status: { ...NOT_FOUND, replicas: 1 } },
    { reason: 'it has a server group', status: { ...NOT_FOUND, serverGroupID: 'g' } },
    { reason: 'it had machines', status: { ...NOT_FOUND, imageID: 'i' } },
  ])('cannot be changed if $reason', async ({ status }) => {
    const name = await misspell({ flavor: 'b3-8' }, status);

    await expect(rename(name, { clusterName: 'demo' })).rejects.toThrow(
      /spec.clusterName: Forbidden: cannot be changed after creation: the name is used by a pool of cluster "dmeo"/,
    );
  });

  test.each<{ reason: string; cluster: string; spec: Partial<NewNodePool['spec']>; refused: RegExp }>([
    { reason: 'its flavors', cluster: 'listed', spec: { flavor: 'd2-4' }, refused: /plan "listed" allows the flavors/ },
    { reason: 'its number of nodes', cluster: 'small', spec: { flavor: 'b3-8', replicas: 4 }, refused: /3 nodes/ },
  ])('must comply with the plan of its new cluster: $reason', async ({ cluster, spec, refused }) => {
    const name = await misspell(spec, NOT_FOUND);

    await expect(rename(name, { clusterName: cluster })).rejects.toThrow(refused);
  });
});
