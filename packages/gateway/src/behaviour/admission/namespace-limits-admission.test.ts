import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { API_VERSION, GROUP } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { RoleBindings, Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const KIB = 1024;
const LIMITS: Partial<NamespaceLimits> = {
  maxClustersPerNamespace: 3,
  maxNodePoolsPerNamespace: 2,
  maxCloudCredentialsPerNamespace: 4,
  maxSecretsPerNamespace: 6,
  maxConfigMapsPerNamespace: 5,
  maxOtherObjectsPerNamespace: 7,
  maxObjectBytesPerNamespace: 256 * KIB,
};

function credential(name: string) {
  const metadata = { name, namespace: TEAM };
  const spec = { cloud: 'simulator', secretRef: { name }, reclaimPolicy: 'Retain' as const };
  return { apiVersion: API_VERSION, kind: cloudCredentials.kind, metadata, spec };
}

function secret(name: string, bytes = 1) {
  const data = { key: Buffer.alloc(Math.floor((bytes * 3) / 4)).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: TEAM }, data };
}

let gateway: TestGateway;

async function open(form: (typeof FORMS)[number]): Promise<void> {
  gateway = await TestGateway.start(form, new MemoryStore(), undefined, { limits: LIMITS });
  await gateway.populate();
}

/** How many of `count` concurrent creates are accepted; a limit must refuse the rest. */
async function acceptedCount(count: number, create: (index: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => create(index)));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  for (const refused of refusals) expect(isApiError(refused, 'Forbidden') && refused.message).toContain('limit');
  return count - refusals.length;
}

describe.each(FORMS)('limits of a namespace, at the %s gateway', (form) => {
  beforeAll(() => open(form));
  afterAll(() => gateway.close());

  test('apply to CloudCredentials; the refusal contains the limit, the number and advice', async () => {
    const aliceCredentials = gateway.as('alice').resource(cloudCredentials);
    for (let index = 0; index < 4; index++) await aliceCredentials.create(credential(`c-${index}`));
    const refused = await refusal(aliceCredentials.create(credential('one-more')));

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toContain(
      `namespace "${TEAM}" has 4 cloudcredentials.${GROUP}, and the limit is 4: delete unused ones, or ask the operator to raise limits.maxCloudCredentialsPerNamespace`,
    );

    await aliceCredentials.delete('c-0', { namespace: TEAM });
    await expect(aliceCredentials.create(credential('one-more'))).resolves.toMatchObject({
      metadata: { name: 'one-more' },
    });
  });

  test('apply to clusters and node pools, but not to administrators', async () => {
    for (let index = 0; index < 3; index++) await gateway.createCluster(`k-${index}`);
    for (let index = 0; index < 2; index++) await gateway.createPool(`p-${index}`, { clusterName: 'k-0' });

    expect((await refusal(gateway.createCluster('k-3'))).message).toContain('limits.maxClustersPerNamespace');
    const refused = await refusal(gateway.createPool('p-2', { clusterName: 'k-0' }));
    expect(refused.message).toContain('limits.maxNodePoolsPerNamespace');
    await expect(
      gateway.as('operator').resource(cloudCredentials).create(credential('operators')),
    ).resolves.toBeDefined();
  });
});

describe('limits of a namespace, at the embedded gateway', () => {
  beforeAll(async () => {
    await open('embedded');
    const rbac = 'rbac.authorization.k8s.io';
    await gateway
      .as('operator')
      .resource(RoleBindings)
      .create({
        metadata: { name: 'admins', namespace: TEAM },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
        subjects: [{ apiGroup: rbac, kind: 'User', name: 'nobody' }],
      });
  });
  afterAll(() => gateway.close());

  /** Kinds that a namespace's admin may create; existing objects count towards the limits. */
  const RBAC = 'rbac.authorization.k8s.io/v1';
  test.each([
    [API_VERSION, 'cloudcredentials', 4, (name: string) => credential(name)],
    ['v1', 'secrets', 6, (name: string) => secret(name)],
    ['v1', 'configmaps', 5, () => ({ data: {} })],
    ['v1', 'serviceaccounts', 7, () => ({})],
    [RBAC, 'roles', 7, () => ({ rules: [] })],
    [
      RBAC,
      'rolebindings',
      7,
      () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' } }),
    ],
  ] as const)('apply to %s %s, even under concurrency', async (apiVersion, plural, limit, body) => {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const path = `${root}/namespaces/${TEAM}/${plural}`;
    const as: Person = apiVersion === API_VERSION ? 'alice' : 'nobody';
    const create = async (index: number) => {
      const metadata = { name: `at-once-${index}`, namespace: TEAM };
      const reply = await gateway.call(as, 'POST', path, { ...body(metadata.name), metadata });
      return reply.status < 300 ? 'created' : `${reply.status} ${JSON.stringify(reply.body)}`;
    };
    const replies = await Promise.all(Array.from({ length: 3 * limit }, (_, index) => create(index)));
    const refusals = replies.filter((reply) => reply !== 'created');
    expect(refusals.filter((reply) => !/^403 .*the limit is/.test(reply))).toEqual([]);
    const { body: list } = await gateway.call('operator', 'GET', path);

    expect((list as { items: readonly unknown[] }).items).toHaveLength(limit);
  });

  test('apply to the total size of objects that are created, updated or patched', async () => {
    const aliceCredentials = gateway.as('alice').resource(Secrets);
    const items = (await gateway.as('operator').resource(Secrets).list({ namespace: TEAM })).items;
    const [first, second] = items;
    const grown = (of: typeof first, bytes: number) => ({ ...secret(of?.metadata.name ?? '', bytes) });
    await aliceCredentials.update(grown(first, 150 * KIB));
    const refused = await refusal(aliceCredentials.update(grown(second, 150 * KIB)));

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toContain(`the limit is ${256 * KIB}: delete or shorten some`);
    expect(refused.message).toContain('limits.maxObjectBytesPerNamespace');
    await aliceCredentials.update(grown(first, 10));
    await aliceCredentials.update(grown(second, 150 * KIB));
    // Concurrent updates do not exceed the total size either.
    const accepted = await acceptedCount(4, (index) => aliceCredentials.update(grown(items[index + 2], 60 * KIB)));
    expect(accepted).toBe(1);
  });

  test('apply to a dry run, which itself is not counted', async () => {
    const aliceCredentials = gateway.as('alice').resource(Secrets);
    await expect(refusal(aliceCredentials.create(secret('dry'), { dryRun: true }))).resolves.toMatchObject({
      code: 403,
    });
    await gateway.as('operator').resource(Secrets).delete('at-once-0', { namespace: TEAM });
    for (let index = 0; index < 3; index++) await aliceCredentials.create(secret(`dry-${index}`), { dryRun: true });
    await expect(aliceCredentials.create(secret('real'))).resolves.toMatchObject({ metadata: { name: 'real' } });
  });
});
