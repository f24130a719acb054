import { clusterRoleGroup, keystoneAccessOf } from '@fairway/api/domain/keystone-access';
import { GROUP } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import { KEYSTONE_CLUSTER_ROLES } from '@fairway/api/kinds/cluster-options';
import type { ControlPlaneState, ReviewAccess, ReviewToken } from '@fairway/control-plane/runtime';
import type { ClusterRoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { ControllerDependencies } from '../dependencies.ts';

const RBAC = 'rbac.authorization.k8s.io';
const LABEL = `${GROUP}/keystone-users`;
const SELECTION = { labelSelector: LABEL, metadataOnly: true };

/** Keystone users of one cluster. */
export interface ClusterKeystone {
  /** The webhook authenticator of its API server; undefined if no Keystone user has access. */
  readonly reviewToken?: ReviewToken;
  /** Additional permissions of Keystone users; undefined if there are none. */
  readonly reviewAccess?: ReviewAccess;
  /** IDs of the Keystone projects whose users have access. */
  readonly projects: readonly string[];
  /** Which part is not in effect, and why. */
  readonly problem?: string;
}

export function keystoneFor(cluster: Cluster, users: ControllerDependencies['keystoneUsers']): ClusterKeystone {
  const access = keystoneAccessOf(cluster.spec, cluster.status?.projectID);
  if (access === undefined) return { projects: [] };
  if ('problem' in users) return { projects: [], problem: `spec.apiServer.keystone: ${users.problem}` };
  const { policy } = cluster.spec.apiServer.keystone ?? {};
  const reviewer = { reviewToken: users.reviewerFor(identityOf(cluster), access), projects: access.projects };
  if (policy === undefined) return reviewer;
  try {
    return { ...reviewer, reviewAccess: users.authorizerFor(policy) };
  } catch (error) {
    // The policy was written without the gateway's validation.
    const problem = `spec.apiServer.keystone.policy: ${error instanceof Error ? error.message : String(error)}`;
    return { ...reviewer, problem };
  }
}

/**
 * Adds the reason why Keystone users are not in effect to the settings that the runtime itself does not apply; the
 * runtime's reason comes first.
 */
export function withKeystoneProblem(state: ControlPlaneState, { problem }: ClusterKeystone): ControlPlaneState {
  if (problem === undefined) return state;
  const { settingsProblem, settingsReason } = state;
  return {
    ...state,
    settingsProblem: settingsProblem === undefined ? problem : `${settingsProblem} ${problem}`,
    settingsReason: settingsProblem === undefined ? 'SettingsNotEnforced' : settingsReason,
  };
}

/**
 * Creates the ClusterRoleBindings of Keystone users in the cluster, or deletes them when access is disabled, and
 * returns that part of the status; null if none. The status is written first, so that a process knows after a crash
 * what must be deleted. Like Fairway's other RBAC objects, they are recreated when missing, but never overwritten: the
 * tenant may change them.
 */
export async function ensureKeystoneBindings(
  tenant: TenantCluster,
  { status }: Cluster,
  { reviewToken, projects }: ClusterKeystone,
  signal: AbortSignal,
): Promise<ClusterStatus['keystone'] | null> {
  const isReported = status?.keystone !== undefined;
  const { client, informers } = tenant;
  const bindings = client.resource(ClusterRoleBindings);
  if (reviewToken === undefined) {
    informers.remove(ClusterRoleBindings, SELECTION);
    const createdBindings = isReported ? BINDINGS : [];
    await Promise.all(
      createdBindings.map(({ metadata }) => ignoreError('NotFound', bindings.delete(metadata.name, { signal }))),
    );
    return null;
  }
  if (isReported) {
    const present = informers.informer(ClusterRoleBindings, SELECTION);
    await present.whenSynced(signal);
    const missing = BINDINGS.filter(({ metadata }) => present.get(metadata.name) === undefined);
    // The cache may be stale.
    await Promise.all(missing.map((binding) => ignoreError('AlreadyExists', bindings.create(binding, { signal }))));
  }
  return { projects: [...projects] };
}

const BINDINGS = KEYSTONE_CLUSTER_ROLES.map((name) => {
  const group = clusterRoleGroup(name);
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: group, labels: { [LABEL]: 'true' } },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  } satisfies ClusterRoleBinding;
});

async function ignoreError(reason: 'AlreadyExists' | 'NotFound', call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isApiError(error, reason)) throw error;
  });
}
