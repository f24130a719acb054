import { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoleBindings, ClusterRoles } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requireKeystoneRights, requireRights } from '../../management/required-rights.ts';
import { ManagementCluster } from '../../testing/management-cluster.ts';

const ADMISSION_GATE = { username: 'gate', groups: ['system:authenticated'] };
let cluster: ManagementCluster;
beforeEach(async () => {
  cluster = await ManagementCluster.start();
});
afterEach(() => cluster.close());

async function allow(rules: readonly { apiGroups: string[]; resources: string[]; verbs: string[] }[]): Promise<void> {
  await cluster.client.resource(ClusterRoles).create({ metadata: { name: 'gate' }, rules: [...rules] });
  await cluster.client.resource(ClusterRoleBindings).create({
    metadata: { name: 'gate' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gate' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'gate' }],
  });
}

const WATCHED_KINDS = {
  apiGroups: ['', 'admissionregistration.k8s.io'],
  resources: ['configmaps', 'secrets', 'validatingwebhookconfigurations'],
  verbs: ['create', 'update', 'watch'],
};
const REVIEWS = { apiGroups: ['*'], resources: ['tokenreviews', 'subjectaccessreviews'], verbs: ['create'] };

test('lets a gateway with all permissions start', async () => {
  await allow([WATCHED_KINDS, REVIEWS, { apiGroups: ['*'], resources: ['*'], verbs: ['impersonate'] }]);

  await expect(requireRights(new KubeClient(cluster.server.transport(ADMISSION_GATE)))).resolves.toBeUndefined();
});

test('reports all missing permissions at once', async () => {
  await allow([WATCHED_KINDS, REVIEWS, { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }]);

  await expect(requireRights(new KubeClient(cluster.server.transport(ADMISSION_GATE)))).rejects.toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message: 'the gateway lacks permission to impersonate serviceaccounts, impersonate uids.authentication.k8s.io',
  });
});

test('requires more permissions to admit Keystone users, and the error contains the command that grants them', async () => {
  await allow([WATCHED_KINDS, REVIEWS, { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'patch'] }]);

  await expect(requireKeystoneRights(new KubeClient(cluster.server.transport(ADMISSION_GATE)))).rejects.toMatchObject({
    code: 403,
    message:
      'for users of Keystone, the gateway lacks permission to delete namespaces, list rolebindings.rbac.authorization.k8s.io, create rolebindings.rbac.authorization.k8s.io, patch rolebindings.rbac.authorization.k8s.io, delete rolebindings.rbac.authorization.k8s.io; bind its ClusterRole: kubectl create clusterrolebinding fairway-keystone --clusterrole=fairway-keystone --serviceaccount=fairway-system:fairway',
  });
});
