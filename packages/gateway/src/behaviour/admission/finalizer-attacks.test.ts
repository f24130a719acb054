import { CLUSTER_UID_LABEL, FINALIZER, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { RoleBindings } from '@fairway/kube/kinds/resources';
import { apiVersionOf, type ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTEMPTS, attack, refusalOutcome } from '../../testing/finalizer-attempts.ts';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

/** One member of the team, and one who also has the Kubernetes role `admin` in the team's namespace. */
const ATTACKERS: readonly UserInfo[] = ['alice', 'anna'].map((username) => ({
  username,
  groups: ['system:authenticated'],
}));

describe.each(FORMS)('%s gateway: attempts to take a cluster from Fairway', (form) => {
  let gateway: TestGateway;
  const kinds: readonly ResourceType[] = [clusters, nodePools];
  const nameOf = ({ plural }: ResourceType, { username }: UserInfo) => `${plural}-${username}`;

  beforeAll(async () => {
    gateway = await TestGateway.start(form, undefined, 1);
    await gateway.populate();
    const rbac = 'rbac.authorization.k8s.io';
    for (const role of ['fairway-member', 'admin']) {
      await gateway
        .as('operator')
        .resource(RoleBindings)
        .create({
          apiVersion: apiVersionOf(RoleBindings),
          kind: RoleBindings.kind,
          metadata: { name: `anna-${role}`, namespace: TEAM },
          roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
          subjects: [{ apiGroup: rbac, kind: 'User', name: 'anna' }],
        });
    }
    const hold = { type: 'merge' as const, value: { metadata: { finalizers: [FINALIZER] } } };
    for (const attacker of ATTACKERS) {
      await gateway.createCluster(nameOf(clusters, attacker));
      await gateway.createPool(nameOf(nodePools, attacker), { clusterName: nameOf(clusters, attacker) });
      for (const kind of kinds) {
        await gateway.gateway.client.resource(kind).patch(nameOf(kind, attacker), hold, { namespace: TEAM });
      }
    }
  });
  afterAll(() => gateway.close());

  const cases = ATTEMPTS.flatMap((attempt) =>
    ATTACKERS.flatMap((attacker) =>
      kinds.map((kind) => ({ attempt, thief: attacker, kind, who: attacker.username, plural: kind.plural })),
    ),
  );

  test.each(cases)('stops $who from using $attempt.how on $plural', async ({ attempt, thief, kind }) => {
    const name = nameOf(kind, thief);
    const before = await gateway.as(thief).resource(kind).get(name, { namespace: TEAM });

    await attack(gateway.as(thief), attempt, before, kind.plural);

    const after = await gateway.gateway.client.resource(kind).get(name, { namespace: TEAM });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.finalizers).toContain(FINALIZER);
  });

  test.each(ATTACKERS)('stops $username from using deletecollection', async (attacker) => {
    for (const kind of kinds)
      await refusalOutcome(gateway.as(attacker).resource(kind).deleteCollection({ namespace: TEAM }));

    for (const kind of kinds) {
      const object = await gateway.gateway.client.resource(kind).get(nameOf(kind, attacker), { namespace: TEAM });
      expect(object.metadata.finalizers).toContain(FINALIZER);
    }
  });

  test.each(ATTACKERS)('stops $username from writing anything that Fairway relies on', async (attacker) => {
    const as = gateway.as(attacker);
    const name = nameOf(clusters, attacker);
    const where = { namespace: TEAM };
    const cluster: Cluster = await gateway.gateway.client.resource(clusters).get(name, where);
    const labels = { [CLUSTER_UID_LABEL]: cluster.metadata.uid ?? '' };
    const status = { type: 'merge' as const, value: { status: { originUID: 'another' } } };
    const meta = { type: 'merge' as const, value: { metadata: { labels, ownerReferences: [] } } };
    const machine = { metadata: { name: 'own', namespace: TEAM, labels } };
    const refused = { code: 403, reason: 'Forbidden' };

    await expect(as.resource(clusters).patch(name, status, { ...where, subresource: 'status' })).rejects.toMatchObject(
      refused,
    );
    await expect(as.resource(clusters).updateStatus({ ...cluster, ...status.value })).rejects.toMatchObject(refused);
    await expect(as.resource(machines).create(machine as never)).rejects.toMatchObject(refused);
    await expect(as.resource(machines).patch('any', meta, where)).rejects.toMatchObject(refused);
    await expect(
      as.raw({ method: 'GET', path: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets` }),
    ).rejects.toMatchObject(refused);
    await expect(as.raw({ method: 'DELETE', path: `/api/v1/namespaces/${TEAM}` })).rejects.toMatchObject(refused);
    // A status sent with the spec is ignored.
    await as.resource(clusters).patch(name, status, where);
    const after = await gateway.gateway.client.resource(clusters).get(name, where);
    expect(after.status?.originUID).toBeUndefined();
  });
});
