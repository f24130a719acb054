import {
  DEFINITION,
  DEFINITION_NAME,
  DEFINITIONS,
  definitionState,
  ROLES,
  repairedDefinition,
} from '@fairway/addons/node-pools/definition';
import { ClusterRoles } from '@fairway/kube/kinds/resources';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';
import { describeServers } from './targets.ts';

const POOLS = '/apis/fairway.dev/v1alpha1/nodepools';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/**
 * An API server's own handling of the kind in tenants' clusters: only kube-apiserver limits the cost of the kind's
 * rules.
 */
describeServers('NodePools within a cluster', (server, target) => {
  describe.runIf(target.minor >= 31)('since 1.31, the first release that Fairway offers', () => {
    cases(server);
  });
});

function cases(server: () => ContractServer): void {
  const pool = (name: string, spec: object) => ({
    apiVersion: 'fairway.dev/v1alpha1',
    kind: 'NodePool',
    metadata: { name },
    spec: { flavor: 'b3-8', ...spec },
  });
  const patch = (path: string, value: object) =>
    server().raw('PATCH', `${POOLS}/${path}`, { headers: MERGE, body: value });

  beforeAll(async () => {
    await server().client.resource(DEFINITIONS).create(DEFINITION);
    await vi.waitFor(async () => expect((await server().raw('GET', POOLS)).status).toBe(200), { timeout: 300_000 });
  });

  it('match Fairway’s definition, which is not repaired repeatedly', async () => {
    const live = await server().client.resource(DEFINITIONS).get(DEFINITION_NAME);

    expect(definitionState(live)).toBe('served');
  });

  it('are repaired if a field has been removed or another version added', async () => {
    const definitions = server().client.resource(DEFINITIONS);
    const live = await definitions.get(DEFINITION_NAME);
    const [version] = live.spec.versions;
    const other = { ...structuredClone(version), name: 'v2', storage: false } as NonNullable<typeof version>;
    const drifted = await definitions.update({
      ...live,
      spec: { ...live.spec, versions: [...live.spec.versions, other] },
    });

    const reverted = await definitions.update(repairedDefinition(drifted));

    expect(definitionState(drifted)).toBe('drifted');
    expect(definitionState(reverted)).toBe('served');
  });

  it('have a pool’s defaults, and wait for Fairway', async () => {
    // kube-apiserver briefly refuses requests while it replaces the handler of an updated definition.
    const { json } = await vi.waitFor(
      async () => {
        const created = await server().raw('POST', POOLS, { body: pool('general', {}) });
        expect(created).toMatchObject({ status: 201 });
        return created;
      },
      { timeout: 300_000 },
    );

    expect(json.spec).toMatchObject({ replicas: 1, minReplicas: 0, antiAffinity: false, healing: { enabled: true } });
    const { status } = (await server().raw('GET', `${POOLS}/general`)).json;
    expect(status).toMatchObject({
      conditions: [
        { type: 'Ready', status: 'Unknown' },
        { type: 'Accepted', status: 'Unknown' },
      ],
    });
  });

  it('are scaled through their subresource', async () => {
    const scaled = await patch('general/scale', { spec: { replicas: 3 } });

    expect(scaled.status).toBe(200);
    expect((await server().raw('GET', `${POOLS}/general`)).json.spec).toMatchObject({ replicas: 3 });
  });

  it.each([
    ['general/scale', { spec: { replicas: 101 } }, /must not be more than maxReplicas/],
    ['general', { spec: { minReplicas: 7 } }, /replicas: Invalid value: .*must not be less than minReplicas/],
    ['general', { spec: { antiAffinity: true } }, /cannot be changed after creation: it is false/],
    ['general', { spec: { upgradeStrategy: { maxSurge: 0 } } }, /no node could ever be updated/],
    ['general', { spec: { healing: { maxUnhealthy: 'most' } } }, /must be a percentage such as "40%"/],
  ])('are refused immediately if Fairway would never accept them: %s %j', async (path, value, expectedMessage) => {
    const refusal = await patch(path, value);

    expect(refusal.status).toBe(422);
    expect(refusal.text.replaceAll('\\"', '"')).toMatch(expectedMessage);
  });

  it.each([
    ['1st', {}, /must consist of lowercase letters/],
    ['a'.repeat(40), {}, /must be at most 32 characters/],
    ['named', { clusterName: 'demo' }, /unknown field "spec.clusterName"/],
  ])('are not created as %s with %j', async (name, spec, expectedMessage) => {
    const refusal = await server().raw('POST', `${POOLS}?fieldValidation=Strict`, { body: pool(name, spec) });

    expect(refusal.status).toBeGreaterThanOrEqual(400);
    expect(refusal.text.replaceAll('\\"', '"')).toMatch(expectedMessage);
  });

  it('are writable for cluster administrators, and readable for viewers', async () => {
    for (const role of ROLES) await server().client.resource(ClusterRoles).create(role);

    const names = ROLES.map(({ metadata }) => metadata.name);

    expect(names).toEqual(['fairway:node-pools:view', 'fairway:node-pools:admin']);
  });
}
